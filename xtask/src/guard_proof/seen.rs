//! The outcome for each odd tool and client, as recorded in `seen.json`: one line per tool.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::clients::CLIENTS;
use super::outcome::Outcome;

/// Without the guard or through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    Direct,
    Guarded,
}

/// The outcomes of one tool, one column per client.
#[derive(Clone, Debug, Default)]
struct Row {
    direct: Vec<Option<Outcome>>,
    guarded: Vec<Option<Outcome>>,
}

/// The record.
pub(super) struct Record {
    file: String,
    rows: HashMap<String, Row>,
}

impl Record {
    /// Reads the record; one that is not there is empty.
    ///
    /// # Errors
    ///
    /// One line if it is not JSON.
    pub(super) fn read(file: &str) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).unwrap_or_else(|_| "{}".to_owned());
        let written: Value = serde_json::from_str(&text).map_err(|e| format!("{file}: {e}"))?;
        let rows = written.get("tools").and_then(Value::as_object);
        let row = |value: &Value| Row {
            direct: words(value.get("direct")),
            guarded: words(value.get("guard")),
        };
        let rows = rows.into_iter().flatten();
        Ok(Self {
            file: file.to_owned(),
            rows: rows
                .map(|(name, value)| (name.clone(), row(value)))
                .collect(),
        })
    }

    /// The recorded outcome of a client and a tool.
    pub(super) fn outcome(&self, name: &str, way: Way, column: usize) -> Option<Outcome> {
        let row = self.rows.get(name)?;
        let columns = match way {
            Way::Direct => &row.direct,
            Way::Guarded => &row.guarded,
        };
        *columns.get(column)?
    }

    /// Records the outcome of a client and a tool, and returns the one before.
    pub(super) fn set(
        &mut self,
        name: &str,
        way: Way,
        column: usize,
        outcome: Outcome,
    ) -> Option<Outcome> {
        let row = self.rows.entry(name.to_owned()).or_default();
        let columns = match way {
            Way::Direct => &mut row.direct,
            Way::Guarded => &mut row.guarded,
        };
        columns.resize(CLIENTS.len().max(columns.len()), None);
        columns.get_mut(column)?.replace(outcome)
    }

    /// Writes the record, in the order of the names.
    ///
    /// # Errors
    ///
    /// One line if it cannot be written.
    pub(super) fn write<'a>(&self, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let names = names.filter_map(|name| Some((name, self.rows.get(name)?)));
        let lines: Vec<String> = names
            .map(|(name, row)| {
                let row = json!({ "direct": text(&row.direct), "guard": text(&row.guarded) });
                format!("{}: {row}", Value::from(name))
            })
            .collect();
        let clients = CLIENTS.map(|client| client.name);
        let whole = format!(
            "{{\n\"clients\": {},\n\"tools\": {{\n{}\n}}\n}}\n",
            json!(clients),
            lines.join(",\n")
        );
        std::fs::write(&self.file, whole).map_err(|e| format!("{}: {e}", self.file))
    }
}

fn words(columns: Option<&Value>) -> Vec<Option<Outcome>> {
    let words = columns.and_then(Value::as_str).unwrap_or_default();
    words.split(' ').map(Outcome::from_word).collect()
}

fn text(columns: &[Option<Outcome>]) -> String {
    let words = columns
        .iter()
        .map(|outcome| outcome.map_or("-", Outcome::word));
    words.collect::<Vec<_>>().join(" ")
}
