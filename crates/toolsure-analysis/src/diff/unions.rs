//! The rules for `anyOf`, `oneOf`, `not` and `if` of the right side.

use toolsure_json::{Node as _, View, equal_values, quote};
use toolsure_syntax::model::TypeSet;

use super::facts::{Facts, listed, type_names, without};
use super::only::Only;
use super::subset::{Comparison, Left, MOST_BRANCHES, PAIR};
use super::tag::Tags;

impl<'a> Comparison<'a> {
    pub(super) fn choices(
        &mut self,
        left: &Left<'a>,
        facts: &Facts<'a>,
        types: TypeSet,
        node: View<'a>,
    ) -> bool {
        let mut holds = true;
        for keyword in ["anyOf", "oneOf"] {
            let Some(list) = self.right.keyword(node, keyword) else {
                continue;
            };
            if facts
                .all(keyword)
                .into_iter()
                .any(|own| self.same(own, list))
            {
                continue;
            }
            if !self.one_of_them(left, types, list) {
                holds = self.about(keyword, |this| this.no_branch(left, facts, types, list));
            } else if keyword == "oneOf" && !self.disjoint(list) {
                holds = self.about(keyword, |this| {
                    let message = "a value may fit two branches of a `oneOf`";
                    this.say(false, message.to_owned())
                });
            }
        }
        holds &= self.verbatim(facts, node, "not");
        holds & self.conditional(facts, node)
    }

    /// Whether the left side, type by type, fits some branch.
    fn one_of_them(&mut self, left: &Left<'a>, types: TypeSet, list: View<'a>) -> bool {
        let branches: Vec<View<'a>> = list.items().take(MOST_BRANCHES).collect();
        self.trial(|this| {
            let whole = branches.iter().any(|branch| this.contained(left, *branch));
            whole
                || ONE_BY_ONE
                    .into_iter()
                    .filter(|one| types.intersects(*one))
                    .all(|one| {
                        let part = left.clone().masked(one);
                        branches.iter().any(|branch| this.contained(&part, *branch))
                    })
        })
    }

