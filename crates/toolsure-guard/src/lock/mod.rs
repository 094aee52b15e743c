//! Approved tools: each of a server's tools as it was when somebody approved it.

mod canonical;
mod change_class;
mod compare;
mod entries;
mod may_change;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, ReadError, View};
use toolsure_mcp::argument::LISTED;
use toolsure_mcp::contract::ToolContract;

pub use canonical::Digest;
use canonical::limits;
pub use change_class::ChangeClass;
pub use compare::LIMITS;
pub(crate) use compare::{COMPARED, Compared};
pub use entries::{
    INSTRUCTIONS, LEGACY, LEGACY_TOOLS, PinnedList, entry_as_tool, instructions_as_tool,
};
pub use may_change::{MayChange, MayChangeError};

/// The definition of a tool as two digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pin {
    /// The digest of `inputSchema`, `outputSchema`, and the argument schema in `_meta`, if there is one.
    pub contract: Digest,
    /// The digest of everything else that a reader sees: title, description, annotations, icons and vendor
    /// members, but not the rest of `_meta`.
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

/// The approved definitions of a server's tools, by name.
///
/// ```
/// use toolsure_guard::Lock;
///
/// let lock = Lock::read(br#"{"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]}"#, None)?;
/// assert!(lock.pin("greet").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    tools: BTreeMap<String, Approved>,
    /// The entries of other lists and the instructions, by their names among those of tools.
    entries: BTreeMap<String, Approved>,
    /// The lists that are pinned, and whether the instructions are.
    lists: BTreeSet<&'static str>,
    pins_instructions: bool,
    /// Definitions that somebody looked at and did not approve, by tool.
    rejected: BTreeMap<String, Vec<Digest>>,
    may_change: MayChange,
}

/// The definition of a tool, without what may change.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Approved {
    pin: Pin,
    /// Of all its members but the name.
    whole: Digest,
    text: Box<str>,
}

impl Approved {
    fn of(text: Box<str>, tool: View<'_>) -> Self {
        Self {
            pin: Pin::of(tool),
            whole: Digest::of_members(tool, |name| name != "name", None),
            text,
        }
    }
}

impl Lock {
    /// Reads a lock: what `toolsure lock approve` writes, or a listing as `toolsure check --save` writes it, as a result or
    /// answer of `tools/list`, or as an array of tools. Of a file with the locks of named servers, it reads that of `server`;
    /// without a name, the only one.
    ///
    /// # Errors
    ///
    /// It is not in one of these forms, the server is not in it, two tools have the same name, or a definition is not the one
    /// whose digest is beside it.
    pub fn read(text: &[u8], server: Option<&str>) -> Result<Self, LockError> {
        let document = OwnedDocument::read(text, &limits())?;
        let root = document.document().root();
        if root.member("candidateFor").is_some() {
            return Err(LockError::Candidate);
        }
        let root = match root.member("listings") {
            Some(all) => one_of(all, server)?,
            None => root,
        };
        let tools = tools(root).ok_or(LockError::NoTools)?;
        let mut lock = Self {
            may_change: match root.member("mayChange") {
                Some(places) => MayChange::read(places)?,
                None => MayChange::default(),
            },
            rejected: rejected(root)?,
            ..Self::default()
        };
        lock.read_entries(root)?;
        let legacy = root.member(LEGACY_TOOLS);
        for (tools, prefix) in [(Some(tools), ""), (legacy, LEGACY)] {
            for (index, tool) in tools.into_iter().flat_map(View::items).enumerate() {
                let name = tool
                    .member("name")
                    .filter(|name| name.kind() == Kind::String);
                let name = name.ok_or(LockError::Unnamed { index })?.string();
                let key = format!("{prefix}{name}");
                is_unedited(root, &key, tool)?;
                let approved = lock.approved(name, tool.raw())?;
                let all = match prefix {
                    "" => &mut lock.tools,
                    _ => &mut lock.entries,
                };
                if all.insert(key, approved).is_some() {
                    let tool = shown(name);
                    return Err(LockError::Twice { tool });
                }
            }
        }
        match has_approved_list(root, tools) {
            true => Ok(lock),
            false => Err(LockError::ListDigest),
        }
    }

