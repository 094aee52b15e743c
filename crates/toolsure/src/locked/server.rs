//! What a lock file has of one server.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;
use toolsure_guard::{
    Digest, INSTRUCTIONS, LEGACY, LEGACY_TOOLS, MayChange, PinnedList, entry_as_tool,
    has_approved_list, instructions_as_tool,
};
use toolsure_json::{DuplicateKeys, Key as _, Kind, Node as _, OwnedDocument, ReadLimits, View};
use toolsure_json::{exact_object, json_string, quote};
use toolsure_mcp::message::Edits;

use crate::exit::Failure;
use crate::listing::Listing;

/// The tools of one server.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LockedServer {
    pub(crate) protocol: Option<String>,
    /// The JSON of `serverInfo`.
    pub(crate) server: Option<String>,
    /// Who approved what, the oldest first; JSON objects.
    pub(crate) approvals: Vec<String>,
    /// Definitions by name, each in one line, with sorted members and exact numbers: those of tools, and under names with a
    /// colon the entries of other lists and the instructions.
    pub(crate) definitions: BTreeMap<String, String>,
    /// The other lists that are pinned, by their members, and `instructions`.
    pub(crate) pins: BTreeSet<&'static str>,
    /// The digests of definitions that were rejected, by tool.
    pub(crate) rejected: BTreeMap<String, Vec<String>>,
    /// `mayChange` as it was written.
    pub(crate) may_change: Option<String>,
    /// Whether the server may have more tools than these.
    pub(crate) is_partial: bool,
}

impl LockedServer {
    /// What a server lists, which was just read, and what it lists for other clients; and what of it cannot be approved,
    /// and why.
    pub(crate) fn of(
        listing: &Listing,
        others: &[Listing],
    ) -> Result<(Self, Vec<String>), Failure> {
        let unusable = |what: &str| Failure::usage(format!("{}: {what}", listing.target));
        let server = listing.server.as_ref();
        let mut locked = Self {
            protocol: server.map(|server| server.protocol.clone()),
            server: server.and_then(|server| one_line(server.raw.as_deref()?)),
            is_partial: listing.partial,
            ..Self::default()
        };
        let mut left_out = Vec::new();
        let other_tools = others.iter().flat_map(|other| &other.tools);
        let tools = listing.tools.iter().map(|tool| (tool, false));
        let mut legacy: BTreeSet<&str> = BTreeSet::new();
        for (tool, is_other) in tools.chain(other_tools.map(|tool| (tool, true))) {
            let name = tool.name.as_deref().unwrap_or_default();
            let is_known = is_other && locked.definitions.contains_key(name);
            let prefix = if is_known { LEGACY } else { "" };
            let why = match one_line(&tool.text) {
                None => "it cannot be read, or a member of it is there twice",
                Some(_) if !is_tool_name(name) => {
                    "it has no name, or one that stands for something else in a lock file"
                }
                // The same for all clients, or for several others.
                Some(text)
                    if is_known
                        && [name, &format!("{LEGACY}{name}")]
                            .iter()
                            .any(|known| locked.definitions.get(*known) == Some(&text)) =>
                {
                    continue;
                }
                Some(_) if is_known && !legacy.insert(name) => {
                    "the server lists three definitions of it, for three kinds of clients"
                }
                Some(text) => match locked.insert(format!("{prefix}{name}"), text) {
                    Ok(()) => continue,
                    Err(_) => "another tool has its name",
                },
            };
            left_out.push(format!(
                "tool `{}` is left out, and a guard refuses it: {why}",
                quote(name, SHOWN)
            ));
        }
        for list in PinnedList::ALL {
            // A server without a list has none of its entries.
            let is_live = listing.file.is_none();
            let pages = listing.pages();
            let pages: Vec<_> = pages
                .iter()
                .filter(|page| page.method == list.method)
                .collect();
            if is_live || !pages.is_empty() {
                locked.pins.insert(list.member);
            }
            for page in pages {
                let document = OwnedDocument::read(page.text, &LIMITS);
                let document =
                    document.map_err(|error| unusable(&format!("{}: {error}", list.method)))?;
                let entries = document.document().root().member(list.member);
                locked
                    .add_entries(&list, entries)
                    .map_err(|why| unusable(&why))?;
            }
            for other in others {
                left_out.extend(locked.add_others(&list, other)?);
            }
        }
        let instructions = server.and_then(|server| server.instructions.as_deref());
        if let Some(text) = instructions {
            locked
                .definitions
                .insert(INSTRUCTIONS.to_owned(), json_string(text));
        }
        if instructions.is_some() || listing.file.is_none() {
            locked.pins.insert("instructions");
        }
        Ok((locked, left_out))
    }

