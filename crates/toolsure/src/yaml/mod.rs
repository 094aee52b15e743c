//! Converts YAML to JSON text: one document, with a map from its positions to those of the file.
//!
//! The text is made from the parser's events, so numbers keep their digits. An alias copies the
//! JSON text of its anchor, so its expansion is bounded like any other text.

mod scalar;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle, Tag};
use scalar::{no_number, plain};
use toolsure_json::push_json_string;

/// JSON text made from a YAML file.
#[derive(Debug)]
pub(crate) struct Yaml {
    pub(crate) json: Vec<u8>,
    pub(crate) original: Original,
}

/// The file that a JSON text was made from: YAML, or JSON with comments.
#[derive(Debug)]
pub(crate) struct Original {
    pub(crate) text: Vec<u8>,
    /// Where keys and values begin, in the JSON text and in the file; ascending.
    starts: Vec<(usize, usize)>,
    /// Where keys and values end, in the same form.
    ends: Vec<(usize, usize)>,
    /// Whether the file is JSON with comments, in which all positions are those of the JSON text.
    has_comments: bool,
}

/// Why a text cannot be converted to JSON.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The byte of the text.
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// Whether a file's extension is one of YAML.
pub(crate) fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        EXTENSIONS
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// Converts a text of one document; its JSON text has at most `most` bytes.
pub(crate) fn read(text: &[u8], most: usize) -> Result<Yaml, Fault> {
    let source = match std::str::from_utf8(text) {
        Ok(source) => source,
        Err(error) => return Err(fault(error.valid_up_to(), "not UTF-8")),
    };
    let mut writer = Writer {
        most,
        ..Writer::default()
    };
    for event in Parser::new_from_str(source) {
        let (event, span) = event.map_err(|error| {
            let at = error.marker().byte_offset().unwrap_or(0);
            fault(at, error.info())
        })?;
        writer.take(event, &span)?;
    }
    if writer.json.is_empty() {
        writer.json.push_str("null");
    }
    Ok(Yaml {
        json: writer.json.into_bytes(),
        original: Original {
            starts: writer.starts,
            ends: writer.ends,
            text: text.to_vec(),
            has_comments: false,
        },
    })
}

impl Original {
    /// A file of JSON with comments, which are spaces in the JSON text.
    pub(crate) fn with_comments(text: Vec<u8>) -> Self {
        Self {
            text,
            starts: Vec::new(),
            ends: Vec::new(),
            has_comments: true,
        }
    }

    /// Whether the file is YAML, so that its text cannot be edited as JSON.
    pub(crate) fn is_yaml(&self) -> bool {
        !self.has_comments
    }

    /// The position in the file of a position in the JSON text. A position inside of a value that
    /// has none recorded, such as a character of a string, is mapped to the beginning of the value.
    pub(crate) fn place(&self, at: usize) -> usize {
        if self.has_comments {
            return at;
        }
        let find = |all: &[(usize, usize)]| {
            let found = all.binary_search_by_key(&at, |(json, _)| *json).ok()?;
            all.get(found).map(|(_, place)| *place)
        };
        find(&self.starts)
            .or_else(|| find(&self.ends))
            .unwrap_or_else(|| {
                let before = self.starts.partition_point(|(json, _)| *json <= at);
                let last = self.starts.get(before.saturating_sub(1));
                last.map_or(0, |(_, place)| *place)
            })
    }

    /// The same for a span; its end is never before its start.
    pub(crate) fn span(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.place(span.start);
        start..self.place(span.end).max(start)
    }
}

/// Writes JSON text from the parser's events.
#[derive(Default)]
struct Writer {
    json: String,
    most: usize,
    starts: Vec<(usize, usize)>,
    ends: Vec<(usize, usize)>,
    open: Vec<Collection>,
    /// Where the JSON texts of complete nodes with anchors are.
    anchors: HashMap<usize, Range<usize>>,
    documents: usize,
}

struct Collection {
    /// For a mapping: its keys so far.
    keys: Option<HashSet<String>>,
    /// Whether a key was written and its value comes next.
    has_key: bool,
    is_empty: bool,
    is_block: bool,
    anchor: usize,
    start: usize,
}

