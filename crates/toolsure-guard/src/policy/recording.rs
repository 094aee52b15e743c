//! How much of the values of calls records have.

use toolsure_json::{
    Kind, Node as _, OwnedDocument, ReadLimits, View, has_secret, json_string, names_secret, quote,
};

use super::error::PolicyError;
use super::secret_places::{Schemas, SecretPlaces};
use super::words::Words;

/// How much of arguments, or of results, a record has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Recorded {
    /// Nothing.
    #[default]
    Nothing,
    /// The names of their members.
    Names,
    /// All values but secret ones, in at most 4 KiB of JSON.
    Full,
}

words! {
    Recorded { Nothing = "none", Names = "names", Full = "full" }
}

/// What records have of the values of calls. By default nothing: the data of a caller may be secret, and logs are
/// kept for long.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recording {
    /// Of arguments.
    pub arguments: Recorded,
    /// Of results: of the structured content, or without one of the content.
    pub results: Recorded,
    /// JSON pointers (RFC 6901) into the recorded value, in which the part `*` stands for any name or index. What is there is a secret,
    /// besides members whose names say so, texts that look like one, and places of schemas with the format `password` or
    /// `secret` or with `writeOnly`.
    pub secrets: Vec<String>,
}

impl Recording {
    /// Checks the pointers.
    pub(super) fn check(&self) -> Result<(), PolicyError> {
        let is_pointer = |text: &String| text.is_empty() || text.starts_with('/');
        match self.secrets.iter().find(|text| !is_pointer(text)) {
            Some(wrong) => {
                let why = format!(
                    "`{}` is not a JSON pointer: it must begin with `/`",
                    quote(wrong, SHOWN)
                );
                Err(PolicyError::new("recording.secrets", why))
            }
            None => Ok(()),
        }
    }

    /// Whether a record needs the schemas of tools, which say what is a secret.
    pub(crate) fn needs_schemas(&self) -> bool {
        self.arguments == Recorded::Full || self.results == Recorded::Full
    }

    /// The arguments of a call as a record has them, as JSON text; `schema` is the text of the tool's input schema. Without one it is
    /// not known which values are secrets, and the record has only names.
    pub(crate) fn arguments(&self, value: View<'_>, schema: Option<View<'_>>) -> Option<String> {
        match schema {
            Some(_) => self.recorded(self.arguments, value, schema, None),
            None => (self.arguments != Recorded::Nothing).then(|| names(value)),
        }
    }

    /// The same for the result of a tool and its output schema, if it has one.
    pub(crate) fn result(&self, result: View<'_>, schema: Option<View<'_>>) -> Option<String> {
        match result.member("structuredContent") {
            Some(value) => self.recorded(self.results, value, schema, None),
            // Texts may be the value that the output schema describes.
            None => self.recorded(self.results, result.member("content")?, None, schema),
        }
    }

    /// The same for the result of a tool that is not known.
    pub(crate) fn unknown_result(&self, result: View<'_>) -> Option<String> {
        let content = || result.member("content");
        let value = result.member("structuredContent").or_else(content)?;
        (self.results != Recorded::Nothing).then(|| names(value))
    }

    fn recorded(
        &self,
        how: Recorded,
        value: View<'_>,
        schema: Option<View<'_>>,
        of_texts: Option<View<'_>>,
    ) -> Option<String> {
        match how {
            Recorded::Nothing => None,
            Recorded::Names => Some(names(value)),
            Recorded::Full => {
                let mut writer = Writer::new(&self.secrets);
                writer.of_texts = Some(of_texts);
                writer.root(value, schema);
                Some(writer.out)
            }
        }
    }
}

/// The names of a value's members, as JSON text.
fn names(value: View<'_>) -> String {
    let mut out = "[".to_owned();
    for (at, (name, _)) in value.members().enumerate() {
        if at > 0 {
            out.push(',');
        }
        if at == MOST_NAMES || out.len() > MOST_BYTES {
            out.push_str(CUT);
            break;
        }
        out.push_str(&bounded(name.view().string()));
    }
    out.push(']');
    out
}

/// Writes a value without its secrets.
struct Writer<'r, 's> {
    secrets: &'r [String],
    schemas: SecretPlaces<'s>,
    /// The schema of the JSON that texts are; the outer `None` if they are not read.
    of_texts: Option<Option<View<'s>>>,
    /// The parts of the pointer to the current value.
    at: Vec<String>,
    out: String,
    /// Something was left out because it is a secret.
    has_masked: bool,
}