    /// What may change without approval.
    pub(crate) fn may_change(&self) -> Result<MayChange, Failure> {
        let places = self.may_change.as_deref().unwrap_or("{}");
        MayChange::parse(places).map_err(|why| Failure::usage(format!("`mayChange`: {why}")))
    }

    /// Lets more places change, each `TOOL:/PLACE`.
    pub(crate) fn let_change(&mut self, places: &[String]) -> Result<(), Failure> {
        let known = self.may_change.as_deref().unwrap_or("{}");
        let known = serde_json::from_str(known);
        let mut all: serde_json::Map<String, Value> =
            known.map_err(|error| Failure::usage(format!("`mayChange`: {error}")))?;
        for one in places {
            // The name of a template is a URI, and a text may have anything.
            let (head, text) = match one.split_once(": ") {
                Some((head, text)) => (head, Some(text)),
                None => (one.as_str(), None),
            };
            let (tool, place) = head.rsplit_once(":/").ok_or_else(|| {
                let one = quote(one, SHOWN);
                Failure::usage(format!("`--may-change {one}` is not `TOOL:/PLACE`"))
            })?;
            let place = match text {
                Some(text) => format!("/{place}: {text}"),
                None => format!("/{place}"),
            };
            let places = all.entry(tool).or_insert_with(|| Value::Array(Vec::new()));
            if let Some(places) = places.as_array_mut()
                && !places.iter().any(|known| *known == place)
            {
                places.push(place.into());
            }
        }
        self.may_change = Some(Value::Object(all).to_string());
        self.may_change().map(drop)
    }

    /// Adds the definition of a tool.
    fn add(&mut self, name: &str, text: String) -> Result<(), String> {
        if !is_tool_name(name) {
            return Err(format!(
                "the tool `{}` has a name that stands for something else in a lock file",
                quote(name, SHOWN)
            ));
        }
        self.insert(name.to_owned(), text)
    }

    fn add_entries(&mut self, list: &PinnedList, entries: Option<View<'_>>) -> Result<(), String> {
        for entry in entries.into_iter().flat_map(View::items) {
            let key = list.key(entry);
            let key =
                key.ok_or_else(|| format!("an entry of {} has no `{}`", list.method, list.name))?;
            self.insert(key, exact(entry))?;
        }
        Ok(())
    }

    fn insert(&mut self, name: String, text: String) -> Result<(), String> {
        match self.definitions.entry(name) {
            Entry::Vacant(place) => {
                place.insert(text);
                Ok(())
            }
            Entry::Occupied(there) => Err(format!(
                "there are two of the name `{}`",
                quote(there.key(), SHOWN)
            )),
        }
    }

    /// The definitions as tools, without what may change in them: entries of other lists are written as tools, so that they are
    /// compared as such.
    pub(crate) fn as_tools(&self, may_change: &MayChange) -> BTreeMap<String, String> {
        let tools = self.definitions.iter().map(|(name, text)| {
            let text = match OwnedDocument::read(text.as_str(), &LIMITS) {
                Ok(document) if name == INSTRUCTIONS => {
                    instructions_as_tool(document.document().root().string())
                }
                Ok(document) if list_of(name).is_some() => {
                    entry_as_tool(name, document.document().root())
                }
                Ok(document) if name.starts_with(LEGACY) => {
                    let root = document.document().root();
                    let mut edits = Edits::new();
                    if let Some(own) = root.member("name") {
                        edits.replace(own, json_string(name));
                    }
                    edits.apply(text)
                }
                _ => text.clone(),
            };
            let text = may_change.without(own_name(name), &text).into_owned();
            (name.clone(), text)
        });
        tools.collect()
    }

