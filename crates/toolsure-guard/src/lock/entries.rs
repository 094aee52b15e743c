//! What a lock pins besides tools: the entries of other lists, and the server's instructions.

use toolsure_json::{Key as _, Kind, Node as _, View, exact_object, json_string};

/// A list whose entries a lock can pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct PinnedList {
    /// Its method.
    pub method: &'static str,
    /// The member with its entries, in a result and in a lock.
    pub member: &'static str,
    /// The member that names an entry.
    pub name: &'static str,
    /// What begins the name of an entry among those of tools, none of which has a colon.
    pub prefix: &'static str,
}

impl PinnedList {
    /// All of them.
    pub const ALL: [Self; 3] = [
        Self::of("prompts/list", "prompts", "name", "prompt:"),
        Self::of(
            "resources/templates/list",
            "resourceTemplates",
            "uriTemplate",
            "template:",
        ),
        Self::of("skills/list", "skills", "uri", "skill:"),
    ];

    const fn of(
        method: &'static str,
        member: &'static str,
        name: &'static str,
        prefix: &'static str,
    ) -> Self {
        Self {
            method,
            member,
            name,
            prefix,
        }
    }

    /// The name of an entry among those of tools; `None` if it has none.
    #[must_use]
    pub fn key(&self, entry: View<'_>) -> Option<String> {
        let name = entry
            .member(self.name)
            .filter(|name| name.kind() == Kind::String)?;
        Some(format!("{}{}", self.prefix, name.string()))
    }
}

/// What begins the name of a tool's definition for protocol versions before 2026-07-28 among those of tools, if the server lists
/// another one for them.
pub const LEGACY: &str = "legacy:";
/// The member of a lock with such definitions.
pub const LEGACY_TOOLS: &str = "legacyTools";

/// The name of the server's instructions among those of tools.
pub const INSTRUCTIONS: &str = "server:instructions";

/// The entry of another list as a tool, so that it can be compared as one: its members are those of the tool, except such as
/// would mean something else in a tool, which are in the member `entry`.
#[must_use]
pub fn entry_as_tool(key: &str, entry: View<'_>) -> String {
    let members = |reserved: bool| {
        let members = entry.members().map(|(name, value)| (name.text(), value));
        exact_object(members.filter(move |(name, _)| RESERVED.contains(name) == reserved))
    };
    let (own, rest) = (members(false), members(true));
    // Both are objects in one line.
    let own = own.get(1..own.len().saturating_sub(1)).unwrap_or_default();
    let comma = if own.is_empty() { "" } else { "," };
    format!(
        r#"{{"name":{},"inputSchema":{{"type":"object"}},{own}{comma}"entry":{rest}}}"#,
        json_string(key)
    )
}

/// Members of tools that entries of other lists do not have.
const RESERVED: [&str; 6] = [
    "name",
    "inputSchema",
    "outputSchema",
    "annotations",
    "execution",
    "entry",
];

/// The instructions of a server as a tool, which has them as its description.
#[must_use]
pub fn instructions_as_tool(instructions: &str) -> String {
    let (name, text) = (json_string(INSTRUCTIONS), json_string(instructions));
    format!(r#"{{"name":{name},"inputSchema":{{"type":"object"}},"description":{text}}}"#)
}
