//! The tools of a listing.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use toolsure_json::{DuplicateKeys, Kind, Node as _, OwnedDocument, ReadLimits, View};

use super::renamed::Tool;

/// A tool, and its name or another text in place of one.
pub(super) struct Read {
    pub(super) name: String,
    document: Option<OwnedDocument>,
}

impl Read {
    pub(super) fn root(&self) -> Option<View<'_>> {
        self.document
            .as_ref()
            .map(|document| document.document().root())
    }
}

/// The tools of a listing by name.
pub(super) struct ByName<'r>(HashMap<&'r str, Named<'r>>);

struct Named<'r> {
    /// The index of the first tool with the name.
    first: usize,
    /// The other tools with it.
    others: Vec<&'r Read>,
}

impl<'r> ByName<'r> {
    pub(super) fn new(tools: &'r [Read]) -> Self {
        let mut names: HashMap<&str, Named<'_>> = HashMap::new();
        for (index, tool) in tools.iter().enumerate() {
            match names.entry(&tool.name) {
                Entry::Occupied(mut named) => named.get_mut().others.push(tool),
                Entry::Vacant(name) => {
                    name.insert(Named {
                        first: index,
                        others: Vec::new(),
                    });
                }
            }
        }
        Self(names)
    }

    /// The index of the first tool with this name.
    pub(super) fn first(&self, name: &str) -> Option<usize> {
        self.0.get(name).map(|named| named.first)
    }

    /// The tools with this name, except the first.
    pub(super) fn others(&self, name: &str) -> &[&'r Read] {
        self.0.get(name).map_or(&[], |named| &named.others)
    }
}

/// The first tools of their names, with their indices.
pub(super) fn firsts<'r>(
    tools: &'r [Read],
    names: &ByName<'_>,
) -> impl Iterator<Item = (usize, &'r Read)> {
    let tools = tools.iter().enumerate();
    tools.filter(|(index, tool)| names.first(&tool.name) == Some(*index))
}

/// The tools whose names one listing has and the other has not; of several with one name, the first.
pub(super) fn only_in<'r>(
    tools: &'r [Read],
    names: &ByName<'_>,
    others: &ByName<'_>,
) -> Vec<Tool<'r>> {
    let own = firsts(tools, names).filter(|(_, tool)| others.first(&tool.name).is_none());
    own.filter_map(|(index, tool)| Some((index, tool.name.as_str(), tool.root()?)))
        .collect()
}

pub(super) fn limits() -> ReadLimits {
    ReadLimits {
        depth: 512,
        duplicate_keys: DuplicateKeys::KeepLast,
        ..ReadLimits::default()
    }
}

/// The tools, each given as its JSON text.
pub(super) fn read(tools: Vec<&str>) -> Vec<Read> {
    let limits = limits();
    let one = |(index, text): (usize, &str)| {
        let document = OwnedDocument::read(text.as_bytes(), &limits).ok();
        let named = document
            .as_ref()
            .and_then(|document| document.document().root().member("name"));
        let name = named
            .filter(|name| name.kind() == Kind::String)
            .map(|name| name.string().to_owned());
        Read {
            name: name
                .unwrap_or_else(|| format!("(tool {} without a name)", index.saturating_add(1))),
            document,
        }
    };
    tools.into_iter().enumerate().map(one).collect()
}
