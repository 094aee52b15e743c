//! The kinds of values that configuration keys accept, and how each is read and shown.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use toolsure_guard::{Policy, policy};
use toolsure_json::quote;
use toolsure_schema::{Compiler, closest, settings};

use super::place::SHOWN;

/// A value as written: typed in TOML, and text elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Raw {
    /// A string, or anything from the environment or the command line.
    Text(String),
    /// A TOML integer, as written.
    Integer(String),
    /// A TOML boolean.
    Flag(bool),
    /// A TOML array of strings.
    Texts(Vec<String>),
    /// A TOML table of strings.
    Pairs(Vec<(String, String)>),
    /// Anything else, with a description of its type.
    Other(&'static str),
}

/// The kind of value that a key accepts, and the field of `T` that holds it.
pub(super) enum Slot<T: 'static> {
    /// One of a few words.
    Word {
        words: &'static [&'static str],
        put: fn(&mut T, &str) -> bool,
        word: fn(&T) -> &'static str,
    },
    /// One of the choices of a policy.
    Choice(
        &'static policy::settings::Setting,
        fn(&mut T) -> &mut Policy,
    ),
    /// `true` or `false`.
    Flag(fn(&mut T) -> &mut bool),
    /// `true`, `false` or not set.
    MaybeFlag(fn(&mut T) -> &mut Option<bool>),
    /// A count.
    Count(RangeInclusive<usize>, fn(&mut T) -> &mut usize),
    /// A number of bytes, which may have the unit `B`, `KiB`, `MiB` or `GiB`.
    Bytes(RangeInclusive<usize>, fn(&mut T) -> &mut usize),
    /// A time with a unit: `ms`, `s`, `min` or `h`.
    Time(RangeInclusive<Duration>, fn(&mut T) -> &mut Duration),
    /// An address to listen on: `IP:PORT`.
    Address(fn(&mut T) -> &mut Option<SocketAddr>),
    /// A file. A relative path in a configuration file starts at that file's folder.
    Path(fn(&mut T) -> &mut Option<PathBuf>),
    /// A URL. Messages do not show its user, password and query.
    Url(fn(&mut T) -> &mut Option<String>),
    /// Any text.
    Text(fn(&mut T) -> &mut Option<String>),
    /// A list of texts.
    Texts(fn(&mut T) -> &mut Vec<String>),
    /// A list of texts that may be absent; an empty one is a list.
    MaybeTexts(fn(&mut T) -> &mut Option<Vec<String>>),
    /// One secret or a list of secrets, in which `${NAME}` is an environment variable. Messages do
    /// not show them.
    Secrets(fn(&mut T) -> &mut Vec<String>),
    /// A table of texts, in which `${NAME}` is an environment variable.
    Pairs(fn(&mut T) -> &mut Vec<(String, String)>),
    /// A table of files by URI.
    Documents(fn(&mut T) -> &mut Vec<(String, PathBuf)>),
    /// A compilation setting, by its name in [`settings::ALL`].
    Setting(&'static str, fn(&mut T) -> &mut Compiler),
}

