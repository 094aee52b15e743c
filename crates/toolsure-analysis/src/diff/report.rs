//! The result of a diff.

use std::fmt;
use std::ops::Range;

/// What a change means to users of the tool, in order, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every caller must decide what each of the four means to it"
)]
pub enum Class {
    /// Calls and results that worked still do.
    Compatible,
    /// Calls still pass, but mean something else: a parameter is no longer used, or a user consented to a
    /// tool that now says that it does more.
    Warning,
    /// Neither rules nor instances could decide.
    Unknown,
    /// Some call that worked now fails, or some result breaks the old promise.
    Breaking,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compatible => "compatible",
            Self::Warning => "warning",
            Self::Unknown => "unknown",
            Self::Breaking => "breaking",
        })
    }
}

/// What happened, with a stable name.
///
/// ```
/// use toolsure_analysis::diff::Kind;
///
/// assert_eq!(Kind::ToolRemoved.name(), "tool-removed");
/// assert_eq!(Kind::ToolRemoved.summary(), "the tool is gone");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `tool-removed`: the tool is gone.
    ToolRemoved,
    /// `tool-renamed`: the tool is gone, and one came that is the same but for its name, has the same name
    /// but for case and separators, or takes the same parameters.
    ToolRenamed,
    /// `tool-not-listed`: the tool is not in a listing that may lack tools.
    ToolNotListed,
    /// `tool-added`: the tool is new.
    ToolAdded,
    /// `tool-unreadable`: one of the two definitions is not JSON.
    ToolUnreadable,
    /// `tool-refused`: clients refuse one of the two definitions.
    ToolRefused,
    /// `schema-removed`: the tool had this schema.
    SchemaRemoved,
    /// `schema-added`: the tool had no such schema.
    SchemaAdded,
    /// `schema-refused`: one of the schemas does not compile.
    SchemaRefused,
    /// `schema-narrowed`: less is accepted or promised.
    SchemaNarrowed,
    /// `schema-widened`: more is accepted or promised.
    SchemaWidened,
    /// `schema-rewritten`: the same is accepted or promised.
    SchemaRewritten,
    /// `parameter-removed`: a parameter is accepted, but no longer declared.
    ParameterRemoved,
    /// `parameter-added`: a parameter is newly declared.
    ParameterAdded,
    /// `task-support`: whether calls may, must or must not ask for a task.
    TaskSupport,
    /// `default-changed`: a parameter has another default, so calls without it mean something else.
    DefaultChanged,
    /// `restated`: a member says, or no longer says, what holds without it.
    Restated,
    /// `member-changed`: another member of the tool or of its annotations changed.
    MemberChanged,
    /// `consent`: an annotation changed that clients and users rely on when they decide what may run.
    Consent,
    /// `wording`: a description, title, default or another annotation changed.
    Wording,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 20] = [
        Self::ToolRemoved,
        Self::ToolRenamed,
        Self::ToolNotListed,
        Self::ToolAdded,
        Self::ToolUnreadable,
        Self::ToolRefused,
        Self::SchemaRemoved,
        Self::SchemaAdded,
        Self::SchemaRefused,
        Self::SchemaNarrowed,
        Self::SchemaWidened,
        Self::SchemaRewritten,
        Self::ParameterRemoved,
        Self::ParameterAdded,
        Self::TaskSupport,
        Self::DefaultChanged,
        Self::Restated,
        Self::MemberChanged,
        Self::Consent,
        Self::Wording,
    ];

    /// Its name, such as `parameter-removed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolRemoved => "tool-removed",
            Self::ToolRenamed => "tool-renamed",
            Self::ToolNotListed => "tool-not-listed",
            Self::ToolAdded => "tool-added",
            Self::ToolUnreadable => "tool-unreadable",
            Self::ToolRefused => "tool-refused",
            Self::SchemaRemoved => "schema-removed",
            Self::SchemaAdded => "schema-added",
            Self::SchemaRefused => "schema-refused",
            Self::SchemaNarrowed => "schema-narrowed",
            Self::SchemaWidened => "schema-widened",
            Self::SchemaRewritten => "schema-rewritten",
            Self::ParameterRemoved => "parameter-removed",
            Self::ParameterAdded => "parameter-added",
            Self::TaskSupport => "task-support",
            Self::DefaultChanged => "default-changed",
            Self::Restated => "restated",
            Self::MemberChanged => "member-changed",
            Self::Consent => "consent",
            Self::Wording => "wording",
        }
    }

    /// What it is a change of.
    ///
    /// ```
    /// use toolsure_analysis::diff::{Category, Kind};
    ///
    /// assert_eq!(Kind::SchemaNarrowed.category(), Category::Schema);
    /// assert_eq!(Kind::Consent.category().name(), "consent");
    /// ```
    #[must_use]
    pub fn category(self) -> Category {
        match self {
            Self::ToolRemoved
            | Self::ToolRenamed
            | Self::ToolNotListed
            | Self::ToolAdded
            | Self::ToolUnreadable
            | Self::ToolRefused => Category::Tool,
            Self::SchemaRemoved
            | Self::SchemaAdded
            | Self::SchemaRefused
            | Self::SchemaNarrowed
            | Self::SchemaWidened
            | Self::SchemaRewritten
            | Self::ParameterRemoved
            | Self::ParameterAdded
            | Self::DefaultChanged => Category::Schema,
            Self::Consent => Category::Consent,
            Self::Wording => Category::Words,
            Self::TaskSupport | Self::Restated | Self::MemberChanged => Category::Other,
        }
    }

    /// What it means, in one line.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::ToolRemoved => "the tool is gone",
            Self::ToolRenamed => "the tool is gone, and one like it came under another name",
            Self::ToolNotListed => "the tool is not in this listing, which may lack tools",
            Self::ToolAdded => "the tool is new",
            Self::ToolUnreadable => "one of the two definitions is not JSON",
            Self::ToolRefused => "clients refuse one of the two definitions",
            Self::SchemaRemoved => "the tool had this schema and has none now",
            Self::SchemaAdded => "the tool had no such schema",
            Self::SchemaRefused => "one of the schemas does not compile",
            Self::SchemaNarrowed => "the schema accepts less than before",
            Self::SchemaWidened => "the schema accepts more than before",
            Self::SchemaRewritten => "the schema is written otherwise and accepts the same",
            Self::ParameterRemoved => {
                "a parameter is still accepted, but no longer declared: it may have no effect for callers that still send it"
            }
            Self::ParameterAdded => "a parameter is declared that was not",
            Self::TaskSupport => "whether calls may, must or must not ask for a task",
            Self::DefaultChanged => {
                "a parameter has another default: calls without it mean something else"
            }
            Self::Restated => "a member says, or no longer says, what holds without it",
            Self::MemberChanged => "another member of the tool or of its annotations changed",
            Self::Consent => {
                "an annotation changed that users and clients rely on to decide what may run"
            }
            Self::Wording => "a description, title, default or another annotation changed",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a change is about: who has to look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Category {
    /// The tool as a whole: it came, went, has another name, or cannot be used.
    Tool,
    /// What calls and results may be.
    Schema,
    /// What users and clients rely on when they decide what may run: `readOnlyHint`, `destructiveHint`,
    /// `idempotentHint` and `openWorldHint`.
    Consent,
    /// Texts that a model or a person reads.
    Words,
    /// Every other member: `execution`, `icons`, `_meta`, and members that the protocol does not have.
    Other,
}

