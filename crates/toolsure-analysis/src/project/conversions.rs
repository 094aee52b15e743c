//! What was mapped in the arguments that a model wrote, and why arguments cannot be mapped.

use std::fmt;

use toolsure_json::quote;

use super::report::StepKind;

/// Arguments for the original tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MappedArguments {
    /// The arguments, as JSON text.
    pub text: String,
    /// What was mapped, in order; at most 100.
    pub conversions: Vec<Conversion>,
    /// The number of conversions beyond, which are only counted.
    pub more_conversions: usize,
}

/// A value, or a name, of the arguments that a model wrote, which stands for another one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversion {
    /// How it was published: [`StepKind::JsonText`], [`Wrap`](StepKind::Wrap),
    /// [`Entries`](StepKind::Entries), [`Words`](StepKind::Words),
    /// [`RequireAll`](StepKind::RequireAll) for a null that became an absent member, or
    /// [`RenameProperty`](StepKind::RenameProperty).
    pub kind: StepKind,
    /// A JSON Pointer into the arguments as the model wrote them.
    pub pointer: String,
}

/// Why arguments cannot be mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnmappedArguments {
    /// It takes too many steps to find out which branches of unions apply.
    TooManySteps,
    /// A list of keys and values has a key twice, which no object has.
    RepeatedKey {
        /// A JSON Pointer to the second entry, in the arguments as the model wrote them.
        pointer: String,
        /// The key, not escaped.
        key: String,
    },
}

/// For messages: one line, the key escaped and cut.
impl fmt::Display for UnmappedArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManySteps => f.write_str("it takes too many steps to map the arguments"),
            Self::RepeatedKey { pointer, key } => write!(
                f,
                "the key `{}` is given twice, the second time at `{}`",
                quote(key, 64),
                quote(pointer, 200)
            ),
        }
    }
}

impl std::error::Error for UnmappedArguments {}
