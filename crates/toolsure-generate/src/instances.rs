//! What a generator returns.

use std::fmt;

/// Instances of one schema.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Instances {
    /// The engine accepts each of them. The first is as small as one was found, the second has every optional member.
    pub valid: Vec<Valid>,
    /// The engine refuses each of them for one reason.
    pub invalid: Vec<Invalid>,
    /// What no instance was found for.
    pub missing: Vec<Missing>,
    /// Whether any value matches the schema.
    pub satisfiable: Satisfiable,
}

/// Whether a schema accepts any value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Satisfiable {
    /// A valid instance was found.
    Yes,
    /// It accepts none: a proof in one line.
    No(String),
    /// None was found, and there is no proof that none exists.
    #[default]
    Unknown,
}

/// A certified valid instance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Valid {
    /// Its JSON text.
    pub text: String,
    /// What it was made for.
    pub purpose: Purpose,
}

/// A certified invalid instance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invalid {
    /// Its JSON text.
    pub text: String,
    /// The keyword that it was made to break.
    pub keyword: &'static str,
    /// The location of that keyword in the schema, as a JSON pointer.
    pub keyword_location: String,
    /// The keyword that the engine names: the same, or that of the union around it.
    pub found: String,
    /// The location of the value that is refused, as a JSON pointer.
    pub instance_location: String,
    /// Why it is refused, in one line.
    pub message: String,
}

/// Something that no instance was found for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// The location in the schema, as a JSON pointer.
    pub location: String,
    /// Whether a valid instance is missing; otherwise an invalid one.
    pub is_valid: bool,
    /// Whether it is proved that there is none.
    pub is_impossible: bool,
}

/// What a valid instance was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// To have as little as possible.
    Minimal,
    /// To have every optional member.
    Full,
    /// To have a value that matches the subschema at this JSON pointer.
    Subschema(String),
    /// To have the value at this JSON pointer: of `enum`, `const`, `default` or `examples`.
    Listed(String),
    /// To be exactly at the bound at this JSON pointer.
    Bound(String),
    /// To have this type, which the `type` at this JSON pointer allows.
    Type(&'static str, String),
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Minimal => f.write_str("as little as possible"),
            Self::Full => f.write_str("every optional member"),
            Self::Subschema(at) => write!(f, "a value for `{at}`"),
            Self::Listed(at) => write!(f, "the value of `{at}`"),
            Self::Bound(at) => write!(f, "at the bound of `{at}`"),
            Self::Type(name, at) => write!(f, "type {name} of `{at}`"),
        }
    }
}