impl Category {
    /// Its name, such as `consent`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Schema => "schema",
            Self::Consent => "consent",
            Self::Words => "words",
            Self::Other => "other",
        }
    }
}

/// Which part of a tool changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Side {
    /// The tool's own members.
    Tool,
    /// The input schema.
    Input,
    /// The output schema.
    Output,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool => "tool",
            Self::Input => "input",
            Self::Output => "output",
        })
    }
}

/// The aspect of a tool that a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aspect {
    /// What the tool accepts or promises.
    Contract,
    /// Words: descriptions, titles, examples, defaults, annotations. They change what a model does, but
    /// never the result of validation.
    Words,
}

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// What it means.
    pub class: Class,
    /// What happened.
    pub kind: Kind,
    /// Where it happened.
    pub side: Side,
    /// What kind of change it is.
    pub aspect: Aspect,
    /// The location in the values that the schema describes, as a pattern: `/a/*/b`. Empty for the whole
    /// value.
    pub place: String,
    /// The bytes that the change is about, in the text of the new tool: the closest part that is there.
    /// `None` for the whole tool.
    pub span: Option<Range<usize>>,
    /// What changed, in one line; text from the tool is escaped and cut.
    pub message: String,
    /// The member that changed, for a change that is not of a schema's meaning: `description`, `x-note`,
    /// `annotations.readOnlyHint`; escaped. Otherwise empty.
    pub member: String,
    /// A value that passed before and fails now (input), or that passes now and was not promised before
    /// (output), as JSON text.
    pub witness: Option<String>,
    /// The text before, for a change of wording; `None` if there was none. Not escaped.
    pub before: Option<String>,
    /// The text now, for a change of wording; `None` if there is none. Not escaped.
    pub after: Option<String>,
    /// The [setting](toolsure_schema::settings) that raises the limit that the schema exceeded.
    pub setting: Option<&'static str>,
}