    pub(super) fn read(root: View<'_>, needs_digests: bool) -> Result<Self, String> {
        let holder = root.member("result").unwrap_or(root);
        let listed = match holder.kind() {
            Kind::Array => Some(holder),
            _ => holder
                .member("tools")
                .filter(|tools| tools.kind() == Kind::Array),
        };
        let tools = listed.ok_or("it has no `tools`")?;
        let mut locked = Self::default();
        for tool in tools.items() {
            let name = tool
                .member("name")
                .filter(|name| name.kind() == Kind::String);
            locked.add(name.ok_or("a tool has no name")?.string(), exact(tool))?;
        }
        let legacy = root.member(LEGACY_TOOLS);
        for tool in legacy.into_iter().flat_map(View::items) {
            let name = tool
                .member("name")
                .filter(|name| name.kind() == Kind::String);
            let name = name.ok_or("a tool has no name")?.string();
            locked.insert(format!("{LEGACY}{name}"), exact(tool))?;
        }
        for list in PinnedList::ALL {
            let entries = root
                .member(list.member)
                .filter(|it| it.kind() == Kind::Array);
            if entries.is_some() {
                locked.pins.insert(list.member);
            }
            locked.add_entries(&list, entries)?;
        }
        if let Some(instructions) = root.member("instructions") {
            locked.pins.insert("instructions");
            if instructions.kind() == Kind::String {
                locked.insert(INSTRUCTIONS.to_owned(), json_string(instructions.string()))?;
            }
        }
        for (name, text) in &locked.definitions {
            let written = root.member("digests").and_then(|all| all.member(name));
            let is_other = match (written, digest(text)) {
                (Some(written), digest) => {
                    digest.is_none_or(|digest| written.string() != digest.to_string())
                }
                (None, digest) => needs_digests && digest.is_some(),
            };
            if is_other {
                let name = quote(name, SHOWN);
                return Err(format!(
                    "the definition of `{name}` is not the one with the digest beside it: the file was edited; restore it, or remove it and review again"
                ));
            }
        }
        if !has_approved_list(root, tools) {
            return Err(
                "the list of tools is not the one with the digest beside it: the file was edited; restore it, or remove it and review again"
                    .to_owned(),
            );
        }
        let objects = |member: &str| root.member(member).filter(|it| it.kind() == Kind::Object);
        let protocol = root
            .member("protocolVersion")
            .filter(|it| it.kind() == Kind::String);
        let approvals = root
            .member("approvals")
            .filter(|it| it.kind() == Kind::Array);
        let rejected = objects("rejected").into_iter().flat_map(View::members);
        Ok(Self {
            protocol: protocol.map(|protocol| protocol.string().to_owned()),
            server: objects("serverInfo").map(exact),
            approvals: approvals
                .into_iter()
                .flat_map(View::items)
                .map(exact)
                .collect(),
            rejected: rejected
                .map(|(name, digests)| {
                    let digests = digests
                        .items()
                        .filter(|digest| digest.kind() == Kind::String);
                    let digests = digests.map(|digest| digest.string().to_owned()).collect();
                    (name.text().to_owned(), digests)
                })
                .collect(),
            may_change: objects("mayChange").map(|places| places.raw().to_owned()),
            is_partial: root
                .member("partial")
                .is_some_and(|partial| partial.boolean()),
            ..locked
        })
    }

    pub(super) fn write(&self, out: &mut String, indent: &str) {
        if let Some(protocol) = &self.protocol {
            line(out, indent, "protocolVersion", &json_string(protocol));
        }
        if let Some(server) = &self.server {
            line(out, indent, "serverInfo", server);
        }
        if self.is_partial {
            line(out, indent, "partial", "true");
        }
        if !self.approvals.is_empty() {
            block(out, indent, "approvals", ('[', ']'), &self.approvals);
        }
        if let Some(places) = &self.may_change {
            line(out, indent, "mayChange", places);
        }
        if !self.rejected.is_empty() {
            let rejected = self.rejected.iter().map(|(name, digests)| {
                let digests: Vec<String> =
                    digests.iter().map(|digest| json_string(digest)).collect();
                format!("{}: [{}]", json_string(name), digests.join(", "))
            });
            block(
                out,
                indent,
                "rejected",
                ('{', '}'),
                &rejected.collect::<Vec<_>>(),
            );
        }
        let digests = self.definitions.iter();
        let digests = digests.map(|(name, text)| (name.as_str(), digest(text)));
        let digests: Vec<(&str, Option<Digest>)> = digests.collect();
        let tools = digests.iter().filter(|(name, _)| is_tool_name(name));
        let tools: Option<Vec<_>> = tools
            .map(|(name, digest)| Some((*name, (*digest)?)))
            .collect();
        if let Some(list) = tools.filter(|_| !self.is_partial).and_then(Digest::of_list) {
            line(out, indent, "digest", &format!("\"{list}\""));
        }
        let digests = digests
            .into_iter()
            .filter_map(|(name, digest)| Some(format!("{}: \"{}\"", json_string(name), digest?)));
        let digests: Vec<String> = digests.collect();
        if !digests.is_empty() {
            block(out, indent, "digests", ('{', '}'), &digests);
        }
        if self.pins.contains("instructions") {
            let text = self
                .definitions
                .get(INSTRUCTIONS)
                .map_or("null", String::as_str);
            line(out, indent, "instructions", text);
        }
        let of = |wanted: Option<&PinnedList>| -> Vec<String> {
            let own = self
                .definitions
                .iter()
                .filter(|(name, _)| *name != INSTRUCTIONS);
            let own = own.filter(|(name, _)| list_of(name).as_ref() == wanted);
            let own = own.filter(|(name, _)| !name.starts_with(LEGACY));
            own.map(|(_, text)| text.clone()).collect()
        };
        let legacy = self
            .definitions
            .iter()
            .filter(|(name, _)| name.starts_with(LEGACY));
        let legacy: Vec<String> = legacy.map(|(_, text)| text.clone()).collect();
        if !legacy.is_empty() {
            block(out, indent, LEGACY_TOOLS, ('[', ']'), &legacy);
        }
        for list in PinnedList::ALL
            .iter()
            .filter(|list| self.pins.contains(list.member))
        {
            block(out, indent, list.member, ('[', ']'), &of(Some(list)));
        }
        block(out, indent, "tools", ('[', ']'), &of(None));
        // Nothing comes after the tools.
        out.truncate(out.trim_end_matches(",\n").len());
    }
}

