//! Lock files and candidates: the tools of one server or several, as they were approved or may be.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use toolsure_guard::{
    Digest, INSTRUCTIONS, MayChange, PinnedList, entry_as_tool, instructions_as_tool,
};
use toolsure_json::{DuplicateKeys, Key as _, Kind, Node as _, OwnedDocument, ReadLimits, View};
use toolsure_json::{exact_object, json_string, quote};

use crate::exit::Failure;
use crate::input::Input;
use crate::listing::{Listing, saved};

/// A lock file, or a candidate for one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LockFile {
    /// By the servers' names; one without a name is the only one.
    pub(crate) servers: BTreeMap<Option<String>, LockedServer>,
    /// What a candidate is one for; `None` for a lock file.
    pub(crate) candidate: Option<Candidate>,
}

/// What a candidate says of its review.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The name of the lock file beside it.
    pub(crate) lock: String,
    /// The digest of the lock file that the candidate was compared with; `None` if there was none.
    pub(crate) base: Option<String>,
    /// Whether the review showed the texts that changed.
    pub(crate) has_shown_texts: bool,
}

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

impl LockFile {
    /// The part of a server: that of its name, or the only one.
    pub(crate) fn of(&self, server: &str) -> Option<&LockedServer> {
        match self.servers.len() {
            1 => self.servers.values().next(),
            _ => self.servers.get(&Some(server.to_owned())),
        }
    }

    /// The same, to be changed.
    pub(crate) fn of_mut(&mut self, server: &str) -> Option<&mut LockedServer> {
        match self.servers.len() {
            1 => self.servers.values_mut().next(),
            _ => self.servers.get_mut(&Some(server.to_owned())),
        }
    }

    /// Reads a lock file, and its digest; an empty one if there is no such file.
    pub(crate) fn read_or_empty(path: &Path) -> Result<(Self, Option<String>), Failure> {
        match path.exists() {
            true => Self::read(path).map(|(file, digest)| (file, Some(digest))),
            false => Ok((Self::default(), None)),
        }
    }

    /// Reads a lock file or a candidate, and its digest.
    pub(crate) fn read(path: &Path) -> Result<(Self, String), Failure> {
        let name = shown(path);
        let text = Input::of(path)
            .read_with(saved::FILE_BYTES, |_| {})
            .map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?
            .bytes;
        let document = OwnedDocument::read(text.as_slice(), &LIMITS)
            .map_err(|error| Failure::usage(format!("`{name}`: {error}")))?;
        let root = document.document().root();
        let no_lock = |why: String| Failure::usage(format!("`{name}` is no lock file: {why}"));
        let string = |member: &str| {
            let value = root.member(member)?;
            (value.kind() == Kind::String).then(|| value.string().to_owned())
        };
        let candidate = string("candidateFor").map(|lock| Candidate {
            lock,
            base: string("base"),
            has_shown_texts: root
                .member("textsShown")
                .is_some_and(|shown| shown.boolean()),
        });
        let servers: Result<BTreeMap<_, _>, Failure> = match root.member("listings") {
            Some(all) => all
                .members()
                .map(|(key, one)| {
                    let key = key.text().to_owned();
                    let server = LockedServer::read(one).map_err(|why| {
                        no_lock(format!("the server `{}`: {why}", quote(&key, SHOWN)))
                    });
                    Ok((Some(key), server?))
                })
                .collect(),
            None => LockedServer::read(root)
                .map(|server| BTreeMap::from([(None, server)]))
                .map_err(no_lock),
        };
        let servers = servers?;
        let digest =
            Digest::of(root).map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        Ok((Self { servers, candidate }, digest))
    }

    /// Writes it, and never half of it.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let name = shown(path);
        let failure = |error| Failure::usage(format!("cannot write `{name}`: {error}"));
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        std::fs::write(&partial, self.text()).map_err(failure)?;
        std::fs::rename(&partial, path).map_err(failure)
    }

    /// Its text, with one line for each tool, sorted by name.
    fn text(&self) -> String {
        let mut out = String::from("{\n  \"version\": 1,\n");
        if let Some(candidate) = &self.candidate {
            line(
                &mut out,
                "  ",
                "candidateFor",
                &json_string(&candidate.lock),
            );
            let base = candidate
                .base
                .as_deref()
                .map_or("null".to_owned(), json_string);
            line(&mut out, "  ", "base", &base);
            let shown = candidate.has_shown_texts.to_string();
            line(&mut out, "  ", "textsShown", &shown);
        }
        match self.servers.get(&None).filter(|_| self.servers.len() == 1) {
            Some(only) => only.write(&mut out, "  "),
            None => {
                let servers = self.servers.iter().map(|(key, server)| {
                    let mut text = format!(
                        "    {}: {{\n",
                        json_string(key.as_deref().unwrap_or_default())
                    );
                    server.write(&mut text, "      ");
                    text.push_str("\n    }");
                    text
                });
                let servers: Vec<String> = servers.collect();
                out.push_str("  \"listings\": {\n");
                out.push_str(&servers.join(",\n"));
                out.push_str("\n  }");
            }
        }
        out.push_str("\n}\n");
        out
    }
}

