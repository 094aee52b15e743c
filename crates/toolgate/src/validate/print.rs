//! One outcome in, the text about it out: what a run prints of an instance.

use super::contract::Sources;
use super::human::{self, Look};
use super::judge::{Judge, Outcome};
use super::tally::Tally;
use super::{Format, ValidateArgs, json, workflow};
use crate::render::Source;
use crate::term::Canvas;

/// Writes about outcomes, in the format that was asked for.
pub(super) struct Printer<'r> {
    pub(super) args: &'r ValidateArgs,
    pub(super) sources: Sources<'r>,
    pub(super) look: Look,
    /// For what is said beside a standard output.
    pub(super) aside: Canvas,
}

/// What some instances came to.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub(super) tally: Tally,
    /// For standard output.
    pub(super) text: String,
    /// For people, beside a standard output.
    pub(super) aside: String,
}

impl Printer<'_> {
    /// Judges an instance.
    pub(super) fn judge(&self, judge: &mut Judge<'_>, name: &str, source: &Source<'_>) -> Printed {
        match self.args.output {
            None => self.outcome(&judge.explain(source.bytes), name, source),
            Some(format) => {
                let (outcome, output) = judge.output(source.bytes, format.format());
                self.output(&outcome, output.as_deref(), source)
            }
        }
    }

    /// What is to be said of an outcome that has no standard output.
    pub(super) fn outcome(&self, outcome: &Outcome, name: &str, source: &Source<'_>) -> Printed {
        if self.args.output.is_some() {
            return self.output(outcome, None, source);
        }
        let text = match self.args.format {
            Format::Human => human::instance(outcome, source, &self.sources, self.look),
            Format::Json => json::instance(outcome, name, source, &self.sources, self.look.lines),
            Format::Github => workflow::instance(outcome, source, &self.sources, self.look.most),
        };
        Printed {
            tally: Tally::of(outcome),
            text,
            aside: String::new(),
        }
    }

    /// A standard output, which is one line; `null` for what could not be read, so that lines
    /// and instances stay in step.
    fn output(&self, outcome: &Outcome, output: Option<&str>, source: &Source<'_>) -> Printed {
        let mut text = crate::render::json::harmless(output.unwrap_or("null"));
        text.push('\n');
        let decided = matches!(outcome, Outcome::Valid | Outcome::Invalid(_));
        let look = Look {
            canvas: self.aside,
            ..self.look
        };
        Printed {
            tally: Tally::of(outcome),
            text,
            aside: match decided {
                true => String::new(),
                false => human::instance(outcome, source, &self.sources, look),
            },
        }
    }
}

impl Printed {
    /// Adds what comes behind it.
    pub(super) fn add(&mut self, next: Self) {
        self.tally.add(next.tally);
        self.text.push_str(&next.text);
        self.aside.push_str(&next.aside);
    }
}