impl<T> Slot<T> {
    /// Parses a value and stores it. `at` is the folder at which relative paths start.
    ///
    /// # Errors
    ///
    /// What was expected and what was found, in one line, with untrusted text escaped.
    pub(super) fn put(&self, target: &mut T, raw: Raw, at: &std::path::Path) -> Result<(), String> {
        let file = |text: String| at.join(text);
        match self {
            Self::Word { words, put, .. } => {
                let text = raw.word(&self.expects())?;
                if !put(target, &text) {
                    return Err(wrong_word(&text, words));
                }
            }
            Self::Choice(setting, slot) => {
                let text = raw.word(&self.expects())?;
                if !setting.put(slot(target), &text) {
                    return Err(wrong_word(&text, setting.words()));
                }
            }
            Self::Flag(slot) => *slot(target) = raw.flag()?,
            Self::MaybeFlag(slot) => *slot(target) = Some(raw.flag()?),
            Self::Count(range, slot) => {
                *slot(target) = within(raw.count(1, &self.expects())?, range, &self.expects())?;
            }
            Self::Bytes(range, slot) => {
                *slot(target) = within(raw.bytes(&self.expects())?, range, &self.expects())?;
            }
            Self::Time(range, slot) => {
                *slot(target) = within(raw.time(&self.expects())?, range, &self.expects())?;
            }
            Self::Address(slot) => {
                let text = raw.text(&self.expects())?;
                let address = text
                    .parse()
                    .map_err(|_| found(&self.expects(), &quoted(&text)))?;
                *slot(target) = Some(address);
            }
            Self::Path(slot) => *slot(target) = Some(file(raw.filled(&self.expects())?)),
            Self::Text(slot) => *slot(target) = Some(raw.filled(&self.expects())?),
            Self::Url(slot) => match raw {
                Raw::Text(text) if !text.is_empty() => *slot(target) = Some(text),
                other => return Err(found(&self.expects(), other.kind())),
            },
            Self::Texts(slot) => *slot(target) = raw.texts(&self.expects())?,
            Self::MaybeTexts(slot) => *slot(target) = Some(raw.texts(&self.expects())?),
            Self::Secrets(slot) => {
                *slot(target) = match raw {
                    Raw::Text(text) => vec![text],
                    Raw::Texts(texts) => texts,
                    other => return Err(found(&self.expects(), other.kind())),
                }
            }
            Self::Pairs(slot) => match raw {
                Raw::Pairs(pairs) => *slot(target) = pairs,
                other => return Err(found(&self.expects(), other.kind())),
            },
            Self::Documents(slot) => {
                let pairs = raw.pairs(&self.expects())?;
                let files = pairs.into_iter().map(|(uri, name)| (uri, file(name)));
                *slot(target) = files.collect();
            }
            Self::Setting(name, slot) => {
                let text = match &raw {
                    Raw::Text(text) | Raw::Integer(text) => text,
                    other => return Err(other.instead_of(&self.expects())),
                };
                let compiler = slot(target);
                let made = settings::find(name).and_then(|it| it.apply(compiler.clone(), text));
                *compiler =
                    made.map_err(
                        |_| match settings::find(name).map(settings::Setting::kind) {
                            Ok(settings::Kind::Word(words)) => {
                                let words: Vec<&str> =
                                    words.iter().map(|(word, _)| *word).collect();
                                wrong_word(text, &words)
                            }
                            _ => raw.instead_of(&self.expects()),
                        },
                    )?;
            }
        }
        Ok(())
    }

