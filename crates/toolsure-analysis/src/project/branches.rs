//! The branches of unions: what moves into them, and the form in which their values travel.

use toolsure_syntax::model::TypeSet;

use super::merge::both;
use super::reference::follow;
use super::report::StepKind;
use super::rewrite::{Effect, Rewriter};
use super::tree::{Form, Json, Members, WRAPPED};
use super::unions::{asserts, moves_into_branches};
use super::words;

impl Rewriter<'_> {
    /// Moves the keywords beside a union into each branch, if that is exact.
    pub(super) fn spread(&mut self, members: &mut Members, union: &str) {
        let stays = |name: &str| match self.abilities.union_siblings {
            true => !asserts(name),
            false => !moves_into_branches(name),
        };
        let outside = |name: &str| stays(name) || name == union;
        if !members.has(union) {
            return;
        }
        if members.list.iter().all(|(name, _)| outside(name)) {
            return;
        }
        let mut rest = members.clone();
        rest.list.retain(|(name, _)| !outside(name));
        let rest = Json::Object(rest);
        let branches = members.schemas(union).iter();
        let merged: Option<Vec<Json>> = branches
            .map(|branch| both(&rest, branch, self.limits.depth))
            .collect();
        if let Some(merged) = merged {
            members.list.retain(|(name, _)| outside(name));
            members.set(union, Json::Array(merged));
            self.note(StepKind::MergeUnion, Effect::Same, union);
        } else if self.bare
            && let Some(value) = members.take(union)
        {
            let sentence = words::of(union, &value, members);
            self.say(members, &sentence);
            self.note(StepKind::Describe, Effect::Wider, union);
        }
    }

    /// Moves `type` beside `anyOf` into the branches. A branch that has no value of the type goes.
    pub(super) fn spread_type(&mut self, members: &mut Members) {
        let Some(own) = members.get("type").cloned() else {
            return;
        };
        let types = TypeSet::ALL.intersection(members.types());
        let own = Json::Object(Members::only("type", own));
        let mut branches = Vec::new();
        let mut exact = true;
        for branch in members.schemas("anyOf") {
            let target = match branch.as_object().and_then(|one| one.text("$ref")) {
                Some(reference) => follow(self.original, reference),
                None => None,
            };
            let is_of_type = target
                .and_then(Json::as_object)
                .is_some_and(|target| target.has("type") && types.contains(target.types()));
            match both(&own, branch, self.limits.depth) {
                Some(Json::Object(one)) if is_never(&one) => {}
                Some(Json::Bool(false)) => {}
                Some(one) => branches.push(one),
                None => {
                    exact &= is_of_type;
                    branches.push(branch.clone());
                }
            }
        }
        if branches.is_empty() {
            *members = Members::only("not", Json::Object(Members::default()));
            return;
        }
        members.take("type");
        members.set("anyOf", Json::Array(branches));
        let effect = if exact { Effect::Same } else { Effect::Wider };
        self.note(StepKind::SpreadType, effect, &types.names().join(", "));
    }

    /// Branches of a union that travel as JSON text beside a branch of strings: puts the text into an object,
    /// because a string that is JSON text would become what it says.
    pub(super) fn wrap(&mut self, members: &mut Members) {
        for keyword in ["anyOf", "oneOf"] {
            let Some(Json::Array(branches)) = members.get_mut(keyword) else {
                continue;
            };
            let is_text = |one: &Json| {
                let own = one.as_object();
                own.is_some_and(|own| matches!(own.coding.form, Form::JsonText(_)))
            };
            let takes_strings = |one: &Json| match one.as_object() {
                Some(own) => {
                    let words = matches!(own.coding.form, Form::Words(_));
                    words || own.types().intersects(TypeSet::STRING)
                }
                None => true,
            };
            let has_member = |one: &Json| {
                let own = one.as_object();
                own.is_some_and(|own| {
                    own.map("properties")
                        .iter()
                        .any(|(name, _)| name == WRAPPED)
                })
            };
            let others = || branches.iter().filter(|one| !is_text(one));
            if !others().any(takes_strings) || others().any(has_member) {
                continue;
            }
            let mut wrapped = false;
            for one in branches {
                if let Json::Object(own) = one
                    && let Form::JsonText(types) = own.coding.form
                {
                    own.coding.form = Form::Wrapped(types);
                    wrapped = true;
                }
            }
            if wrapped {
                self.note(StepKind::Wrap, Effect::Same, "");
            }
        }
    }
}

/// Whether a merged schema accepts nothing.
fn is_never(members: &Members) -> bool {
    members.list.len() == 1 && members.get("not").is_some_and(Json::is_empty_schema)
}
