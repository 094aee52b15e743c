//! Values that the operator gives.

/// A value that a member of the arguments must have: an id that exists, a path that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pinned {
    /// The member's name.
    pub member: String,
    /// Its JSON text.
    pub value: String,
}

impl Pinned {
    /// A member with this JSON text.
    pub fn new(member: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            member: member.into(),
            value: value.into(),
        }
    }
}
