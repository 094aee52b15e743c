//! What a diff says.

use std::fmt;

/// What a change means to those who use the tool; ordered, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every caller must decide what each of the three means to it"
)]
pub enum Class {
    /// Calls and results that worked still do.
    Compatible,
    /// Neither rules nor instances could tell.
    Unknown,
    /// Some call that worked now fails, or some result is not what was promised.
    Breaking,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compatible => "compatible",
            Self::Unknown => "unknown",
            Self::Breaking => "breaking",
        })
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

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aspect {
    /// What is accepted or promised.
    Contract,
    /// Words: descriptions, titles, examples, defaults, annotations. They change
    /// what a model does and never what a check says.
    Words,
}

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// What it means.
    pub class: Class,
    /// Where.
    pub side: Side,
    /// What kind.
    pub aspect: Aspect,
    /// The place in the values that the schema is about, as a pattern: `/a/*/b`.
    /// Empty for the whole value.
    pub place: String,
    /// What changed, one line, foreign text escaped and cut.
    pub message: String,
    /// A value that passed before and fails now (input), or passes now and was
    /// not promised before (output), as JSON text.
    pub witness: Option<String>,
    /// The [setting](toolgate_schema::settings) that raises the limit for which a schema was refused.
    pub setting: Option<&'static str>,
}

/// What changed about one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolChange {
    /// Its name; foreign, not escaped.
    pub name: String,
    /// Its place in the new listing, or in the old one if it is gone.
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The tools that changed: those of the old listing in its order, then the new ones.
    pub tools: Vec<ToolChange>,
    /// How many tools did not change at all.
    pub same: usize,
}

impl Report {
    /// The most changes that are kept of one tool.
    pub const CHANGES: usize = 200;

    /// The worst change; none if nothing changed.
    pub fn class(&self) -> Option<Class> {
        self.tools.iter().map(ToolChange::class).max()
    }
}
