//! All problems of a configuration together.

use std::path::Path;

use super::place::Place;
use super::problem::Problem;
use super::read::{file, read};
use crate::render::Source;
use crate::term::Canvas;

/// The problems of the settings, with the text in which they are located.
#[derive(Default)]
pub(crate) struct Faults {
    problems: Vec<Problem>,
    name: String,
    pub(super) text: String,
}

impl Faults {
    /// Each problem as a diagnostic in cargo's style, one after the other.
    pub(crate) fn draw(&self, canvas: Canvas) -> String {
        let source = Source::new(&self.name, self.text.as_bytes());
        let drawn = |problem: &Problem| problem.draw(Some(&source), canvas);
        self.problems.iter().map(drawn).collect()
    }

    /// Each problem as one line of a log.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let source = Source::new(&self.name, self.text.as_bytes());
        let lines: Vec<String> = self
            .problems
            .iter()
            .map(|problem| problem.line(Some(&source)))
            .collect();
        lines.into_iter()
    }

    /// The name of the configuration file.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The number of problems.
    pub(crate) fn len(&self) -> usize {
        self.problems.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.problems.extend(problems);
    }

    /// Reads the configuration file; if it cannot, adds a problem.
    pub(super) fn open(&mut self, path: &Path) -> Option<String> {
        self.name = path.display().to_string();
        match read(path).map(String::from_utf8) {
            Ok(Ok(text)) => return Some(text),
            Ok(Err(_)) => self.whole(format!("{} is not UTF-8 text", file(path))),
            Err(why) => self.whole(why),
        }
        None
    }

    fn whole(&mut self, message: String) {
        self.problems.push(Problem::new(Place::Whole, message));
    }
}
