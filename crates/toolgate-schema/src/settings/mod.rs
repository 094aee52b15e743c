//! All compilation settings, as one table of names.
//!
//! Command-line flags, configuration keys, help texts and reference pages are generated from
//! [`ALL`], so each setting has one name, one default and one set of allowed values everywhere. A
//! setting is written to a [`Compiler`] as a string and read back as a string.
//!
//! ```
//! use toolgate_schema::{Compiler, settings};
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

mod table;
mod words;

use std::fmt;
use std::ops::RangeInclusive;

use toolgate_json::{ReadError, quote};

pub use table::ALL;

use crate::compiler::Compiler;
use crate::limits::Limits;
use toolgate_syntax::closest;
use words::Choice;

/// One compilation setting.
#[derive(Debug)]
pub struct Setting {
    name: &'static str,
    help: &'static str,
    slot: Slot,
}

/// The kind of value that a setting takes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// One of a few words, each with its own line of help.
    Word(Vec<(&'static str, &'static str)>),
    /// A whole number; `_` between digits is skipped.
    Count(RangeInclusive<u64>),
    /// Bytes: a whole number, or one with `KiB`, `MiB` or `GiB`.
    Bytes(RangeInclusive<u64>),
    /// Documents: each a URI and a file, in the form that [`registration`] parses. May be given
    /// more than once.
    Documents,
}

/// Where a compiler stores the value of a setting.
#[derive(Debug)]
enum Slot {
    Choice(Choice),
    Number {
        bytes: bool,
        least: u64,
        most: u64,
        get: fn(&Limits) -> u64,
        put: fn(&mut Limits, u64),
    },
    Documents,
}

impl Setting {
    /// The name, the same everywhere: `formats`, `limits.fuel`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the setting does, in one line without a full stop.
    #[must_use]
    pub fn help(&self) -> &'static str {
        self.help
    }

    /// The kind of value it takes.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match &self.slot {
            Slot::Choice(choice) => Kind::Word(choice.words()),
            Slot::Number {
                bytes, least, most, ..
            } => {
                let range = *least..=*most;
                if *bytes {
                    Kind::Bytes(range)
                } else {
                    Kind::Count(range)
                }
            }
            Slot::Documents => Kind::Documents,
        }
    }

    /// The allowed values in words: "a number from 1 to 512".
    #[must_use]
    pub fn allowed(&self) -> String {
        match self.kind() {
            Kind::Word(words) => listed(words.iter().map(|(word, _)| *word)),
            Kind::Count(range) => format!("a number from {} to {}", range.start(), range.end()),
            Kind::Bytes(range) => format!(
                "bytes from {} to {}",
                show_bytes(*range.start()),
                show_bytes(*range.end())
            ),
            Kind::Documents => "a URI and a file, as in `https://example.com/a=a.json`".to_owned(),
        }
    }

    /// The value in a new [`Compiler`], as [`show`](Self::show) prints it.
    #[must_use]
    pub fn default(&self) -> String {
        self.show(&Compiler::new())
    }

    /// The value in a compiler, in the form that [`apply`](Self::apply) accepts; for documents
    /// their URIs, or an empty string if there are none.
    #[must_use]
    pub fn show(&self, compiler: &Compiler) -> String {
        match &self.slot {
            Slot::Choice(choice) => choice.show(compiler).to_owned(),
            Slot::Number { bytes, get, .. } => {
                let value = get(compiler.bounds());
                if *bytes {
                    show_bytes(value)
                } else {
                    value.to_string()
                }
            }
            Slot::Documents => {
                let mut uris: Vec<&str> = compiler.registered().collect();
                uris.sort_unstable();
                uris.join(" ")
            }
        }
    }

    /// Sets a value, given as a string, in a compiler.
    ///
    /// ```
    /// use toolgate_schema::{Compiler, settings};
    ///
    /// let depth = settings::find("limits.depth")?;
    /// assert_eq!(depth.apply(Compiler::new(), "8")?.bounds().model.depth, 8);
    /// assert!(depth.apply(Compiler::new(), "0").is_err());
    /// # Ok::<(), settings::SettingError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The value is not allowed. Documents cannot be applied as a string, because this crate opens
    /// no files: read the file that [`registration`] returns and pass its bytes to
    /// [`Compiler::register`].
    pub fn apply(&self, compiler: Compiler, value: &str) -> Result<Compiler, SettingError> {
        let refused = || {
            Err(SettingError::Value {
                name: self.name,
                allowed: self.allowed(),
                found: value.chars().take(SHOWN).collect(),
            })
        };
        match &self.slot {
            Slot::Choice(choice) => match choice.apply(compiler, value) {
                Some(compiler) => Ok(compiler),
                None => refused(),
            },
            Slot::Number {
                bytes,
                least,
                most,
                put,
                ..
            } => match read_number(value, *bytes) {
                Some(number) if (*least..=*most).contains(&number) => {
                    let mut limits = compiler.bounds().clone();
                    put(&mut limits, number);
                    Ok(compiler.limits(limits))
                }
                _ => refused(),
            },
            Slot::Documents => refused(),
        }
    }
}

