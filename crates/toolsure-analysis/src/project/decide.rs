//! How a projected schema relates to the original: by proof, by instances, or by construction.

use toolsure_json::{OwnedDocument, ReadLimits, View, equal_values};
use toolsure_schema::{Schema, Verdict, Workspace};

use super::limits::{Limits, Spent};
use super::mapping::Mapping;
use super::report::Relation;
use crate::diff::inclusion::{Original, Pair};
use crate::engine::Engine;

/// The schemas that are compared.
pub(super) struct Sides<'a> {
    /// The original, its engine and its compiled form.
    pub(super) original: View<'a>,
    pub(super) engine: &'a Engine,
    pub(super) schema: &'a Schema,
    /// The rewritten schema in 2020-12, before values are encoded.
    pub(super) rewritten: View<'a>,
    /// The published schema in plain JSON Schema, and its compiled form.
    pub(super) published: View<'a>,
    pub(super) published_schema: &'a Schema,
    pub(super) plain: &'a Engine,
    pub(super) mapping: &'a Mapping,
    /// Whether calls may have members that no keyword names.
    pub(super) open: bool,
}

impl<'a> Sides<'a> {
    fn pair(
        &self,
        one: (View<'a>, &'a Engine),
        other: (View<'a>, &Engine),
        original: Original,
    ) -> Pair<'a> {
        let pair = Pair::new(one, other);
        match self.open {
            true => pair,
            false => pair.declared_only(original),
        }
    }
}

/// The known effects of the steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// Whether no rewriting step takes values away.
    pub(super) keeps_all: bool,
    /// Whether no rewriting step adds values.
    pub(super) adds_none: bool,
    /// Whether every value has a published form.
    pub(super) all_travel: bool,
    /// Whether every published value comes from a value of the rewritten schema.
    pub(super) none_appear: bool,
    /// Whether the rules may be used.
    pub(super) rules: bool,
}

/// The answer to one question.
enum Answer {
    No,
    Yes(String),
    Unknown,
}

pub(super) fn relation(
    sides: &Sides<'_>,
    known: Known,
    limits: &Limits,
    spent: &mut Spent,
) -> Relation {
    let left = limits.listing_fuel.saturating_sub(spent.fuel);
    let each = limits.fuel.min(left) / 2;
    let mut trial = Trial {
        sides,
        fuel: each,
        pairs: 0,
        search: limits.has_search() && left > 0,
        workspace: Workspace::new(),
    };
    let narrower = narrower(&mut trial, known, limits);
    let used = each.saturating_sub(trial.fuel);
    trial.fuel = each;
    let wider = wider(&mut trial, known, limits);
    if trial.search {
        let tried = used.saturating_add(each.saturating_sub(trial.fuel));
        let pairs = u64::try_from(trial.pairs).unwrap_or(u64::MAX);
        let compared = pairs.saturating_mul(OF_A_PAIR).saturating_add(COMPARISON);
        spent.fuel = spent.fuel.saturating_add(tried).saturating_add(compared);
    }
    match (wider, narrower) {
        (Answer::No, Answer::No) => Relation::Equal,
        (Answer::Yes(witness), Answer::No) => Relation::Wider { witness },
        (Answer::No, Answer::Yes(witness)) => Relation::Narrower { witness },
        (Answer::Yes(wider), Answer::Yes(narrower)) => {
            Relation::WiderAndNarrower { wider, narrower }
        }
        (wider, narrower) => {
            let why = match (&wider, &narrower) {
                (Answer::Unknown, Answer::Unknown) => {
                    "it is not known whether there are calls that only one of the two accepts"
                }
                (Answer::Unknown, _) => {
                    "it is not known whether there are calls that only the projected schema accepts"
                }
                _ => "it is not known whether there are calls that only the original accepts",
            };
            let witness = |answer| match answer {
                Answer::Yes(witness) => Some(witness),
                Answer::No | Answer::Unknown => None,
            };
            Relation::Undecided {
                wider: witness(wider),
                narrower: witness(narrower),
                why,
            }
        }
    }
}

/// Whether there are calls that only the original accepts.
fn narrower(trial: &mut Trial<'_>, known: Known, limits: &Limits) -> Answer {
    let sides = trial.sides;
    if !trial.search {
        return by_steps(known.keeps_all && known.all_travel);
    }
    let pair = sides.pair(
        (sides.original, sides.engine),
        (sides.rewritten, sides.plain),
        Original::First,
    );
    let mut pairs = limits.pairs;
    let places = known.rules.then(|| pair.missing_in_other(&mut pairs));
    trial.pairs = trial
        .pairs
        .saturating_add(limits.pairs.saturating_sub(pairs));
    let proven = places.as_ref().is_some_and(|places| places.is_empty());
    if proven && known.all_travel {
        return Answer::No;
    }
    let found = pair.find(places.as_ref(), limits.instances, |text, work| {
        trial.spend(work)?;
        text.map_or(Some(false), |text| trial.only_original(text))
    });
    match found {
        Some(witness) => Answer::Yes(witness),
        None if (proven || known.keeps_all) && known.all_travel => Answer::No,
        None => Answer::Unknown,
    }
}