impl<'r, 's> Writer<'r, 's> {
    fn new(secrets: &'r [String]) -> Self {
        Self {
            secrets,
            schemas: SecretPlaces::new(),
            of_texts: None,
            at: Vec::new(),
            out: String::new(),
            has_masked: false,
        }
    }

    fn root(&mut self, value: View<'_>, schema: Option<View<'s>>) {
        let schemas = self.schemas.of_root(schema);
        self.value(value, &schemas);
    }

    fn value(&mut self, value: View<'_>, schemas: &Schemas<'s>) {
        // What is deeper is not looked at.
        if self.is_secret_place() || schemas.are_for_secrets || self.at.len() > MOST_DEPTH {
            return self.mask();
        }
        match value.kind() {
            _ if self.is_full() => self.out.push_str(CUT),
            Kind::Object => {
                self.out.push('{');
                let names_other = names_other(value);
                for (at, (name, member)) in value.members().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                    }
                    // What is left is not written, member by member.
                    if self.is_full() {
                        self.out.push_str(r#""…":"…""#);
                        break;
                    }
                    let name = name.view().string();
                    self.out.push_str(&bounded(name));
                    self.out.push(':');
                    if names_secret(name) || (names_other && name.eq_ignore_ascii_case("value")) {
                        self.mask();
                        continue;
                    }
                    let inner = self.schemas.member(schemas, name);
                    self.inside(name.to_owned(), member, &inner);
                }
                self.out.push('}');
            }
            Kind::Array => {
                self.out.push('[');
                for (at, item) in value.items().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                    }
                    if self.is_full() {
                        self.out.push_str(CUT);
                        break;
                    }
                    let inner = self.schemas.item(schemas, at);
                    self.inside(at.to_string(), item, &inner);
                }
                self.out.push(']');
            }
            Kind::String if self.is_secret(value.string()) => self.mask(),
            Kind::String => self.out.push_str(&bounded(value.string())),
            _ => self.out.push_str(value.raw()),
        }
    }

    fn mask(&mut self) {
        self.has_masked = true;
        self.out.push_str(SECRET);
    }

    fn is_full(&self) -> bool {
        self.out.len() > MOST_BYTES
    }

    /// Whether a text has a secret in it, as text or as JSON.
    fn is_secret(&self, text: &str) -> bool {
        if has_secret(cut(text).0) {
            return true;
        }
        let Some(schema) = self
            .of_texts
            .filter(|_| text.trim_start().starts_with(['{', '[']))
        else {
            return false;
        };
        let Ok(read) = OwnedDocument::read(text, &ReadLimits::default()) else {
            // It is not known what the schema says of it.
            return schema.is_some();
        };
        let mut inner = Writer::new(self.secrets);
        inner.root(read.document().root(), schema);
        inner.has_masked
    }

    fn inside(&mut self, part: String, value: View<'_>, schemas: &Schemas<'s>) {
        self.at.push(part);
        self.value(value, schemas);
        self.at.pop();
    }

    fn is_secret_place(&self) -> bool {
        self.secrets.iter().any(|pointer| {
            let mut parts = pointer.split('/').skip(1);
            let same = |own: &String| {
                let part = parts.next();
                part.is_some_and(|part| {
                    part == "*" || part.replace("~1", "/").replace("~0", "~") == *own
                })
            };
            self.at.iter().all(same) && parts.next().is_none()
        })
    }
}

/// Whether an object has the form `{"name": "password", "value": …}`.
fn names_other(object: View<'_>) -> bool {
    ["name", "key", "header"].iter().any(|member| {
        let name = object.member(member);
        name.is_some_and(|name| name.kind() == Kind::String && names_secret(cut(name.string()).0))
    })
}

/// A text as JSON, cut if it is long.
fn bounded(text: &str) -> String {
    match cut(text) {
        (all, false) => json_string(all),
        (start, true) => json_string(&format!("{start}…")),
    }
}

/// As much of a text as a record has, and whether that is less than all.
fn cut(text: &str) -> (&str, bool) {
    let end = text.char_indices().nth(MOST_CHARACTERS);
    let start = end.and_then(|(end, _)| text.get(..end));
    (start.unwrap_or(text), start.is_some())
}

