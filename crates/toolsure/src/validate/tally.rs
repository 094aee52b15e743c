//! The totals of all instances: the summary and the exit code.

use super::judge::Outcome;
use crate::exit::Exit;
use crate::term::{ERROR, GOOD, WARNING};

/// The number of instances with each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    valid: u64,
    invalid: u64,
    undecided: u64,
    unreadable: u64,
}

impl Tally {
    /// The tally of one outcome.
    pub(super) fn of(outcome: &Outcome) -> Self {
        let mut tally = Self::default();
        let count = match outcome {
            Outcome::Valid => &mut tally.valid,
            Outcome::Invalid(_) => &mut tally.invalid,
            Outcome::Undecided(_) => &mut tally.undecided,
            Outcome::Unreadable(_) | Outcome::Missing(_) => &mut tally.unreadable,
        };
        *count = 1;
        tally
    }

    /// Adds another tally.
    pub(super) fn add(&mut self, others: Self) {
        self.valid = self.valid.saturating_add(others.valid);
        self.invalid = self.invalid.saturating_add(others.invalid);
        self.undecided = self.undecided.saturating_add(others.undecided);
        self.unreadable = self.unreadable.saturating_add(others.unreadable);
    }

    /// The most urgent exit code: instances that could not be read come before undecided ones, and
    /// those before invalid ones.
    pub(super) fn exit(&self) -> Exit {
        let exits = [
            (self.unreadable, Exit::Usage),
            (self.undecided, Exit::Undecided),
            (self.invalid, Exit::Invalid),
        ];
        let urgent = exits.into_iter().find(|(count, _)| *count > 0);
        urgent.map_or(Exit::Ok, |(_, exit)| exit)
    }

    /// `3 instances: 2 valid, 1 invalid`, styled.
    pub(super) fn summary(&self) -> String {
        let total = self
            .valid
            .saturating_add(self.invalid)
            .saturating_add(self.undecided)
            .saturating_add(self.unreadable);
        let parts = [
            (self.valid, GOOD, "valid"),
            (self.invalid, ERROR, "invalid"),
            (self.undecided, WARNING, "undecided"),
            (self.unreadable, ERROR, "unreadable"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _, _)| *count > 0)
            .map(|(count, style, word)| format!("{style}{count} {word}{style:#}"))
            .collect();
        match total {
            // Only JSON Lines can have none: any other input is an instance, readable or not.
            0 => "no instances: the input is empty, or its lines are blank".to_owned(),
            1 => format!("1 instance: {}", parts.join(", ")),
            _ => format!("{total} instances: {}", parts.join(", ")),
        }
    }
}
