//! Compares two listings, tool by tool.

use std::collections::{HashMap, HashSet};

use toolsure_json::{DuplicateKeys, Kind, Node as _, OwnedDocument, ReadLimits, View, quote};
use toolsure_schema::CompileError;

use super::document::Doc;
use super::limits::Limits;
use super::locate::span;
use super::parameters::Parameters;
use super::pool::Pool;
use super::renamed::renamed;
use super::renamed_member::join_renamed;
use super::report::{Change, Class, Kind as Happened, Report, Side, ToolChange};
use super::step::pattern;
use super::subset::{Comparison, Reason};
use super::witness::{Judge, Search};
use super::words;
use crate::engine::Engine;
use crate::equality::equal_values;

/// Compares the tools of two listings.
pub(super) struct ListingDiffer<'d> {
    limits: &'d Limits,
    engine: &'d Engine,
    /// Whether callers may send members that no keyword names.
    open: bool,
    /// Whether the new listing may lack tools.
    partial: bool,
    budget: Budget,
}

/// The budget left for a whole listing.
struct Budget {
    pairs: usize,
    fuel: u64,
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
        let by_name = |tools: &[Read]| {
            let mut names = HashMap::new();
            for (index, tool) in tools.iter().enumerate() {
                names.entry(tool.name.clone()).or_insert(index);
            }
            names
        };
        let (olds, news) = (by_name(&old), by_name(&new));
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
        for (index, tool) in old
            .iter()
            .enumerate()
            .filter(|(index, tool)| olds.get(&tool.name) == Some(index))
        {
            let at = |at: &usize| Some((*at, new.get(*at)?));
            let (same, now) = (news.get(&tool.name), renamed.get(&index));
            match (same.and_then(at), now.and_then(at)) {
                (Some((at, other)), _) => push(&tool.name, at, self.tool(tool, other)),
                (None, Some((at, other))) => {
                    let name = quote(&other.name, 64);
                    let message = format!(
                        "renamed to `{name}`? the tool is gone, and `{name}` is new and differs only in its name"
                    );
                    let change = Change::on_tool(Class::Breaking, Happened::ToolRenamed, &message);
                    push(&tool.name, at, vec![change]);
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
        let renamed: HashSet<usize> = renamed.into_values().collect();
        for (index, tool) in new
            .iter()
            .enumerate()
            .filter(|(index, tool)| news.get(&tool.name) == Some(index))
        {
            if !olds.contains_key(&tool.name) && !renamed.contains(&index) {
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
        task_support(&mut changes, old, new);
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
                        Class::Unknown,
                        Happened::SchemaAdded,
                        "an input schema is there now",
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
        let is_root = |schema: View<'_>| {
            let types = schema.member("type");
            types.is_some_and(|types| types.kind() == Kind::String && types.string() == "object")
        };
        if side == Side::Input && is_root(old) && !is_root(new) {
            let message =
                "the root no longer says `\"type\": \"object\"`, so clients refuse the tool";
            changes.push(say(Class::Breaking, Happened::SchemaRefused, message));
        }
        // Arguments are objects, whether the old schema said so or not.
        let rooted = match side == Side::Input && is_root(new) {
            true => rooted(old),
            false => None,
        };
        let old = rooted
            .as_ref()
            .map_or(old, |rooted| rooted.document().root());
        let engine = self.engine;
        match (Judge::new(old.raw(), engine), Judge::new(new.raw(), engine)) {
            (Ok(before), Ok(after)) => {
                self.both(changes, side, (old, &before), (new, &after));
            }
            (Ok(_), Err(why)) => {
                changes.push(refused(Class::Breaking, "the new schema is refused", &why));
            }
            (Err(why), Ok(_)) => {
                changes.push(refused(Class::Unknown, "the old schema is refused", &why));
            }
            (Err(why), Err(_)) => {
                changes.push(refused(Class::Unknown, "both schemas are refused", &why));
            }
        }
    }

    fn both(
        &mut self,
        changes: &mut Vec<Change>,
        side: Side,
        (old, before): (View<'_>, &Judge),
        (new, after): (View<'_>, &Judge),
    ) {
        let limits = self.limits;
        let pool = Pool::of(new, old);
        let (old, new) = (doc(old, before, self.engine), doc(new, after, self.engine));
        let newer = new.clone();
        let earlier = old.clone();
        let parameters = match side {
            Side::Input if !self.open => Parameters::of(&old, &new),
            _ => None,
        };
        // The promise is the right side: to callers, that what they send is accepted; to readers, that what
        // they get is as described.
        let (left, right, forward) = match side {
            Side::Output => (new, old, false),
            _ => (old, new, true),
        };
        let sent = match &parameters {
            Some(parameters) => parameters.sent(&left),
            None => left.clone(),
        };
        let mut broken = Comparison::run(
            &sent,
            &right,
            (side, forward),
            limits.pairs,
            &mut self.budget.pairs,
        );
        let mut loosened = Comparison::run(
            &right,
            &left,
            (side, !forward),
            limits.pairs,
            &mut self.budget.pairs,
        );
        // Programs that write JSON from doubles send no others.
        if !self.open && side == Side::Input {
            let safe = broken.extract_if(.., |reason| reason.of_safe_integers);
            let safe: Vec<Change> = safe
                .map(|reason| {
                    let reason = Reason {
                        message: format!(
                            "{}: the integers that a double holds exactly",
                            reason.message
                        ),
                        ..reason
                    };
                    change(&newer, Class::Compatible, (side, true), &reason)
                })
                .collect();
            changes.extend(safe);
        }
        // Each change has one class: a possible break is not reported again as newly accepted.
        loosened.retain(|reason| {
            let reported =
                |one: &Reason| one.place == reason.place && one.message == reason.message;
            broken.is_empty() || (reason.sure && !broken.iter().any(reported))
        });
        let renamed = join_renamed((&earlier, &newer), &mut broken, &mut loosened, side);
        if let Some(parameters) = &parameters {
            parameters.say((changes, &newer), &broken, &mut loosened, &renamed);
        }
        let (accepts, refuses) = if forward {
            (before, after)
        } else {
            (after, before)
        };
        let mut search = Search::new(
            sent,
            &pool,
            accepts,
            refuses,
            limits.fuel.min(self.budget.fuel),
            limits.instances,
        );
        if !broken.is_empty() {
            let share = limits
                .instances
                .div_ceil(broken.len().saturating_mul(2).max(1));
            let proofs = search.prove(&broken, share.max(FEWEST), limits.instances);
            // One proof shows that calls break; each reason still needs its own to be classified as breaking.
            for (reason, proof) in broken.iter().zip(proofs) {
                let class = match (&proof, reason.sure) {
                    (Some(_), _) | (None, true) => Class::Breaking,
                    (None, false) => Class::Unknown,
                };
                changes.push(Change {
                    witness: proof,
                    ..change(&newer, class, (side, true), reason)
                });
            }
        }
        let spent = limits
            .fuel
            .min(self.budget.fuel)
            .saturating_sub(search.left());
        self.budget.fuel = self.budget.fuel.saturating_sub(spent);
        let loosened = loosened.iter();
        changes.extend(
            loosened.map(|reason| change(&newer, Class::Compatible, (side, false), reason)),
        );
        if parameters.is_some() && !changes.iter().any(|one| one.side == side) {
            let whole = (side, forward);
            let pairs = &mut self.budget.pairs;
            let strict = Comparison::run(&left, &right, whole, limits.pairs, pairs);
            if let Some(reason) = strict.first() {
                let message = format!(
                    "{}; calls with declared members alone are accepted as before",
                    reason.message
                );
                let reason = Reason {
                    message,
                    ..reason.clone()
                };
                changes.push(change(&newer, Class::Compatible, (side, true), &reason));
            }
        }
        // Locations of different kinds may look the same; the worst class comes first.
        let mut reported = HashSet::new();
        changes.retain(|one| reported.insert((one.side, one.place.clone(), one.message.clone())));
    }
}

struct Read {
    name: String,
    document: Option<OwnedDocument>,
}

impl Read {
    fn root(&self) -> Option<View<'_>> {
        self.document
            .as_ref()
            .map(|document| document.document().root())
    }
}

/// The tools whose names one listing has and the other has not; of several with one name, the first.
fn only_in<'r>(
    tools: &'r [Read],
    names: &'r HashMap<String, usize>,
    others: &'r HashMap<String, usize>,
) -> impl Iterator<Item = (usize, View<'r>)> {
    let tools = tools.iter().enumerate();
    let own = tools.filter(|(index, tool)| {
        names.get(&tool.name) == Some(index) && !others.contains_key(&tool.name)
    });
    own.filter_map(|(index, tool)| Some((index, tool.root()?)))
}

fn limits() -> ReadLimits {
    ReadLimits {
        depth: 512,
        duplicate_keys: DuplicateKeys::KeepLast,
        ..ReadLimits::default()
    }
}

fn read(tools: Vec<&str>) -> Vec<Read> {
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

/// An input schema without a `type`, with the type that arguments have.
fn rooted(schema: View<'_>) -> Option<OwnedDocument> {
    if schema.kind() != Kind::Object || schema.member("type").is_some() {
        return None;
    }
    let inside = schema.raw().strip_suffix('}')?;
    let comma = if schema.is_empty() { "" } else { "," };
    let text = format!("{inside}{comma}\"type\":\"object\"}}");
    OwnedDocument::read(text.as_bytes(), &limits()).ok()
}

/// Whether calls may, must or must not ask for a task.
fn task_support(changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
    let support = |tool: View<'_>| {
        let execution = tool.member("execution");
        let support = execution.and_then(|execution| execution.member("taskSupport"));
        let word = support.filter(|support| support.kind() == Kind::String);
        word.map_or("forbidden", |word| match word.string() {
            "required" => "required",
            "optional" => "optional",
            _ => "forbidden",
        })
    };
    let (before, after) = (support(old), support(new));
    let class = match (before, after) {
        (before, after) if before == after => return,
        ("forbidden", "optional") | ("required", "optional") => Class::Compatible,
        // Callers that did what was allowed are refused now.
        _ => Class::Breaking,
    };
    let message = format!("`taskSupport` was {before}, is now {after}");
    changes.push(Change::on_tool(class, Happened::TaskSupport, &message));
}

/// A document for the rules.
fn doc<'a>(schema: View<'a>, judge: &Judge, engine: &Engine) -> Doc<'a> {
    let mut doc = Doc::new(schema, engine);
    if judge.leaves_out {
        doc.beyond_rules = Some("a keyword that its dialect forbids is left out");
    }
    doc
}

/// A change of what a schema accepts; `breaks` says whether it is for the worse.
fn change(newer: &Doc<'_>, class: Class, (side, breaks): (Side, bool), reason: &Reason) -> Change {
    let kind = match breaks == (side == Side::Output) {
        true => Happened::SchemaWidened,
        false => Happened::SchemaNarrowed,
    };
    Change {
        side,
        place: pattern(&reason.place),
        span: Some(span(newer, &reason.place, reason.member.as_deref())),
        ..Change::on_tool(class, kind, &reason.message)
    }
}

/// The number of tools that may use the full budget of one tool.
const LISTING: usize = 50;
/// The minimum number of instances tried for each reason.
const FEWEST: usize = 12;