/// The list of an entry, by its name among those of tools; `None` for a tool.
fn list_of(name: &str) -> Option<PinnedList> {
    let mut lists = PinnedList::ALL.into_iter();
    lists.find(|list| name.starts_with(list.prefix))
}

/// Whether a definition with this name is that of a tool.
pub(crate) fn is_tool_name(name: &str) -> bool {
    let is_other = list_of(name).is_some() || name == INSTRUCTIONS || name.starts_with(LEGACY);
    !name.is_empty() && !is_other
}

/// The name of a tool, also of its definition for older clients.
pub(crate) fn own_name(name: &str) -> &str {
    name.strip_prefix(LEGACY).unwrap_or(name)
}

/// What is pinned by the approval of a definition, besides tools.
pub(crate) fn pin_of(name: &str) -> Option<&'static str> {
    match name {
        INSTRUCTIONS => Some("instructions"),
        _ => list_of(name).map(|list| list.member),
    }
}

/// The digest of a definition; `None` if it has no canonical form.
pub(crate) fn digest(tool: &str) -> Option<Digest> {
    let document = OwnedDocument::read(tool, &LIMITS).ok()?;
    Digest::of(document.document().root())
}

/// An approval, as a lock file has it.
pub(crate) fn approval(
    at: &str,
    (by, note): (Option<&str>, Option<&str>),
    tools: &[String],
    may_change: &[String],
) -> String {
    let mut approval = serde_json::Map::new();
    approval.insert("at".to_owned(), Value::from(at));
    for (member, text) in [("by", by), ("note", note)] {
        approval.extend(text.map(|text| (member.to_owned(), Value::from(text))));
    }
    for (member, all) in [("tools", tools), ("mayChange", may_change)] {
        if !all.is_empty() {
            approval.insert(member.to_owned(), Value::from(all.to_vec()));
        }
    }
    let text = Value::Object(approval).to_string();
    one_line(&text).unwrap_or(text)
}

/// An object in one line, as lock files have definitions; `None` if it cannot be read.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let document = OwnedDocument::read(text, &LIMITS).ok()?;
    Some(exact(document.document().root()))
}

/// An object in one line: with sorted members, and with all digits of its numbers.
pub(super) fn exact(object: View<'_>) -> String {
    exact_object(object.members().map(|(key, value)| (key.text(), value)))
}

pub(super) fn line(out: &mut String, indent: &str, member: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{indent}\"{member}\": {value},");
}

fn block(
    out: &mut String,
    indent: &str,
    member: &str,
    (open, close): (char, char),
    lines: &[String],
) {
    let _ = write!(out, "{indent}\"{member}\": {open}");
    for (index, one) in lines.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(out, "{comma}\n{indent}  {one}");
    }
    let _ = match lines {
        [] => writeln!(out, "{close},"),
        _ => writeln!(out, "\n{indent}{close},"),
    };
}

/// A problem of one tool must not make the file unreadable, but what has two members with the same name means different things to
/// different readers.
pub(super) const LIMITS: ReadLimits = ReadLimits {
    bytes: usize::MAX,
    depth: usize::MAX,
    nodes: usize::MAX,
    digits: usize::MAX,
    duplicate_keys: DuplicateKeys::Refuse,
};
pub(super) const SHOWN: usize = 80;
