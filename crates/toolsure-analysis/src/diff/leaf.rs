//! The rules for keywords on single values: types, enums, bounds, lengths, patterns, formats.

use std::cmp::Ordering;

use toolsure_json::{Kind, Node as _, Number, View, quote};
use toolsure_syntax::Dialect;
use toolsure_syntax::format::{Format, NumberFormat};
use toolsure_syntax::model::TypeSet;

use super::document::Doc;
use super::facts::{Facts, listed, type_names, types_of, without};
use super::only::Only;
use super::subset::Comparison;
use crate::bounds::{Bound, End};

impl<'a> Comparison<'a> {
    /// All leaf keywords of a node.
    pub(super) fn leaves(&mut self, facts: &Facts<'a>, types: TypeSet, node: View<'a>) -> bool {
        let mut holds = self.type_rule(types, node);
        holds &= self.enum_rule(facts, types, node);
        if types.intersects(TypeSet::NUMBER) {
            holds &= self.bounds(facts, node);
            holds &= self.multiple(facts, node);
            let format = self.right.keyword(node, "format");
            let is_of_numbers =
                |format: View<'_>| NumberFormat::from_name(format.string()).is_some();
            if self.right.asserts.numbers && format.is_some_and(is_of_numbers) {
                holds &= self.verbatim(facts, node, "format");
            }
        }
        if types.intersects(TypeSet::STRING) {
            holds &= self.lengths(facts, node);
            holds &= self.pattern(facts, node);
            holds &= self.format(facts, node);
            if self.right.asserts.content && self.right.dialect == Dialect::Draft7 {
                holds &= self.verbatim(facts, node, "contentEncoding");
                holds &= self.verbatim(facts, node, "contentMediaType");
            }
        }
        holds
    }

    fn type_rule(&mut self, types: TypeSet, node: View<'a>) -> bool {
        let wanted = types_of(node);
        wanted.contains(types) || self.about("type", |this| this.type_changed(types, wanted))
    }

    /// Reports that the left side has these types, and the right one other ones. Always `false`.
    pub(super) fn type_changed(&mut self, types: TypeSet, wanted: TypeSet) -> bool {
        let lost = without(types, wanted);
        let keeps_some = types.intersects(wanted) && lost != TypeSet::FRACTION && !types.is_all();
        // Other branches of the left side may have types that this one has not.
        let lost = match (self.in_branch, lost) {
            (true, TypeSet::FRACTION) => Some(types),
            (true, _) => Some(lost),
            (false, _) => (keeps_some && types.contains(wanted)).then_some(lost),
        };
        if let Some(lost) = lost {
            return self.say_types(lost);
        }
        let (old, new) = if self.forward {
            (types, wanted)
        } else {
            (wanted, types)
        };
        let message = format!(
            "the type was {}, is now {}",
            type_names(old),
            type_names(new)
        );
        self.say_only(Only::Types(types), &message, &message)
    }

