//! What one read may cost: named limits, on by default.

/// Bounds on one source text, checked while it is read.
///
/// Exceeding one is a [`ReadError`](crate::ReadError) whose [`limit`](crate::ReadError::limit)
/// names the field and its value. They bound the memory of a read: 24 bytes for each node, at most
/// `bytes` bytes of unescaped text, and 8 to 20 bytes for each key of an open object. The default
/// is meant for untrusted sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write the fields they set and `..ReadLimits::default()`, which allows more fields"
)]
pub struct ReadLimits {
    /// Bytes in the source, whitespace included. Default 16 MiB. Values above
    /// 4 GiB - 2 count as 4 GiB - 2, the most a document can index.
    pub bytes: usize,
    /// Arrays and objects open at the same time. Default 128: `[[]]` needs 2.
    pub depth: usize,
    /// Values and member names in the whole source. Default 1,000,000:
    /// `{"a":1}` needs 3. Members that `KeepLast` drops count too.
    pub nodes: usize,
    /// Decimal digits in one number, including its exponent's. Default 4,096: `1e1000000000` needs
    /// 11.
    pub digits: usize,
    /// What happens when an object has two members of the same name. Default
    /// [`DuplicateKeys::Refuse`].
    pub duplicate_keys: DuplicateKeys,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            // why: the largest tool result that an MCP host can be expected to accept.
            bytes: 16 << 20,
            // why: other readers stop at 128 by default, so deeper text does not get far anyway.
            depth: 128,
            // why: 24 MB of tape; 10 MB of ordinary data have fewer.
            nodes: 1_000_000,
            // why: longer than any ordinary number, short enough that quadratic arithmetic on its
            // digits stays under a millisecond.
            digits: 4_096,
            duplicate_keys: DuplicateKeys::Refuse,
        }
    }
}

/// What to do with a second member with the same name in one object.
///
/// RFC 8259 section 4 leaves it open, and readers disagree, so two readers of
/// one text can see two different values. Names are compared after unescaping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DuplicateKeys {
    /// Refuse the source and report both places.
    #[default]
    Refuse,
    /// Keep the last member, at its own position in the member order, and drop the earlier ones:
    /// neither they nor their values are in the document.
    KeepLast,
}
