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

/// The entry of another list as a tool, so that it can be compared as one: with its title and description, and the rest in one
/// member.
#[must_use]
pub fn entry_as_tool(key: &str, entry: View<'_>) -> String {
    let is_text = |name: &str| matches!(name, "title" | "description");
    let members = |texts: bool| {
        let members = entry.members().map(|(name, value)| (name.text(), value));
        let members = members.filter(move |(name, _)| is_text(name) == texts);
        exact_object(members)
    };
    let (texts, rest) = (members(true), members(false));
    let texts = texts.trim_start_matches('{').trim_end_matches('}');
    let comma = if texts.is_empty() { "" } else { "," };
    format!(
        r#"{{"name":{},"inputSchema":{{"type":"object"}},{texts}{comma}"entry":{rest}}}"#,
        json_string(key)
    )
}

/// The instructions of a server as a tool, which has them as its description.
#[must_use]
pub fn instructions_as_tool(instructions: &str) -> String {
    let (name, text) = (json_string(INSTRUCTIONS), json_string(instructions));
    format!(r#"{{"name":{name},"inputSchema":{{"type":"object"}},"description":{text}}}"#)
}
