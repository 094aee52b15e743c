//! What may be known about a reader: the kinds of facts, their evidence and what breaking them costs.

use std::fmt;

use toolsure_syntax::Dialect;

use super::pattern::PatternRule;

/// One fact, with its evidence and its consequence.
///
/// ```
/// use toolsure_analysis::readers::{Consequence, Evidence, Fact, reader};
///
/// let cursor = reader("cursor").unwrap();
/// let tools = cursor.facts().find(|(_, fact)| matches!(fact.fact, Fact::Limit(_))).unwrap().1;
/// assert_eq!((tools.evidence, tools.consequence), (Evidence::Documented, Consequence::MeaningLost));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SourcedFact {
    /// The fact.
    pub fact: Fact,
    /// How it is known.
    pub evidence: Evidence,
    /// Pages, or issues of public repositories as `OWNER/NAME#NUMBER` or `NAME#NUMBER`, separated by `; `.
    pub source: &'static str,
    /// The year and month in which the newest source was read, such as `2026-11`.
    pub month: &'static str,
    /// What happens to a listing or a result that breaks it.
    pub consequence: Consequence,
}

/// How a fact is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a fact is tried, reported or documented"
)]
pub enum Evidence {
    /// Tried by this project with the reader itself.
    Tried,
    /// Public reports that quote the reader's own error.
    Public,
    /// The documentation of the reader's vendor.
    Documented,
}

/// What it costs to break a fact, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Consequence {
    /// Nothing breaks, but a model or a person is served worse.
    Style,
    /// A constraint or a text is ignored, cut or misread.
    MeaningLost,
    /// The tool is not offered, or none of its calls succeeds.
    ToolLost,
    /// A result does not arrive, or arrives as an error.
    ResultLost,
    /// The whole list of tools is lost.
    ListLost,
    /// All tools of the server are lost, or the server is not admitted.
    ServerRefused,
    /// The provider refuses each request that has the tool.
    RequestRefused,
    /// The reader waits until its timeout.
    Hang,
}

impl Consequence {
    /// All consequences, the least first.
    pub const ALL: [Self; 8] = [
        Self::Style,
        Self::MeaningLost,
        Self::ToolLost,
        Self::ResultLost,
        Self::ListLost,
        Self::ServerRefused,
        Self::RequestRefused,
        Self::Hang,
    ];

    /// Whether the reader does not take the tool, or more than it: what a gate may ask for alone.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        self >= Self::ToolLost
    }

    /// The words of messages and reports, such as `request refused`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Style => "style",
            Self::MeaningLost => "meaning lost",
            Self::ToolLost => "tool lost",
            Self::ResultLost => "result lost",
            Self::ListLost => "list lost",
            Self::ServerRefused => "server refused",
            Self::RequestRefused => "request refused",
            Self::Hang => "hangs",
        }
    }
}

impl Evidence {
    /// The word of tables: `tried`, `reported` or `documented`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Tried => "tried",
            Self::Public => "reported",
            Self::Documented => "documented",
        }
    }
}

