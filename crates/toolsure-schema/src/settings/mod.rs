//! All compilation settings, as one table of names.
//!
//! Command-line flags, configuration keys, help texts and reference pages are generated from
//! [`ALL`], so each setting has one name, one default and one set of allowed values everywhere. A
//! setting is written to a [`Compiler`](crate::Compiler) as a string and read back as a string.
//!
//! ```
//! use toolsure_schema::{Compiler, settings};
//!
//! let mut compiler = Compiler::new();
//! for (name, value) in [("formats", "assert"), ("limits.schema_bytes", "4MiB")] {
//!     compiler = settings::find(name)?.apply(compiler, value)?;
//! }
//! assert_eq!(settings::find("limits.schema_bytes")?.show(&compiler), "4 MiB");
//! assert_eq!(settings::find("limits.fuel")?.default(), "2000000");
//!
//! let error = settings::find("limits.feul").unwrap_err();
//! assert_eq!(error.to_string(), "unknown setting `limits.feul`; did you mean `limits.fuel`?");
//! let error = settings::find("formats")?.apply(compiler, "yes").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "`formats` must be `annotate`, `assert` or `assert-with-numbers`, found `yes`"
//! );
//! # Ok::<(), settings::SettingError>(())
//! ```
//!
//! Registered documents are the only setting that needs more than a string: see [`registration`].

mod error;
mod setting;
mod table;
mod words;

use toolsure_json::ReadError;
use toolsure_syntax::closest;
use toolsure_syntax::uri::split_scheme;

pub use error::SettingError;
pub use setting::{Kind, Setting};
pub use table::ALL;

use error::SHOWN;

/// The setting with a given name.
///
/// ```
/// use toolsure_schema::settings;
///
/// assert_eq!(settings::find("limits.fuel")?.allowed(), "a number from 1 to 1000000000000");
/// assert!(settings::find("fuel").is_err());
/// # Ok::<(), settings::SettingError>(())
/// ```
///
/// # Errors
///
/// No setting has the name; the error contains the closest name.
pub fn find(name: &str) -> Result<&'static Setting, SettingError> {
    let known = ALL.iter().find(|setting| setting.name == name);
    known.ok_or_else(|| SettingError::Unknown {
        name: name.chars().take(SHOWN).collect(),
        closest: closest(name, ALL.iter().map(|setting| setting.name)),
    })
}

/// The URI and the file of a registered document written as `URI=FILE`. A fragment of the URI is
/// dropped; the file is everything after the last `=`.
///
/// ```
/// use toolsure_schema::settings::registration;
///
/// assert_eq!(registration("https://example.com/a=a.json")?, ("https://example.com/a", "a.json"));
/// # Ok::<(), toolsure_schema::settings::SettingError>(())
/// ```
///
/// # Errors
///
/// There is no `=`, no file, or the URI is not absolute.
pub fn registration(text: &str) -> Result<(&str, &str), SettingError> {
    let parts = text.rsplit_once('=').and_then(|(uri, file)| {
        let uri = uri.split('#').next().unwrap_or(uri);
        let scheme = split_scheme(uri);
        let absolute = scheme.is_some_and(|(_, rest)| !rest.is_empty());
        (absolute && !file.is_empty()).then_some((uri, file))
    });
    parts.ok_or_else(|| SettingError::Value {
        name: table::DOCUMENTS,
        allowed: "a URI and a file, as in `https://example.com/a=a.json`".to_owned(),
        found: text.chars().take(SHOWN).collect(),
    })
}

/// The name of the setting that raises the limit that an instance exceeded.
///
/// ```
/// use toolsure_schema::{Compiler, Schema, Workspace, settings};
///
/// let depth = settings::find("limits.instance.depth")?;
/// let schema = depth.apply(Compiler::new(), "2")?.compile(b"{}")?;
/// let error = schema.check(&mut Workspace::new(), "[[[]]]").unwrap_err();
/// assert_eq!(settings::of_read_error(&error), Some("limits.instance.depth"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn of_read_error(error: &ReadError) -> Option<&'static str> {
    let (name, _) = error.limit()?;
    ALL.iter()
        .map(|setting| setting.name)
        .find(|known| known.strip_prefix(table::INSTANCE) == Some(name))
}

#[cfg(test)]
mod tests;
