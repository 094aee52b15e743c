//! Compares two listings, tool by tool.

use std::collections::{HashMap, HashSet};

use toolsure_json::{Node as _, View, equal_values, quote};
use toolsure_schema::CompileError;

use super::limits::Limits;
use super::listing::{ByName, Read, firsts, only_in, read};
use super::renamed::renamed;
use super::report::{Change, Class, Kind as Happened, Report, Side, ToolChange};
use super::witness::Judge;
use super::{annotations, execution, members, words};
use crate::engine::Engine;
use crate::lint::{Linter, Severity};

/// Compares the tools of two listings.
pub(super) struct ListingDiffer<'d> {
    pub(super) limits: &'d Limits,
    pub(super) engine: &'d Engine,
    /// Whether callers may send members that no keyword names.
    pub(super) open: bool,
    /// Whether the new listing may lack tools.
    partial: bool,
    pub(super) budget: Budget,
}

/// The budget left for a whole listing.
pub(super) struct Budget {
    pub(super) pairs: usize,
    pub(super) fuel: u64,
}

impl<'d> ListingDiffer<'d> {
    pub(super) fn new(limits: &'d Limits, engine: &'d Engine, open: bool, partial: bool) -> Self {
        Self {
            limits,
            engine,
            open,
            partial,
            budget: Budget {
                pairs: limits.pairs.saturating_mul(LISTING),
                fuel: limits
                    .fuel
                    .saturating_mul(u64::try_from(LISTING).unwrap_or(1)),
            },
        }
    }

    /// Compares two listings, given as the JSON texts of their tools.
    pub(super) fn diff(mut self, old: Vec<&str>, new: Vec<&str>) -> Report {
        let (old, new) = (read(old), read(new));
        let (olds, news) = (ByName::new(&old), ByName::new(&new));
        let mut report = Report::default();
        let mut push = |name: &str, index: usize, mut changes: Vec<Change>| {
            if changes.is_empty() {
                report.same = report.same.saturating_add(1);
                return;
            }
            changes.sort_by_key(|change| std::cmp::Reverse(change.class));
            changes.truncate(Report::CHANGES);
            report.tools.push(ToolChange {
                name: name.to_owned(),
                index,
                changes,
            });
        };
        let gone = only_in(&old, &olds, &news);
        let came = only_in(&new, &news, &olds);
        let renamed = match self.partial {
            true => HashMap::new(),
            false => renamed(gone, came),
        };
        for (index, tool) in firsts(&old, &olds) {
            let at = |at: usize| Some((at, new.get(at)?));
            let (same, now) = (news.first(&tool.name), renamed.get(&index));
            let found = now.and_then(|now| Some((now, at(now.at)?)));
            match (same.and_then(at), found) {
                (Some((at, other)), _) => {
                    let mut changes = self.tool(tool, other);
                    let name = &tool.name;
                    changes.extend(repeated(olds.others(name), news.others(name)));
                    push(name, at, changes);
                }
                (None, Some((now, (at, other)))) => {
                    let name = quote(&other.name, 64);
                    let message = format!(
                        "renamed to `{name}`? the tool is gone, and `{name}` is new and {}",
                        now.likeness.words()
                    );
                    let change = Change::on_tool(Class::Breaking, Happened::ToolRenamed, &message);
                    let mut changes = vec![change];
                    changes.extend(self.tool(tool, other));
                    push(&tool.name, at, changes);
                }
                (None, None) => {
                    let (class, kind) = match self.partial {
                        true => (Class::Unknown, Happened::ToolNotListed),
                        false => (Class::Breaking, Happened::ToolRemoved),
                    };
                    let change = Change::on_tool(class, kind, kind.summary());
                    push(&tool.name, index, vec![change]);
                }
            }
        }
        let renamed: HashSet<usize> = renamed.into_values().map(|now| now.at).collect();
        for (index, tool) in firsts(&new, &news) {
            if olds.first(&tool.name).is_none() && !renamed.contains(&index) {
                push(
                    &tool.name,
                    index,
                    vec![Change::on_tool(
                        Class::Compatible,
                        Happened::ToolAdded,
                        "the tool is new",
                    )],
                );
            }
        }
        report
    }

    fn tool(&mut self, old: &Read, new: &Read) -> Vec<Change> {
        let (Some(old), Some(new)) = (old.root(), new.root()) else {
            return vec![Change::on_tool(
                Class::Unknown,
                Happened::ToolUnreadable,
                "one of the two cannot be read",
            )];
        };
        let mut changes = Vec::new();
        self.schemas(&mut changes, (Side::Input, "inputSchema"), old, new);
        self.schemas(&mut changes, (Side::Output, "outputSchema"), old, new);
        words::compare(&mut changes, old, new);
        annotations::compare(&mut changes, old, new);
        members::compare(&mut changes, old, new);
        execution::compare(&mut changes, old, new);
        self.admission(&mut changes, old, new);
        for (side, member) in [(Side::Input, "inputSchema"), (Side::Output, "outputSchema")] {
            let (Some(before), Some(after)) = (old.member(member), new.member(member)) else {
                continue;
            };
            if !changes.iter().any(|change| change.side == side) && !equal_values(before, after) {
                let message = match side {
                    Side::Input if !self.open => {
                        "the schema is written otherwise and accepts the same calls"
                    }
                    _ => Happened::SchemaRewritten.summary(),
                };
                changes.push(Change {
                    side,
                    ..Change::on_tool(Class::Compatible, Happened::SchemaRewritten, message)
                });
            }
        }
        changes
    }

