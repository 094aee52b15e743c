//! Equal changes of several tools, which people read once.

use std::collections::HashMap;

use toolsure_analysis::diff::{Category, Change, Class, Kind, Report, Side};
use toolsure_guard::policy::ChangeClass;
use toolsure_json::quote;

use crate::render::count;

/// A change, and the tools that have it.
pub(super) struct SharedChange<'r> {
    pub(super) change: &'r Change,
    /// The indexes of the tools in the report.
    tools: Vec<usize>,
    /// Whether one tool's counterexample is not that of the others.
    witnesses_differ: bool,
}

/// The tools that have some changes in common, and these changes.
pub(super) struct Section<'r> {
    report: &'r Report,
    tools: Vec<usize>,
    pub(super) changes: Vec<SharedChange<'r>>,
}

/// What two changes must have in common to be read as one.
type Key<'r> = (
    (Class, Kind, Side),
    (&'r str, &'r str),
    (Option<&'r str>, Option<&'r str>),
);

fn key(change: &Change) -> Key<'_> {
    (
        (change.class, change.kind, change.side),
        (&change.place, &change.message),
        (change.before.as_deref(), change.after.as_deref()),
    )
}

/// The changes of a report, each once: the worst first, then in the order of the listing.
pub(super) fn shared(report: &Report, is_shown: impl Fn(&Change) -> bool) -> Vec<SharedChange<'_>> {
    let mut all: Vec<SharedChange<'_>> = Vec::new();
    let mut known: HashMap<Key<'_>, usize> = HashMap::new();
    for (index, tool) in report.tools.iter().enumerate() {
        for change in tool.changes.iter().filter(|change| is_shown(change)) {
            let at = *known.entry(key(change)).or_insert(all.len());
            match all.get_mut(at) {
                Some(shared) => {
                    shared.witnesses_differ |= shared.change.witness != change.witness;
                    if shared.tools.last() != Some(&index) {
                        shared.tools.push(index);
                    }
                }
                None => all.push(SharedChange {
                    change,
                    tools: vec![index],
                    witnesses_differ: false,
                }),
            }
        }
    }
    all.sort_by_key(|shared| std::cmp::Reverse(shared.change.class));
    all
}

/// The same, by the tools that have them: those with the worst change first.
pub(super) fn sections(report: &Report, is_shown: impl Fn(&Change) -> bool) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
    for shared in shared(report, is_shown) {
        let at = *known.entry(shared.tools.clone()).or_insert(sections.len());
        match sections.get_mut(at) {
            Some(section) => section.changes.push(shared),
            None => sections.push(Section {
                report,
                tools: shared.tools.clone(),
                changes: vec![shared],
            }),
        }
    }
    sections
}

impl Section<'_> {
    /// Whether it has this change of the tool with this index in the report.
    pub(super) fn has(&self, tool: usize, change: &Change) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|shared| shared.tools.contains(&tool) && key(shared.change) == key(change))
    }

    /// The tools: one by its name, several by their number and their names; unless `all` is set, only the first names of
    /// very many that are still there.
    pub(super) fn title(&self, all: bool) -> String {
        let is_on_tools = self.changes.iter().any(|shared| shared.is_on_tools());
        names(self.report, &self.tools, all || is_on_tools)
    }
}

impl SharedChange<'_> {
    /// The tools, as [`Section::title`] has them.
    pub(super) fn title(&self, report: &Report) -> String {
        names(report, &self.tools, self.is_on_tools())
    }

    /// Whether the names of the tools are what changed.
    fn is_on_tools(&self) -> bool {
        matches!(self.change.kind, Kind::ToolRemoved | Kind::ToolAdded)
    }

    /// What its counterexample shows, in words.
    pub(super) fn witness_says(&self, report: &Report) -> String {
        let says = match self.change.side {
            Side::Output => "not promised before",
            _ => "worked before",
        };
        let first = self
            .tools
            .first()
            .and_then(|index| report.tools.get(*index));
        match first.filter(|_| self.witnesses_differ) {
            Some(tool) => format!("{says} ({})", quote(&tool.name, NAME_CHARS)),
            None => says.to_owned(),
        }
    }
}

fn names(report: &Report, tools: &[usize], all: bool) -> String {
    let most = if all { tools.len() } else { MOST_NAMES };
    let tools_here = tools.iter().filter_map(|index| report.tools.get(*index));
    let shown: Vec<String> = tools_here
        .take(most)
        .map(|tool| quote(&tool.name, NAME_CHARS).to_string())
        .collect();
    if tools.len() == 1 {
        return shown.concat();
    }
    let number = count(u64::try_from(tools.len()).unwrap_or(u64::MAX), "tool");
    let more = match tools.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{number}: {}{more}", shown.join(", "))
}

/// The class of a change in one word, or what it is about if it breaks nothing.
pub(super) fn word(change: &Change) -> &'static str {
    match (change.class, change.kind.category()) {
        (Class::Breaking, _) => "breaking",
        (Class::Unknown, _) => "unknown",
        (Class::Warning, _) => "warning",
        (Class::Compatible, about @ (Category::Words | Category::Consent | Category::Other)) => {
            about.name()
        }
        (Class::Compatible, _) => "compatible",
    }
}

/// What a change is to those who approve it, in the words of `toolsure lock approve` and of the guard.
pub(crate) fn approval_word(change: &Change) -> &'static str {
    match change.kind {
        Kind::ToolRemoved => "gone",
        Kind::ToolRenamed => "renamed",
        Kind::ToolNotListed => "not listed",
        _ => ChangeClass::of_change(change).name(),
    }
}

/// Names of tools that are shown beside a change that they share.
const MOST_NAMES: usize = 6;
const NAME_CHARS: usize = 80;