impl LockedServer {
    /// What a server lists, which was just read.
    pub(crate) fn of(listing: &Listing) -> Result<Self, Failure> {
        let unusable = |what: &str| Failure::usage(format!("{}: {what}", listing.target));
        let server = listing.server.as_ref();
        let mut locked = Self {
            protocol: server.map(|server| server.protocol.clone()),
            server: server.and_then(|server| one_line(server.raw.as_deref()?)),
            is_partial: listing.partial,
            ..Self::default()
        };
        for tool in &listing.tools {
            let text = one_line(&tool.text);
            let text =
                text.ok_or_else(|| unusable("a tool cannot be read, so it cannot be approved"))?;
            let name = tool.name.as_deref();
            let name =
                name.ok_or_else(|| unusable("a tool has no name, so it cannot be approved"))?;
            locked.add(name, text).map_err(|why| unusable(&why))?;
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
        Ok(locked)
    }

    /// Adds the definition of a tool.
    fn add(&mut self, name: &str, text: String) -> Result<(), String> {
        if list_of(name).is_some() || name == INSTRUCTIONS {
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
        match self.definitions.insert(name.clone(), text) {
            None => Ok(()),
            Some(_) => Err(format!(
                "there are two of the name `{}`",
                quote(&name, SHOWN)
            )),
        }
    }

    /// The definitions as tools, without what may change in them: entries of other lists are written as tools, so that they are
    /// compared as such.
    pub(crate) fn as_tools(&self, may_change: &MayChange) -> Vec<String> {
        let tools = self.definitions.iter().map(|(name, text)| {
            let text = match OwnedDocument::read(text.as_str(), &LIMITS) {
                Ok(document) if name == INSTRUCTIONS => {
                    instructions_as_tool(document.document().root().string())
                }
                Ok(document) if list_of(name).is_some() => {
                    entry_as_tool(name, document.document().root())
                }
                _ => text.clone(),
            };
            may_change.without(name, &text).into_owned()
        });
        tools.collect()
    }

    fn read(root: View<'_>) -> Result<Self, String> {
        let holder = root.member("result").unwrap_or(root);
        let listed = match holder.kind() {
            Kind::Array => Some(holder),
            _ => holder
                .member("tools")
                .filter(|tools| tools.kind() == Kind::Array),
        };
        let mut locked = Self::default();
        for tool in listed.ok_or("it has no `tools`")?.items() {
            let name = tool
                .member("name")
                .filter(|name| name.kind() == Kind::String);
            locked.add(name.ok_or("a tool has no name")?.string(), exact(tool))?;
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
            if let Some(written) = written
                && digest(text).is_none_or(|digest| written.string() != digest.to_string())
            {
                let name = quote(name, SHOWN);
                return Err(format!(
                    "the definition of `{name}` is not the one with the digest beside it: the file was edited"
                ));
            }
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

    fn write(&self, out: &mut String, indent: &str) {
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
        let digests = self.definitions.iter().filter_map(|(name, text)| {
            Some(format!("{}: \"{}\"", json_string(name), digest(text)?))
        });
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
            own.map(|(_, text)| text.clone()).collect()
        };
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
pub(crate) fn approval(at: &str, by: Option<&str>, note: Option<&str>, tools: &[String]) -> String {
    let mut approval = serde_json::Map::new();
    approval.insert("at".to_owned(), Value::from(at));
    for (member, text) in [("by", by), ("note", note)] {
        approval.extend(text.map(|text| (member.to_owned(), Value::from(text))));
    }
    approval.insert("tools".to_owned(), Value::from(tools.to_vec()));
    let text = Value::Object(approval).to_string();
    one_line(&text).unwrap_or(text)
}

/// An object in one line, as lock files have definitions; `None` if it cannot be read.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let document = OwnedDocument::read(text, &LIMITS).ok()?;
    Some(exact(document.document().root()))
}

/// An object in one line: with sorted members, and with all digits of its numbers.
fn exact(object: View<'_>) -> String {
    exact_object(object.members().map(|(key, value)| (key.text(), value)))
}

fn line(out: &mut String, indent: &str, member: &str, value: &str) {
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

/// A path as messages show it.
pub(crate) fn shown(path: &Path) -> String {
    quote(&path.to_string_lossy(), 200).to_string()
}

/// A problem of one tool must not make the file unreadable, but what has two members with the same name means different things to
/// different readers.
const LIMITS: ReadLimits = ReadLimits {
    bytes: usize::MAX,
    depth: usize::MAX,
    nodes: usize::MAX,
    digits: usize::MAX,
    duplicate_keys: DuplicateKeys::Refuse,
};
const SHOWN: usize = 80;
