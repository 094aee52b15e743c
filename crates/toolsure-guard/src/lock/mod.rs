//! Pinned tools: each of a server's tools as it was when somebody approved it.

mod canonical;
mod meta;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, ReadError, View, push_json_string};
use toolsure_mcp::argument::LISTED;
use toolsure_mcp::contract::ToolContract;

pub use canonical::Digest;
use canonical::limits;
pub use meta::MetaPin;

/// The definition of a tool as two digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pin {
    /// The digest of `inputSchema`, `outputSchema`, and the argument schema in `_meta`, if there is one.
    pub contract: Digest,
    /// The digest of everything else that a reader sees: title, description, annotations, icons and vendor
    /// members, but not the rest of `_meta`, which has a [`MetaPin`].
    pub description: Digest,
}

impl Pin {
    /// The pin of a tool's definition, an object as in `tools/list`. Spelling and order of members do not
    /// matter.
    #[must_use]
    pub fn of(tool: View<'_>) -> Self {
        let listed = tool.member("_meta").and_then(|meta| meta.member(LISTED));
        let listed = listed.map(|schema| (LISTED, schema));
        let described = |name: &str| !SCHEMAS.contains(&name) && !matches!(name, "name" | "_meta");
        Self {
            contract: Digest::of_members(tool, |name| SCHEMAS.contains(&name), listed),
            description: Digest::of_members(tool, described, None),
        }
    }

    /// The pin of a tool that was parsed before; `None` if its text cannot be parsed alone.
    #[must_use]
    pub fn of_contract(tool: &ToolContract) -> Option<Self> {
        let document = OwnedDocument::read(tool.listed_text(), &limits()).ok()?;
        Some(Self::of(document.document().root()))
    }
}

/// The pins of a server's tools, by name.
///
/// ```
/// use toolsure_guard::Lock;
///
/// let lock = Lock::read(br#"{"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]}"#)?;
/// let again = Lock::read(lock.to_json().as_bytes())?;
/// assert_eq!(lock, again);
/// assert!(lock.pin("greet").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    pins: BTreeMap<String, (Pin, Option<MetaPin>)>,
}

impl Lock {
    /// Reads a lock: what [`to_json`](Self::to_json) wrote, or a listing as
    /// `toolsure check --save` writes it, as a result or answer of
    /// `tools/list`, or as an array of tools.
    ///
    /// # Errors
    ///
    /// It is not in one of these forms, or two tools have the same name.
    pub fn read(text: &[u8]) -> Result<Self, LockError> {
        let document = OwnedDocument::read(text, &limits())?;
        let root = document.document().root();
        if let Some(pins) = root.member("pins") {
            return Self::of_pins(pins);
        }
        let tools = tools(root).ok_or(LockError::NoTools)?;
        let mut lock = Self::default();
        for (index, tool) in tools.items().enumerate() {
            let name = tool
                .member("name")
                .filter(|name| name.kind() == Kind::String);
            let name = name.ok_or(LockError::Unnamed { index })?.string();
            lock.add(name, Pin::of(tool), Some(MetaPin::of(tool)))?;
        }
        Ok(lock)
    }

    /// The pin of a tool.
    #[must_use]
    pub fn pin(&self, tool: &str) -> Option<&Pin> {
        self.pins.get(tool).map(|(pin, _)| pin)
    }

    /// The pin of a tool's `_meta`. A lock that was written before there were such pins has none.
    #[must_use]
    pub fn meta(&self, tool: &str) -> Option<&MetaPin> {
        self.pins.get(tool)?.1.as_ref()
    }

