//! Routes: the aggregated servers, their names and prefixes, and whether each can be asked.

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Kind, Node as _, View, quote};

use crate::message::HttpRefusal;
use crate::pause::Pause;

/// One aggregated server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a caller that makes one must set every field"
)]
pub struct Member {
    /// The name by which messages refer to it.
    pub name: String,
    /// The prefix of its tools' and prompts' names for the client.
    pub prefix: String,
}

/// The default prefix of a server: its name and `_`.
#[must_use]
pub fn default_prefix(name: &str) -> String {
    format!("{name}_")
}

/// Why servers cannot be aggregated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AggregatorError {
    /// A prefix is empty, too long, or has a character that is not allowed in names.
    #[error(
        "invalid prefix `{}` for `{}`: expected 1 to {MAX_PREFIX} of the characters \
         `A`-`Z`, `a`-`z`, `0`-`9`, `_`, `-` and `.`",
        quote(prefix, SHOWN),
        quote(name, SHOWN)
    )]
    NoPrefix {
        /// The server.
        name: String,
        /// Its prefix.
        prefix: String,
    },
    /// A name could belong to a tool of either server.
    #[error(
        "the prefix `{}` of `{}` begins with the prefix `{}` of `{}`, so a tool name could belong to either",
        quote(prefix, SHOWN),
        quote(name, SHOWN),
        quote(other_prefix, SHOWN),
        quote(other, SHOWN)
    )]
    Clash {
        /// The server with the longer prefix.
        name: String,
        /// Its prefix.
        prefix: String,
        /// The other server.
        other: String,
        /// Its prefix.
        other_prefix: String,
    },
}

#[derive(Debug)]
pub(super) struct Route {
    pub(super) name: Box<str>,
    pub(super) prefix: Box<str>,
    /// Why it cannot be asked at all.
    pub(super) gone: Option<String>,
    /// It did not answer in time, and has sent nothing since.
    pub(super) silent: bool,
    pub(super) session: Session,
    /// The `data` and the HTTP refusal of the error that refused the session.
    pub(super) refused: Option<Refused>,
}

/// The `data` of a server's error, and how the server refused over HTTP.
#[derive(Debug, Clone, Default)]
pub(super) struct Refused {
    pub(super) data: Option<String>,
    pub(super) http: Option<Arc<HttpRefusal>>,
}

/// A session, in the eras that have sessions.
#[derive(Debug)]
pub(super) enum Session {
    Closed,
    Opening {
        /// Before the next attempt, if this one fails.
        pause: Pause,
    },
    Open(Abilities),
    Refused {
        why: String,
        retry_at: Duration,
        pause: Pause,
    },
}

/// The capabilities that a server declared, as far as they are merged.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Abilities {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    pub(super) logging: bool,
}

impl Abilities {
    pub(super) fn of(capabilities: Option<View<'_>>) -> Self {
        let has = |name: &str| {
            let member = capabilities.and_then(|all| all.member(name));
            member.is_some_and(|member| member.kind() == Kind::Object)
        };
        Self {
            tools: has("tools"),
            prompts: has("prompts"),
            resources: has("resources"),
            logging: has("logging"),
        }
    }
}

impl Route {
    pub(super) fn new(member: Member) -> Self {
        Self {
            name: member.name.into(),
            prefix: member.prefix.into(),
            gone: None,
            silent: false,
            session: Session::Closed,
            refused: None,
        }
    }

    /// Why a client of the era cannot ask the server; `None` if it can.
    pub(super) fn absence(&self, modern: bool) -> Option<String> {
        let why = match (&self.gone, &self.session) {
            (Some(why), _) => why.as_str(),
            (None, Session::Refused { why, .. }) if !modern => why.as_str(),
            (None, Session::Opening { .. }) if !modern => "it is being opened",
            _ => return None,
        };
        Some(format!("`{}` cannot be reached: {why}", self.shown()))
    }

