//! What changed in what a schema accepts or promises.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use toolsure_generate::Hints;
use toolsure_json::View;

use super::document::Doc;
use super::locate::span;
use super::parameters::Parameters;
use super::reason::{Compared, Reason};
use super::renamed_member::join_renamed;
use super::report::{Change, Class, Kind, Side};
use super::step::pattern;
use super::subset::Comparison;
use super::tool::ListingDiffer;
use super::witness::{Judge, Search};
use crate::engine::Engine;

/// A schema, and its compiled form.
pub(super) type Version<'v> = (View<'v>, &'v Judge<'v>);

/// The two schemas of a comparison, in its direction.
struct Direction<'a> {
    side: Side,
    /// The schema whose values are promised to be accepted.
    left: Doc<'a>,
    right: Doc<'a>,
    /// The left schema as callers know it.
    sent: Doc<'a>,
    /// Whether the right schema is the newer one.
    forward: bool,
}

impl<'a> Direction<'a> {
    fn newer(&self) -> &Doc<'a> {
        match self.forward {
            true => &self.right,
            false => &self.left,
        }
    }

    /// A change of what the schema accepts; `breaks` says whether it is for the worse.
    fn change(&self, class: Class, breaks: bool, reason: &Reason<'_>) -> Change {
        let kind = match breaks == (self.side == Side::Output) {
            true => Kind::SchemaWidened,
            false => Kind::SchemaNarrowed,
        };
        Change {
            side: self.side,
            place: pattern(&reason.place),
            span: Some(span(self.newer(), &reason.place, reason.member.as_deref())),
            ..Change::on_tool(class, kind, &reason.message)
        }
    }
}

