//! What is wrong with a policy.

/// An invalid policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{member}`: {what}")]
pub struct PolicyError {
    member: String,
    what: String,
}

impl PolicyError {
    pub(crate) fn new(member: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            member: member.into(),
            what: what.into(),
        }
    }

    /// The invalid member of the policy, as a path.
    #[must_use]
    pub fn member(&self) -> &str {
        &self.member
    }
}