/// A fact about what a reader takes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// A length or a number that it does not go beyond.
    Limit(Limit),
    /// The rule for names of tools.
    ToolName(NameRule),
    /// Names of the root's properties have 1 to 64 of the characters `A-Z a-z 0-9 _ . -`.
    PropertyNames,
    /// The keywords that it accepts and enforces in an input schema.
    Keywords(Keywords),
    /// The values of `format` that it accepts and enforces in an input schema.
    Formats(&'static [&'static str]),
    /// The patterns that it takes in a schema.
    Patterns(Part, PatternRule),
    /// Keywords that the root of an input schema must not have.
    RootWithout(&'static [&'static str]),
    /// The root of an input schema must have `properties`.
    RootProperties,
    /// `$ref` must have no keywords beside it.
    NoReferenceSiblings,
    /// A schema must not contain itself.
    NoRecursion,
    /// A `$ref` must begin with this.
    ReferencesBelow(&'static str),
    /// Only titles, descriptions and the like may stand beside `anyOf`.
    BareUnions,
    /// Keywords about values beside a union are not combined with it.
    UnionsNotCombined,
    /// `type` belongs into the branches of `anyOf`, not beside it.
    UnionTypesInBranches,
    /// `items` must not be a union.
    NoUnionItems,
    /// `type` must be one name.
    OneType,
    /// `nullable` takes the place of the type `null`.
    Nullable,
    /// A choice with null is read badly where an argument is optional.
    NoOptionalNull,
    /// Each property and each item must have a type.
    Typed,
    /// Each object must say `"additionalProperties": false`.
    Closed,
    /// Each property must be required.
    AllRequired,
    /// Each array must have `items`.
    ArrayItems,
    /// An array with `prefixItems` must have `items` too.
    TupleItems,
    /// `items` must not be an array of schemas.
    NoItemsArray,
    /// `enum` must have only strings, none of them empty.
    EnumStrings,
    /// `enum` must have no objects and arrays.
    EnumScalars,
    /// Bounds of numbers that may have a fraction are ignored.
    NoNumberBounds,
    /// The schema of a property must be an object.
    NoBooleanProperties,
    /// It reads a schema in this dialect, whatever `$schema` says.
    ReadsAs(Part, Dialect),
    /// It refuses a schema that declares another dialect than this one.
    Declares(Part, Dialect),
    /// The root of an output schema must be `"type": "object"`.
    OutputObject,
    /// A tool must have one of these members, or hints of its annotations.
    ToolMember(&'static [&'static str]),
    /// A member of a tool, a page or a result that it does not take in this state.
    Member(Shape, &'static [&'static str], State),
    /// It checks the structured content of results that are errors too.
    ChecksErrors,
}

impl Fact {
    /// Whether a projection rewrites what breaks it: all of an input schema and of the names of tools. Output
    /// schemas, the other members of tools, pages and results, and how many or how large they are, stay.
    #[must_use]
    pub fn is_projected(&self) -> bool {
        match self {
            Self::Limit(limit) => matches!(
                limit,
                Limit::CombinedName(_)
                    | Limit::Depth(_)
                    | Limit::Description(_)
                    | Limit::EnumMembers(_)
                    | Limit::EnumText(_)
                    | Limit::MinItems(_)
                    | Limit::Properties(_)
                    | Limit::Repetitions(_)
                    | Limit::Text(_)
            ),
            Self::Patterns(part, _) | Self::ReadsAs(part, _) | Self::Declares(part, _) => {
                *part == Part::Input
            }
            Self::OutputObject
            | Self::ToolMember(_)
            | Self::Member(..)
            | Self::ChecksErrors
            // Only of readers of which no listing is written.
            | Self::NoOptionalNull => false,
            Self::ToolName(_)
            | Self::RootWithout(_)
            | Self::PropertyNames
            | Self::RootProperties
            | Self::TupleItems
            | Self::Keywords(_)
            | Self::Formats(_)
            | Self::NoReferenceSiblings
            | Self::NoRecursion
            | Self::ReferencesBelow(_)
            | Self::BareUnions
            | Self::UnionsNotCombined
            | Self::UnionTypesInBranches
            | Self::NoUnionItems
            | Self::OneType
            | Self::Nullable
            | Self::Typed
            | Self::Closed
            | Self::AllRequired
            | Self::ArrayItems
            | Self::NoItemsArray
            | Self::NoBooleanProperties
            | Self::EnumStrings
            | Self::EnumScalars
            | Self::NoNumberBounds => true,
        }
    }
}

/// A schema of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a tool has these two schemas")]
pub enum Part {
    /// `inputSchema`.
    Input,
    /// `outputSchema`.
    Output,
}

/// An object of the protocol that a [`Fact::Member`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// A tool of `tools/list`.
    Tool,
    /// The `annotations` of a tool.
    ToolAnnotations,
    /// A page of a list: of tools, prompts, resources or templates of resources.
    Page,
    /// The same in a protocol version in which pages say how long they may be cached: 2026-07-28 and later.
    CachedPage,
    /// A prompt, a resource or a template of resources in its list.
    Entry,
    /// A result of `tools/call`.
    Result,
    /// A content block of a result.
    Block,
    /// The `annotations` of a content block.
    BlockAnnotations,
    /// A content block of type `resource_link`.
    ResourceLink,
    /// The `resource` of a content block of type `resource`.
    EmbeddedResource,
    /// The `params` of `tools/call`, which the client writes.
    Call,
}

