//! The result of a projection: for each tool its new form, the steps, and its relation to the original.

use std::fmt;

use toolsure_schema::CompileError;

use crate::readers::Limit;

/// How the calls that a projected schema can express relate to those that the original accepts.
///
/// ```
/// use toolsure_analysis::readers::reader;
/// use toolsure_analysis::project::Projector;
///
/// // Gemini has no `multipleOf`.
/// let schema = r#"{"type": "object", "properties": {"a": {"type": "integer", "multipleOf": 5}}}"#;
/// let relation = Projector::new(reader("gemini").unwrap()).project_schema(schema)?.relation;
/// assert_eq!(relation.name(), "wider");
/// assert!(relation.keeps_all() && !relation.adds_none());
/// assert!(relation.wider().is_some() && relation.narrower().is_none());
/// # Ok::<(), toolsure_analysis::project::Refusal>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every caller must decide what each of the relations means to it"
)]
pub enum Relation {
    /// The same calls.
    Equal,
    /// All of them, and others that the original rejects.
    Wider {
        /// Arguments that the projected schema accepts, as a model writes them; the original rejects them
        /// when they are mapped back.
        witness: String,
    },
    /// Only some of them.
    Narrower {
        /// Arguments that the original accepts, but that no arguments of the projected schema map back to.
        witness: String,
    },
    /// Some of them, and others that the original rejects.
    WiderAndNarrower {
        /// Arguments that only the projected schema accepts.
        wider: String,
        /// Arguments that only the original accepts.
        narrower: String,
    },
    /// Neither rules nor instances could decide.
    Undecided {
        /// What is still known: arguments that only the projected schema accepts.
        wider: Option<String>,
        /// What is still known: arguments that only the original accepts.
        narrower: Option<String>,
        /// What is not known, in words.
        why: &'static str,
    },
}

impl Relation {
    /// The relation in one to three words, for machines.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Wider { .. } => "wider",
            Self::Narrower { .. } => "narrower",
            Self::WiderAndNarrower { .. } => "wider-and-narrower",
            Self::Undecided { .. } => "undecided",
        }
    }

    /// Arguments that the projected schema accepts and the original does not.
    #[must_use]
    pub fn wider(&self) -> Option<&str> {
        match self {
            Self::Wider { witness } | Self::WiderAndNarrower { wider: witness, .. } => {
                Some(witness)
            }
            Self::Undecided { wider, .. } => wider.as_deref(),
            Self::Equal | Self::Narrower { .. } => None,
        }
    }

    /// Arguments that the original accepts and the projected schema cannot express.
    #[must_use]
    pub fn narrower(&self) -> Option<&str> {
        match self {
            Self::Narrower { witness }
            | Self::WiderAndNarrower {
                narrower: witness, ..
            } => Some(witness),
            Self::Undecided { narrower, .. } => narrower.as_deref(),
            Self::Equal | Self::Wider { .. } => None,
        }
    }

    /// Whether it is known that every call of the original can be expressed.
    #[must_use]
    pub fn keeps_all(&self) -> bool {
        matches!(self, Self::Equal | Self::Wider { .. })
    }

    /// Whether it is known that the original accepts every call that can be expressed.
    #[must_use]
    pub fn adds_none(&self) -> bool {
        matches!(self, Self::Equal | Self::Narrower { .. })
    }
}

macro_rules! kinds {
    ($($variant:ident $name:literal $what:literal $why:literal;)*) => {
        /// A kind of step. Names never change their meaning.
        ///
        /// ```
        /// use toolsure_analysis::project::StepKind;
        ///
        /// let kind = StepKind::OneOf;
        /// assert_eq!(kind.name(), "one-of");
        /// assert_eq!((kind.what(), kind.why()), ("`oneOf` becomes `anyOf`", "`oneOf` is not accepted here"));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum StepKind {
            $(#[doc = concat!($what, ": ", $why, ".")] $variant,)*
        }

        impl StepKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name, such as `const-to-enum`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What is done, in words.
            #[must_use]
            pub fn what(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }

            /// Why it is done, in words.
            #[must_use]
            pub fn why(self) -> &'static str {
                match self { $(Self::$variant => $why,)* }
            }
        }
    };
}