    /// The server's refusal, for an error that says why the server cannot be asked.
    pub(super) fn refused(&self) -> Option<&Refused> {
        let is_refused = matches!(self.session, Session::Refused { .. }) && self.gone.is_none();
        self.refused.as_ref().filter(|_| is_refused)
    }

    pub(super) fn shown(&self) -> String {
        quote(&self.name, SHOWN).to_string()
    }

    pub(super) fn is_opening(&self) -> bool {
        matches!(self.session, Session::Opening { .. })
    }

    pub(super) fn abilities(&self) -> Option<Abilities> {
        match &self.session {
            Session::Open(abilities) => Some(*abilities),
            _ => None,
        }
    }

    /// Whether it may have something of a kind: it said so, or was not asked.
    pub(super) fn may(&self, modern: bool, kind: impl Fn(Abilities) -> bool) -> bool {
        modern || self.abilities().is_none_or(kind)
    }

    pub(super) fn retry_at(&self) -> Option<Duration> {
        match &self.session {
            Session::Refused { retry_at, .. } if self.gone.is_none() => Some(*retry_at),
            _ => None,
        }
    }

    /// The name for the client; `None` if it would be too long.
    pub(super) fn prefixed(&self, name: &str) -> Option<String> {
        let whole = format!("{}{name}", self.prefix);
        is_short(&whole).then_some(whole)
    }
}

pub(super) fn routes(members: Vec<Member>) -> Result<Vec<Route>, AggregatorError> {
    for (index, member) in members.iter().enumerate() {
        let Member { name, prefix } = member.clone();
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if prefix.is_empty() || prefix.len() > MAX_PREFIX || !prefix.chars().all(allowed) {
            return Err(AggregatorError::NoPrefix { name, prefix });
        }
        let others = members.iter().enumerate().filter(|(at, _)| *at != index);
        let mut same = others.filter(|(_, other)| prefix.starts_with(&other.prefix));
        if let Some((_, other)) = same.next() {
            return Err(AggregatorError::Clash {
                name,
                prefix,
                other: other.name.clone(),
                other_prefix: other.prefix.clone(),
            });
        }
    }
    Ok(members.into_iter().map(Route::new).collect())
}

/// Whether a name is short enough for a tool or a prompt.
pub(super) fn is_short(name: &str) -> bool {
    name.chars().count() <= MAX_NAME
}

/// Maximum characters in a tool's name (2026-07-28, server/tools).
const MAX_NAME: usize = 128;
const MAX_PREFIX: usize = 64;
const SHOWN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn why(prefixes: &[(&str, &str)]) -> Option<String> {
        let member = |(name, prefix): &(&str, &str)| Member {
            name: (*name).to_owned(),
            prefix: (*prefix).to_owned(),
        };
        let members = prefixes.iter().map(member).collect();
        routes(members).err().map(|error| error.to_string())
    }

    #[test]
    fn prefixes_must_be_told_apart() {
        assert_eq!(why(&[("a", "a_"), ("b", "b_"), ("ab", "ab_")]), None);
        let clash = "the prefix `a_b_` of `two` begins with the prefix `a_` of `one`, \
                     so a tool name could belong to either";
        assert_eq!(
            why(&[("one", "a_"), ("two", "a_b_")]).as_deref(),
            Some(clash)
        );
        assert_eq!(
            why(&[("two", "a_b_"), ("one", "a_")]).as_deref(),
            Some(clash)
        );
        assert!(why(&[("one", "a_"), ("two", "a_")]).is_some());
    }

    #[test]
    fn prefixes_keep_to_the_characters_of_names() {
        let long = "x".repeat(65);
        for prefix in ["", "a b", "ä_", "a/", &long] {
            let why = why(&[("one", prefix)]);
            assert!(
                why.is_some_and(|why| why.starts_with("invalid prefix")),
                "{prefix}"
            );
        }
        assert_eq!(why(&[("one", &"x".repeat(64))]), None);
    }
}
