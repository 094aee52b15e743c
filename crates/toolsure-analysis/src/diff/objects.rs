//! The rules for objects: members, names, counts, `unevaluatedProperties`.

use std::collections::HashSet;

use toolsure_generate::Step;
use toolsure_json::{Key as _, Kind, Node as _, View, quote};
use toolsure_syntax::AppliesTo;
use toolsure_syntax::model::TypeSet;

use super::collect_evaluated::evaluated;
use super::evaluated::Reach;
use super::facts::Facts;
use super::keywords::of_listed_values;
use super::parts::{closed_at, declared_names, has_other_patterns, member, names_of, others};
use super::report::Side;
use super::subset::{Comparison, Left, PAIR};

impl<'a> Comparison<'a> {
    /// All object keywords of a node.
    pub(super) fn objects(&mut self, facts: &Facts<'a>, types: TypeSet, node: View<'a>) -> bool {
        if !types.intersects(TypeSet::OBJECT) || facts.values().is_some() {
            return !types.intersects(TypeSet::OBJECT)
                || self.unchanged_for_values(facts, node, AppliesTo::Objects);
        }
        let mut holds = true;
        for rule in [
            Self::required,
            Self::declared,
            Self::additional,
            Self::by_pattern,
            Self::names,
            Self::counts,
        ] {
            holds &= rule(self, facts, node);
            if !holds && !self.heard() {
                return false;
            }
        }
        holds & self.dependent(facts, node)
    }

