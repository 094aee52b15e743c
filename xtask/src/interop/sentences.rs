//! Holds what the pages say of other programs against these programs.
//!
//! `interop/sentences.json` has the sentences. Two scripts ask the published packages and print what
//! they do, by name; a sentence lists the answers that make it true. A paragraph, list item or table
//! row that names another program must contain one of the sentences.

use std::process::Command;

use serde_json::{Map, Value};
use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use super::judge::read;
use super::run::output;
use crate::peers::{Javascript, Python, scripts};

/// Checks every sentence.
///
/// # Errors
///
/// One line if a script fails, or a file is missing or malformed.
pub(super) fn check(
    javascript: &Javascript,
    python: &Python,
    tally: &mut Tally,
) -> Result<(), String> {
    let written = read(&scripts().join("sentences.json"))?;
    let texts = |name: &str| -> Vec<&str> {
        let all = written.get(name).and_then(Value::as_array);
        all.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    };
    let mut pages = Vec::new();
    for page in texts("pages") {
        pages.push((page, place::text(&place::workspace().join(page))?));
    }
    let mut given = answers(&mut javascript.script("sentences.mjs")?)?;
    given.append(&mut answers(&mut python.script("sentences.py"))?);
    let sentences = written.get("sentences").and_then(Value::as_array);
    let sentences: Vec<Sentence<'_>> = sentences
        .into_iter()
        .flatten()
        .map(Sentence::new)
        .collect::<Result<_, _>>()?;
    judge(&pages, &texts("words"), &sentences, &given, tally);
    Ok(())
}

/// A sentence of a page.
struct Sentence<'a> {
    says: &'a str,
    /// The answers that make it true; `None` if it says why it needs none.
    needs: Option<&'a Map<String, Value>>,
}

impl<'a> Sentence<'a> {
    fn new(written: &'a Value) -> Result<Self, String> {
        let says = written.get("says").and_then(Value::as_str);
        let needs = written.get("answers").and_then(Value::as_object);
        let why = written.get("why").and_then(Value::as_str);
        match (says, needs, why) {
            (Some(says), Some(needs), None) if !needs.is_empty() => Ok(Self {
                says,
                needs: Some(needs),
            }),
            (Some(says), None, Some(_)) => Ok(Self { says, needs: None }),
            _ => Err(format!(
                "sentences.json: neither `answers` nor `why`, or both: {written}"
            )),
        }
    }
}

fn judge(
    pages: &[(&str, String)],
    words: &[&str],
    sentences: &[Sentence<'_>],
    answers: &Map<String, Value>,
    tally: &mut Tally,
) {
    let blocks: Vec<(&str, String)> = pages
        .iter()
        .flat_map(|(page, text)| blocks(text).into_iter().map(|block| (*page, block)))
        .collect();
    for Sentence { says, needs } in sentences {
        let is_there = blocks.iter().any(|(_, block)| block.contains(says));
        tally.record(
            is_there
                .then_some(())
                .ok_or_else(|| format!("no page says: {says}")),
        );
        for (name, needed) in needs.iter().copied().flatten() {
            let answer = answers.get(name).unwrap_or(&Value::Null);
            tally.record(match answer == needed {
                true => Ok(()),
                false => Err(format!("{says}\n  {name} is {answer}, not {needed}")),
            });
        }
    }
    for (page, block) in &blocks {
        let names_one = words.iter().any(|word| block.contains(word));
        let is_held = sentences.iter().any(|one| block.contains(one.says));
        tally.record(match names_one && !is_held {
            false => Ok(()),
            true => Err(format!(
                "{page}: no sentence of sentences.json is in: {block}"
            )),
        });
    }
    for name in answers.keys() {
        let mut needs = sentences.iter().filter_map(|one| one.needs);
        tally.record(match needs.any(|needs| needs.contains_key(name)) {
            true => Ok(()),
            false => Err(format!("no sentence needs the answer `{name}`")),
        });
    }
}

/// The paragraphs, list items and table rows of a page, each on one line. Headings and code are left out.
fn blocks(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let (mut in_code, mut continues) = (false, false);
    for line in text.lines().map(str::trim) {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        if in_code || is_fence || line.is_empty() || line.starts_with('#') {
            continues = false;
            continue;
        }
        let is_new = line.starts_with('|') || line.starts_with("* ");
        match all.last_mut() {
            Some(last) if continues && !is_new => {
                last.push(' ');
                last.push_str(line);
            }
            _ => all.push(line.to_owned()),
        }
        continues = true;
    }
    all
}

fn answers(script: &mut Command) -> Result<Map<String, Value>, String> {
    match output(script, "sentences")? {
        Value::Object(answers) => Ok(answers),
        other => Err(format!("sentences: no object, but {other}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PAGE: &str = "# ajv\n\n* ajv stops at\n  the first error.\n* Ours goes on.\n\n```\najv\n```\n\n| ajv | ours |\n|---|---|\n";

    #[test]
    fn blocks_are_paragraphs_items_and_rows() {
        assert_eq!(
            blocks(PAGE),
            [
                "* ajv stops at the first error.",
                "* Ours goes on.",
                "| ajv | ours |",
                "|---|---|"
            ]
        );
    }

    #[test]
    fn each_departure_fails() {
        let failed = |sentences: Value, answers: Value| {
            let sentences = sentences.as_array().unwrap();
            let sentences: Vec<_> = sentences
                .iter()
                .map(|one| Sentence::new(one).unwrap())
                .collect();
            let mut tally = Tally::default();
            let pages = [("page", PAGE.to_owned())];
            let answers = answers.as_object().unwrap();
            judge(&pages, &["ajv"], &sentences, answers, &mut tally);
            tally.failed
        };
        let stops = json!({"says": "ajv stops at the first error.", "answers": {"errors": 1}});
        let row = json!({"says": "| ajv |", "why": "a heading"});
        let both = json!([stops, row]);
        assert_eq!(failed(both.clone(), json!({"errors": 1})), 0);
        assert_eq!(failed(both.clone(), json!({"errors": 2})), 1);
        assert_eq!(failed(both.clone(), json!({})), 1);
        assert_eq!(failed(both, json!({"errors": 1, "other": 1})), 1);
        assert_eq!(failed(json!([stops]), json!({"errors": 1})), 1);
        let gone = json!({"says": "ajv sings", "why": "it does not"});
        assert_eq!(failed(json!([stops, row, gone]), json!({"errors": 1})), 1);
        for malformed in [
            json!({"says": "a"}),
            json!({"says": "a", "answers": {}}),
            json!({"why": "a"}),
        ] {
            assert!(Sentence::new(&malformed).is_err(), "{malformed}");
        }
    }
}
