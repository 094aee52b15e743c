//! Checks that the words in `xtask/words.toml` do not occur.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

/// The words to look for, each with its replacement.
struct Words {
    except: Vec<String>,
    /// In lower case; also found as a part of a name.
    parts: BTreeMap<String, String>,
    /// Found only as a whole name, in this spelling.
    names: BTreeMap<String, String>,
}

pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    let list = "xtask/words.toml";
    let text = place::text(&workspace.join(list))?;
    let table: Value = toml::from_str(&text).map_err(|error| format!("{list}: {error}"))?;
    let words = Words {
        except: strings(table.get("except")),
        parts: pairs(table.get("parts")),
        names: pairs(table.get("names")),
    };
    for folder in strings(table.get("folders")) {
        check_folder(&workspace.join(folder), &words, tally)?;
    }
    Ok(())
}

/// The strings of a list.
fn strings(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn check_folder(folder: &Path, words: &Words, tally: &mut Tally) -> Result<(), String> {
    for extension in ["rs", "md", "txt", "toml"] {
        for path in place::files(folder, extension)? {
            let text = place::text(&path)?;
            let own_name = path.file_stem().unwrap_or_default();
            let mut found = words.found(&own_name.to_string_lossy());
            for (index, line) in text.lines().enumerate() {
                let at = index.saturating_add(1);
                let each = words.found(line).into_iter();
                found.extend(each.map(|why| format!("line {at}: {why}")));
            }
            tally.record(match found.as_slice() {
                [] => Ok(()),
                found => Err(format!("{}: {}", path.display(), found.join("; "))),
            });
        }
    }
    Ok(())
}

impl Words {
    /// The forbidden words in a line, with their replacements.
    fn found(&self, line: &str) -> Vec<String> {
        let mut line = line.to_owned();
        for except in &self.except {
            line = line.replace(except, " ");
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let names = line.split(|c| !is_name(c)).filter(|name| !name.is_empty());
        let mut found = Vec::new();
        for name in names {
            let part = parts(name).find_map(|part| self.parts.get_key_value(&part));
            let whole = self.names.get_key_value(name);
            if let Some((word, instead)) = part.or(whole) {
                found.push(format!("`{name}` has the word `{word}`: write {instead}"));
            }
        }
        found
    }
}

/// The parts of a name in lower case: `take_DeskPool` has `take`, `desk` and `pool`.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let mut split = String::new();
    let mut before = None;
    for c in name.chars() {
        if c.is_uppercase() && before.is_some_and(char::is_lowercase) {
            split.push('_');
        }
        split.extend(c.to_lowercase());
        before = Some(c);
    }
    let parts: Vec<String> = split.split('_').map(str::to_owned).collect();
    parts.into_iter()
}

fn pairs(table: Option<&Value>) -> BTreeMap<String, String> {
    let members = table.and_then(Value::as_object).into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    members
        .map(|(word, instead)| (word.clone(), text(instead)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_words_in_names_and_texts() {
        let list = |word: &str| BTreeMap::from([(word.to_owned(), "other".to_owned())]);
        let words = Words {
            except: vec!["in flight".to_owned()],
            parts: list("flight"),
            names: list("Gate"),
        };
        for (line, count) in [
            ("let flight = Flight::new();", 2),
            ("take_flight, FlightPool", 2),
            ("requests in flight", 0),
            ("Gate, gate, ToolSure", 1),
            ("flights inflight", 0),
        ] {
            assert_eq!(words.found(line).len(), count, "{line}");
        }
    }
}