    fn enum_rule(&mut self, facts: &Facts<'a>, types: TypeSet, node: View<'a>) -> bool {
        let (right, left) = (self.right.clone(), self.left.clone());
        let constant = right.keyword(node, "const");
        let list = right.keyword(node, "enum");
        let wanted: Vec<View<'a>> = match (constant, list) {
            (Some(value), _) => vec![value],
            (None, Some(list)) => list.items().collect(),
            (None, None) => return true,
        };
        let both = constant.is_some() && list.is_some();
        if let Some(values) = facts.values() {
            let mut gone: Vec<View<'a>> = Vec::new();
            for value in values {
                let found = match (constant, list) {
                    (Some(one), _) => Some(self.equal(one, *value)),
                    (None, Some(list)) => right.lookup.has_item(list, *value, &mut self.work),
                    (None, None) => Some(true),
                };
                match found {
                    _ if !self.has_work() => return self.too_large(),
                    None => return self.too_large(),
                    Some(true) => {}
                    Some(false) if !left.type_of(*value).intersects(types) => {}
                    Some(false) => gone.push(*value),
                }
            }
            if gone.is_empty() {
                return !both
                    || self.say(false, "`const` and `enum` stand side by side".to_owned());
            }
            let names = listed(&gone);
            let also = match self.in_branch || gone.len() < values.len() {
                true => "also ",
                false => "",
            };
            return self.about("enum", |this| {
                this.say_only(
                    Only::Values(gone),
                    &format!("no longer accepts {names}"),
                    &format!("may now {also}be {names}"),
                )
            });
        }
        // Null and the booleans are so few that a list can contain all of them.
        let few = [
            (TypeSet::NULL, "null"),
            (TypeSet::BOOLEAN, "true"),
            (TypeSet::BOOLEAN, "false"),
        ];
        let listed_all = !both
            && TypeSet::NULL.union(TypeSet::BOOLEAN).contains(types)
            && few
                .iter()
                .filter(|(one, _)| types.intersects(*one))
                .all(|(_, text)| wanted.iter().any(|one| one.raw() == *text));
        if listed_all || self.are_all_listed(facts, types, &wanted) {
            return true;
        }
        if !wanted
            .iter()
            .any(|one| right.type_of(*one).intersects(types))
        {
            return self.about("enum", |this| this.say_types(types));
        }
        // Few values may be left, and all of them listed.
        let limits = [
            "pattern",
            "format",
            "maximum",
            "exclusiveMaximum",
            "maxLength",
            "maxItems",
        ];
        let is_limited = limits.iter().any(|keyword| !facts.all(keyword).is_empty());
        let sure = self.sure;
        self.sure &= !is_limited;
        let names = listed(&wanted);
        let holds = self.about("enum", |this| {
            this.say_only(
                Only::Types(types),
                &format!("now accepts {names} only"),
                &format!("is no longer limited to {names}"),
            )
        });
        self.sure = sure;
        holds
    }

    /// Whether all integers that bounds leave are among the listed values.
    fn are_all_listed(&self, facts: &Facts<'a>, types: TypeSet, listed: &[View<'a>]) -> bool {
        let bound_at = |end| {
            let own = facts.nodes.iter();
            let own = own.filter_map(|node| bound(&self.left, *node, end));
            own.reduce(|one, other| one.tighter(other, end))
        };
        let both = bound_at(End::Lower).zip(bound_at(End::Upper));
        let all = both.and_then(|(lower, upper)| Bound::integers(&lower, &upper, MOST_INTEGERS));
        let is_listed = |integer: i64| {
            let integer = Number::from_i64(integer);
            let mut numbers = listed.iter().filter(|one| one.kind() == Kind::Number);
            numbers.any(|one| one.number().compare(&integer).is_eq())
        };
        types == TypeSet::INTEGER && all.is_some_and(|all| all.into_iter().all(is_listed))
    }

    fn bounds(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let mut holds = true;
        // The type of the right side refuses all other numbers.
        let are_whole = |types: TypeSet| !types.intersects(TypeSet::FRACTION);
        let whole = are_whole(facts.types()) || are_whole(types_of(node));
        for end in [End::Lower, End::Upper] {
            let Some(wanted) = bound(&self.right, node, end) else {
                continue;
            };
            let own = facts
                .nodes
                .iter()
                .filter_map(|node| bound(&self.left, *node, end));
            let tight = own.reduce(|one, other| one.tighter(other, end));
            let fits = match (facts.values(), &tight) {
                (Some(values), _) => values
                    .iter()
                    .filter(|value| value.kind() == Kind::Number)
                    .all(|value| wanted.allows(*value, end)),
                (None, Some(own)) if whole => own.is_within_for_integers(&wanted, end),
                (None, Some(own)) => own.is_within(&wanted, end),
                (None, None) => false,
            };
            if !fits {
                let word = match end {
                    End::Lower => "minimum",
                    End::Upper => "maximum",
                };
                let own = tight.map(|own| own.value);
                if whole && self.left.safe_integers && wanted.allows_safe_integers(end) {
                    let message = self.change_of(word, own, wanted.value);
                    self.about(word, |this| this.say_of_safe_integers(&message));
                } else {
                    holds = self.changed(word, own, wanted.value);
                }
            }
        }
        holds
    }

    fn multiple(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(wanted) = self.right.keyword(node, "multipleOf") else {
            return true;
        };
        let divisor = wanted.number();
        let own = facts.all("multipleOf");
        let whole = !facts.types().intersects(TypeSet::FRACTION);
        let fits = match facts.values() {
            Some(values) => values
                .iter()
                .filter(|value| value.kind() == Kind::Number)
                .all(|value| value.number().is_multiple_of(divisor)),
            None => {
                own.iter().any(|one| one.number().is_multiple_of(divisor))
                    || (whole && Number::from_i64(1).is_multiple_of(divisor))
            }
        };
        fits || self.changed("multipleOf", own.first().copied(), wanted)
    }

    fn lengths(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let count = |value: View<'_>| {
            (value.kind() == Kind::String).then(|| value.string().chars().count())
        };
        let mut holds = true;
        for (keyword, least) in [("minLength", true), ("maxLength", false)] {
            if !self.pattern_implies(facts, node, keyword, least) {
                // A pattern or a format may imply it, and the rules do not know.
                let sure = self.sure;
                self.sure &= facts.all("pattern").is_empty() && facts.all("format").is_empty();
                holds &= self.count_rule(facts, node, keyword, least, count);
                self.sure = sure;
            }
        }
        holds
    }

    /// Whether a pattern of the left side has only matches of the length that a keyword asks for.
    fn pattern_implies(
        &self,
        facts: &Facts<'a>,
        node: View<'a>,
        keyword: &str,
        least: bool,
    ) -> bool {
        let wanted = self.right.keyword(node, keyword);
        let count = wanted.and_then(|wanted| wanted.number().as_u64());
        let Some(count) = count.filter(|count| *count <= LONGEST_IMPLIED) else {
            return false;
        };
        let text = match least {
            true => format!("^[\\s\\S]{{{count},}}$"),
            false => format!("^[\\s\\S]{{0,{count}}}$"),
        };
        let mut own = facts.all("pattern").into_iter();
        own.any(|one| self.left.lookup.is_within(one.string(), &text))
    }

    /// A keyword that bounds a count.
    pub(super) fn count_rule(
        &mut self,
        facts: &Facts<'a>,
        node: View<'a>,
        keyword: &'static str,
        least: bool,
        count: impl Fn(View<'_>) -> Option<usize>,
    ) -> bool {
        let Some(wanted) = self.right.keyword(node, keyword) else {
            return true;
        };
        if least && wanted.number().compare(&Number::from_i64(0)) != Ordering::Greater {
            return true;
        }
        let fits = |order: Ordering| if least { order.is_ge() } else { order.is_le() };
        let mut own = facts.all(keyword);
        own.sort_by(|a, b| a.number().compare(&b.number()));
        let tight = if least { own.last() } else { own.first() }.copied();
        let holds = match (facts.values(), tight) {
            (Some(values), _) => values
                .iter()
                .filter_map(|value| count(*value))
                .all(|count| {
                    let count = Number::from_u64(u64::try_from(count).unwrap_or(u64::MAX));
                    fits(count.compare(&wanted.number()))
                }),
            (None, Some(own)) => fits(own.number().compare(&wanted.number())),
            (None, None) => false,
        };
        holds || self.changed(keyword, tight, wanted)
    }

    /// Reports a keyword whose value got tighter or looser. Always `false`.
    pub(super) fn changed(
        &mut self,
        keyword: &'static str,
        left: Option<View<'a>>,
        right: View<'a>,
    ) -> bool {
        let message = self.change_of(keyword, left, right);
        self.about(keyword, |this| this.say(true, message))
    }

    fn change_of(&self, keyword: &str, left: Option<View<'a>>, right: View<'a>) -> String {
        let right = quote(right.raw(), 60).to_string();
        match (left, self.forward) {
            (Some(left), true) => {
                format!("`{keyword}` was {}, is now {right}", quote(left.raw(), 60))
            }
            (Some(left), false) => {
                format!("`{keyword}` was {right}, is now {}", quote(left.raw(), 60))
            }
            (None, true) => format!("`{keyword}` {right} is new"),
            (None, false) => format!("`{keyword}` {right} is gone"),
        }
    }

    fn pattern(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(wanted) = self.right.keyword(node, "pattern") else {
            return true;
        };
        let own = facts.all("pattern");
        if own.iter().any(|one| one.string() == wanted.string()) {
            return true;
        }
        if let Some(values) = facts.values() {
            let mut texts = values.iter().filter(|value| value.kind() == Kind::String);
            let matches = |text: &str| self.right.lookup.matches(wanted.string(), text);
            if texts.all(|text| matches(text.string()) == Some(true)) {
                return true;
            }
        }
        let shortest = facts.all("minLength").into_iter();
        let shortest = shortest.filter_map(|one| one.number().as_u64()).max();
        let shortest = usize::try_from(shortest.unwrap_or(0)).unwrap_or(0);
        // The empty pattern matches every string.
        let mut texts = own.iter().map(|one| one.string()).chain([""]);
        let lookup = &self.right.lookup;
        if texts.any(|one| lookup.includes(wanted.string(), one, shortest)) {
            return true;
        }
        // What the rules cannot decide is left to instances.
        let sure = self.sure;
        self.sure = false;
        self.changed("pattern", own.first().copied(), wanted);
        self.sure = sure;
        false
    }

    fn format(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let wanted = self.right.keyword(node, "format");
        let Some(wanted) = wanted.filter(|_| self.right.asserts.formats) else {
            return true;
        };
        let Some(format) = Format::from_name(wanted.string()) else {
            return true;
        };
        let own = facts.all("format");
        let fits = match facts.values() {
            Some(values) => values
                .iter()
                .filter(|value| value.kind() == Kind::String)
                .all(|value| format.accepts(value.string())),
            None => own.iter().any(|one| {
                let name = one.string();
                let wider =
                    |(narrow, wide): &(&str, &str)| *narrow == name && *wide == wanted.string();
                // A format means the same in each dialect that has it.
                let is_same =
                    name == wanted.string() && format.in_dialect(self.left.dialect) == format;
                is_same || (self.left.dialect == self.right.dialect && WIDER.iter().any(wider))
            }),
        };
        // Instances decide whether one format includes another, and which formats a dialect has.
        let sure = self.sure;
        self.sure &= own.is_empty() && facts.all("pattern").is_empty();
        let holds = fits || self.changed("format", own.first().copied(), wanted);
        self.sure = sure;
        holds
    }
}

/// The bound of a node at one end.
fn bound<'a>(doc: &Doc<'a>, node: View<'a>, end: End) -> Option<Bound<'a>> {
    Bound::of(doc.dialect, end, |keyword| doc.keyword(node, keyword))
}

/// Integers between bounds that are compared with a list.
const MOST_INTEGERS: usize = 64;
/// The longest length that is compared with a pattern.
const LONGEST_IMPLIED: u64 = 100;
/// Formats that are included in another.
const WIDER: [(&str, &str); 5] = [
    ("uri", "uri-reference"),
    ("uri", "iri"),
    ("uri", "iri-reference"),
    ("uri-reference", "iri-reference"),
    ("iri", "iri-reference"),
];