    /// Reports what of the left side no branch is known to accept. Always `false`.
    fn no_branch(
        &mut self,
        left: &Left<'a>,
        facts: &Facts<'a>,
        types: TypeSet,
        list: View<'a>,
    ) -> bool {
        let views = list.items().take(MOST_BRANCHES);
        let branches: Vec<Branch<'a>> = views.map(|view| Branch::of(self, view)).collect();
        if list.len() > MOST_BRANCHES {
            return self.no_single_branch(facts);
        }
        let tags = self.tags(facts);
        let accepted = branches
            .iter()
            .fold(TypeSet::NONE, |types, branch| types.union(branch.types));
        let lost = without(types, accepted);
        if !lost.is_empty() {
            self.type_changed(types, accepted);
        }
        for one in ONE_BY_ONE {
            let part_types = one.intersection(types).intersection(accepted);
            if part_types.is_empty() {
                continue;
            }
            let part = left.clone().masked(part_types);
            let fits = |this: &mut Self| {
                let mut views = branches.iter().map(|branch| branch.view);
                views.any(|view| this.contained(&part, view))
            };
            if self.trial(fits) {
                continue;
            }
            // A value that fits no other branch has to fit the only one that is left.
            let may_fit = |branch: &&Branch<'a>| {
                branch.types.intersects(part_types) && !is_apart((facts, &tags), branch)
            };
            let mut fitting = branches.iter().filter(may_fit);
            match (fitting.next(), fitting.next()) {
                (None, _) => {
                    let kind = described(facts, part_types);
                    self.say_only(
                        Only::of_branch(facts, part_types),
                        &format!("may no longer be {kind}"),
                        &format!("may now also be {kind}"),
                    );
                }
                (Some(only), None) => {
                    let before = self.union_at;
                    self.union_at = before.or(Some(self.place.len()));
                    self.contained(&part, only.view);
                    self.union_at = before;
                }
                _ => {
                    self.no_single_branch(facts);
                }
            }
        }
        false
    }

    fn no_single_branch(&mut self, facts: &Facts<'a>) -> bool {
        let widened = match self.in_branch {
            true => format!(
                "may now also be {}",
                described(facts, facts.possible_types())
            ),
            false => "no single branch accepted all that is accepted now".to_owned(),
        };
        let narrowed = "no single branch is known to accept all that was accepted";
        self.say_both(false, narrowed, &widened)
    }

    /// Whether no two branches of a union can hold together, because of their types or a tag.
    fn disjoint(&mut self, list: View<'a>) -> bool {
        if list.len() > MOST_BRANCHES {
            return false;
        }
        let mut branches: Vec<(Facts<'a>, Tags<'a>)> = Vec::new();
        for branch in list.items() {
            let facts = Facts::of(&self.right, &[branch]);
            let tags = self.tags(&facts);
            branches.push((facts, tags));
        }
        // Every pair of branches: at most 2,016.
        self.has_work()
            && branches.iter().enumerate().all(|(at, (one, tags))| {
                let mut others = branches.iter().skip(at.saturating_add(1));
                others.all(|(other, others)| {
                    !one.types().intersects(other.types()) || tags.are_apart(others)
                })
            })
    }

    /// The tags of a branch, paid by its nodes, each of which is looked at for each of them.
    fn tags(&mut self, facts: &Facts<'a>) -> Tags<'a> {
        let nodes = u64::try_from(facts.nodes.len()).unwrap_or(u64::MAX);
        match self.pay(nodes.saturating_mul(PAIR)) {
            true => Tags::of(facts),
            false => Tags::none(),
        }
    }

    /// `if`, `then` and `else`, which have a meaning only together.
    fn conditional(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(condition) = self.right.keyword(node, "if") else {
            return true;
        };
        let branches = ["then", "else"].map(|keyword| (keyword, self.right.keyword(node, keyword)));
        if branches.iter().all(|(_, branch)| branch.is_none()) {
            return true;
        }
        let says_so = facts.nodes.iter().any(|one| {
            let left = self.left.clone();
            let mut same = |keyword, wanted| {
                let own = left.keyword(*one, keyword);
                own.is_some_and(|own| self.same(own, wanted))
            };
            same("if", condition)
                && branches
                    .iter()
                    .all(|(keyword, branch)| branch.is_none_or(|branch| same(keyword, branch)))
        });
        says_so || self.keyword_changed(facts, "if")
    }
}

/// A branch of a union of the right side.
struct Branch<'a> {
    view: View<'a>,
    facts: Facts<'a>,
    tags: Tags<'a>,
    types: TypeSet,
}

impl<'a> Branch<'a> {
    fn of(comparison: &mut Comparison<'a>, view: View<'a>) -> Self {
        let facts = Facts::of(&comparison.right, &[view]);
        let tags = comparison.tags(&facts);
        let types = match facts.never {
            true => TypeSet::NONE,
            false => facts.possible_types(),
        };
        Self {
            view,
            facts,
            tags,
            types,
        }
    }
}

/// Whether no value fits both: their tags differ, or the values that they list.
fn is_apart((one, tags): (&Facts<'_>, &Tags<'_>), other: &Branch<'_>) -> bool {
    let differ = |values: &[View<'_>], others: &[View<'_>]| {
        values.len().saturating_mul(others.len()) <= MOST_VALUES
            && values
                .iter()
                .all(|value| others.iter().all(|other| !equal_values(*value, *other)))
    };
    match (one.values(), other.facts.values()) {
        (Some(values), Some(others)) => differ(values, others),
        _ => tags.are_apart(&other.tags),
    }
}

/// What a branch accepts, for a message.
fn described(facts: &Facts<'_>, types: TypeSet) -> String {
    match (facts.values(), Tags::of(facts).first()) {
        (Some(values), _) => listed(values),
        (None, Some((name, values))) => {
            format!(
                "an object whose `{}` is {}",
                quote(name, 64),
                listed(&values)
            )
        }
        _ => format!("of type {}", type_names(types)),
    }
}

/// The types, one by one; both kinds of numbers together.
const ONE_BY_ONE: [TypeSet; 6] = [
    TypeSet::NULL,
    TypeSet::BOOLEAN,
    TypeSet::STRING,
    TypeSet::ARRAY,
    TypeSet::OBJECT,
    TypeSet::NUMBER,
];
/// Pairs of listed values that are compared.
const MOST_VALUES: usize = 256;