    /// All pins, sorted by name.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = (&str, &Pin)> {
        let pins = self.pins.iter();
        pins.map(|(name, (pin, _))| (name.as_str(), pin))
    }

    /// The lock as JSON, one line for each tool.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::from("{\"version\":1,\"pins\":{");
        for (index, (name, (pin, meta))) in self.pins.iter().enumerate() {
            out.push_str(if index == 0 { "\n" } else { ",\n" });
            push_json_string(&mut out, name);
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                r#":{{"contract":"{}","description":"{}""#,
                pin.contract, pin.description
            );
            if let Some(meta) = meta {
                out.push_str(",\"meta\":");
                meta.write(&mut out);
            }
            out.push('}');
        }
        out.push_str("\n}}\n");
        out
    }

    fn of_pins(pins: View<'_>) -> Result<Self, LockError> {
        let mut lock = Self::default();
        for (name, pin) in pins.members() {
            let digest = |member| Digest::read(pin.member(member).map_or("", |text| text.string()));
            let malformed = || LockError::Pin {
                tool: toolsure_json::quote(name.text(), SHOWN).to_string(),
            };
            let (Some(contract), Some(description)) = (digest("contract"), digest("description"))
            else {
                return Err(malformed());
            };
            let meta = pin.member("meta");
            let meta = meta.map(|meta| MetaPin::read(meta).ok_or_else(malformed));
            let pin = Pin {
                contract,
                description,
            };
            lock.add(name.text(), pin, meta.transpose()?)?;
        }
        Ok(lock)
    }

    fn add(&mut self, name: &str, pin: Pin, meta: Option<MetaPin>) -> Result<(), LockError> {
        match self.pins.insert(name.to_owned(), (pin, meta)) {
            None => Ok(()),
            Some(_) => Err(LockError::Twice {
                tool: toolsure_json::quote(name, SHOWN).to_string(),
            }),
        }
    }
}

/// Why a text is not a valid lock.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// It is not JSON, or exceeds a limit.
    #[error(transparent)]
    Json(#[from] ReadError),
    /// It has neither pins nor tools.
    #[error("it has neither `pins` nor `tools`")]
    NoTools,
    /// A tool has no name.
    #[error("the tool at index {index} has no `name`")]
    Unnamed {
        /// Its index.
        index: usize,
    },
    /// Two tools have the same name.
    #[error("the tool `{tool}` is listed twice")]
    Twice {
        /// The name.
        tool: String,
    },
    /// A pin is not two digests, and perhaps those of the members of `_meta`.
    #[error(
        "the pin of tool `{tool}` must have the digests `contract` and `description`, and in `meta` only digests"
    )]
    Pin {
        /// The tool.
        tool: String,
    },
}