/// The state of a member that a reader does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// It is absent.
    Missing,
    /// It is null.
    Null,
    /// It has another type than the protocol says.
    OtherType,
    /// It has the type, but not a value that the protocol allows.
    OutOfRange,
    /// It is an integer that is not written in digits, such as `12.0`.
    OtherSpelling,
}

/// The rule for names of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a name is a length, a first character and other characters"
)]
pub struct NameRule {
    /// The maximum number of characters.
    pub longest: usize,
    /// Whether the first character must be a letter or `_`.
    pub letter_first: bool,
    /// The characters besides ASCII letters and digits.
    pub others: &'static str,
}

impl NameRule {
    /// Whether a character may stand at this position, counted from 0.
    #[must_use]
    pub fn takes(&self, index: usize, c: char) -> bool {
        let first = index > 0 || !self.letter_first || c.is_ascii_alphabetic() || c == '_';
        first && (c.is_ascii_alphanumeric() || self.others.contains(c))
    }
}

/// The keywords that a reader supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a list names what is in or what is out"
)]
pub enum Keywords {
    /// All keywords except these.
    Without(&'static [&'static str]),
    /// Only these keywords; others are refused.
    Only(&'static [&'static str]),
}

impl Keywords {
    /// Whether a keyword is in the set.
    #[must_use]
    pub fn has(self, keyword: &str) -> bool {
        match self {
            Self::Without(lacks) => !lacks.contains(&keyword),
            Self::Only(takes) => takes.contains(&keyword),
        }
    }
}

/// A limit of a reader. Lengths of strings are in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The maximum length of the names of a server and a tool together.
    CombinedName(usize),
    /// The number of tools of all servers together.
    Tools(usize),
    /// The maximum length of a tool's description.
    Description(usize),
    /// The number of properties of a schema.
    Properties(usize),
    /// The number of levels of nested properties of a schema.
    Depth(usize),
    /// The number of members of all `enum`s of a schema.
    EnumMembers(usize),
    /// The length of all strings of one `enum` that has more than 250 members.
    EnumText(usize),
    /// The length of all names of properties and definitions, and of all `enum` and `const` values, of a
    /// schema.
    Text(usize),
    /// The number of tools in a request in strict mode.
    StrictTools(usize),
    /// The number of parameters of all tools in a request that are not required.
    OptionalParameters(usize),
    /// The number of parameters of all tools in a request that have an `anyOf` or several types.
    UnionParameters(usize),
    /// `minItems`.
    MinItems(usize),
    /// `minLength`, `maxLength`, `minItems` and `maxItems`.
    Repetitions(usize),
}

/// The number of members up to which the text of an `enum` does not count ([`Limit::EnumText`]).
pub(crate) const LONG_ENUM: usize = 250;

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CombinedName(most) => write!(f, "{most} characters for server and tool"),
            Self::Tools(most) => write!(f, "{most} tools of all servers"),
            Self::Description(most) => write!(f, "descriptions of {most} characters"),
            Self::Properties(most) => write!(f, "{most} properties"),
            Self::Depth(most) => write!(f, "{most} levels of properties"),
            Self::EnumMembers(most) => write!(f, "{most} enum members"),
            Self::EnumText(most) => {
                write!(
                    f,
                    "{most} characters in an enum of over {LONG_ENUM} members"
                )
            }
            Self::Text(most) => write!(f, "{most} characters of names and values"),
            Self::StrictTools(most) => write!(f, "{most} strict tools"),
            Self::OptionalParameters(most) => write!(f, "{most} optional parameters"),
            Self::UnionParameters(most) => write!(f, "{most} parameters of several types"),
            Self::MinItems(most) => write!(f, "`minItems` up to {most}"),
            Self::Repetitions(most) => {
                write!(
                    f,
                    "`minLength`, `maxLength`, `minItems` and `maxItems` up to {most}"
                )
            }
        }
    }
}