impl Change {
    /// The part of the tool that changed, and the location in its values: `tool`, `input /filter/*/name`.
    #[must_use]
    pub fn location(&self) -> String {
        match self.place.as_str() {
            "" => self.side.to_string(),
            place => format!("{} {place}", self.side),
        }
    }

    /// What changed, without any value: the member, or else what happened. What it names is the server's text, escaped.
    ///
    /// ```
    /// use toolsure_analysis::diff::{Limits, diff};
    ///
    /// let old = r#"{"name": "find", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}"#;
    /// let new = r#"{"name": "find", "inputSchema": {"type": "object"}, "description": "Read this first"}"#;
    /// let report = diff([old], [new], &Limits::default());
    /// let subjects: Vec<String> = report.tools[0].changes.iter().map(|change| change.subject()).collect();
    /// assert_eq!(subjects, ["annotations.readOnlyHint", "description"]);
    /// ```
    #[must_use]
    pub fn subject(&self) -> String {
        match (self.side, self.member.as_str()) {
            (Side::Tool, "") => self.kind.summary().to_owned(),
            (Side::Tool, member) => member.to_owned(),
            (_, "") => format!("{}: {}", self.location(), self.kind.summary()),
            (_, member) => format!("{}: {member}", self.location()),
        }
    }

    /// Names the member as one of an object in the tool.
    pub(super) fn within(&mut self, object: &str) {
        if self.member != object {
            self.member = format!("{object}.{}", self.member);
        }
    }

    /// A change of the contract of the whole tool. For other changes, callers replace fields.
    pub(super) fn on_tool(class: Class, kind: Kind, message: &str) -> Self {
        Self {
            class,
            kind,
            side: Side::Tool,
            aspect: Aspect::Contract,
            place: String::new(),
            span: None,
            message: message.to_owned(),
            member: String::new(),
            witness: None,
            before: None,
            after: None,
            setting: None,
        }
    }
}

/// What changed in one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolChange {
    /// Its name; not escaped.
    pub name: String,
    /// Its index in the new listing, or in the old one if the new one does not have it, by any name.
    pub index: usize,
    /// The changes, the worst first; at most [`Report::CHANGES`].
    pub changes: Vec<Change>,
}

impl ToolChange {
    /// The worst of its changes.
    pub fn class(&self) -> Class {
        let worst = self.changes.iter().map(|change| change.class).max();
        worst.unwrap_or(Class::Compatible)
    }
}

/// What changed between two listings.
///
/// ```
/// use toolsure_analysis::diff::{Class, Kind, Limits, diff};
///
/// let tool = r#"{"name": "find", "inputSchema": {"type": "object"}}"#;
/// let report = diff([tool], [], &Limits::default());
/// assert_eq!(report.class(), Some(Class::Breaking));
/// assert_eq!(report.tools[0].class(), Class::Breaking);
/// assert_eq!(report.tools[0].changes[0].kind, Kind::ToolRemoved);
/// assert_eq!(diff([tool], [tool], &Limits::default()).class(), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The tools that changed: first those of the old listing in its order, then the new ones.
    pub tools: Vec<ToolChange>,
    /// How many tools did not change.
    pub same: usize,
}

impl Report {
    /// The maximum number of changes that are kept for one tool.
    pub const CHANGES: usize = 200;

    /// The worst class of all changes; `None` if nothing changed.
    pub fn class(&self) -> Option<Class> {
        self.tools.iter().map(ToolChange::class).max()
    }
}