/// The setting with a given name.
///
/// ```
/// use toolgate_schema::settings;
///
/// assert_eq!(settings::find("limits.fuel")?.allowed(), "a number from 1 to 10000000000");
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
/// use toolgate_schema::settings::registration;
///
/// assert_eq!(registration("https://example.com/a=a.json")?, ("https://example.com/a", "a.json"));
/// # Ok::<(), toolgate_schema::settings::SettingError>(())
/// ```
///
/// # Errors
///
/// There is no `=`, no file, or the URI is not absolute.
pub fn registration(text: &str) -> Result<(&str, &str), SettingError> {
    let parts = text.rsplit_once('=').and_then(|(uri, file)| {
        let uri = uri.split('#').next().unwrap_or(uri);
        let absolute = uri.split_once(':').is_some_and(|(scheme, rest)| {
            let mut letters = scheme.bytes();
            letters
                .next()
                .is_some_and(|first| first.is_ascii_alphabetic())
                && letters.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
                && !rest.is_empty()
        });
        (absolute && !file.is_empty()).then_some((uri, file))
    });
    parts.ok_or_else(|| SettingError::Value {
        name: table::DOCUMENTS,
        allowed: "a URI and a file, as in `https://example.com/a=a.json`".to_owned(),
        found: text.chars().take(SHOWN).collect(),
    })
}

/// The name of the setting that raises the limit that an instance exceeded.
#[must_use]
pub fn of_read_error(error: &ReadError) -> Option<&'static str> {
    let (name, _) = error.limit()?;
    ALL.iter()
        .map(|setting| setting.name)
        .find(|known| known.strip_prefix(table::INSTANCE) == Some(name))
}

/// Why a setting was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingError {
    /// No setting has this name.
    Unknown {
        /// The name, truncated to 200 characters.
        name: String,
        /// The closest name, if one is close.
        closest: Option<&'static str>,
    },
    /// The setting does not take this value.
    Value {
        /// The setting.
        name: &'static str,
        /// The allowed values in words.
        allowed: String,
        /// The value, truncated to 200 characters.
        found: String,
    },
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, closest } => {
                write!(f, "unknown setting `{}`", quote(name, SHOWN))?;
                match closest {
                    Some(closest) => write!(f, "; did you mean `{closest}`?"),
                    None => Ok(()),
                }
            }
            Self::Value {
                name,
                allowed,
                found,
            } => write!(
                f,
                "`{name}` must be {allowed}, found `{}`",
                quote(found, SHOWN)
            ),
        }
    }
}

impl std::error::Error for SettingError {}

/// Parses a whole number, with a unit if it counts bytes.
fn read_number(text: &str, bytes: bool) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_');
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let factor = match (bytes, unit.trim_start()) {
        (_, "") => 1,
        (true, "B") => 1,
        (true, "KiB") => 1 << 10,
        (true, "MiB") => 1 << 20,
        (true, "GiB") => 1 << 30,
        _ => return None,
    };
    let number: u64 = digits.replace('_', "").parse().ok()?;
    number.checked_mul(factor)
}

/// Writes a number of bytes in the largest unit that divides it.
fn show_bytes(bytes: u64) -> String {
    for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes > 0 && bytes.trailing_zeros() >= shift {
            return format!("{} {unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

/// Lists words for a message.
fn listed<'w>(words: impl ExactSizeIterator<Item = &'w str>) -> String {
    let last = words.len().saturating_sub(1);
    let mut text = String::new();
    for (index, word) in words.enumerate() {
        text.push_str(match index {
            0 => "",
            _ if index == last => " or ",
            _ => ", ",
        });
        text.push('`');
        text.push_str(word);
        text.push('`');
    }
    text
}

/// Maximum number of characters of a value that an error repeats.
const SHOWN: usize = 200;

#[cfg(test)]
mod tests;