    /// Reports that clients refuse one of the two definitions, for another reason than that its schema does
    /// not compile.
    fn admission(&self, changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
        let kinds = [
            Happened::SchemaRefused,
            Happened::SchemaRemoved,
            Happened::SchemaAdded,
        ];
        let mut sides = changes.iter().filter(|change| change.side != Side::Tool);
        if sides.any(|change| kinds.contains(&change.kind)) || equal_values(old, new) {
            return;
        }
        let linter = Linter::admission().compiler(self.engine.compiler().clone());
        let why = |tool: View<'_>| {
            let report = linter.lint([tool.raw()]);
            let mut findings = report.findings.into_iter();
            findings.find(|finding| finding.severity == Severity::Error)
        };
        let (class, what, finding) = match (why(old), why(new)) {
            (None, Some(finding)) => (Class::Breaking, "clients refuse the tool now", finding),
            (Some(finding), None) => (
                Class::Compatible,
                "clients refused the tool before",
                finding,
            ),
            _ => return,
        };
        let message = format!("{what}: {}", finding.message);
        changes.push(Change {
            span: finding.span.filter(|_| class == Class::Breaking),
            ..Change::on_tool(class, Happened::ToolRefused, &message)
        });
    }

    fn schemas(
        &mut self,
        changes: &mut Vec<Change>,
        (side, member): (Side, &str),
        old: View<'_>,
        new: View<'_>,
    ) {
        let schema = |tool: View<'_>| tool.member(member).is_some();
        let say = |class, kind, message: &str| Change {
            side,
            ..Change::on_tool(class, kind, message)
        };
        let (old, new) = match (old.member(member), new.member(member)) {
            (Some(old), Some(new)) => (old, new),
            (None, None) => return,
            (Some(_), None) if side == Side::Output => {
                changes.push(say(
                    Class::Breaking,
                    Happened::SchemaRemoved,
                    "the output schema is gone, and with it the promise of structured content",
                ));
                return;
            }
            (None, Some(_)) if side == Side::Output => {
                changes.push(say(
                    Class::Compatible,
                    Happened::SchemaAdded,
                    "an output schema is promised now",
                ));
                return;
            }
            _ => {
                changes.push(match schema(new) {
                    true => say(
                        Class::Compatible,
                        Happened::SchemaAdded,
                        "an input schema is there now: clients refused the tool without one",
                    ),
                    false => say(
                        Class::Breaking,
                        Happened::SchemaRemoved,
                        "the input schema is gone",
                    ),
                });
                return;
            }
        };
        if equal_values(old, new) {
            return;
        }
        let refused = |class, what: &str, why: &CompileError| Change {
            setting: why.limit().map(|limit| limit.name.setting()),
            ..say(class, Happened::SchemaRefused, &format!("{what}: {why}"))
        };
        let engine = self.engine;
        match (Judge::new(old.raw(), engine), Judge::new(new.raw(), engine)) {
            (Ok(before), Ok(after)) => {
                self.contract(changes, side, (old, &before), (new, &after));
            }
            (Ok(_), Err(why)) => {
                changes.push(refused(Class::Breaking, "the new schema is refused", &why));
            }
            // A limit of ours says nothing about other readers.
            (Err(why), Ok(_)) if why.limit().is_some() => {
                changes.push(refused(Class::Unknown, "the old schema is refused", &why));
            }
            (Err(why), Ok(_)) => {
                let what = "the old schema was refused, and this one is not";
                changes.push(refused(Class::Compatible, what, &why));
            }
            (Err(why), Err(_)) => {
                changes.push(refused(Class::Unknown, "both schemas are refused", &why));
            }
        }
    }
}

/// What becomes of a name that several tools of a listing have. Only the first of them is compared.
fn repeated(old: &[&Read], new: &[&Read]) -> Option<Change> {
    let same = |(old, new): (&&Read, &&Read)| match (old.root(), new.root()) {
        (Some(old), Some(new)) => equal_values(old, new),
        _ => false,
    };
    let (class, message) = match (old.is_empty(), new.is_empty()) {
        (true, true) => return None,
        (true, false) => (
            Class::Breaking,
            "another tool has this name now: clients keep one of the two and lose the other",
        ),
        (false, true) => (Class::Compatible, "no other tool has this name any more"),
        (false, false) if old.len() == new.len() && old.iter().zip(new).all(same) => return None,
        (false, false) => (
            Class::Unknown,
            "other tools have this name in both listings, and only the first is compared",
        ),
    };
    Some(Change::on_tool(class, Happened::ToolRefused, message))
}

/// The number of tools that may use the full budget of one tool.
const LISTING: usize = 50;