    /// The members under a keyword of the right side.
    fn wanted(
        &self,
        node: View<'a>,
        keyword: &str,
    ) -> impl Iterator<Item = (&'a str, View<'a>)> + use<'a> {
        let all = self.right.keyword(node, keyword).into_iter();
        all.flat_map(View::members)
            .map(|(key, schema)| (key.text(), schema))
    }

    /// Pays for visiting that many members of the left side.
    fn pay_for(&mut self, facts: &Facts<'a>, keyword: &str) -> bool {
        let count: usize = facts.all(keyword).into_iter().map(|all| all.len()).sum();
        self.pay(u64::try_from(count).unwrap_or(u64::MAX))
    }

    fn required(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(wanted) = self.right.keyword(node, "required") else {
            return true;
        };
        let count = u64::try_from(wanted.len()).unwrap_or(u64::MAX);
        if !self.pay(count) || !self.pay_for(facts, "required") {
            return self.too_large();
        }
        let own = names_of(facts, "required");
        let mut holds = true;
        for name in wanted.items().filter(|name| name.kind() == Kind::String) {
            if !own.contains(&name.string()) {
                let property = name.string();
                let name = quote(property, 64).to_string();
                let default = match self.has_default(node, property) {
                    true => "; it has a default, which only callers could apply",
                    false => "",
                };
                holds = self.about("required", |this| {
                    this.say_of(
                        property,
                        &format!("`{name}` is now required{default}"),
                        &format!("`{name}` is no longer required"),
                    )
                });
                if !self.heard() {
                    return false;
                }
            }
        }
        holds
    }

    /// Whether the right side gives a property a default, also behind a reference.
    fn has_default(&self, node: View<'a>, property: &str) -> bool {
        let properties = self.right.keyword(node, "properties");
        let schema = properties.and_then(|all| self.right.lookup.member(all, property));
        let facts = schema.map(|schema| Facts::of(&self.right, &[schema]));
        facts.is_some_and(|facts| !facts.all("default").is_empty())
    }

    fn declared(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let mut holds = true;
        for (name, schema) in self.wanted(node, "properties") {
            if let Some(own) = member(facts, name) {
                let step = Step::Name(name.to_owned());
                holds &= self.within(step, |this| this.contained(&Left::of(own), schema));
                if !holds && !self.heard() {
                    return false;
                }
            }
        }
        holds
    }

    fn additional(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(rest) = self.right.keyword(node, "additionalProperties") else {
            return true;
        };
        let patterns: HashSet<&str> = self
            .wanted(node, "patternProperties")
            .map(|(pattern, _)| pattern)
            .collect();
        let declared = self.right.keyword(node, "properties");
        let by_pattern = self.right.keyword(node, "patternProperties");
        let right = self.right.clone();
        let covered = |name: &str| {
            declared.is_some_and(|all| right.lookup.member(all, name).is_some())
                || by_pattern.is_some_and(|all| !right.lookup.matched(all, name).schemas.is_empty())
        };
        let shared = |pattern: &str| patterns.contains(pattern);
        let sure = patterns.is_empty();
        let words = match self.side {
            Side::Output => &ADDITIONAL_RESULTS,
            _ => &ADDITIONAL,
        };
        self.uncovered(facts, rest, sure, &covered, &shared, words)
    }

    /// Members that the left side may have and the right side does not cover must match `rest`.
    fn uncovered(
        &mut self,
        facts: &Facts<'a>,
        rest: View<'a>,
        sure: bool,
        covered: &dyn Fn(&str) -> bool,
        shared: &dyn Fn(&str) -> bool,
        words: &Words,
    ) -> bool {
        let closed = rest.kind() == Kind::Boolean && !rest.boolean();
        let before = self.sure;
        self.sure &= sure && !has_other_patterns(facts);
        let holds = self.uncovered_names(facts, rest, closed, covered, words)
            & self.uncovered_patterns(facts, rest, shared)
            & match others(facts) {
                None => true,
                Some(_) if closed => self.about(words.keyword, |this| {
                    this.say_both(true, words.rest_refused, words.rest_accepted)
                }),
                Some(own) => {
                    self.within(Step::AnyName, |this| this.contained(&Left::of(own), rest))
                }
            };
        self.sure = before;
        holds
    }

    fn uncovered_names(
        &mut self,
        facts: &Facts<'a>,
        rest: View<'a>,
        closed: bool,
        covered: &dyn Fn(&str) -> bool,
        words: &Words,
    ) -> bool {
        let mut holds = true;
        for name in declared_names(facts) {
            if !self.pay(NAME) {
                return self.too_large();
            }
            if covered(name) {
                continue;
            }
            let Some(own) = member(facts, name) else {
                continue;
            };
            if closed {
                let property = name;
                let name = quote(name, 64).to_string();
                holds = self.about(words.keyword, |this| {
                    this.say_of(
                        property,
                        &format!("`{name}` {}", words.name_refused),
                        &format!("`{name}` {}", words.name_accepted),
                    )
                });
            } else {
                let step = Step::Name(name.to_owned());
                holds &= self.within(step, |this| this.contained(&Left::of(own), rest));
            }
            if !holds && !self.heard() {
                return false;
            }
        }
        holds
    }

    fn uncovered_patterns(
        &mut self,
        facts: &Facts<'a>,
        rest: View<'a>,
        shared: &dyn Fn(&str) -> bool,
    ) -> bool {
        let mut holds = true;
        let patterns = facts.all("patternProperties").into_iter();
        for (key, schema) in patterns.flat_map(View::members) {
            if !self.pay(NAME) {
                return self.too_large();
            }
            if !shared(key.text()) {
                let sure = std::mem::replace(&mut self.sure, false);
                holds &= self.within(Step::AnyName, |this| {
                    this.contained(&Left::of(vec![schema]), rest)
                });
                self.sure = sure;
            }
            if !holds && !self.heard() {
                return false;
            }
        }
        holds
    }

    fn by_pattern(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let mut holds = true;
        let names = declared_names(facts);
        for (pattern, schema) in self.wanted(node, "patternProperties") {
            let same: Vec<View<'a>> = facts
                .all("patternProperties")
                .into_iter()
                .filter_map(|all| facts.doc.lookup.member(all, pattern))
                .collect();
            for name in names.iter().copied() {
                if !self.pay(NAME) {
                    return self.too_large();
                }
                // A pattern that is not known to match may match.
                let matches = self.right.lookup.matches(pattern, name);
                if matches == Some(false) {
                    continue;
                }
                // Each pattern that may match requires a comparison.
                if matches.is_none() && !self.pay(PAIR) {
                    return self.too_large();
                }
                if let Some(own) = member(facts, name) {
                    let step = Step::Name(name.to_owned());
                    holds &= self.within(step, |this| this.contained(&Left::of(own), schema));
                }
                if !holds && !self.heard() {
                    return false;
                }
            }
            if same.is_empty() {
                let sure = std::mem::replace(&mut self.sure, false);
                // A name may match other patterns of the left side, or none.
                holds &= self.uncovered_patterns(facts, schema, &|_| false);
                if let Some(own) = others(facts) {
                    holds &=
                        self.within(Step::AnyName, |this| this.contained(&Left::of(own), schema));
                }
                self.sure = sure;
            } else {
                holds &= self.within(Step::AnyName, |this| {
                    this.contained(&Left::of(same), schema)
                });
            }
            if !holds && !self.heard() {
                return false;
            }
        }
        holds
    }

    fn names(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(wanted) = self.right.keyword(node, "propertyNames") else {
            return true;
        };
        let left = Left::of(facts.all("propertyNames")).masked(TypeSet::STRING);
        // If the left schema declares every member, only those names occur, and an instance shows a
        // rejected one.
        let sure = std::mem::replace(&mut self.sure, false);
        let holds = self.contained(&left, wanted);
        self.sure = sure;
        holds
    }

    fn counts(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let number = |keyword| {
            let value = self.right.keyword(node, keyword)?;
            value.number().as_u64()
        };
        let (least, most) = (number("minProperties"), number("maxProperties"));
        let mut holds = true;
        let required = names_of(facts, "required").len();
        if least.is_none_or(|least| u64::try_from(required).is_ok_and(|count| count < least)) {
            holds &= self.count_rule(facts, node, "minProperties", true, |_| None);
        }
        if most.is_none_or(|most| {
            closed_at(facts).is_none_or(|count| u64::try_from(count).is_ok_and(|n| n > most))
        }) {
            holds &= self.count_rule(facts, node, "maxProperties", false, |_| None);
        }
        holds
    }

    /// `unevaluatedProperties` and `unevaluatedItems` of the right side. What they apply to depends on the
    /// keywords beside them, so the same value has the same meaning only if the left side evaluates no
    /// more.
    pub(super) fn unevaluated(
        &mut self,
        facts: &Facts<'a>,
        types: TypeSet,
        node: View<'a>,
    ) -> bool {
        let mut holds = true;
        for (keyword, of) in [
            ("unevaluatedProperties", TypeSet::OBJECT),
            ("unevaluatedItems", TypeSet::ARRAY),
        ] {
            let Some(rest) = self.right.keyword(node, keyword) else {
                continue;
            };
            let open = rest.kind() == Kind::Boolean && rest.boolean();
            if open || !types.intersects(of) {
                continue;
            }
            let sure = std::mem::replace(&mut self.sure, false);
            holds &= if of == TypeSet::OBJECT {
                self.unevaluated_properties(facts, node, rest)
            } else {
                self.unevaluated_items(facts, node, rest)
            };
            self.sure = sure;
        }
        holds
    }

    fn unevaluated_properties(
        &mut self,
        facts: &Facts<'a>,
        node: View<'a>,
        rest: View<'a>,
    ) -> bool {
        let right = self.right.clone();
        let evaluated = evaluated(&right, node, Reach::Surely);
        if evaluated.all_names {
            return true;
        }
        for own in facts.unevaluated.iter().filter(|own| !own.of_items) {
            let count = own.evaluated.names.len();
            if !self.pay(u64::try_from(count).unwrap_or(u64::MAX)) {
                return self.too_large();
            }
            if evaluated.holds_names_of(&right.lookup, &own.evaluated)
                && self.trial(|this| this.contained(&Left::of(vec![own.schema]), rest))
            {
                return true;
            }
        }
        if facts.values().is_some() {
            return self.keyword_changed(facts, "unevaluatedProperties");
        }
        let covered = |name: &str| evaluated.has_name(&right.lookup, name) == Some(true);
        let shared = |pattern: &str| evaluated.patterns.contains(pattern);
        let words = match self.side {
            Side::Output => &UNEVALUATED_RESULTS,
            _ => &UNEVALUATED,
        };
        self.uncovered(facts, rest, false, &covered, &shared, words)
    }

    /// Leaves values that are listed one by one to instances.
    pub(super) fn unchanged_for_values(
        &mut self,
        facts: &Facts<'a>,
        node: View<'a>,
        values: AppliesTo,
    ) -> bool {
        let mut keywords = of_listed_values(values);
        let all = keywords.clone();
        let Some(first) = keywords.find(|keyword| self.right.keyword(node, keyword).is_some())
        else {
            return true;
        };
        // They have a meaning only together.
        let says_so = facts.nodes.iter().any(|one| {
            all.clone().all(|keyword| {
                let own = self.left.keyword(*one, keyword);
                match (own, self.right.keyword(node, keyword)) {
                    (None, None) => true,
                    (Some(own), Some(wanted)) => self.same(own, wanted),
                    _ => false,
                }
            })
        });
        says_so || self.keyword_changed(facts, first)
    }
}

