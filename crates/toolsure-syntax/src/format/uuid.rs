//! UUIDs in their text form (RFC 4122 section 3).

/// Whether `text` is 32 hex digits of either case, in groups of 8, 4, 4, 4 and 12 joined by
/// hyphens. Any version and variant is accepted.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn uuids() {
        check(
            Format::Uuid,
            &[
                "00000000-0000-0000-0000-000000000000",
                "ffffffff-FFFF-ffff-FFFF-ffffffffffff",
                "0191d2a6-7b1e-7c3a-9f00-0123456789ab",
                "0191D2A6-7B1E-7C3A-9F00-0123456789AB",
                "0191d2a6-7B1E-7c3a-9F00-0123456789ab",
            ],
            &[
                "00000000000000000000000000000000",
                "00000000-0000-0000-0000-00000000000",
                "00000000-0000-0000-0000-0000000000000",
                "0000000-00000-0000-0000-000000000000",
                "00000000-0000-0000-0000_000000000000",
                "g0000000-0000-0000-0000-000000000000",
                "{00000000-0000-0000-0000-000000000000}",
                "urn:uuid:00000000-0000-0000-0000-000000000000",
                "00000000-0000-0000-0000-00000000000-",
                "0000000é-0000-0000-0000-00000000000",
                "００000000-0000-0000-0000-0000000000",
                "------------------------------------",
            ],
        );
    }
}
