//! Known findings: a JSON file that identifies each by what it is about, not by its line.
//!
//! ```text
//! {"version": 1, "lint": [{"server": null, "tool": "find", "code": "TL006", "pointer": "", "message": "…"}]}
//! ```

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use toolsure_json::quote;

use super::subject::Subject;
use crate::exit::Failure;
use crate::input::Input;

/// The findings in a baseline file.
#[derive(Debug)]
pub(super) struct Baseline {
    path: PathBuf,
    /// For each finding, how many of its entries were not found yet.
    left: HashMap<String, usize>,
    /// How many findings were in the file.
    known: usize,
    /// The content of the file, for writing.
    all: Map<String, Value>,
    added: usize,
}

impl Baseline {
    /// Reads the findings of a command; `asked_by` is the flag or the file that names the baseline.
    pub(super) fn read(path: PathBuf, asked_by: &str, command: &str) -> Result<Self, Failure> {
        let mut baseline = Self::load(path, asked_by)?;
        for entry in baseline
            .all
            .get(command)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let count = baseline.left.entry(entry.to_string()).or_default();
            *count = count.saturating_add(1);
        }
        Ok(baseline)
    }

    /// Starts a new file, or a new list for a command in an existing file.
    pub(super) fn to_write(path: PathBuf, asked_by: &str, command: &str) -> Result<Self, Failure> {
        let mut baseline = match path.exists() {
            true => Self::load(path, asked_by)?,
            false => Self::holding(path, Map::new()),
        };
        baseline.all.insert(command.to_owned(), json!([]));
        Ok(baseline)
    }

    fn holding(path: PathBuf, all: Map<String, Value>) -> Self {
        Self {
            path,
            left: HashMap::new(),
            known: 0,
            all,
            added: 0,
        }
    }

    fn load(path: PathBuf, asked_by: &str) -> Result<Self, Failure> {
        let name = quote(&path.display().to_string(), 200).to_string();
        let unusable = |why: &str| {
            let message = format!("the baseline `{name}`, which {asked_by} names, {why}");
            Failure::usage(message).with_help("`--write-baseline` writes one")
        };
        let text = Input::File(path.clone()).read(MOST_BYTES);
        let text = text.map_err(|error| unusable(&format!("cannot be read: {error}")))?;
        let all = serde_json::from_slice(&text)
            .map_err(|error| unusable(&format!("is not JSON: {error}")))?;
        match all {
            Value::Object(all) if all.get("version") == Some(&json!(1)) => {
                Ok(Self::holding(path, all))
            }
            _ => Err(unusable("is not a baseline of version 1")),
        }
    }

    /// Whether a finding is in the baseline; each entry counts once.
    pub(super) fn take(&mut self, subject: &Subject<'_>) -> bool {
        match self.left.get_mut(&entry(subject).to_string()) {
            Some(count) if *count > 0 => {
                *count = count.saturating_sub(1);
                self.known = self.known.saturating_add(1);
                true
            }
            _ => false,
        }
    }

    /// How many findings were in the file.
    pub(super) fn known(&self) -> usize {
        self.known
    }

    /// How many entries were not found.
    pub(super) fn left(&self) -> usize {
        self.left
            .values()
            .fold(0, |sum, one| sum.saturating_add(*one))
    }

    /// The file's name, escaped.
    pub(super) fn name(&self) -> String {
        quote(&self.path.display().to_string(), 200).to_string()
    }

    /// Adds a finding of the command that the file was started for.
    pub(super) fn add(&mut self, command: &str, subject: &Subject<'_>) {
        if let Some(Value::Array(entries)) = self.all.get_mut(command) {
            entries.push(entry(subject));
            self.added = self.added.saturating_add(1);
        }
    }

    /// Writes the file; returns its name and the number of findings of this run.
    pub(super) fn save(mut self) -> Result<(String, usize), Failure> {
        self.all.insert("version".to_owned(), json!(1));
        let name = self.name();
        let text = format!("{:#}\n", Value::Object(self.all));
        std::fs::write(&self.path, text)
            .map_err(|error| Failure::usage(format!("cannot write `{name}`: {error}")))?;
        Ok((name, self.added))
    }
}

/// What identifies a finding.
fn entry(subject: &Subject<'_>) -> Value {
    json!({
        "server": subject.server,
        "tool": subject.tool,
        "code": subject.code,
        "pointer": subject.pointer,
        "message": subject.message,
    })
}

const MOST_BYTES: usize = 64 << 20;
