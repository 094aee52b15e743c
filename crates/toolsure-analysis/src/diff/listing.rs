//! The tools of a listing.

use std::collections::HashMap;

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

/// The tools whose names one listing has and the other has not; of several with one name, the first.
pub(super) fn only_in<'r>(
    tools: &'r [Read],
    names: &'r HashMap<String, usize>,
    others: &'r HashMap<String, usize>,
) -> Vec<Tool<'r>> {
    let tools = tools.iter().enumerate();
    let own = tools.filter(|(index, tool)| {
        names.get(&tool.name) == Some(index) && !others.contains_key(&tool.name)
    });
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
