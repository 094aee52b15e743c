//! Parameters that an input schema newly declares or no longer declares.

use std::collections::HashSet;
use std::rc::Rc;

use toolsure_generate::Step;
use toolsure_json::quote;

use super::collect_declared::declared;
use super::declared::Declared;
use super::document::Doc;
use super::locate::span;
use super::reason::Reason;
use super::renamed_member::RenamedMember;
use super::report::{Change, Class, Kind, Side};
use super::step::pattern;

/// The parameters that two input schemas declare, and their differences.
pub(super) struct Parameters<'a> {
    old: Rc<Declared<'a>>,
    removed: Vec<Parameter>,
    added: Vec<Parameter>,
}

/// A member, and the location of the object that has it.
struct Parameter {
    place: Vec<Step>,
    name: String,
}

impl Parameter {
    /// The location of the member itself.
    fn own_place(&self) -> Vec<Step> {
        let mut place = self.place.clone();
        place.push(Step::Name(self.name.clone()));
        place
    }

    fn shown(&self) -> String {
        quote(&self.name, 64).to_string()
    }
}

impl<'a> Parameters<'a> {
    /// `None` if one of the schemas is too large, or if the rules cannot compare it.
    pub(super) fn of(old: &Doc<'a>, new: &Doc<'a>) -> Option<Self> {
        if old.beyond_rules.or(new.beyond_rules).is_some() {
            return None;
        }
        let (mut before, after) = (declared(old)?, declared(new)?);
        let mut parameters = Self {
            old: Rc::default(),
            removed: Vec::new(),
            added: Vec::new(),
        };
        parameters.walk((old, &mut before), (new, &after));
        parameters.old = Rc::new(before);
        Some(parameters)
    }

    /// The old schema as callers know it: members that it does not declare are absent.
    pub(super) fn sent(&self, old: &Doc<'a>) -> Doc<'a> {
        let mut sent = old.clone();
        sent.declared = Some(Rc::clone(&self.old));
        sent
    }

    fn walk(
        &mut self,
        (old, before): (&Doc<'a>, &mut Declared<'a>),
        (new, after): (&Doc<'a>, &Declared<'a>),
    ) {
        let roots = (before.root, after.root);
        let mut seen = HashSet::from([roots]);
        let mut todo = vec![(roots, Vec::new())];
        while let Some((pair, place)) = todo.pop() {
            let (Some(one), Some(other)) = (before.at(pair.0), after.at(pair.1)) else {
                continue;
            };
            if self.removed.len().saturating_add(self.added.len()) >= MOST_PARAMETERS {
                return;
            }
            let mut next = |pair: (usize, usize), step: Step| {
                let pair = (before.find(pair.0), after.find(pair.1));
                if seen.len() < MOST_PLACES && place.len() < DEEPEST && seen.insert(pair) {
                    let mut place = place.clone();
                    place.push(step);
                    todo.push((pair, place));
                }
            };
            for (name, child) in &one.names {
                match (child, other.names.get(name)) {
                    (Some(child), Some(Some(same))) => {
                        next((*child, *same), Step::Name((*name).to_owned()));
                    }
                    (_, Some(_)) => {}
                    (_, None) if other.names_members && !other.may_match(&new.lookup, name) => {
                        self.removed.push(Parameter {
                            place: place.clone(),
                            name: (*name).to_owned(),
                        });
                    }
                    _ => {}
                }
            }
            if let (Some(one), Some(other)) = (one.items, other.items) {
                next((one, other), Step::AnyItem);
            }
            let names = other.names.keys().copied();
            let added: Vec<&str> = names.filter(|name| one.is_new(&old.lookup, name)).collect();
            if !added.is_empty() {
                // Callers did not know of them.
                before.edit(pair.0, |group| group.absent.extend(&added));
            }
            self.added.extend(added.into_iter().map(|name| Parameter {
                place: place.clone(),
                name: name.to_owned(),
            }));
        }
    }

    /// Reports each added and removed parameter once: other changes report what breaks calls, and what is
    /// accepted instead of a removed parameter is not reported at all, nor is what a new name explains.
    pub(super) fn say(
        &self,
        (changes, newer): (&mut Vec<Change>, &Doc<'_>),
        broken: &[Reason<'_>],
        loosened: &mut Vec<Reason<'_>>,
        renamed: &[RenamedMember],
    ) {
        let is_told = |parameter: &Parameter, name: &str| {
            let own = parameter.own_place();
            broken.iter().any(|reason| {
                let about_it = reason.place == parameter.place && reason.message.starts_with(name);
                about_it || reason.place.starts_with(&own)
            })
        };
        for (all, class, kind, says) in [
            (
                &self.removed,
                Class::Warning,
                Kind::ParameterRemoved,
                "is no longer declared: it may have no effect for callers that still send it",
            ),
            (
                &self.added,
                Class::Compatible,
                Kind::ParameterAdded,
                "is new",
            ),
        ] {
            for parameter in all {
                let name = format!("`{}`", parameter.shown());
                let own = parameter.own_place();
                // The rules report the same for an object that rejects other members.
                loosened.retain(|reason| {
                    let about_it =
                        reason.place == parameter.place && reason.message.starts_with(&name);
                    !about_it && !reason.place.starts_with(&own)
                });
                let mut renamed = renamed.iter();
                let is_renamed = renamed.any(|one| one.is_of(&parameter.place, &parameter.name));
                if is_renamed || is_told(parameter, &name) {
                    continue;
                }
                changes.push(Change {
                    side: Side::Input,
                    place: pattern(&parameter.place),
                    span: Some(span(newer, &parameter.place, Some(&parameter.name))),
                    ..Change::on_tool(class, kind, &format!("{name} {says}"))
                });
            }
        }
    }
}

/// Parameters that are reported.
const MOST_PARAMETERS: usize = 1_000;
const MOST_PLACES: usize = 20_000;
const DEEPEST: usize = 64;