const SECRET: &str = r#""(secret)""#;
const CUT: &str = r#""…""#;
/// Maximum characters of a pointer in a message.
const SHOWN: usize = 60;
/// Maximum names of members in a record.
const MOST_NAMES: usize = 64;
/// Maximum characters of one text.
const MOST_CHARACTERS: usize = 1_024;
/// Maximum depth of a recorded value.
const MOST_DEPTH: usize = 64;
/// After so many bytes no other value is written.
const MOST_BYTES: usize = 4 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(recording: &Recording, value: &str, schema: &str) -> String {
        let read = |text: &str| OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        let (value, schema) = (read(value), read(schema));
        let schema = schema.document().root();
        let text = recording.arguments(value.document().root(), Some(schema));
        // A record is a line of JSON.
        let text = text.unwrap();
        assert_eq!(read(&text).document().source(), text);
        text
    }

    #[test]
    fn secrets_are_left_out() {
        let recording = Recording {
            arguments: Recorded::Full,
            secrets: vec!["/a/*/b".to_owned(), "/x~1y".to_owned()],
            ..Recording::default()
        };
        let schema = r##"{"properties":{"pin":{"format":"password"},"in":{"writeOnly":true},
            "list":{"items":{"properties":{"word":{"format":"secret"}}}},
            "ref":{"$ref":"#/$defs/p"},"any":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/p"}]},
            "pair":{"prefixItems":[{},{"writeOnly":true}]},"map":{"additionalProperties":{"writeOnly":true}},
            "loop":{"$ref":"#/properties/loop"}},"$defs":{"p":{"allOf":[{"writeOnly":true}]}}}"##;
        for (value, expected) in [
            (r#"{"a":1,"b":"x"}"#, r#"{"a":1,"b":"x"}"#),
            (
                r#"{"apiKey":"hush","n":1e3}"#,
                r#"{"apiKey":"(secret)","n":1e3}"#,
            ),
            (
                r#"{"pin":"1234","in":[1]}"#,
                r#"{"pin":"(secret)","in":"(secret)"}"#,
            ),
            (
                r#"{"list":[{"word":"hush","id":1}]}"#,
                r#"{"list":[{"word":"(secret)","id":1}]}"#,
            ),
            (
                r#"{"a":{"k":{"b":"hush","c":1}}}"#,
                r#"{"a":{"k":{"b":"(secret)","c":1}}}"#,
            ),
            (
                r#"{"a":[{"b":{"c":"hush"}}]}"#,
                r#"{"a":[{"b":"(secret)"}]}"#,
            ),
            (
                r#"{"x/y":"hush","x":{"y":1}}"#,
                r#"{"x/y":"(secret)","x":{"y":1}}"#,
            ),
            (r#"{"h":"Bearer hush"}"#, r#"{"h":"(secret)"}"#),
            (r#"["Echo: sk-ant-hush"]"#, r#"["(secret)"]"#),
            (r#"["my key: ghp_hush."]"#, r#"["(secret)"]"#),
            (r#"["{\"password\":\"hush\"}"]"#, r#"["(secret)"]"#),
            (r#"["https://me:hush@host/"]"#, r#"["(secret)"]"#),
            (r#"["https://host/?q=1"]"#, r#"["https://host/?q=1"]"#),
            (
                r#"{"ref":"hush","any":"hush","pair":[1,"hush"],"map":{"a":"hush"},"loop":1}"#,
                r#"{"ref":"(secret)","any":"(secret)","pair":[1,"(secret)"],"map":{"a":"(secret)"},"loop":"(secret)"}"#,
            ),
            (
                r#"{"env":[{"name":"password","value":"hush"},{"name":"a","value":1}]}"#,
                r#"{"env":[{"name":"password","value":"(secret)"},{"name":"a","value":1}]}"#,
            ),
            (
                r#"{"text":"{\"a\": {\"k\": {\"b\": \"hush\"}}}","t":"{\"a\":1}"}"#,
                r#"{"text":"(secret)","t":"{\"a\":1}"}"#,
            ),
            ("[]", "[]"),
            ("null", "null"),
        ] {
            assert_eq!(of(&recording, value, schema), expected);
        }
        let names = Recording {
            arguments: Recorded::Names,
            ..Recording::default()
        };
        assert_eq!(
            of(&names, r#"{"a":"hush","b":{"c":1}}"#, "{}"),
            r#"["a","b"]"#
        );
        assert_eq!(of(&names, "5", "{}"), "[]");
        let many: Vec<String> = (0..70).map(|at| format!("\"n{at}\":1")).collect();
        let found = of(&names, &format!("{{{}}}", many.join(",")), "{}");
        assert!(found.ends_with(r#""n63","…"]"#), "{found}");
    }

    #[test]
    fn without_a_schema_there_are_only_names() {
        let recording = Recording {
            arguments: Recorded::Full,
            results: Recorded::Full,
            ..Recording::default()
        };
        let value = OwnedDocument::read(r#"{"pin":"hush"}"#, &ReadLimits::default()).unwrap();
        let found = recording.arguments(value.document().root(), None);
        assert_eq!(found.as_deref(), Some(r#"["pin"]"#));
        let result = r#"{"structuredContent":{"pin":"hush"},"content":[]}"#;
        let result = OwnedDocument::read(result, &ReadLimits::default()).unwrap();
        let found = recording.unknown_result(result.document().root());
        assert_eq!(found.as_deref(), Some(r#"["pin"]"#));
    }

    /// The output schema says what is a secret in a text that is its value.
    #[test]
    fn texts_of_results_are_read() {
        let recording = Recording {
            results: Recorded::Full,
            ..Recording::default()
        };
        let schema = r#"{"properties":{"x":{"format":"password"}}}"#;
        let schema = OwnedDocument::read(schema, &ReadLimits::default()).unwrap();
        let result = r#"{"content":[{"type":"text","text":"{\"x\":\"hush\",\"y\":1}"},{"type":"text","text":"{\"y\":1}"},{"type":"text","text":"{\"x\":\"hush\",\"x\":1}"},{"type":"text","text":"done [1]"}]}"#;
        let result = OwnedDocument::read(result, &ReadLimits::default()).unwrap();
        let found = recording.result(result.document().root(), Some(schema.document().root()));
        assert_eq!(
            found.as_deref(),
            Some(
                r#"[{"type":"text","text":"(secret)"},{"type":"text","text":"{\"y\":1}"},{"type":"text","text":"(secret)"},{"type":"text","text":"done [1]"}]"#
            )
        );
    }

    /// A server may write any schema: its references and branches cost a bounded number of steps, and what was not looked
    /// at is a secret.
    #[test]
    fn schemas_cost_a_bounded_number_of_steps() {
        let recording = Recording {
            arguments: Recorded::Full,
            ..Recording::default()
        };
        let value: Vec<String> = (0..200).map(|at| format!("\"n{at}\":1")).collect();
        let value = format!("{{{}}}", value.join(","));
        let fan = vec![r##"{"$ref":"#"}"##; 100_000].join(",");
        let wide: Vec<String> = (0..100_000).map(|at| format!("\"p{at}\":{{}}")).collect();
        let chain = vec![r##"{"$ref":"#/$defs/wide"}"##; 200].join(",");
        for schema in [
            format!(r#"{{"anyOf":[{fan}]}}"#),
            format!(
                r#"{{"allOf":[{chain}],"$defs":{{"wide":{{"properties":{{{}}}}}}}}}"#,
                wide.join(",")
            ),
            format!(
                r#"{{"prefixItems":[{fan}],"properties":{{{}}}}}"#,
                wide.join(",")
            ),
        ] {
            let text = of(&recording, &value, &schema);
            assert!(
                text.ends_with("\"(secret)\"}") || text == "\"(secret)\"",
                "{text}"
            );
        }
    }

    #[test]
    fn a_record_is_bounded() {
        let recording = Recording {
            arguments: Recorded::Full,
            ..Recording::default()
        };
        let long = "x".repeat(100_000);
        let many: Vec<String> = (0..50_000)
            .map(|at| format!("\"n{at}\":[{at},[]]"))
            .collect();
        let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
        let wide = format!("[{}]", vec![json_string(&long); 20].join(","));
        for value in [
            format!("{{\"{long}\":\"{long}\"}}"),
            format!("{{{}}}", many.join(",")),
            deep,
            wide,
        ] {
            let text = of(&recording, &value, "{}");
            assert!(text.len() < 12_000, "{}", text.len());
        }
    }
}
