//! What of a page waits for approval, counted.

use std::collections::BTreeMap;

use super::drift::Drifted;
use crate::policy::{ChangeClass, ChangeMode, Drift, Mode};

/// The tools, or entries of another list, that wait for approval.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    number: u64,
    /// How many of them have a change of a class.
    of_class: BTreeMap<ChangeClass, u64>,
}

impl Waiting {
    /// Counts one, if it is held.
    pub(crate) fn add(&mut self, drifted: &Drifted) {
        let (Some((classes, ChangeMode::Hold)), Mode::Enforce) = (&drifted.approval, drifted.mode)
        else {
            return;
        };
        self.number = self.number.saturating_add(1);
        for class in classes {
            let number = self.of_class.entry(*class).or_default();
            *number = number.saturating_add(1);
        }
    }

    /// How many there are, by class, and how they are approved; `None` if there are none.
    pub(crate) fn detail(&self, drift: &Drift, one: &str, several: &str) -> Option<String> {
        let (what, verb) = match self.number {
            0 => return None,
            1 => (one, "waits"),
            _ => (several, "wait"),
        };
        let classes = self.of_class.iter();
        let classes: Vec<String> = classes
            .map(|(class, number)| format!("{number} {class}"))
            .collect();
        let review = drift.review.as_deref();
        let review = review.map_or(String::new(), |review| format!(": {review}"));
        let classes = classes.join(", ");
        Some(format!(
            "{} {what} {verb} for approval ({classes}){review}",
            self.number
        ))
    }
}