    /// Reads what is pinned besides tools.
    fn read_entries(&mut self, root: View<'_>) -> Result<(), LockError> {
        for list in PinnedList::ALL {
            let items = root
                .member(list.member)
                .filter(|items| items.kind() == Kind::Array);
            let Some(items) = items else {
                continue;
            };
            self.lists.insert(list.member);
            for (index, item) in items.items().enumerate() {
                let key = list.key(item).ok_or(LockError::Unnamed { index })?;
                is_unedited(root, &key, item)?;
                let approved = self.approved(&key, &entry_as_tool(&key, item))?;
                if self.entries.insert(key.clone(), approved).is_some() {
                    let tool = shown(&key);
                    return Err(LockError::Twice { tool });
                }
            }
        }
        if let Some(instructions) = root.member("instructions") {
            self.pins_instructions = true;
            if instructions.kind() == Kind::String {
                is_unedited(root, INSTRUCTIONS, instructions)?;
                let approved = instructions_as_tool(instructions.string());
                let approved = self.approved(INSTRUCTIONS, &approved)?;
                self.entries.insert(INSTRUCTIONS.to_owned(), approved);
            }
        }
        Ok(())
    }

    fn approved(&self, name: &str, text: &str) -> Result<Approved, LockError> {
        let text = self.may_change.without(name, text);
        let document = OwnedDocument::read(text.as_bytes(), &limits())?;
        Ok(Approved::of(
            text.as_ref().into(),
            document.document().root(),
        ))
    }

    /// Whether the entries of a list are pinned.
    #[must_use]
    pub fn pins(&self, list: &PinnedList) -> bool {
        self.lists.contains(list.member)
    }

    /// Whether the instructions are pinned.
    #[must_use]
    pub fn pins_instructions(&self) -> bool {
        self.pins_instructions
    }

    /// Whether an entry of a pinned list is in it.
    #[must_use]
    pub fn has_entry(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// The names of the entries that begin with this prefix.
    pub(crate) fn entries<'l>(&'l self, prefix: &'l str) -> impl Iterator<Item = &'l String> {
        let from = self
            .entries
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        let from = from.map(|(key, _)| key);
        from.take_while(move |key| key.starts_with(prefix))
    }

    /// The pin of a tool.
    #[must_use]
    pub fn pin(&self, tool: &str) -> Option<&Pin> {
        self.tools.get(tool).map(|tool| &tool.pin)
    }

    /// The names of the tools, sorted.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }
}

/// Why a text is not a valid lock.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// It is not JSON, or exceeds a limit.
    #[error(transparent)]
    Json(#[from] ReadError),
    /// It is what a review found, and nobody has approved it.
    #[error("it is a candidate, which nobody has approved: `toolsure lock approve` does")]
    Candidate,
    /// It has no tools.
    #[error("it has no `tools`")]
    NoTools,
    /// It has the locks of several servers, and not that of this one.
    #[error("it has no lock of a server `{server}`, but of {others}")]
    NoServer {
        /// The server.
        server: String,
        /// The names that it has.
        others: String,
    },
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
    /// A definition is not the one that was approved.
    #[error(
        "the definition of tool `{tool}` does not have the digest that was approved: the file was edited; restore it, or remove it and review again"
    )]
    Digest {
        /// The tool.
        tool: String,
    },
    /// The tools are not those that were approved together.
    #[error(
        "the list of tools does not have the digest that was approved: the file was edited; restore it, or remove it and review again"
    )]
    ListDigest,
    /// The rejected definitions cannot be read.
    #[error("`rejected` must have, for each tool, an array of digests")]
    Rejected,
    /// The places that may change cannot be read.
    #[error("`mayChange`: {0}")]
    MayChange(#[from] MayChangeError),
}

fn shown(name: &str) -> String {
    toolsure_json::quote(name, SHOWN).to_string()
}

/// Checks that a definition has the digest that is beside it, if there is one.
fn is_unedited(root: View<'_>, name: &str, value: View<'_>) -> Result<(), LockError> {
    let digest = root.member("digests").and_then(|all| all.member(name));
    let is_same = |digest: View<'_>| {
        digest.kind() == Kind::String && Digest::read(digest.string()) == Digest::of(value)
    };
    match digest {
        Some(digest) if !is_same(digest) => Err(LockError::Digest { tool: shown(name) }),
        _ => Ok(()),
    }
}

/// Whether a lock's array of tools has the digest that is beside it, if there is one. A definition that was added or removed
/// by hand does not differ from its own digest. The list of a server may have a `digest` of its own, but not together with
/// `digests` or `approvals`.
#[must_use]
pub fn has_approved_list(lock: View<'_>, tools: View<'_>) -> bool {
    let is_lock = ["digests", "approvals"]
        .iter()
        .any(|member| lock.member(member).is_some());
    let Some(written) = lock.member("digest").filter(|_| is_lock) else {
        return true;
    };
    let written = (written.kind() == Kind::String).then(|| Digest::read(written.string()));
    written
        .flatten()
        .is_some_and(|written| Digest::of_tools(tools) == Some(written))
}

