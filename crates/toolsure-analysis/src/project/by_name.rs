//! Patterns for the names of members: written for the profile's engine, or in words.

use super::report::StepKind;
use super::rewrite::{At, Effect, Rewriter};
use super::tree::{Json, Members};

impl Rewriter<'_> {
    /// `patternProperties` with patterns that the profile accepts, or in words.
    pub(super) fn by_name(&mut self, members: &mut Members, at: At) {
        if !members.has("patternProperties") {
            return;
        }
        let plain = match self.takes("patternProperties", at) {
            true => self.plain_names(members),
            false => None,
        };
        let Some(plain) = plain else {
            self.describe_patterns(members);
            return;
        };
        if let Some(Json::Object(map)) = members.get_mut("patternProperties") {
            for ((name, _), plain) in map.list.iter_mut().zip(&plain) {
                plain.clone_into(name);
            }
        }
    }

    /// The patterns, each accepted by the profile; `None` if there is no such form of one.
    fn plain_names(&mut self, members: &Members) -> Option<Vec<String>> {
        let mut all: Vec<String> = Vec::new();
        for (name, _) in members.map("patternProperties") {
            let mut plain = name.clone();
            if !self.abilities.takes_pattern(name) {
                let known = self
                    .spent
                    .patterns
                    .plain(name, self.limits.listing_patterns);
                plain = known?.to_owned();
                if !self.abilities.takes_pattern(&plain) {
                    return None;
                }
                self.note(StepKind::Pattern, Effect::Same, name);
            }
            all.push(plain);
        }
        let mut distinct: Vec<&String> = all.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        (distinct.len() == all.len()).then_some(all)
    }

    /// Moves `patternProperties` into the description, with what would then apply to members by these names.
    pub(super) fn describe_patterns(&mut self, members: &mut Members) {
        // Names that match a pattern are not additional, so `false` would reject them.
        if members.forbids("additionalProperties") {
            members.take("additionalProperties");
        }
        members.coding.evaluates_less = true;
        for name in [
            "patternProperties",
            "additionalProperties",
            "unevaluatedProperties",
        ] {
            if let Some(value) = members.get(name).cloned()
                && !(name == "additionalProperties" && value.is_empty_schema())
            {
                self.describe(members, name, &value);
            }
        }
    }
}
