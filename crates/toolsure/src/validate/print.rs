//! Turns outcomes into the text that a run prints.

use super::args::{Format, ValidateArgs};
use super::contract::Sources;
use super::human::{self, Look};
use super::judge::{Judge, Outcome};
use super::tally::Tally;
use super::{json, sarif, workflow};
use crate::render::Source;
use crate::term::Canvas;

/// Writes about outcomes in the requested format.
pub(super) struct Printer<'r> {
    pub(super) args: &'r ValidateArgs,
    pub(super) sources: Sources<'r>,
    pub(super) look: Look,
    /// For messages to people beside an output of the specification.
    pub(super) aside: Canvas,
    /// Whether only problems are printed.
    pub(super) quiet: bool,
}

/// The results for some instances.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub(super) tally: Tally,
    /// For standard output.
    pub(super) text: String,
    /// Where the text of each instance with a text ends in `text`.
    pub(super) ends: Vec<usize>,
    /// Instances that are not valid, and are counted instead of printed.
    pub(super) hidden: u64,
    /// Messages to people beside an output of the specification.
    pub(super) aside: String,
}

impl Printer<'_> {
    /// Maximum instances that are reported; `None` if all are.
    pub(super) fn most(&self) -> Option<usize> {
        let for_people = self.args.output.is_none() && self.args.format != Format::Json;
        (for_people && !self.args.all).then_some(MOST_INSTANCES)
    }

    /// Judges an instance that is counted but not printed.
    pub(super) fn judge_silently(&self, judge: &mut Judge<'_>, source: &Source<'_>) -> Printed {
        let outcome = judge.verdict(source.bytes);
        Printed {
            tally: Tally::of(&outcome),
            hidden: u64::from(!matches!(outcome, Outcome::Valid)),
            ..Printed::default()
        }
    }

    /// Judges an instance, and writes the text for it.
    pub(super) fn judge(&self, judge: &mut Judge<'_>, name: &str, source: &Source<'_>) -> Printed {
        match self.args.output {
            None => self.outcome(&judge.explain(source.bytes), name, source),
            Some(format) => {
                let (outcome, output) = judge.output(source.bytes, format.format());
                self.output(&outcome, output.as_deref(), source)
            }
        }
    }

    /// The text for an outcome without an output of the specification.
    pub(super) fn outcome(&self, outcome: &Outcome, name: &str, source: &Source<'_>) -> Printed {
        if self.args.output.is_some() {
            return self.output(outcome, None, source);
        }
        let text = match self.args.format {
            Format::Human => human::instance(outcome, source, &self.sources, self.look),
            Format::Json if self.quiet && matches!(outcome, Outcome::Valid) => String::new(),
            Format::Json => json::instance(outcome, name, source, &self.sources, self.look.lines),
            Format::Github => workflow::instance(outcome, source, &self.sources, self.look.most),
            Format::Sarif => sarif::instance(outcome, source, &self.sources, self.look.most),
        };
        Printed::of(outcome, text)
    }

    /// An output of the specification, which is one line; `null` for an instance that could not be
    /// read, so that lines and instances correspond.
    fn output(&self, outcome: &Outcome, output: Option<&str>, source: &Source<'_>) -> Printed {
        let mut text = crate::render::json::harmless(output.unwrap_or("null"));
        text.push('\n');
        let decided = matches!(outcome, Outcome::Valid | Outcome::Invalid(_));
        let look = Look {
            canvas: self.aside,
            ..self.look
        };
        Printed {
            aside: match decided {
                true => String::new(),
                false => human::instance(outcome, source, &self.sources, look),
            },
            ..Printed::of(outcome, text)
        }
    }
}

impl Printed {
    fn of(outcome: &Outcome, text: String) -> Self {
        Self {
            tally: Tally::of(outcome),
            ends: (!text.is_empty())
                .then_some(text.len())
                .into_iter()
                .collect(),
            text,
            ..Self::default()
        }
    }

    /// Removes the text after that of the first `most` instances.
    pub(super) fn cut(&mut self, most: usize) {
        let more = self.ends.len().saturating_sub(most);
        if more == 0 {
            return;
        }
        self.ends.truncate(most);
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
        let more = u64::try_from(more).unwrap_or(u64::MAX);
        self.hidden = self.hidden.saturating_add(more);
    }

    /// Appends the results that follow.
    pub(super) fn add(&mut self, next: Self) {
        self.tally.add(next.tally);
        let before = self.text.len();
        let ends = next.ends.iter().map(|end| before.saturating_add(*end));
        self.ends.extend(ends);
        self.hidden = self.hidden.saturating_add(next.hidden);
        self.text.push_str(&next.text);
        self.aside.push_str(&next.aside);
    }
}

/// Maximum instances that are reported to people.
const MOST_INSTANCES: usize = 100;
