//! What a caller can set, by the names of `toolgate_schema::settings`.
//!
//! Options come as one JSON object. A nested object is a group of settings: `{"limits": {"fuel":
//! 1000}}` is the setting `limits.fuel`. `documents` maps URIs to schemas. The caller of a function
//! that takes more says which other names there are.

use std::fmt;

use toolgate_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, quote};
use toolgate_schema::settings::{self, SettingError};
use toolgate_schema::{CompileError, Compiler};

/// What was set.
pub(crate) struct Options {
    pub(crate) compiler: Compiler,
    /// The options that are not settings of the compiler, as they were given.
    #[cfg_attr(
        not(any(feature = "contracts", feature = "lint")),
        expect(
            dead_code,
            reason = "only contracts and lint have options of their own"
        )
    )]
    pub(crate) document: Option<OwnedDocument>,
}

/// Why nothing was made of a schema and options.
pub(crate) enum Refusal {
    Schema(CompileError),
    Option(String),
}

impl From<CompileError> for Refusal {
    fn from(error: CompileError) -> Self {
        Self::Schema(error)
    }
}

impl From<SettingError> for Refusal {
    fn from(error: SettingError) -> Self {
        Self::Option(error.to_string())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema(error) => error.fmt(f),
            Self::Option(error) => f.write_str(error),
        }
    }
}

impl Options {
    /// Reads options; `others` are the names that are the caller's own.
    pub(crate) fn read(text: &[u8], others: &[&str]) -> Result<Self, Refusal> {
        if text.is_empty() {
            return Ok(Self {
                compiler: Compiler::new(),
                document: None,
            });
        }
        let document = OwnedDocument::read(text, &ReadLimits::default())
            .map_err(|error| Refusal::Option(format!("the options cannot be read: {error}")))?;
        let root = document.document().root();
        if root.kind() != Kind::Object {
            return Err(Refusal::Option("the options must be an object".to_owned()));
        }
        let mut compiler = Compiler::new();
        for (key, value) in root.members() {
            let name = toolgate_json::Key::text(key);
            compiler = match name {
                DOCUMENTS => compiler,
                other if others.contains(&other) => compiler,
                name => set(compiler, name, value, GROUPS)?,
            };
        }
        // After the limits, which bound them.
        if let Some(documents) = root.member(DOCUMENTS) {
            compiler = register(compiler, documents)?;
        }
        Ok(Self {
            compiler,
            document: Some(document),
        })
    }
}

/// Writes a setting, or a group of them.
fn set(
    mut compiler: Compiler,
    name: &str,
    value: View<'_>,
    groups: usize,
) -> Result<Compiler, Refusal> {
    match value.kind() {
        Kind::Object if groups > 0 => {
            for (key, value) in value.members() {
                let name = format!("{name}.{}", toolgate_json::Key::text(key));
                compiler = set(compiler, &name, value, groups - 1)?;
            }
            Ok(compiler)
        }
        Kind::String => Ok(settings::find(name)?.apply(compiler, value.string())?),
        // A number as it is written; any other value has no text that a setting takes.
        _ => Ok(settings::find(name)?.apply(compiler, value.raw())?),
    }
}

fn register(mut compiler: Compiler, documents: View<'_>) -> Result<Compiler, Refusal> {
    if documents.kind() != Kind::Object {
        return Err(Refusal::Option(format!(
            "`{DOCUMENTS}` must be an object of URIs and schemas"
        )));
    }
    for (uri, document) in documents.members() {
        let uri = toolgate_json::Key::text(uri);
        // A string is a schema's text; no schema is a string.
        let text = match document.kind() {
            Kind::String => document.string(),
            _ => document.raw(),
        };
        compiler = match compiler.register(uri, text.as_bytes()) {
            Ok(compiler) => compiler,
            Err(error) => {
                let uri = quote(uri, SHOWN);
                return Err(Refusal::Option(format!("the document `{uri}`: {error}")));
            }
        };
    }
    Ok(compiler)
}

/// The one setting that takes more than a text.
const DOCUMENTS: &str = "documents";
/// How deep groups of settings stand in one another: `limits.instance.bytes` has two.
const GROUPS: usize = 2;
/// Characters of a URI that an error repeats.
const SHOWN: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(options: &str, setting: &str) -> String {
        match Options::read(options.as_bytes(), &["era"]) {
            Ok(options) => settings::find(setting).unwrap().show(&options.compiler),
            Err(refusal) => refusal.to_string(),
        }
    }

    #[test]
    fn options_are_the_settings_by_name() {
        let options = r#"{"formats": "assert", "limits": {"fuel": 1000, "instance": {"depth": 9}},
            "documents": {"https://a.example/b": {"type": "string"}, "https://a.example/c": "{}"}}"#;
        assert_eq!(shown(options, "formats"), "assert");
        assert_eq!(shown(options, "limits.fuel"), "1000");
        assert_eq!(shown(options, "limits.instance.depth"), "9");
        assert_eq!(
            shown(options, "documents"),
            "https://a.example/b https://a.example/c"
        );
        assert_eq!(shown("", "formats"), "annotate");
        assert_eq!(shown(r#"{"era": "2025-06-18"}"#, "formats"), "annotate");
    }

    #[test]
    fn what_is_no_option_is_refused() {
        for (options, message) in [
            ("[]", "the options must be an object"),
            (
                r#"{"format": "assert"}"#,
                "unknown setting `format`; did you mean `formats`?",
            ),
            (
                r#"{"limits": {"fuel": true}}"#,
                "`limits.fuel` must be a number from 1 to 10000000000, found `true`",
            ),
            (
                r#"{"documents": []}"#,
                "`documents` must be an object of URIs and schemas",
            ),
            (
                r#"{"documents": {"https://a.example/": "{"}}"#,
                "the document `https://a.example/`: ",
            ),
        ] {
            let found = shown(options, "formats");
            assert!(found.starts_with(message), "{options}: {found}");
        }
    }
}