/// The array of tools, in any of the usual forms.
fn tools(root: View<'_>) -> Option<View<'_>> {
    if root.kind() == Kind::Array {
        return Some(root);
    }
    let holder = root.member("result").unwrap_or(root);
    let tools = holder.member("tools").or_else(|| root.member("tools"))?;
    (tools.kind() == Kind::Array).then_some(tools)
}

const SCHEMAS: [&str; 2] = ["inputSchema", "outputSchema"];
/// Maximum characters of a tool's name that a message repeats.
const SHOWN: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(tool: &str) -> Pin {
        let document = OwnedDocument::read(tool, &limits()).unwrap();
        Pin::of(document.document().root())
    }

    #[test]
    fn spelling_does_not_matter() {
        let one = pin(
            r#"{"name":"a","inputSchema":{"type":"object","maximum":10,"x":["é",null]},"description":"d"}"#,
        );
        let other = pin(
            r#" {"description" : "\u0064", "inputSchema":{ "x":["\u00e9",null],"maximum":1e1, "type":"object"},"_meta":{"n":1},"name":"b"}"#,
        );
        assert_eq!(one, other);
    }

    #[test]
    fn every_change_matters() {
        let base = r#"{"name":"a","inputSchema":{"type":"object"},"description":"d"}"#;
        for (changed, contract, description) in [
            (
                r#"{"name":"a","inputSchema":{"type":"object","title":"t"},"description":"d"}"#,
                true,
                false,
            ),
            (
                r#"{"name":"a","inputSchema":{"type":"object"},"description":"e"}"#,
                false,
                true,
            ),
            (
                r#"{"name":"a","inputSchema":{"type":"object"},"description":"d","outputSchema":{}}"#,
                true,
                false,
            ),
            (
                r#"{"name":"a","inputSchema":{"type":["object"]},"description":"d"}"#,
                true,
                false,
            ),
            (
                r#"{"name":"a","inputSchema":{"type":"object"},"description":"d","annotations":{}}"#,
                false,
                true,
            ),
            (
                r#"{"name":"a","inputSchema":{"type":"object"},"description":["d"]}"#,
                false,
                true,
            ),
        ] {
            let (old, new) = (pin(base), pin(changed));
            assert_eq!(old.contract != new.contract, contract, "{changed}");
            assert_eq!(old.description != new.description, description, "{changed}");
        }
    }

    #[test]
    fn structure_cannot_be_faked() {
        let texts = [
            r#"{"x":[["a"],"b"]}"#,
            r#"{"x":["a",["b"]]}"#,
            r#"{"x":["a,b"]}"#,
            r#"{"x":["a","b"]}"#,
            r#"{"x":{"a":"b"}}"#,
            r#"{"x":"1"}"#,
            r#"{"x":1}"#,
            r#"{"x":null}"#,
            r#"{"x":"null"}"#,
            r#"{"x":[]}"#,
            r#"{"x":{}}"#,
            r#"{}"#,
        ];
        for (at, left) in texts.iter().enumerate() {
            for right in texts.iter().skip(at + 1) {
                assert_ne!(
                    pin(left).description,
                    pin(right).description,
                    "{left} {right}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_lock() {
        for (text, expected) in [
            ("{}", "it has neither `pins` nor `tools`"),
            ("[{}]", "the tool at index 0 has no `name`"),
            (
                r#"[{"name":"a"},{"name":"a"}]"#,
                "the tool `a` is listed twice",
            ),
            (
                r#"{"pins":{"a":{"contract":"sha256:00"}}}"#,
                "the pin of tool `a` must have the digests `contract` and `description`, and in `meta` only digests",
            ),
            (
                "{",
                "expected a key or `}`, found the end of the text at byte 1",
            ),
        ] {
            assert_eq!(
                Lock::read(text.as_bytes()).unwrap_err().to_string(),
                expected
            );
        }
    }

    #[test]
    fn a_lock_of_digests_has_those_of_meta() {
        let tool = r#"{"name":"a","inputSchema":{},"_meta":{"b\"":[1e1],"c":{}}}"#;
        let lock = Lock::read(format!("[{tool}]").as_bytes()).unwrap();
        let written = lock.to_json();
        let read = Lock::read(written.as_bytes()).unwrap();
        assert_eq!(lock, read);
        let meta = read.meta("a").unwrap();
        let other = tool.replace("1e1", "10").replace("{}}}", "[]}}");
        let other = Lock::read(format!("[{other}]").as_bytes()).unwrap();
        let other = other.meta("a").unwrap();
        assert_eq!(meta.difference(other, |_| true), Some("c"));
        assert_eq!(meta.difference(other, |name| name != "c"), None);
        // A value that is no object is pinned as a whole.
        let odd = |meta: &str| {
            let tool = format!(r#"[{{"name":"a","inputSchema":{{}}{meta}}}]"#);
            Lock::read(tool.as_bytes()).unwrap()
        };
        let (none, list) = (odd(""), odd(r#","_meta":[1]"#));
        let changed = none
            .meta("a")
            .unwrap()
            .difference(list.meta("a").unwrap(), |_| true);
        assert_eq!(changed, Some("_meta"));
        // So many that they are one.
        let many = |last: &str| {
            let members: Vec<String> = (0..300).map(|n| format!(r#""m{n}":0"#)).collect();
            let members = members.join(",");
            let tool =
                format!(r#"[{{"name":"a","inputSchema":{{}},"_meta":{{{members},"l":{last}}}}}]"#);
            Lock::read(tool.as_bytes()).unwrap()
        };
        let (one, same, other) = (many("1"), many("1.0"), many("2"));
        assert_eq!(one, same);
        let changed = one
            .meta("a")
            .unwrap()
            .difference(other.meta("a").unwrap(), |_| true);
        assert_eq!(changed, Some("_meta"));
        // One from before there were such pins.
        let (before, _) = written.split_once(",\"meta\"").unwrap();
        let old = format!("{before}}}\n}}}}\n");
        assert!(Lock::read(old.as_bytes()).unwrap().meta("a").is_none());
        let wrong = written.replace("\"c\":\"sha256:", "\"c\":\"md5:");
        assert!(Lock::read(wrong.as_bytes()).is_err());
    }
}
