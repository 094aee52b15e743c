//! Tools that went while one like them came under another name.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::ControlFlow;

use toolsure_json::{Key as _, Kind, Node as _, Unmetered, View, hash_bytes, hash_value};
use toolsure_syntax::Keyword;
use toolsure_syntax::positions::SubschemaLayout;

/// What two tools with different names have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// Everything else.
    Rest,
    /// The name, but for case and separators.
    Name,
    /// The parameters.
    Parameters,
}

impl Likeness {
    /// What the new tool is like, in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Rest => "differs only in its name",
            Self::Name => "has the same name but for case and separators",
            Self::Parameters => "takes the same parameters",
        }
    }
}

/// A tool that was probably renamed.
pub(super) struct Renamed {
    /// Its index in the new listing.
    pub(super) at: usize,
    pub(super) likeness: Likeness,
}

/// A tool that went or came: its index, its name, and what it is.
pub(super) type Tool<'v> = (usize, &'v str, View<'v>);

/// The tools that were probably renamed, by their old index. Only a pair that could not be any other is
/// taken: of the tools that have it in common, one went, and one came.
pub(super) fn renamed(gone: Vec<Tool<'_>>, came: Vec<Tool<'_>>) -> HashMap<usize, Renamed> {
    let mut left = (gone, came);
    let mut pairs = HashMap::new();
    let rest = |(_, _, tool): &Tool<'_>| Some(leaves(*tool, Likeness::Rest));
    take(&mut pairs, &mut left, Likeness::Rest, rest);
    let name = |(_, name, _): &Tool<'_>| plain_name(name);
    take(&mut pairs, &mut left, Likeness::Name, name);
    let parameters = |(_, _, tool): &Tool<'_>| {
        let schema = tool.member("inputSchema")?;
        let properties = schema.member("properties")?;
        // A tool without parameters is like any other.
        (!properties.is_empty()).then(|| leaves(schema, Likeness::Parameters))
    };
    take(&mut pairs, &mut left, Likeness::Parameters, parameters);
    pairs
}

/// Takes the pairs that alone have a key in common.
fn take<'v, K: Hash + Eq>(
    pairs: &mut HashMap<usize, Renamed>,
    (gone, came): &mut (Vec<Tool<'v>>, Vec<Tool<'v>>),
    likeness: Likeness,
    key: impl Fn(&Tool<'v>) -> Option<K>,
) {
    let group = |tools: &[Tool<'v>]| {
        let mut groups: HashMap<K, Vec<usize>> = HashMap::new();
        for tool in tools {
            if let Some(key) = key(tool) {
                groups.entry(key).or_default().push(tool.0);
            }
        }
        groups
    };
    let (olds, news) = (group(gone), group(came));
    let mut taken = HashSet::new();
    for (key, old) in &olds {
        if let ([index], Some([at])) = (old.as_slice(), news.get(key).map(Vec::as_slice)) {
            pairs.insert(*index, Renamed { at: *at, likeness });
            taken.insert(*at);
        }
    }
    gone.retain(|(index, ..)| !pairs.contains_key(index));
    came.retain(|(index, ..)| !taken.contains(index));
}

/// A name without case and separators; `None` if nothing is left of it.
fn plain_name(name: &str) -> Option<String> {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    (!plain.is_empty()).then_some(plain)
}

/// Whether a keyword says nothing about what is accepted.
fn is_words(keyword: Keyword) -> bool {
    keyword == Keyword::Schema || (!keyword.can_reject() && keyword.layout().is_none())
}

/// The scalars of a tool without its name, or of a schema without its words, each as the hash of its location
/// and of itself, in order.
fn leaves(root: View<'_>, likeness: Likeness) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    let mut todo = vec![(root, ROOT, true)];
    while let Some((view, place, is_schema)) = todo.pop() {
        if !matches!(view.kind(), Kind::Object | Kind::Array) || view.is_empty() {
            let ControlFlow::Continue(hash) = hash_value(view, &mut Unmetered);
            all.push((place, hash));
            continue;
        }
        for (key, value) in view.members() {
            let name = key.text();
            let keyword = Keyword::from_name(name).filter(|_| is_schema);
            let is_left_out = match likeness {
                Likeness::Rest => place == ROOT && name == "name",
                _ => keyword.is_some_and(is_words),
            };
            if !is_left_out {
                // The members of `properties` are names, and their values are schemas again.
                let holds_names =
                    keyword.is_some_and(|keyword| keyword.layout() == Some(SubschemaLayout::Map));
                todo.push((value, below(place, name.as_bytes()), !holds_names));
            }
        }
        for (index, item) in view.items().enumerate() {
            todo.push((item, below(place, &index.to_le_bytes()), is_schema));
        }
    }
    all.sort_unstable();
    all
}

/// The hash of a location in another one.
fn below(place: u64, step: &[u8]) -> u64 {
    hash_bytes(&[&place.to_le_bytes(), step].concat())
}

/// The location of the whole.
const ROOT: u64 = 0;