impl Writer {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), Fault> {
        let place = span.byte_range().unwrap_or(0..0);
        match event {
            Event::DocumentStart(..) => {
                self.documents = self.documents.saturating_add(1);
                if self.documents > 1 {
                    return Err(fault(
                        place.start,
                        "a second document begins here, but only one is allowed",
                    ));
                }
            }
            Event::Alias(id) => self.alias(id, &place)?,
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style, anchor, tag.as_deref(), &place)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                known(tag.as_deref(), "seq", &place)?;
                self.begin('[', style, anchor, &place)?;
            }
            Event::MappingStart(style, anchor, tag) => {
                known(tag.as_deref(), "map", &place)?;
                self.begin('{', style, anchor, &place)?;
            }
            Event::SequenceEnd => self.end(']', &place),
            Event::MappingEnd => self.end('}', &place),
            _ => {}
        }
        self.room(0, &place)
    }

    /// Refuses the text if it would be too long with `more` further bytes.
    fn room(&self, more: usize, place: &Range<usize>) -> Result<(), Fault> {
        if self.json.len().saturating_add(more) <= self.most {
            return Ok(());
        }
        let message = format!(
            "expands to more than {} bytes of JSON, aliases included",
            self.most
        );
        Err(fault(place.start, message))
    }

    /// Writes the separator before a node; returns `true` if the node is a key.
    fn before(&mut self) -> bool {
        let Some(collection) = self.open.last_mut() else {
            return false;
        };
        if std::mem::take(&mut collection.has_key) {
            self.json.push(':');
            return false;
        }
        if !std::mem::replace(&mut collection.is_empty, false) {
            self.json.push(',');
        }
        collection.has_key = collection.keys.is_some();
        collection.has_key
    }

    /// Writes a key or a value, given as JSON text.
    fn node(&mut self, text: &str, anchor: usize, place: &Range<usize>) {
        let start = self.json.len();
        self.json.push_str(text);
        self.starts.push((start, place.start));
        self.ends.push((self.json.len(), place.end));
        if anchor > 0 {
            self.anchors.insert(anchor, start..self.json.len());
        }
    }

    fn key(&mut self, text: String, anchor: usize, place: &Range<usize>) -> Result<(), Fault> {
        let keys = self.open.last_mut().and_then(|open| open.keys.as_mut());
        let mut quoted = String::new();
        push_json_string(&mut quoted, &text);
        if keys.is_some_and(|keys| !keys.insert(text)) {
            let message = format!("duplicate key {quoted} in one mapping");
            return Err(fault(place.start, message));
        }
        self.node(&quoted, anchor, place);
        Ok(())
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        place: &Range<usize>,
    ) -> Result<(), Fault> {
        let is_plain = style == ScalarStyle::Plain;
        if self.before() {
            if is_plain && text == "<<" {
                return Err(fault(
                    place.start,
                    "a merge key (`<<`), which YAML 1.2 does not have; write out its members",
                ));
            }
            return self.key(text.to_owned(), anchor, place);
        }
        let wanted = match tag {
            None => None,
            Some(tag) if tag.original() == "!" => Some("str"),
            Some(tag) => Some(core(tag, place)?),
        };
        let value = match wanted {
            Some("str") => None,
            Some(_) => plain(text),
            None => is_plain.then(|| plain(text)).flatten(),
        };
        let kind = match value.as_deref() {
            None => "str",
            Some("null") => "null",
            Some("true" | "false") => "bool",
            Some(number) if number.contains(['.', 'e', 'E']) => "float",
            Some(_) => "int",
        };
        match wanted {
            Some(wanted) if wanted != kind && (wanted, kind) != ("float", "int") => {
                return Err(fault(
                    place.start,
                    format!("`!!{wanted}` does not match the value"),
                ));
            }
            _ => {}
        }
        if is_plain && tag.is_none() && no_number(text) {
            let message = format!("`{text}` is not a number in JSON");
            return Err(fault(place.start, message));
        }
        match value {
            Some(value) => self.node(&value, anchor, place),
            None => {
                let mut quoted = String::new();
                push_json_string(&mut quoted, text);
                self.node(&quoted, anchor, place);
            }
        }
        Ok(())
    }

    fn alias(&mut self, id: usize, place: &Range<usize>) -> Result<(), Fault> {
        let Some(range) = self.anchors.get(&id).cloned() else {
            return Err(fault(place.start, "an alias of a node that contains it"));
        };
        // The limit is checked before the copy is made.
        self.room(range.len(), place)?;
        let text = self.json.get(range).unwrap_or_default().to_owned();
        if !self.before() {
            self.node(&text, 0, place);
            return Ok(());
        }
        match serde_json::from_str::<String>(&text) {
            Ok(key) => self.key(key, 0, place),
            Err(_) => Err(fault(place.start, NO_KEY)),
        }
    }

    fn begin(
        &mut self,
        bracket: char,
        style: StructureStyle,
        anchor: usize,
        place: &Range<usize>,
    ) -> Result<(), Fault> {
        if self.before() {
            return Err(fault(place.start, NO_KEY));
        }
        let start = self.json.len();
        self.starts.push((start, place.start));
        self.json.push(bracket);
        self.open.push(Collection {
            keys: (bracket == '{').then(HashSet::new),
            has_key: false,
            is_empty: true,
            is_block: style == StructureStyle::Block,
            anchor,
            start,
        });
        Ok(())
    }

    fn end(&mut self, bracket: char, place: &Range<usize>) {
        self.json.push(bracket);
        let Some(collection) = self.open.pop() else {
            return;
        };
        // A block ends where its last node ends, not where the next line begins.
        let last = self.ends.last().map(|(_, place)| *place);
        let end = match last {
            Some(last) if collection.is_block => last,
            _ => place.end,
        };
        self.ends.push((self.json.len(), end));
        if collection.anchor > 0 {
            let range = collection.start..self.json.len();
            self.anchors.insert(collection.anchor, range);
        }
    }
}

