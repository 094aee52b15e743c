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
#[derive(Debug)]
pub struct Options {
    compiler: Compiler,
    /// Whether any setting of the compiler was given.
    #[cfg_attr(
        not(feature = "analysis"),
        expect(dead_code, reason = "only listings have compilers of their own")
    )]
    compiles: bool,
    /// The options as given, for those that are not settings of the compiler.
    #[cfg_attr(
        not(feature = "contracts"),
        expect(
            dead_code,
            reason = "only contracts and listings have options of their own"
        )
    )]
    document: Option<OwnedDocument>,
}

/// Why a schema or its options were refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The schema does not compile.
    Schema(CompileError),
    /// An option is unknown, or has a value that it does not take.
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

impl std::error::Error for Refusal {}

impl Options {
    /// The compiler with all settings.
    #[must_use]
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// The compiler, if any of its settings was given.
    #[cfg(feature = "analysis")]
    pub(crate) fn given_compiler(&self) -> Option<Compiler> {
        self.compiles.then(|| self.compiler.clone())
    }

    /// An option that is not a setting of the compiler.
    #[cfg(feature = "contracts")]
    pub(crate) fn own(&self, name: &str) -> Option<View<'_>> {
        self.document.as_ref()?.document().root().member(name)
    }

    /// One of its own options, a string.
    #[cfg(feature = "contracts")]
    pub(crate) fn own_text(&self, name: &str) -> Result<Option<&str>, String> {
        match self.own(name) {
            None => Ok(None),
            Some(value) if value.kind() == Kind::String => Ok(Some(value.string())),
            Some(_) => Err(format!("`{name}` must be a string")),
        }
    }

    /// One of its own options, a boolean, `false` if it is absent.
    #[cfg(feature = "analysis")]
    pub(crate) fn own_flag(&self, name: &str) -> Result<bool, String> {
        match self.own(name) {
            None => Ok(false),
            Some(value) if value.kind() == Kind::Boolean => Ok(value.raw() == "true"),
            Some(_) => Err(format!("`{name}` must be `true` or `false`")),
        }
    }

    /// One of its own options, an array of names, empty if it is absent.
    #[cfg(feature = "analysis")]
    pub(crate) fn own_names(&self, name: &str) -> Result<Vec<&str>, String> {
        let Some(list) = self.own(name) else {
            return Ok(Vec::new());
        };
        let is_text = |item: View<'_>| item.kind() == Kind::String;
        if list.kind() != Kind::Array || !list.items().all(is_text) {
            return Err(format!("`{name}` must be an array of names"));
        }
        Ok(list.items().map(View::string).collect())
    }

    /// The maximum number of bytes of a schema. Options that are refused have the default.
    #[must_use]
    pub fn schema_bytes(text: &[u8]) -> usize {
        let document = OwnedDocument::read(text, &ReadLimits::default()).ok();
        let compiler = document.and_then(|document| {
            settings_of(Compiler::new(), document.document().root(), &[]).ok()
        });
        let (compiler, _) = compiler.unwrap_or_default();
        compiler.bounds().model.schema_bytes
    }

    /// Reads the options of a validator, as JSON text; empty if there are none.
    ///
    /// # Errors
    ///
    /// The text is not an object, or has an unknown name, a value that its setting does not take, or a
    /// document that cannot be read.
    pub fn read(text: &[u8]) -> Result<Self, Refusal> {
        Self::read_with(Compiler::new(), text, &[])
    }

    /// Reads options on top of a compiler's. `others` are the names of the caller's own options.
    pub(crate) fn read_with(
        compiler: Compiler,
        text: &[u8],
        others: &[&str],
    ) -> Result<Self, Refusal> {
        if text.is_empty() {
            return Ok(Self {
                compiler,
                compiles: false,
                document: None,
            });
        }
        let document = OwnedDocument::read(text, &ReadLimits::default())
            .map_err(|error| Refusal::Option(format!("the options cannot be read: {error}")))?;
        let root = document.document().root();
        if root.kind() != Kind::Object {
            return Err(Refusal::Option("the options must be an object".to_owned()));
        }
        let (mut compiler, mut compiles) = settings_of(compiler, root, others)?;
        // Documents come after the limits, because the limits apply to them.
        if let Some(documents) = root.member(DOCUMENTS) {
            compiler = register(compiler, documents)?;
            compiles = true;
        }
        Ok(Self {
            compiler,
            compiles,
            document: Some(document),
        })
    }
}

/// A compiler with all settings except documents, and whether there were any.
fn settings_of(
    mut compiler: Compiler,
    root: View<'_>,
    others: &[&str],
) -> Result<(Compiler, bool), Refusal> {
    let mut compiles = false;
    for (key, value) in root.members() {
        let name = toolsure_json::Key::text(key);
        if name == DOCUMENTS || others.contains(&name) {
            continue;
        }
        compiler = set(compiler, name, value, GROUPS)?;
        compiles = true;
    }
    Ok((compiler, compiles))
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
        match Options::read_with(Compiler::new(), options.as_bytes(), &["era"]) {
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
