//! Locations in the values that a schema describes.

/// One step from a value to a part of it.
///
/// ```
/// use toolsure_generate::Step;
///
/// assert!(Step::Name("a".to_owned()).is("a"));
/// assert!(!Step::Index(1).is("2"));
/// assert!(Step::AnyItem.is("2"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "arrays and objects have no other parts, and callers must know what each step means"
)]
pub enum Step {
    /// The member with this name.
    Name(String),
    /// Some undeclared member.
    AnyName,
    /// The item with this index.
    Index(usize),
    /// Some item.
    AnyItem,
}

impl Step {
    /// Whether a token of a JSON pointer is such a step.
    #[must_use]
    pub fn is(&self, token: &str) -> bool {
        match self {
            Self::Name(name) => name == token,
            Self::Index(index) => index.to_string() == token,
            Self::AnyName | Self::AnyItem => true,
        }
    }
}