/// The name of a scalar tag of the core schema.
fn core<'t>(tag: &'t Tag, place: &Range<usize>) -> Result<&'t str, Fault> {
    let suffix = tag.core_suffix();
    let suffix = suffix.filter(|suffix| SCALARS.contains(suffix));
    suffix.ok_or_else(|| unknown(tag, place))
}

/// Refuses tags of collections, except the one that the collection has anyway.
fn known(tag: Option<&Tag>, own: &str, place: &Range<usize>) -> Result<(), Fault> {
    match tag {
        Some(tag) if tag.core_suffix() != Some(own) && tag.original() != "!" => {
            Err(unknown(tag, place))
        }
        _ => Ok(()),
    }
}

fn unknown(tag: &Tag, place: &Range<usize>) -> Fault {
    let tag = toolsure_json::quote(&tag.original(), 60).to_string();
    fault(
        place.start,
        format!("the tag `{tag}` has no meaning in JSON"),
    )
}

fn fault(at: usize, message: impl Into<String>) -> Fault {
    Fault {
        at,
        message: message.into(),
    }
}

const EXTENSIONS: [&str; 2] = ["yaml", "yml"];
const SCALARS: [&str; 5] = ["str", "int", "float", "bool", "null"];
const NO_KEY: &str = "a key that is not a string";

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        let yaml = read(text.as_bytes(), 10_000).unwrap();
        String::from_utf8(yaml.json).unwrap()
    }

    #[test]
    fn values_are_those_of_the_core_schema() {
        for (text, expected) in [
            ("", "null"),
            (
                "a: 1\nb: [x, 'y', \"z\\n\"]",
                r#"{"a":1,"b":["x","y","z\n"]}"#,
            ),
            (
                "- ~\n- null\n-\n- True\n- no",
                r#"[null,null,null,true,"no"]"#,
            ),
            (
                "[123456789012345678901234567890, 0.1000000000000000000001]",
                "[123456789012345678901234567890,0.1000000000000000000001]",
            ),
            (
                "[1.2.3, 1e, 0x, 1_000, 12:30, +, .]",
                r#"["1.2.3","1e","0x","1_000","12:30","+","."]"#,
            ),
            ("!!str 5", "\"5\""),
            ("! 5", "\"5\""),
            ("!!float 5", "5"),
            ("404: a\ntrue: b", r#"{"404":"a","true":"b"}"#),
            (
                "a: &x {b: [1]}\nc: *x\nd: *x",
                r#"{"a":{"b":[1]},"c":{"b":[1]},"d":{"b":[1]}}"#,
            ),
            ("&k a: 1\nb: {*k : 2}", r#"{"a":1,"b":{"a":2}}"#),
            (
                "a: |\n  one\n  two\nb: >-\n  one\n  two",
                r#"{"a":"one\ntwo\n","b":"one two"}"#,
            ),
            ("%YAML 1.2\n---\n{}\n...\n", "{}"),
            ("\"<<\": 1", r#"{"<<":1}"#),
        ] {
            assert_eq!(json(text), expected, "{text}");
        }
    }

    #[test]
    fn what_json_cannot_say_is_refused() {
        for (text, at, expected) in [
            ("a: 1\na: 2", 5, "duplicate key \"a\""),
            ("{a: 1, \"a\": 2}", 7, "duplicate key \"a\""),
            ("[.inf, 1]", 1, "`.inf` is not a number"),
            ("x: -.INF", 3, "`-.INF` is not a number"),
            ("x: .nan", 3, "is not a number"),
            ("x: !!int a", 3, "`!!int` does not match the value"),
            ("x: !mine a", 3, "the tag `!mine`"),
            ("x: !!set {a}", 3, "the tag `!!set`"),
            ("? [a]\n: 1", 2, "a key that is not a string"),
            ("a: &x [*x]", 7, "an alias of a node that contains it"),
            ("a: 1\n---\nb: 2", 5, "a second document"),
            ("a: &x {}\nb:\n  <<: *x", 15, "merge key"),
            ("a: [", 4, ""),
            ("a: *x", 3, "unknown anchor"),
        ] {
            let fault = read(text.as_bytes(), 10_000).unwrap_err();
            assert!(fault.message.contains(expected), "{text}: {fault:?}");
            assert!(
                fault.at >= at.min(text.len()).saturating_sub(5),
                "{text}: {fault:?}"
            );
        }
        assert_eq!(read(b"a: \xff", 10).unwrap_err().at, 3);
    }

    /// Nine levels of nine aliases each stand for more than 300 million values.
    #[test]
    fn aliases_do_not_expand_beyond_the_bound() {
        let mut text = String::from("a: &a [x,x,x,x,x,x,x,x,x]\n");
        for (new, old) in ["b", "c", "d", "e", "f", "g", "h", "i"]
            .iter()
            .zip("abcdefgh".chars())
        {
            let nine = vec![format!("*{old}"); 9].join(",");
            text.push_str(&format!("{new}: &{new} [{nine}]\n"));
        }
        let fault = read(text.as_bytes(), 1 << 20).unwrap_err();
        assert!(
            fault.message.contains("more than 1048576 bytes of JSON"),
            "{fault:?}"
        );
    }

    #[test]
    fn nesting_is_bounded() {
        for text in [
            "[".repeat(100_000),
            "- ".repeat(100_000),
            "? ".repeat(100_000),
        ] {
            assert!(read(text.as_bytes(), 1 << 20).is_err());
        }
    }

    #[test]
    fn places_lead_back_to_the_file() {
        let text = "a: &x\n  b: [1, two]\nc: *x\nd: 'e'\n";
        let yaml = read(text.as_bytes(), 1_000).unwrap();
        let json = String::from_utf8(yaml.json.clone()).unwrap();
        for (part, expected) in [
            ("\"a\"", "a"),
            ("[1,\"two\"]", "[1, two]"),
            ("\"two\"", "two"),
            ("{\"b\":[1,\"two\"]}", "b: [1, two]"),
            ("\"b\":[1,\"two\"]", "b: [1, two]"),
            ("\"e\"", "'e'"),
        ] {
            let start = json.find(part).unwrap();
            let span = yaml.original.span(&(start..start + part.len()));
            assert_eq!(text.get(span), Some(expected), "{part}");
        }
        // A value that an alias stands for is located at the alias.
        let copy = json.rfind("\"two\"").unwrap();
        let at = yaml.original.place(copy);
        assert_eq!(text.get(at..at + 2), Some("*x"));
    }
}
