//! A problem of a configuration: what is wrong, where, and what was probably meant.

use toolsure_json::quote;

use super::excerpt::Excerpt;
use super::place::Place;
use crate::render::{Diagnostic, Mark, Severity, Source};
use crate::term::Canvas;

/// One problem of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(super) place: Place,
    /// One line, with untrusted text escaped.
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Problem {
    pub(super) fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
            help: None,
        }
    }

    /// Suggests the closest known name, if there is one.
    pub(super) fn meant(mut self, closest: Option<&str>) -> Self {
        self.help = closest.map(|word| format!("did you mean `{word}`?"));
        self
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The problem in one line, for a log: `FILE:LINE:COLUMN: message (help)`.
    pub(crate) fn line(&self, source: Option<&Source<'_>>) -> String {
        let place = match (&self.place, source) {
            (Place::File(span, _), Some(source)) => {
                let at = source.line_column(span.start);
                format!("{}:{}:{}: ", source.name, at.line, at.column)
            }
            (Place::File(..) | Place::Whole, _) => String::new(),
            (Place::Variable(name) | Place::Flag(name), _) => {
                format!("`{}`: ", quote(name, SHOWN_SETTING))
            }
        };
        let help = self.help.as_ref();
        let help = help.map_or_else(String::new, |help| format!(" ({help})"));
        format!("{place}{}{help}", self.message)
    }

    /// The problem as a diagnostic in cargo's style.
    pub(crate) fn draw(&self, source: Option<&Source<'_>>, canvas: Canvas) -> String {
        let message = match &self.place {
            Place::Variable(name) | Place::Flag(name) => format!("`{name}`: {}", self.message),
            Place::File(..) | Place::Whole => self.message.clone(),
        };
        let mut diagnostic = Diagnostic::new(Severity::Error, "config", message);
        let excerpt = match (&self.place, source) {
            (Place::File(span, shows), Some(source)) => {
                let line = source.line_column(span.start).line;
                let excerpt = Excerpt::of(source.bytes, span, *shows);
                Some((excerpt, source, line))
            }
            _ => None,
        };
        let shown = excerpt
            .as_ref()
            .map(|(excerpt, source, line)| (source.part(excerpt.text.as_bytes(), *line), excerpt));
        if let Some((source, excerpt)) = &shown {
            diagnostic = diagnostic.mark(Mark {
                source,
                span: excerpt.mark.clone(),
                label: String::new(),
            });
        }
        if let Some(help) = &self.help {
            diagnostic = diagnostic.help(help);
        }
        diagnostic.draw(canvas)
    }
}

/// Maximum characters of the name of a variable or a flag in a line of a log.
const SHOWN_SETTING: usize = 120;
