//! The rules for what the presence of a member asks for: `dependentRequired`, `dependentSchemas`, and
//! `dependencies`, which is both in older dialects.

use std::collections::HashSet;

use toolsure_json::{Key as _, Kind, Node as _, View};

use super::facts::Facts;
use super::parts::{member, names_of};
use super::subset::{Comparison, Left, PAIR};

impl<'a> Comparison<'a> {
    pub(super) fn dependent(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let mut holds = true;
        for keyword in DEPENDENT {
            let all = self.right.keyword(node, keyword).into_iter();
            for (name, wanted) in all.flat_map(View::members) {
                if !self.pay(PAIR) {
                    return self.too_large();
                }
                // A member that cannot be present asks for nothing.
                if member(facts, name.text()).is_some()
                    && !self.is_asked_for(facts, name.text(), wanted)
                {
                    holds = self.keyword_changed(facts, keyword);
                }
                if !holds && !self.heard() {
                    return false;
                }
            }
        }
        holds
    }

    /// Whether the left side asks for it too if the member is present.
    fn is_asked_for(&mut self, facts: &Facts<'a>, name: &str, wanted: View<'a>) -> bool {
        let nodes = facts.nodes.iter().flat_map(|node| {
            DEPENDENT
                .iter()
                .filter_map(|keyword| facts.doc.keyword(*node, keyword))
        });
        let own: Vec<View<'a>> = nodes
            .filter_map(|all| facts.doc.lookup.member(all, name))
            .collect();
        if own.iter().any(|own| self.same(*own, wanted)) {
            return true;
        }
        if wanted.kind() == Kind::Array {
            let mut present = names_of(facts, "required");
            present.insert(name);
            for one in &own {
                let names = match one.kind() {
                    Kind::Array => Some(*one),
                    _ => facts.doc.keyword(*one, "required"),
                };
                let names: HashSet<&str> = names
                    .into_iter()
                    .flat_map(View::items)
                    .map(|name| name.string())
                    .collect();
                present.extend(names);
            }
            return wanted.items().all(|name| present.contains(name.string()));
        }
        let schemas = own.into_iter().filter(|own| own.kind() != Kind::Array);
        let schemas: Vec<View<'a>> = facts.nodes.iter().copied().chain(schemas).collect();
        self.trial(|this| this.contained(&Left::of(schemas), wanted))
    }
}

const DEPENDENT: [&str; 3] = ["dependentRequired", "dependentSchemas", "dependencies"];
