//! How much of the values of calls records have.

use toolsure_json::{
    Kind, Node as _, View, has_secret, json_string, names_secret, push_json_string, quote,
};

use super::error::PolicyError;
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

    /// The arguments of a call as a record has them, as JSON text; `schema` is the text of the tool's input schema.
    pub(crate) fn arguments(&self, value: View<'_>, schema: Option<View<'_>>) -> Option<String> {
        self.recorded(self.arguments, value, schema)
    }

    /// The same for a result and the output schema.
    pub(crate) fn result(&self, result: View<'_>, schema: Option<View<'_>>) -> Option<String> {
        match result.member("structuredContent") {
            Some(value) => self.recorded(self.results, value, schema),
            None => self.recorded(self.results, result.member("content")?, None),
        }
    }

    fn recorded(&self, how: Recorded, value: View<'_>, schema: Option<View<'_>>) -> Option<String> {
        match how {
            Recorded::Nothing => None,
            Recorded::Names => {
                let names = value
                    .members()
                    .map(|(name, _)| bounded(name.view().string()));
                let names: Vec<String> = names.take(MOST_NAMES).collect();
                Some(format!("[{}]", names.join(",")))
            }
            Recorded::Full => {
                let mut writer = Writer {
                    secrets: &self.secrets,
                    at: Vec::new(),
                    out: String::new(),
                };
                writer.value(value, schema);
                Some(writer.out)
            }
        }
    }
}

/// Writes a value without its secrets.
struct Writer<'r> {
    secrets: &'r [String],
    /// The parts of the pointer to the current value.
    at: Vec<String>,
    out: String,
}

impl Writer<'_> {
    fn value(&mut self, value: View<'_>, schema: Option<View<'_>>) {
        if self.is_secret_place() || schema.is_some_and(is_for_secrets) {
            return self.out.push_str(SECRET);
        }
        match value.kind() {
            _ if self.out.len() > MOST_BYTES => self.out.push_str(CUT),
            Kind::Object => {
                self.out.push('{');
                for (at, (name, member)) in value.members().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                    }
                    // What is left is not written, member by member.
                    if self.out.len() > MOST_BYTES {
                        self.out.push_str(r#""…":"…""#);
                        break;
                    }
                    let name = name.view().string();
                    self.out.push_str(&bounded(name));
                    self.out.push(':');
                    if names_secret(name) {
                        self.out.push_str(SECRET);
                        continue;
                    }
                    let properties = schema.and_then(|schema| schema.member("properties"));
                    let inner = properties.and_then(|all| all.member(name));
                    self.inside(name.to_owned(), member, inner);
                }
                self.out.push('}');
            }
            Kind::Array => {
                self.out.push('[');
                let items = schema.and_then(|schema| schema.member("items"));
                for (at, item) in value.items().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                    }
                    if self.out.len() > MOST_BYTES {
                        self.out.push_str(CUT);
                        break;
                    }
                    self.inside(at.to_string(), item, items);
                }
                self.out.push(']');
            }
            Kind::String if has_secret(value.string()) => self.out.push_str(SECRET),
            Kind::String => self.out.push_str(&bounded(value.string())),
            _ => self.out.push_str(value.raw()),
        }
    }

    fn inside(&mut self, part: String, value: View<'_>, schema: Option<View<'_>>) {
        self.at.push(part);
        self.value(value, schema);
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

/// Whether a schema says that its values are secrets.
fn is_for_secrets(schema: View<'_>) -> bool {
    let format = schema.member("format").map_or("", |format| format.string());
    let is_write_only = schema
        .member("writeOnly")
        .is_some_and(|it| it.raw() == "true");
    is_write_only || matches!(format, "password" | "secret")
}

/// A text as JSON, cut if it is long.
fn bounded(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        None => json_string(text),
        Some((end, _)) => {
            let mut cut = text.get(..end).unwrap_or_default().to_owned();
            cut.push('…');
            let mut out = String::new();
            push_json_string(&mut out, &cut);
            out
        }
    }
}

const SECRET: &str = r#""(secret)""#;
const CUT: &str = r#""…""#;
/// Maximum characters of a pointer in a message.
const SHOWN: usize = 60;
/// Maximum names of members in a record.
const MOST_NAMES: usize = 64;
/// Maximum characters of one text.
const MOST_CHARACTERS: usize = 1_024;
/// After so many bytes no other value is written.
const MOST_BYTES: usize = 4 << 10;

#[cfg(test)]
mod tests {
    use toolsure_json::{OwnedDocument, ReadLimits};

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
        let schema = r#"{"properties":{"pin":{"format":"password"},"in":{"writeOnly":true},
            "list":{"items":{"properties":{"word":{"format":"secret"}}}}}}"#;
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
        let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
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
