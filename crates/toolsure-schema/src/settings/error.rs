//! Why a setting was not applied.

use std::fmt;

use toolsure_json::quote;

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

/// Maximum number of characters of a value that an error repeats.
pub(super) const SHOWN: usize = 200;
