//! The rules for arrays: items, counts, `contains`, `unevaluatedItems`.

use toolsure_generate::Step;
use toolsure_json::{Node as _, View};
use toolsure_syntax::AppliesTo;
use toolsure_syntax::model::TypeSet;

use super::collect_evaluated::evaluated;
use super::document::Doc;
use super::evaluated::Reach;
use super::facts::Facts;
use super::parts::{item, most_items};
use super::subset::{Comparison, Left};
use super::tuple::{MOST_ITEMS, rest, tuple, tuple_keyword, tuple_length};

impl<'a> Comparison<'a> {
    /// All array keywords of a node.
    pub(super) fn arrays(&mut self, facts: &Facts<'a>, types: TypeSet, node: View<'a>) -> bool {
        if !types.intersects(TypeSet::ARRAY) || facts.values().is_some() {
            return !types.intersects(TypeSet::ARRAY)
                || self.unchanged_for_values(facts, node, AppliesTo::Arrays);
        }
        let mut holds = self.count_rule(facts, node, "minItems", true, |_| None);
        holds &= self.count_rule(facts, node, "maxItems", false, |_| None);
        let unique = |flag: View<'_>| flag.boolean();
        if self.right.keyword(node, "uniqueItems").is_some_and(unique)
            && !facts.all("uniqueItems").into_iter().any(unique)
        {
            holds = self.about("uniqueItems", |this| {
                this.say_both(true, "items must now differ", "items need no longer differ")
            });
        }
        holds &= self.items(facts, node);
        holds & self.contains(facts, node)
    }

    /// `contains` with its counts, which have a meaning only together.
    fn contains(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(wanted) = self.right.keyword(node, "contains") else {
            return true;
        };
        let (least, most) = contained_counts(&self.right, node);
        if least == Some(0) && most.is_none() {
            return true;
        }
        let says_so = facts.nodes.iter().any(|one| {
            let own = self.left.keyword(*one, "contains");
            let (at_least, at_most) = contained_counts(&self.left, *one);
            let enough = matches!((at_least, least), (Some(own), Some(wanted)) if own >= wanted);
            let limited = match (at_most, most) {
                (_, None) => true,
                (Some(Some(own)), Some(Some(wanted))) => own <= wanted,
                _ => false,
            };
            enough && limited && own.is_some_and(|own| self.same(own, wanted))
        });
        says_so || self.keyword_changed(facts, "contains")
    }

    fn items(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let most = most_items(facts);
        let wanted = tuple(&self.right, node);
        let rest = rest(&self.right, node);
        let longest = facts.longest_tuple().max(tuple_length(&self.right, node));
        if longest > MOST_ITEMS {
            let keyword = tuple_keyword(&self.right);
            return (wanted.is_empty() && rest.is_none())
                || self.say(false, format!("`{keyword}` is too long to compare"));
        }
        let mut holds = true;
        for index in 0..longest.min(most) {
            let Some(schema) = wanted.get(index).copied().or(rest) else {
                continue;
            };
            if let Some(own) = item(facts, index) {
                holds &= self.within(Step::Index(index), |this| {
                    this.contained(&Left::of(own), schema)
                });
            }
        }
        match (rest, item(facts, usize::MAX)) {
            (Some(schema), Some(own)) if most > longest => {
                holds & self.within(Step::AnyItem, |this| this.contained(&Left::of(own), schema))
            }
            _ => holds,
        }
    }

    pub(super) fn unevaluated_items(
        &mut self,
        facts: &Facts<'a>,
        node: View<'a>,
        rest: View<'a>,
    ) -> bool {
        let evaluated = evaluated(&self.right, node, Reach::Surely);
        if evaluated.all_items {
            return true;
        }
        for own in facts.unevaluated.iter().filter(|own| own.of_items) {
            if evaluated.holds_items_of(&own.evaluated)
                && self.trial(|this| this.contained(&Left::of(vec![own.schema]), rest))
            {
                return true;
            }
        }
        let longest = facts.longest_tuple();
        if facts.values().is_some() || longest > MOST_ITEMS {
            return self.keyword_changed(facts, "unevaluatedItems");
        }
        let most = most_items(facts);
        let mut holds = true;
        for index in evaluated.items..longest.min(most) {
            if let Some(own) = item(facts, index) {
                holds &= self.within(Step::Index(index), |this| {
                    this.contained(&Left::of(own), rest)
                });
            }
        }
        match item(facts, usize::MAX) {
            Some(own) if most > evaluated.items.max(longest) => {
                holds & self.within(Step::AnyItem, |this| this.contained(&Left::of(own), rest))
            }
            _ => holds,
        }
    }
}

/// The effective `minContains` and `maxContains`: the minimum is one unless another is given. The inner
/// `None` is a number too large to represent, the outer one no limit.
fn contained_counts<'a>(doc: &Doc<'a>, node: View<'a>) -> (Option<u64>, Option<Option<u64>>) {
    let number = |keyword| doc.keyword(node, keyword);
    let least = number("minContains").map_or(Some(1), |value| value.number().as_u64());
    let most = number("maxContains").map(|value| value.number().as_u64());
    (least, most)
}