impl ListingDiffer<'_> {
    /// Reports what changed between two schemas that compile.
    pub(super) fn contract(
        &mut self,
        changes: &mut Vec<Change>,
        side: Side,
        (old, before): Version<'_>,
        (new, after): Version<'_>,
    ) {
        let hints = Hints::of(new, old);
        let (mut old, mut new) = (doc(old, before, self.engine), doc(new, after, self.engine));
        for doc in [&mut old, &mut new] {
            doc.is_of_arguments = side == Side::Input;
        }
        let from_callers = side == Side::Input && !self.open;
        let parameters = match from_callers {
            true => Parameters::of(&old, &new),
            false => None,
        };
        let (earlier, newer) = (old.clone(), new.clone());
        // The promise is the right side: to callers, that what they send is accepted; to readers, that what
        // they get is as described.
        let (left, right, forward) = match side {
            Side::Output => (new, old, false),
            _ => (old, new, true),
        };
        let mut sent = match &parameters {
            Some(parameters) => parameters.sent(&left),
            None => left.clone(),
        };
        // Programs that write JSON from doubles send no others.
        sent.safe_integers = from_callers;
        let direction = Direction {
            side,
            left,
            right,
            sent,
            forward,
        };
        let Compared {
            reasons: mut broken,
            bounds,
        } = self.run(&direction, &direction.sent, &direction.right, forward);
        let back = self.run(&direction, &direction.right, &direction.left, !forward);
        let mut loosened = back.reasons;
        let bounds = bounds.iter();
        changes.extend(bounds.map(|one| direction.change(Class::Compatible, true, one)));
        // Each change has one class: a possible break is not reported again as newly accepted.
        loosened.retain(|reason| {
            let reported =
                |one: &Reason<'_>| one.place == reason.place && one.message == reason.message;
            let is_known = reason.sure || reason.only.is_some();
            broken.is_empty() || (is_known && !broken.iter().any(reported))
        });
        replace_types(&mut broken, &mut loosened);
        let renamed = join_renamed((&earlier, &newer), &mut broken, &mut loosened, side);
        if let Some(parameters) = &parameters {
            parameters.say((changes, &newer), &broken, &mut loosened, &renamed);
        }
        let judges = match forward {
            true => (before, after),
            false => (after, before),
        };
        if !broken.is_empty() {
            self.prove(changes, &direction, judges, (&hints, &broken));
        }
        let loosened = loosened.iter();
        changes.extend(loosened.map(|reason| direction.change(Class::Compatible, false, reason)));
        if from_callers && !changes.iter().any(|one| one.side == side) {
            let strict = self.run(&direction, &direction.left, &direction.right, forward);
            changes.extend(strict.reasons.first().map(|reason| {
                let reason = Reason {
                    message: format!("{}; {STILL_ACCEPTED}", reason.message),
                    ..reason.clone()
                };
                direction.change(Class::Compatible, true, &reason)
            }));
        }
        // Different locations may look the same: of changes that read the same, the worst is reported.
        let read = |one: &Change| (one.side, one.place.clone(), one.message.clone());
        let mut worst: HashMap<_, Class> = HashMap::new();
        for one in changes.iter() {
            let class = worst.entry(read(one)).or_insert(one.class);
            *class = one.class.max(*class);
        }
        changes.retain(|one| match worst.entry(read(one)) {
            Entry::Occupied(found) if *found.get() == one.class => {
                found.remove();
                true
            }
            _ => false,
        });
    }

    fn run<'a>(
        &mut self,
        direction: &Direction<'a>,
        left: &Doc<'a>,
        right: &Doc<'a>,
        forward: bool,
    ) -> Compared<'a> {
        let side = (direction.side, forward);
        let pairs = &mut self.budget.pairs;
        Comparison::run(left, right, side, self.limits.pairs, pairs)
    }

    /// Reports the reasons, each with an instance that proves it, if one is found.
    fn prove<'a>(
        &mut self,
        changes: &mut Vec<Change>,
        direction: &Direction<'a>,
        (accepts, refuses): (&Judge<'a>, &Judge<'a>),
        (hints, broken): (&Hints, &[Reason<'_>]),
    ) {
        let limits = self.limits;
        let fuel = limits.fuel.min(self.budget.fuel);
        let mut search = Search::new(
            (direction.sent.clone(), accepts),
            (direction.right.clone(), refuses),
            hints,
            (fuel, limits.instances),
        );
        let share = limits
            .instances
            .div_ceil(broken.len().saturating_mul(2).max(1));
        let proofs = search.prove(broken, share.max(FEWEST), limits.instances);
        // One proof shows that calls break; each reason still needs its own to be classified as breaking.
        for (reason, proof) in broken.iter().zip(proofs.own) {
            let class = match (&proof, reason.sure) {
                (Some(_), _) | (None, true) => Class::Breaking,
                (None, false) => Class::Unknown,
            };
            changes.push(Change {
                witness: proof,
                ..direction.change(class, true, reason)
            });
        }
        if let Some(witness) = proofs.other {
            let message = match direction.side {
                Side::Output => "a result is possible now that was not promised",
                _ => "a call is refused now that was accepted",
            };
            let whole = Reason {
                place: Vec::new(),
                message: message.to_owned(),
                member: None,
                sure: true,
                keyword: None,
                only: None,
                union_at: None,
            };
            changes.push(Change {
                witness: Some(witness),
                ..direction.change(Class::Breaking, true, &whole)
            });
        }
        let spent = fuel.saturating_sub(search.left());
        self.budget.fuel = self.budget.fuel.saturating_sub(spent);
    }
}

/// Joins the loss of all types at a location with what came instead.
fn replace_types(broken: &mut [Reason<'_>], loosened: &mut Vec<Reason<'_>>) {
    for lost in broken.iter_mut().filter(|one| one.is_of_types()) {
        let is_other = |one: &Reason<'_>| {
            one.is_of_types() && one.place == lost.place && one.message.starts_with(REPLACED)
        };
        if let Some(at) = loosened.iter().position(is_other) {
            lost.message = loosened.remove(at).message;
        }
    }
}

/// A document for the rules.
fn doc<'a>(schema: View<'a>, judge: &Judge<'_>, engine: &Engine) -> Doc<'a> {
    let mut doc = Doc::new(schema, engine);
    if judge.leaves_out {
        doc.beyond_rules = Some("a keyword that its dialect forbids is left out");
    }
    doc
}

/// How the message about a type that is another one now begins.
const REPLACED: &str = "the type was";
/// What is said of a change that calls with declared members and usual integers do not meet.
const STILL_ACCEPTED: &str = "calls with declared members alone are accepted as before";
/// The minimum number of instances tried for each reason.
const FEWEST: usize = 12;