/// Messages about a member that only the left side declares.
struct Words {
    keyword: &'static str,
    name_refused: &'static str,
    name_accepted: &'static str,
    rest_refused: &'static str,
    rest_accepted: &'static str,
}

const ADDITIONAL: Words = Words {
    keyword: "additionalProperties",
    name_refused: "is no longer accepted",
    name_accepted: "is new",
    rest_refused: "properties that are not declared are now refused",
    rest_accepted: "properties that are not declared are now accepted",
};
/// The members of a result are sent by the server; readers that check results refuse others.
const ADDITIONAL_RESULTS: Words = Words {
    rest_refused: RESULTS_CLOSE,
    rest_accepted: RESULTS_OPEN,
    ..ADDITIONAL
};
const UNEVALUATED_RESULTS: Words = Words {
    rest_refused: RESULTS_CLOSE,
    rest_accepted: RESULTS_OPEN,
    ..UNEVALUATED
};
const RESULTS_CLOSE: &str = "results no longer have properties that are not declared: each one that is \
    added from now on breaks clients that check results";
const RESULTS_OPEN: &str = "results may now have properties that are not declared";
const UNEVALUATED: Words = Words {
    keyword: "unevaluatedProperties",
    name_refused: "is left to `unevaluatedProperties` now, which refuses it",
    name_accepted: "is no longer left to `unevaluatedProperties`, which refused it",
    rest_refused: "properties that no keyword evaluates are now refused",
    rest_accepted: "properties that no keyword evaluates are now accepted",
};

/// The cost of looking up one name, or of one name and one pattern.
const NAME: u64 = 4;