kinds! {
    ShortenName "shorten-name" "the tool's name is replaced" "its length or its characters are not accepted";
    MoveDescription "move-description" "the end of the description moves into the input schema's" "the client cuts longer descriptions";
    Unreachable "unreachable" "definitions that no reference reaches are removed" "they say nothing, and some readers refuse what they contain";
    Dialect "dialect" "the schema is written in 2020-12" "providers know one dialect";
    Inline "inline" "references are replaced by their targets" "references are not accepted, or not with keywords beside them";
    Unroll "unroll" "a recursive schema is written out to a depth" "recursion is not accepted";
    Bound "bound" "below the depth of recursion only the type stays" "recursion is not accepted";
    Boolean "boolean" "a schema that is `true` or `false` is written as an object" "some clients lose the tool or the whole listing over it";
    AllOf "all-of" "the branches of `allOf` are merged" "`allOf` is not accepted here";
    OneOf "one-of" "`oneOf` becomes `anyOf`" "`oneOf` is not accepted here";
    Const "const" "`const` becomes an `enum` of one value" "`const` is not accepted";
    Constants "constants" "a union of constants becomes an `enum`" "every provider accepts this form of the same";
    TypeArray "type-array" "several types become an `anyOf`" "a `type` with several names is not accepted";
    Nullable "nullable" "`nullable` replaces the type `null`" "the provider has no type `null`";
    Tuple "tuple" "the items of a tuple become alternatives" "tuples are not accepted";
    Bounds "bounds" "an exclusive bound becomes an inclusive one" "exclusive bounds are not accepted as numbers";
    Pattern "pattern" "a pattern is written otherwise, and matches the same strings" "the reader's engine does not take it";
    ItemCount "item-count" "`minItems` is lowered" "only 0 and 1 are accepted";
    Describe "describe" "a keyword moves into the description" "the keyword is not accepted";
    LeaveOut "leave-out" "an annotation is removed" "it constrains nothing, and the provider does not accept it";
    AddItems "add-items" "`items` is added" "an array without `items` is not accepted";
    AddProperties "add-properties" "`properties` is added" "a root without `properties` is not accepted";
    AddType "add-type" "`type` is added" "a schema without `type` is not accepted";
    SpreadType "spread-type" "`type` moves into the branches of `anyOf`" "it is not accepted beside them";
    Relocate "relocate" "definitions move to where references are accepted" "a reference to another place is not accepted";
    MergeUnion "merge-union" "the branches of a union become one schema" "a union is not accepted here";
    Close "close" "undeclared members are forbidden" "every object must be closed";
    Open "open" "`additionalProperties` is removed" "the keyword is not accepted; models send declared members";
    RequireAll "require-all" "optional members become required, their absence null" "every property must be required";
    Require "require" "an optional member that may be null becomes required" "every property must be required, and null stays null";
    JsonText "json-text" "the value travels as a string of JSON" "no accepted form describes it";
    Wrap "wrap" "the value travels as an object with a string of JSON" "a string beside it would be taken for the value that it says";
    Entries "entries" "the object travels as an array of keys and values" "an object with free names is not accepted";
    Words "words" "the values of an `enum` travel as strings" "only strings are accepted in an `enum`";
    RenameProperty "rename-property" "a property is renamed" "its name is not accepted";
}

/// One step of a projection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// What is done and why.
    pub kind: StepKind,
    /// A JSON Pointer into the tool. After references are replaced, it points into the tool as it is then.
    pub pointer: String,
    /// The keyword, name or text that it is about, escaped and cut; empty if the kind is enough.
    pub detail: String,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.what())?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        Ok(())
    }
}

/// Why a tool cannot be projected. `Display` is one line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Refusal {
    /// It is not a tool: its text is not JSON, or it has no name or no input schema.
    NotATool(String),
    /// The input schema does not compile.
    Schema(CompileError),
    /// A reference leads out of the schema, or cannot be replaced.
    Reference(String),
    /// The projected schema would exceed a limit.
    TooLarge {
        /// The field of [`Limits`](super::Limits).
        limit: &'static str,
        /// Its value.
        allowed: usize,
    },
    /// The projected schema is larger than the reader takes.
    Budget {
        /// The limit of the reader.
        limit: Limit,
        /// What the schema has of it.
        found: usize,
    },
    /// A tool before it has the same name, and is published.
    DuplicateName,
    /// The name must be shortened, and another tool of the listing has the short name, or would get it.
    NameTaken(String),
    /// No form of a place was found that the profile's rules allow and that values can match.
    Unsound(String),
    /// The projected schema does not compile: a bug in the projection.
    Internal(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATool(why) => write!(f, "not a tool: {why}"),
            Self::Schema(error) => write!(f, "the input schema is refused: {error}"),
            Self::Reference(why) => f.write_str(why),
            Self::TooLarge { limit, allowed } => write!(
                f,
                "the projected schema is over the limit `{limit}` of {allowed}"
            ),
            Self::Budget { limit, found } => write!(
                f,
                "the reader takes {limit}, and the projected schema has {found}"
            ),
            Self::DuplicateName => f.write_str("another tool before it has the same name"),
            Self::NameTaken(name) => {
                write!(
                    f,
                    "its short name `{}` belongs to another tool",
                    toolsure_json::quote(name, NAME)
                )
            }
            Self::Unsound(why) => {
                write!(f, "no accepted form of the input schema was found: {why}")
            }
            Self::Internal(why) => write!(f, "the projected schema is refused: {why}"),
        }
    }
}

impl std::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Schema(error) => Some(error),
            _ => None,
        }
    }
}

/// Characters of a name that a refusal shows.
const NAME: usize = 128;