    /// The engine's help for the setting; `None` for other keys.
    #[cfg(test)]
    pub(super) fn help(&self) -> Option<&'static str> {
        match self {
            Self::Setting(name, _) => settings::find(name).ok().map(settings::Setting::help),
            _ => None,
        }
    }

    /// What the key accepts, for the reference page and for messages.
    pub(super) fn expects(&self) -> String {
        match self {
            Self::Word { words, .. } => listed(words),
            Self::Choice(setting, _) if is_flag(setting) => "`true` or `false`".to_owned(),
            Self::Choice(setting, _) => listed(setting.words()),
            Self::Flag(_) | Self::MaybeFlag(_) => "`true` or `false`".to_owned(),
            Self::Count(range, _) => format!("a number from {} to {}", range.start(), range.end()),
            Self::Bytes(range, _) => format!(
                "bytes from {} to {}",
                show_bytes(*range.start()),
                show_bytes(*range.end())
            ),
            Self::Time(range, _) => format!(
                "a time from {} to {}",
                show_time(*range.start()),
                show_time(*range.end())
            ),
            Self::Address(_) => "an address `IP:PORT`".to_owned(),
            Self::Path(_) => "a file".to_owned(),
            Self::Url(_) => "a URL".to_owned(),
            Self::Text(_) => "a string".to_owned(),
            Self::Texts(_) | Self::MaybeTexts(_) => "a list of strings".to_owned(),
            Self::Secrets(_) => "a string or a list of strings".to_owned(),
            Self::Pairs(_) => "a table of strings".to_owned(),
            Self::Documents(_) => "a table of files by URI".to_owned(),
            Self::Setting(name, _) => {
                settings::find(name).map_or_else(|_| String::new(), |setting| setting.allowed())
            }
        }
    }

    /// The value in `target` as it would be written; `None` if it is not set.
    pub(super) fn show(&self, target: &mut T) -> Option<String> {
        let list = |items: Vec<String>| (!items.is_empty()).then(|| format!("{items:?}"));
        match self {
            Self::Word { word, .. } => {
                let word = word(target);
                (!word.is_empty()).then(|| format!("\"{word}\""))
            }
            Self::Choice(setting, slot) => {
                let word = setting.word(slot(target));
                let plain = is_flag(setting);
                Some(if plain {
                    word.to_owned()
                } else {
                    format!("\"{word}\"")
                })
            }
            Self::Flag(slot) => Some(slot(target).to_string()),
            Self::MaybeFlag(slot) => slot(target).map(|flag| flag.to_string()),
            Self::Count(_, slot) => Some(slot(target).to_string()),
            Self::Bytes(_, slot) => Some(format!("\"{}\"", show_bytes(*slot(target)))),
            Self::Time(_, slot) => Some(format!("\"{}\"", show_time(*slot(target)))),
            Self::Address(slot) => slot(target).map(|address| format!("\"{address}\"")),
            Self::Path(slot) => slot(target)
                .as_ref()
                .map(|path| format!("{:?}", path.display().to_string())),
            Self::Text(slot) | Self::Url(slot) => {
                slot(target).as_ref().map(|text| format!("{text:?}"))
            }
            Self::Texts(slot) => list(slot(target).clone()),
            Self::MaybeTexts(slot) => slot(target).as_ref().map(|items| format!("{items:?}")),
            Self::Secrets(slot) => (!slot(target).is_empty()).then(|| "(secrets)".to_owned()),
            Self::Pairs(slot) => (!slot(target).is_empty()).then(|| "(a table)".to_owned()),
            Self::Documents(slot) => (!slot(target).is_empty()).then(|| "(a table)".to_owned()),
            Self::Setting(name, slot) => {
                let setting = settings::find(name).ok()?;
                let shown = setting.show(slot(target));
                let plain = matches!(setting.kind(), settings::Kind::Count(_));
                Some(if plain { shown } else { format!("\"{shown}\"") })
            }
        }
    }

    /// The value in `target`, to compare it with another.
    pub(super) fn raw(&self, target: &mut T) -> Option<Raw> {
        match self {
            Self::Pairs(slot) => Some(Raw::Pairs(slot(target).clone())),
            Self::Documents(slot) => {
                let files = slot(target).iter();
                let shown = files.map(|(uri, path)| (uri.clone(), path.display().to_string()));
                Some(Raw::Pairs(shown.collect()))
            }
            _ => self.show(target).map(Raw::Text),
        }
    }

    /// Whether the value may be a secret, so that no message may show it.
    pub(super) fn is_secret(&self) -> bool {
        matches!(self, Self::Secrets(_) | Self::Pairs(_) | Self::Url(_))
    }

    /// Whether text for this key is parsed as a TOML value, as for lists and tables.
    pub(super) fn is_compound(&self) -> bool {
        matches!(
            self,
            Self::Texts(_)
                | Self::MaybeTexts(_)
                | Self::Secrets(_)
                | Self::Pairs(_)
                | Self::Documents(_)
        )
    }
}

/// Whether a choice is written as `true` or `false`.
fn is_flag(setting: &policy::settings::Setting) -> bool {
    setting.words().contains(&"true")
}

impl Raw {
    fn word(self, expects: &str) -> Result<String, String> {
        match self {
            Self::Flag(flag) => Ok(flag.to_string()),
            other => other.text(expects),
        }
    }

