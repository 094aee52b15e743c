//! The options that a caller can set, with the names of `toolsure_schema::settings`.
//!
//! Options come as one JSON object. A nested object is a group of settings:
//! `{"limits": {"fuel": 1000}}` is the setting `limits.fuel`. `documents` maps URIs to schemas.
//! Functions with more options pass the names of these.

use std::fmt;

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, quote};
use toolsure_schema::settings::{self, SettingError};
use toolsure_schema::{CompileError, Compiler};

/// The options that were set.
pub(crate) struct Options {
    pub(crate) compiler: Compiler,
    /// The options as given, for those that are not settings of the compiler.
    #[cfg_attr(
        not(any(feature = "contracts", feature = "lint")),
        expect(
            dead_code,
            reason = "only contracts and lint have options of their own"
        )
    )]
    pub(crate) document: Option<OwnedDocument>,
}

/// Why a schema or its options were refused.
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
    /// The maximum number of bytes of a schema. Options that are refused have the default.
    pub(crate) fn schema_bytes(text: &[u8]) -> usize {
        let document = OwnedDocument::read(text, &ReadLimits::default()).ok();
        let compiler =
            document.and_then(|document| settings_of(document.document().root(), &[]).ok());
        let compiler = compiler.unwrap_or_default();
        compiler.bounds().model.schema_bytes
    }

    /// Reads options. `others` are the names of the caller's own options.
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
        let mut compiler = settings_of(root, others)?;
        // Documents come after the limits, because the limits apply to them.
        if let Some(documents) = root.member(DOCUMENTS) {
            compiler = register(compiler, documents)?;
        }
        Ok(Self {
            compiler,
            document: Some(document),
        })
    }
}

/// A compiler with all settings except documents.
fn settings_of(root: View<'_>, others: &[&str]) -> Result<Compiler, Refusal> {
    let mut compiler = Compiler::new();
    for (key, value) in root.members() {
        let name = toolsure_json::Key::text(key);
        compiler = match name {
            DOCUMENTS => compiler,
            other if others.contains(&other) => compiler,
            name => set(compiler, name, value, GROUPS)?,
        };
    }
    Ok(compiler)
}

/// Applies a setting, or a group of settings.
fn set(
    mut compiler: Compiler,
    name: &str,
    value: View<'_>,
    groups: usize,
) -> Result<Compiler, Refusal> {
    match value.kind() {
        Kind::Object if groups > 0 => {
            for (key, value) in value.members() {
                let name = format!("{name}.{}", toolsure_json::Key::text(key));
                compiler = set(compiler, &name, value, groups - 1)?;
            }
            Ok(compiler)
        }
        Kind::String => Ok(settings::find(name)?.apply(compiler, value.string())?),
        // A number as written. No setting accepts the text of any other value.
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
        let uri = toolsure_json::Key::text(uri);
        // A string is the text of a schema, because no schema is a string.
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

/// The one setting whose value is not a text or a number.
const DOCUMENTS: &str = "documents";
/// The maximum nesting of groups of settings: `limits.instance.bytes` has two.
const GROUPS: usize = 2;
/// Characters of a URI that an error shows.
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
    fn the_limit_on_schemas_is_read_alone() {
        let default = Options::schema_bytes(b"");
        for (options, bytes) in [
            (r#"{"limits": {"schema_bytes": "4MiB"}}"#, 4 << 20),
            (r#"{"limits.schema_bytes": 5, "documents": {"x": 1}}"#, 5),
            (r#"{"limits": {"schema_bytes": "many"}}"#, default),
            (r#"{"formats": "assert"}"#, default),
            ("[", default),
            ("5", default),
        ] {
            assert_eq!(
                Options::schema_bytes(options.as_bytes()),
                bytes,
                "{options}"
            );
        }
        assert_eq!(default, Compiler::new().bounds().model.schema_bytes);
    }

    #[test]
    fn what_is_no_option_is_refused() {
        let fuel = settings::find("limits.fuel").unwrap().allowed();
        let fuel = format!("`limits.fuel` must be {fuel}, found `true`");
        for (options, message) in [
            ("[]", "the options must be an object"),
            (
                r#"{"format": "assert"}"#,
                "unknown setting `format`; did you mean `formats`?",
            ),
            (r#"{"limits": {"fuel": true}}"#, fuel.as_str()),
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
