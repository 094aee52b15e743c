//! Hostile (schema, instance) pairs: the index, and the rule for passing.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::place;

/// One line of the index.
#[derive(Clone, Debug)]
pub struct Pair {
    /// What the pair attacks.
    pub name: String,
    /// Its size, in the attack's own unit.
    pub size: u64,
    /// The schema's file.
    pub schema: PathBuf,
    /// The instance's file.
    pub instance: PathBuf,
    /// The right verdict, if the specification determines one.
    pub expect: Option<bool>,
    /// Whether "undecided" is a failure, and also a refusal if `expect` is set.
    pub decide: bool,
    /// Whether formats are asserted.
    pub formats: bool,
}

/// The outcome of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A verdict.
    Verdict(bool),
    /// The schema or the instance was refused, with the reason.
    Refused(String),
    /// The work limit was reached.
    Undecided,
    /// The process crashed, hung or gave an unusable answer.
    Broken(String),
}

impl Pair {
    /// Checks whether this outcome is allowed.
    ///
    /// # Errors
    ///
    /// One line that says what was expected instead.
    pub fn judge(&self, end: &End) -> Result<(), String> {
        match (end, self.expect) {
            (End::Broken(reason), _) => Err(reason.clone()),
            (End::Verdict(got), Some(want)) if *got != want => {
                Err(format!("the verdict is {got}, not {want}"))
            }
            (End::Verdict(_), _) => Ok(()),
            (End::Refused(reason), Some(want)) if self.decide => {
                Err(format!("refused ({reason}), must be {want}"))
            }
            (End::Undecided, _) if self.decide => Err("undecided, must be decided".to_owned()),
            (End::Refused(_) | End::Undecided, _) => Ok(()),
        }
    }
}

/// Reads the index of a directory of pairs.
///
/// # Errors
///
/// One line that names what cannot be read.
pub fn load(directory: &Path) -> Result<Vec<Pair>, String> {
    let index = place::text(&directory.join("index.jsonl"))?;
    let mut pairs = Vec::new();
    for (number, line) in index.lines().enumerate() {
        let wrong = |what: &str| format!("index.jsonl line {}: {what}", number + 1);
        let line: Value = serde_json::from_str(line).map_err(|e| wrong(&e.to_string()))?;
        let file = |key: &str| {
            line.get(key)
                .and_then(Value::as_str)
                .map(|name| directory.join(name))
                .ok_or_else(|| wrong(&format!("no `{key}`")))
        };
        pairs.push(Pair {
            name: line
                .get("name")
                .and_then(Value::as_str)
                .ok_or_else(|| wrong("no `name`"))?
                .to_owned(),
            size: line.get("n").and_then(Value::as_u64).unwrap_or_default(),
            schema: file("schema")?,
            instance: file("instance")?,
            expect: line.get("expect").and_then(Value::as_bool),
            decide: line.get("decide").and_then(Value::as_bool).unwrap_or(false),
            formats: line.get("format").and_then(Value::as_bool).unwrap_or(false),
        });
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(expect: Option<bool>, decide: bool) -> Pair {
        Pair {
            name: String::new(),
            size: 1,
            schema: PathBuf::new(),
            instance: PathBuf::new(),
            expect,
            decide,
            formats: false,
        }
    }

    #[test]
    fn refusals_pass_unless_a_known_verdict_is_demanded() {
        let refused = End::Refused("depth".to_owned());
        assert!(pair(Some(true), false).judge(&refused).is_ok());
        assert!(pair(Some(true), true).judge(&refused).is_err());
        assert!(pair(None, true).judge(&refused).is_ok());
        assert!(pair(None, true).judge(&End::Undecided).is_err());
        assert!(pair(None, false).judge(&End::Undecided).is_ok());
        assert!(pair(Some(true), false).judge(&End::Verdict(false)).is_err());
        assert!(
            pair(None, false)
                .judge(&End::Broken("abort".to_owned()))
                .is_err()
        );
    }
}
