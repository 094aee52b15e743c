//! One setting: what it takes, and how it is read from and written to a compiler.

use std::ops::RangeInclusive;

use super::error::{SHOWN, SettingError};
use super::words::Choice;
use crate::compiler::Compiler;
use crate::limits::Limits;

/// One compilation setting.
#[derive(Debug)]
pub struct Setting {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) slot: Slot,
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
    /// Documents: each a URI and a file, in the form that [`registration`](super::registration) parses. May be given
    /// more than once.
    Documents,
}

/// Where a compiler stores the value of a setting.
#[derive(Debug)]
pub(super) enum Slot {
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
    /// use toolsure_schema::{Compiler, settings};
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
    /// no files: read the file that [`registration`](super::registration) returns and pass its bytes to
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

/// Parses a whole number, with a unit if it counts bytes.
pub(super) fn read_number(text: &str, bytes: bool) -> Option<u64> {
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
