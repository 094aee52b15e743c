//! What a change is to those who approve it.

use std::fmt;

use toolsure_analysis::diff::{Category, Change, Class, Kind, Side};

/// What a change of a tool is to the people who approved the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every caller must decide what each means to it"
)]
pub enum ChangeClass {
    /// Less is accepted or promised, perhaps; a default has another value.
    Narrower,
    /// More is accepted or promised, or the same is written otherwise.
    Wider,
    /// An annotation changed that users and clients rely on when they decide what may run.
    Consent,
    /// Texts that a model or a person reads.
    Words,
    /// How the tool runs: `execution`.
    Execution,
    /// Other members: `icons`, `_meta`, those of vendors.
    Other,
    /// The tool is new.
    New,
}

impl ChangeClass {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Narrower,
        Self::Wider,
        Self::Consent,
        Self::Words,
        Self::Execution,
        Self::Other,
        Self::New,
    ];

    /// Its name: `narrower`, `new`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Narrower => "narrower",
            Self::Wider => "wider",
            Self::Consent => "consent",
            Self::Words => "words",
            Self::Execution => "execution",
            Self::Other => "other",
            Self::New => "new",
        }
    }

    /// What a change is; [`New`](Self::New) for a new tool.
    ///
    /// ```
    /// use toolsure_analysis::diff::{Limits, diff};
    /// use toolsure_guard::policy::ChangeClass;
    ///
    /// let old = r#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// let new = r#"{"name": "find", "inputSchema": {"type": "object"}, "description": "Finds"}"#;
    /// let report = diff([old], [new], &Limits::default());
    /// assert_eq!(ChangeClass::of_change(&report.tools[0].changes[0]), ChangeClass::Words);
    /// ```
    #[must_use]
    pub fn of_change(change: &Change) -> Self {
        match (change.kind.category(), change.class) {
            _ if change.kind == Kind::ToolAdded => Self::New,
            // What could not be compared may be anything.
            _ if UNCOMPARED.contains(&change.kind) => Self::Narrower,
            _ if change.kind == Kind::SchemaAdded && change.side == Side::Input => Self::Narrower,
            _ if change.kind == Kind::Restated => Self::Wider,
            (Category::Words, _) => Self::Words,
            (Category::Consent, _) => Self::Consent,
            (Category::Schema | Category::Tool, Class::Compatible) => Self::Wider,
            (Category::Schema | Category::Tool, _) => Self::Narrower,
            _ if change.member.starts_with("execution") => Self::Execution,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for ChangeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Changes of something that was refused, or is: nothing is known of the rest.
const UNCOMPARED: [Kind; 3] = [Kind::SchemaRefused, Kind::ToolRefused, Kind::ToolUnreadable];
