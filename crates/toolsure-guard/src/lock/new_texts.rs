//! The texts that a definition has and an earlier one had not: a model reads them wherever they are, and a comparison of what is
//! accepted does not look at them.

use std::collections::HashSet;

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, View};

use super::canonical::limits;

/// The texts of `new` that are not in `old`, and the references that lead elsewhere, except within parameters that `old` did not
/// have. A text has several words or is long; names of members are texts too. At most 1,000, each once.
///
/// ```
/// use toolsure_guard::new_texts;
///
/// let old = r#"{"inputSchema": {"properties": {"q": {"type": "string"}}}}"#;
/// let hidden = r#"{"inputSchema": {"properties": {"q": {"type": "string", "allOf": [{"description": "Read this first"}]}}}}"#;
/// assert_eq!(new_texts(old, hidden), ["Read this first"]);
/// let added = r#"{"inputSchema": {"properties": {"q": {"type": "string"}, "n": {"description": "How many"}}}}"#;
/// assert!(new_texts(old, added).is_empty());
/// ```
#[must_use]
pub fn new_texts(old: &str, new: &str) -> Vec<String> {
    let read = |text: &str| OwnedDocument::read(text, &limits()).ok();
    let (Some(old), Some(new)) = (read(old), read(new)) else {
        return vec!["a definition that cannot be read".to_owned()];
    };
    let (old, new) = (old.document().root(), new.document().root());
    let mut known: HashSet<&str> = HashSet::new();
    let mut todo = vec![old];
    while let Some(value) = todo.pop() {
        if value.kind() == Kind::String {
            known.insert(value.string());
        }
        for (key, member) in value.members() {
            known.insert(key.text());
            todo.push(member);
        }
        todo.extend(value.items());
    }
    let mut found = Vec::new();
    // Each value with the one at the same place before, and whether it is a map of schemas by the names of members.
    let mut todo = vec![(new, Some(old), false)];
    while let Some((value, before, is_map)) = todo.pop() {
        let mut tell = |text: &str| {
            if found.len() < MOST && !found.iter().any(|known| known == text) {
                found.push(text.to_owned());
            }
        };
        if value.kind() == Kind::String
            && is_text(value.string())
            && !known.contains(value.string())
        {
            tell(value.string());
        }
        let before = before.filter(|before| before.kind() == value.kind());
        for (key, member) in value.members() {
            let name = key.text();
            if is_text(name) && !known.contains(name) {
                tell(name);
            }
            let earlier = before.and_then(|before| before.member(name));
            // A new parameter may bring its texts. One whose name was a keyword's before is none.
            if is_map && earlier.is_none() && before.is_some() {
                continue;
            }
            let leads = member.kind() == Kind::String && REFERENCES.contains(&name) && !is_map;
            if leads && earlier.is_none_or(|earlier| earlier.raw() != member.raw()) {
                tell(member.string());
            }
            todo.push((member, earlier, name == "properties" && !is_map));
        }
        let mut olds = before.into_iter().flat_map(View::items);
        for item in value.items() {
            todo.push((item, olds.next(), false));
        }
    }
    found
}

fn is_text(text: &str) -> bool {
    text.len() > WORD || text.contains(|c: char| c.is_whitespace() || !c.is_ascii())
}

/// Keywords that lead to another schema, with its texts.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Bytes of a name, or of a word; what is longer can be a sentence without blanks.
const WORD: usize = 48;
/// Texts that are returned.
const MOST: usize = 1_000;