    fn text(self, expects: &str) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(other.instead_of(expects)),
        }
    }

    fn filled(self, expects: &str) -> Result<String, String> {
        let text = self.text(expects)?;
        if text.is_empty() {
            return Err(found(expects, "an empty string"));
        }
        Ok(text)
    }

    fn flag(self) -> Result<bool, String> {
        match self {
            Self::Flag(flag) => Ok(flag),
            Self::Text(text) if text == "true" => Ok(true),
            Self::Text(text) if text == "false" => Ok(false),
            other => Err(other.instead_of("`true` or `false`")),
        }
    }

    /// A whole number, multiplied by `unit`.
    fn count(self, unit: usize, expects: &str) -> Result<usize, String> {
        let number = match &self {
            Self::Text(text) | Self::Integer(text) => text.replace('_', "").parse::<usize>().ok(),
            _ => None,
        };
        number
            .and_then(|number| number.checked_mul(unit))
            .ok_or_else(|| self.instead_of(expects))
    }

    fn bytes(self, expects: &str) -> Result<usize, String> {
        let Self::Text(text) = &self else {
            return self.count(1, expects);
        };
        let (number, unit) = split_unit(text);
        let unit = match unit {
            "" | "B" => 1,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => return Err(self.instead_of(expects)),
        };
        Self::Text(number.to_owned())
            .count(unit, expects)
            .map_err(|_| self.instead_of(expects))
    }

    fn time(self, expects: &str) -> Result<Duration, String> {
        let Self::Text(text) = &self else {
            return Err(format!(
                "{}: a time has a unit, such as \"30s\"",
                self.instead_of(expects)
            ));
        };
        let (number, unit) = split_unit(text);
        let unit = match unit {
            "ms" => 1,
            "s" => 1_000,
            "min" => 60_000,
            "h" => 3_600_000,
            _ => return Err(self.instead_of(expects)),
        };
        let number: Option<u64> = number.parse().ok();
        number
            .and_then(|number| number.checked_mul(unit))
            .map(Duration::from_millis)
            .ok_or_else(|| self.instead_of(expects))
    }

    fn texts(self, expects: &str) -> Result<Vec<String>, String> {
        match self {
            Self::Texts(texts) => Ok(texts),
            other => Err(other.instead_of(expects)),
        }
    }

    fn pairs(self, expects: &str) -> Result<Vec<(String, String)>, String> {
        match self {
            Self::Pairs(pairs) => Ok(pairs),
            other => Err(other.instead_of(expects)),
        }
    }

    fn instead_of(&self, expects: &str) -> String {
        match self {
            Self::Text(text) => found(expects, &quoted(text)),
            Self::Integer(text) => found(expects, &format!("`{}`", quote(text, SHOWN))),
            Self::Flag(flag) => found(expects, &format!("`{flag}`")),
            other => found(expects, other.kind()),
        }
    }

    /// The type of the value, without the value.
    fn kind(&self) -> &'static str {
        match self {
            Self::Text(text) if text.is_empty() => "an empty string",
            Self::Text(_) => "a string",
            Self::Integer(_) => "a number",
            Self::Flag(_) => "`true` or `false`",
            Self::Texts(_) => "a list of strings",
            Self::Pairs(_) => "a table",
            Self::Other(what) => what,
        }
    }
}

/// A number of bytes in the largest unit that divides it.
pub(super) fn show_bytes(bytes: usize) -> String {
    for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes > 0 && bytes.trailing_zeros() >= shift {
            return format!("{} {unit}", bytes >> shift);
        }
    }
    format!("{bytes} B")
}

/// A time in the largest unit that divides it.
pub(crate) fn show_time(time: Duration) -> String {
    let ms = time.as_millis();
    for (unit, name) in [(3_600_000, "h"), (60_000, "min"), (1_000, "s")] {
        if ms > 0 && ms.is_multiple_of(unit) {
            return format!("{} {name}", ms / unit);
        }
    }
    format!("{ms} ms")
}

fn split_unit(text: &str) -> (&str, &str) {
    let at = text
        .find(|c: char| !(c.is_ascii_digit() || c == '_'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    (number, unit.trim_start())
}

fn within<V: PartialOrd>(value: V, range: &RangeInclusive<V>, expects: &str) -> Result<V, String> {
    if range.contains(&value) {
        return Ok(value);
    }
    let side = if value < *range.start() {
        "less"
    } else {
        "more"
    };
    Err(found(expects, side))
}

/// The error for a word that is not among `words`.
pub(super) fn wrong_word(text: &str, words: &[&str]) -> String {
    let message = found(&listed(words), &quoted(text));
    match closest(text, words.iter().copied()) {
        Some(word) => format!("{message}; did you mean `{word}`?"),
        None => message,
    }
}

fn listed(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

fn found(expects: &str, found: &str) -> String {
    format!("expected {expects}, found {found}")
}

fn quoted(text: &str) -> String {
    format!("`{}`", quote(text, SHOWN))
}
