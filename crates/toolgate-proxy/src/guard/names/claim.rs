//! What the name of a session says to whoever can open it.

/// The contents of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guard) struct Claim {
    /// When the session was opened, in seconds since 1970 (UTC).
    pub(super) opened: u64,
    /// Whose it is; `None` if it was opened without authorization.
    pub(super) caller: Option<[u8; 32]>,
    /// The upstream's name in the configuration.
    pub(super) upstream: String,
    pub(in crate::guard) place: Place,
}

/// Where the session lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guard) enum Place {
    /// At an HTTP upstream, so that any replica can go on with it.
    Upstream {
        /// The upstream's own name for it.
        id: Vec<u8>,
        /// The version of the protocol that was agreed on, if that was known in time.
        version: Option<String>,
    },
    /// Beside the replica of this name, for this reason.
    Replica([u8; 16], Stays),
    /// Wherever it is used: what is behind is opened there as the client had opened it, with
    /// these parameters of `initialize`.
    Anywhere(String),
}

/// Why a session cannot move to another replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard) enum Stays {
    /// Its server is a process.
    Process,
    /// What the client said of itself does not fit into a name.
    Wordy,
    /// A server behind it has a session of its own. This is in no name.
    Kept,
}

impl Claim {
    /// `None` if a part is longer than it may be.
    pub(super) fn write(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        out.extend_from_slice(&self.opened.to_be_bytes());
        part(&mut out, self.caller.as_ref().map_or(&[][..], |own| own))?;
        part(&mut out, self.upstream.as_bytes())?;
        match &self.place {
            Place::Upstream { id, version } => {
                out.push(AT_UPSTREAM);
                part(&mut out, version.as_deref().unwrap_or_default().as_bytes())?;
                part(&mut out, id)?;
            }
            Place::Replica(name, stays) => {
                out.push(match stays {
                    Stays::Wordy => AT_REPLICA_WORDY,
                    Stays::Process | Stays::Kept => AT_REPLICA,
                });
                part(&mut out, name)?;
            }
            Place::Anywhere(opening) => {
                out.push(ANYWHERE);
                part(&mut out, opening.as_bytes())?;
            }
        }
        Some(out)
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (opened, rest) = bytes.split_first_chunk()?;
        let (caller, rest) = take(rest)?;
        let (upstream, rest) = take(rest)?;
        let (kind, rest) = rest.split_first()?;
        let (first, rest) = take(rest)?;
        let (place, rest) = match *kind {
            AT_UPSTREAM => {
                let (id, rest) = take(rest)?;
                let version = String::from_utf8(first.to_vec()).ok()?;
                let place = Place::Upstream {
                    id: id.to_vec(),
                    version: (!version.is_empty()).then_some(version),
                };
                (place, rest)
            }
            AT_REPLICA => (Place::Replica(first.try_into().ok()?, Stays::Process), rest),
            AT_REPLICA_WORDY => (Place::Replica(first.try_into().ok()?, Stays::Wordy), rest),
            ANYWHERE => {
                let opening = String::from_utf8(first.to_vec()).ok()?;
                (Place::Anywhere(opening), rest)
            }
            _ => return None,
        };
        let claim = Self {
            opened: u64::from_be_bytes(*opened),
            caller: match caller {
                [] => None,
                own => Some(own.try_into().ok()?),
            },
            upstream: String::from_utf8(upstream.to_vec()).ok()?,
            place,
        };
        rest.is_empty().then_some(claim)
    }
}

fn part(out: &mut Vec<u8>, part: &[u8]) -> Option<()> {
    let length = u16::try_from(part.len()).ok()?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(part);
    (part.len() <= LONGEST_PART).then_some(())
}

fn take(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
}

const AT_UPSTREAM: u8 = 1;
const AT_REPLICA: u8 = 2;
const ANYWHERE: u8 = 3;
const AT_REPLICA_WORDY: u8 = 4;
/// Bytes of one part. The longest are the upstream's own name for a session, and SDKs name theirs
/// by 36, and the client's parameters of `initialize`, most of which have less than 500. The
/// whole must fit into a header beside others: a name has at most 3,000 characters, and proxies
/// admit 8 KiB.
pub(super) const LONGEST_PART: usize = 2_048;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else_is() {
        let places = [
            Place::Upstream {
                id: vec![b'x'; LONGEST_PART],
                version: None,
            },
            Place::Upstream {
                id: b"s-1".to_vec(),
                version: Some("2025-11-25".to_owned()),
            },
            Place::Replica([7; 16], Stays::Process),
            Place::Replica([7; 16], Stays::Wordy),
            Place::Anywhere(r#"{"capabilities":{}}"#.to_owned()),
        ];
        let callers = [None, Some([9; 32]), None, None, Some([8; 32])];
        for (place, caller) in places.into_iter().zip(callers) {
            let claim = Claim {
                opened: 1_795_000_000,
                caller,
                upstream: "tools".to_owned(),
                place,
            };
            let mut written = claim.write().unwrap();
            assert_eq!(Claim::read(&written), Some(claim));
            for at in 0..written.len() {
                assert_eq!(Claim::read(written.get(..at).unwrap()), None, "{at}");
            }
            written.push(0);
            assert_eq!(Claim::read(&written), None);
        }
    }

    #[test]
    fn the_length_of_a_part_is_bounded() {
        let claim = Claim {
            opened: 0,
            caller: None,
            upstream: "tools".to_owned(),
            place: Place::Upstream {
                id: vec![b'x'; LONGEST_PART + 1],
                version: None,
            },
        };
        assert_eq!(claim.write(), None);
    }
}