/// Whether there are calls that only the projected schema accepts.
fn wider(trial: &mut Trial<'_>, known: Known, limits: &Limits) -> Answer {
    let sides = trial.sides;
    if !trial.search {
        return by_steps(known.adds_none && known.none_appear);
    }
    let pair = sides.pair(
        (sides.original, sides.engine),
        (sides.rewritten, sides.plain),
        Original::First,
    );
    let mut pairs = limits.pairs;
    let places = known.rules.then(|| pair.missing_in_one(&mut pairs));
    trial.pairs = trial
        .pairs
        .saturating_add(limits.pairs.saturating_sub(pairs));
    let proven = places.as_ref().is_some_and(|places| places.is_empty());
    if proven && known.none_appear {
        return Answer::No;
    }
    let published = sides.pair(
        (sides.published, sides.plain),
        (sides.original, sides.engine),
        Original::Second,
    );
    let found = published.find(places.as_ref(), limits.instances, |text, work| {
        trial.spend(work)?;
        text.map_or(Some(false), |text| trial.only_published(text))
    });
    match found {
        Some(witness) => Answer::Yes(witness),
        None if (proven || known.adds_none) && known.none_appear => Answer::No,
        None => Answer::Unknown,
    }
}

/// The answer that follows from the kinds of the steps alone.
fn by_steps(none: bool) -> Answer {
    if none { Answer::No } else { Answer::Unknown }
}

/// Tries instances on both schemas.
struct Trial<'s> {
    sides: &'s Sides<'s>,
    fuel: u64,
    /// The pairs of subschemas that were compared.
    pairs: usize,
    /// Whether instances and rules are used at all.
    search: bool,
    workspace: Workspace,
}

impl Trial<'_> {
    /// Whether the original accepts a value that cannot be published; `None` if the fuel is used up.
    fn only_original(&mut self, text: &str) -> Option<bool> {
        let sides = self.sides;
        if self.verdict(sides.schema, text)? != Some(Verdict::Valid) {
            return Some(false);
        }
        let Some(published) = parse(text).and_then(|one| sides.mapping.forward(root(&one))) else {
            return Some(false);
        };
        match self.verdict(sides.published_schema, &published)? {
            Some(Verdict::Invalid) => Some(true),
            Some(Verdict::Valid) => match comes_back(sides.mapping, text, &published) {
                Return::Same => Some(false),
                Return::Other => Some(true),
                Return::Completed(_) if sides.open => Some(true),
                Return::Completed(back) => {
                    Some(self.verdict(sides.schema, &back)? != Some(Verdict::Valid))
                }
            },
            _ => Some(false),
        }
    }

    /// Whether the projected schema accepts a value that the original rejects.
    fn only_published(&mut self, text: &str) -> Option<bool> {
        let sides = self.sides;
        if self.verdict(sides.published_schema, text)? != Some(Verdict::Valid) {
            return Some(false);
        }
        let Some(original) = parse(text).and_then(|one| sides.mapping.back(root(&one))) else {
            return Some(false);
        };
        Some(self.verdict(sides.schema, &original)? == Some(Verdict::Invalid))
    }

    /// Takes fuel for other work; `None` if it is used up.
    fn spend(&mut self, work: u64) -> Option<()> {
        self.fuel = self.fuel.saturating_sub(work);
        (self.fuel > 0).then_some(())
    }

    /// `None` if the fuel is used up; no verdict if the text cannot be parsed.
    #[expect(
        clippy::option_option,
        reason = "the outer one ends the search, the inner one is about this text"
    )]
    fn verdict(&mut self, schema: &Schema, text: &str) -> Option<Option<Verdict>> {
        if self.fuel == 0 {
            return None;
        }
        let mut workspace = std::mem::take(&mut self.workspace).fuel(self.fuel.min(ONE_CHECK));
        let verdict = schema.check(&mut workspace, text.as_bytes()).ok();
        let used = workspace.fuel_used().saturating_add(OVERHEAD);
        let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
        let used = used.saturating_add(bytes.saturating_mul(OF_A_BYTE));
        self.fuel = self.fuel.saturating_sub(used);
        self.workspace = workspace;
        Some(verdict)
    }
}

/// What a published value maps back to.
enum Return {
    /// The value that it was made from.
    Same,
    /// That value, with null for absent members whose default null is.
    Completed(String),
    /// Another one.
    Other,
}

fn comes_back(mapping: &Mapping, original: &str, published: &str) -> Return {
    let back = parse(published).and_then(|one| mapping.back(root(&one)));
    let (Some(text), Some(original)) = (back, parse(original)) else {
        return Return::Other;
    };
    let Some(back) = parse(&text) else {
        return Return::Other;
    };
    if equal_values(root(&back), root(&original)) {
        return Return::Same;
    }
    let complete = |of: &OwnedDocument| mapping.completed(root(of)).and_then(|text| parse(&text));
    match (complete(&original), complete(&back)) {
        (Some(one), Some(other)) if equal_values(root(&one), root(&other)) => {
            Return::Completed(text)
        }
        _ => Return::Other,
    }
}

fn parse(text: &str) -> Option<OwnedDocument> {
    OwnedDocument::read(text, &ReadLimits::default()).ok()
}

fn root(document: &OwnedDocument) -> View<'_> {
    document.document().root()
}

/// The maximum fuel of one check.
const ONE_CHECK: u64 = 500_000;
/// The fuel to generate and map a byte of an instance.
const OF_A_BYTE: u64 = 2;
/// The fuel to prepare the comparison of one tool's schemas.
const COMPARISON: u64 = 20_000;
/// The fuel to compare a pair of subschemas by the rules.
const OF_A_PAIR: u64 = 2_000;
/// The minimum fuel of each check.
const OVERHEAD: u64 = 100;
