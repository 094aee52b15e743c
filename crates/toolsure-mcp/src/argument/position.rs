//! Where an object of an argument schema is, and what its members are about.

use super::field::ArgumentType;

/// Where an object of a schema is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// The schema itself, if it has the JSON Schema–like shape.
    Root,
    Property,
    Items,
}

/// What decides whether a member has an effect: the declared type, `isArray`, and the type of the
/// elements.
#[derive(Debug, Default)]
pub(super) struct Target {
    pub(super) kind: Option<ArgumentType>,
    pub(super) is_array: bool,
    pub(super) element: Option<ArgumentType>,
}