/// The lock of one of several servers.
fn one_of<'v>(all: View<'v>, server: Option<&str>) -> Result<View<'v>, LockError> {
    let mut locks = all.members().filter(|_| all.kind() == Kind::Object);
    let found = match (server, all.len()) {
        (None, 1) => locks.next(),
        (Some(server), _) => locks.find(|(name, _)| name.text() == server),
        (None, _) => None,
    };
    found.map(|(_, lock)| lock).ok_or_else(|| {
        let names = all.members().take(SERVERS);
        let names = names.map(|(name, _)| format!("`{}`", shown(name.text())));
        LockError::NoServer {
            server: shown(server.unwrap_or_default()),
            others: names.collect::<Vec<_>>().join(", "),
        }
    })
}

fn rejected(root: View<'_>) -> Result<BTreeMap<String, Vec<Digest>>, LockError> {
    let Some(rejected) = root.member("rejected") else {
        return Ok(BTreeMap::new());
    };
    let digest = |item: View<'_>| match item.kind() {
        Kind::String => Digest::read(item.string()),
        _ => None,
    };
    let tools = rejected.members().map(|(name, digests)| {
        let digests = (digests.kind() == Kind::Array).then(|| digests.items().map(digest));
        Some((name.text().to_owned(), digests?.collect::<Option<_>>()?))
    });
    let is_object = rejected.kind() == Kind::Object;
    let tools = is_object.then(|| tools.collect::<Option<_>>()).flatten();
    tools.ok_or(LockError::Rejected)
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
/// Servers that a message names.
const SERVERS: usize = 16;
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
        let digest = Digest::read(&format!("sha256:{}", "0".repeat(64))).unwrap();
        let edited = format!(r#"{{"digests":{{"a":"{digest}"}},"tools":[{{"name":"a"}}]}}"#);
        let none = Digest::of_list([]).unwrap();
        let added = format!(r#"{{"digest":"{none}","approvals":[],"tools":[{{"name":"a"}}]}}"#);
        for (text, expected) in [
            ("{}", "it has no `tools`"),
            ("[{}]", "the tool at index 0 has no `name`"),
            (
                r#"[{"name":"a"},{"name":"a"}]"#,
                "the tool `a` is listed twice",
            ),
            (
                edited.as_str(),
                "the definition of tool `a` does not have the digest that was approved: the file was edited; restore it, or remove it and review again",
            ),
            (
                added.as_str(),
                "the list of tools does not have the digest that was approved: the file was edited; restore it, or remove it and review again",
            ),
            (
                r#"{"tools":[],"digest":null,"digests":{}}"#,
                "the list of tools does not have the digest that was approved: the file was edited; restore it, or remove it and review again",
            ),
            (
                r#"{"tools":[],"rejected":{"a":"sha256:00"}}"#,
                "`rejected` must have, for each tool, an array of digests",
            ),
            (
                r#"{"listings":{"x":{"tools":[]},"y":{"tools":[]}}}"#,
                "it has no lock of a server `z`, but of `x`, `y`",
            ),
            (
                r#"{"candidateFor":"a.json","tools":[]}"#,
                "it is a candidate, which nobody has approved: `toolsure lock approve` does",
            ),
            (
                r#"{"tools":[],"mayChange":{"a":["title"]}}"#,
                "`mayChange`: `title` is no place: it must begin with `/`",
            ),
            (
                "{",
                "expected a key or `}`, found the end of the text at byte 1",
            ),
        ] {
            assert_eq!(
                Lock::read(text.as_bytes(), Some("z"))
                    .unwrap_err()
                    .to_string(),
                expected
            );
        }
    }

    #[test]
    fn of_several_servers() {
        let text = br#"{"listings":{"x":{"tools":[{"name":"a"}]},"y":{"tools":[{"name":"b"}]}}}"#;
        let lock = Lock::read(text, Some("y")).unwrap();
        assert_eq!(lock.tools().collect::<Vec<_>>(), ["b"]);
        let one = br#"{"listings":{"x":{"tools":[{"name":"a"}]}}}"#;
        assert!(Lock::read(one, Some("other")).is_err());
        assert!(Lock::read(one, None).unwrap().pin("a").is_some());
    }
}
