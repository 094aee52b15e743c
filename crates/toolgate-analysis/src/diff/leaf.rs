//! The rules for keywords on single values: types, enums, bounds, lengths, patterns, formats.

use std::cmp::Ordering;

use toolgate_json::{Kind, Node as _, Number, View, quote};
use toolgate_schema::Dialect;
use toolgate_schema::format::Format;

use super::facts::{Doc, Facts, NUMBER, OBJECT, STRING, type_names, type_of};
use super::subset::{Comparison, equal_values};

/// The types that values of a conjunction can have.
pub(super) fn types(facts: &Facts<'_>) -> u8 {
    let declared = facts.types();
    match facts.values() {
        Some(values) => values.iter().fold(0, |bits, value| bits | type_of(*value)) & declared,
        None => declared,
    }
}

/// Whether two object schemas require a property to have different constant values.
pub(super) fn tagged_apart(a: &Facts<'_>, b: &Facts<'_>) -> bool {
    if a.types() != OBJECT || b.types() != OBJECT {
        return false;
    }
    let required: Vec<&str> = a
        .all("required")
        .into_iter()
        .flat_map(View::items)
        .map(|name| name.string())
        .collect();
    let also = b.all("required").into_iter().flat_map(View::items);
    also.filter(|name| required.contains(&name.string())).any(|name| {
        let values = |facts: &Facts<'_>| -> Option<Vec<String>> {
            let property = facts.all("properties").into_iter().find_map(|all| all.member(name.string()))?;
            match (property.member("const"), property.member("enum")) {
                (Some(value), _) => Some(vec![value.raw().to_owned()]),
                (None, Some(list)) => Some(list.items().map(|value| value.raw().to_owned()).collect()),
                _ => None,
            }
        };
        matches!((values(a), values(b)), (Some(a), Some(b)) if a.iter().all(|value| !b.contains(value) && value.starts_with('"')))
    })
}

impl<'a> Comparison<'a> {
    /// All leaf keywords of a node.
    pub(super) fn leaves(&mut self, facts: &Facts<'a>, types: u8, node: View<'a>) -> bool {
        let mut holds = self.type_rule(types, node);
        holds &= self.enum_rule(facts, types, node);
        if types & NUMBER != 0 {
            holds &= self.bounds(facts, node);
            holds &= self.multiple(facts, node);
        }
        if types & STRING != 0 {
            holds &= self.lengths(facts, node);
            holds &= self.pattern(facts, node);
            holds &= self.format(facts, node);
        }
        holds
    }

    fn type_rule(&mut self, types: u8, node: View<'a>) -> bool {
        let wanted = Facts {
            nodes: vec![node],
            ..Facts::default()
        }
        .types();
        if types & !wanted == 0 {
            return true;
        }
        let (old, new) = if self.forward {
            (types, wanted)
        } else {
            (wanted, types)
        };
        self.say(
            true,
            format!(
                "the type was {}, is now {}",
                type_names(old),
                type_names(new)
            ),
        )
    }

    fn enum_rule(&mut self, facts: &Facts<'a>, types: u8, node: View<'a>) -> bool {
        let list = match (node.member("const"), node.member("enum")) {
            (Some(value), _) => vec![value],
            (None, Some(list)) => list.items().collect(),
            (None, None) => return true,
        };
        let is_in = |value: View<'_>| list.iter().any(|one| equal_values(*one, value));
        if let Some(values) = facts.values() {
            let gone: Vec<String> = values
                .iter()
                .filter(|value| type_of(**value) & types != 0 && !is_in(**value))
                .map(|value| format!("`{}`", quote(value.raw(), 40)))
                .collect();
            if gone.is_empty() {
                return true;
            }
            let names = listed(&gone);
            return self.say_both(
                true,
                &format!("no longer accepts {names}"),
                &format!("may now be {names}"),
            );
        }
        // Null and the booleans are few enough to be all in a list.
        let few = [(1, "null"), (2, "true"), (2, "false")];
        let listed_all = types & !3 == 0
            && few
                .iter()
                .filter(|(bit, _)| types & bit != 0)
                .all(|(_, text)| list.iter().any(|one| one.raw() == *text));
        let names: Vec<String> = list
            .iter()
            .map(|value| format!("`{}`", quote(value.raw(), 40)))
            .collect();
        listed_all
            || self.say_both(
                true,
                &format!("now accepts {} only", listed(&names)),
                &format!("is no longer limited to {}", listed(&names)),
            )
    }

    fn bounds(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let mut holds = true;
        for low in [true, false] {
            let Some(wanted) = bound(&self.right, node, low) else {
                continue;
            };
            let own = facts
                .nodes
                .iter()
                .filter_map(|node| bound(&self.left, *node, low));
            let tight = own.reduce(|a, b| if within(&b, &a, low) { b } else { a });
            let fits = match (facts.values(), &tight) {
                (Some(values), _) => values
                    .iter()
                    .filter(|value| value.kind() == Kind::Number)
                    .all(|value| within(&(*value, false), &wanted, low)),
                (None, Some(own)) => within(own, &wanted, low),
                (None, None) => false,
            };
            if !fits {
                let word = if low { "minimum" } else { "maximum" };
                holds = self.changed(word, tight.map(|own| own.0), wanted.0);
            }
        }
        holds
    }

    fn multiple(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(wanted) = node.member("multipleOf") else {
            return true;
        };
        let divisor = wanted.number();
        let own = facts.all("multipleOf");
        let whole = facts.types() & 64 == 0;
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
        self.count_rule(facts, node, "minLength", "maxLength", count)
    }

    /// A pair of keywords that bound a count.
    pub(super) fn count_rule(
        &mut self,
        facts: &Facts<'a>,
        node: View<'a>,
        low: &str,
        high: &str,
        count: impl Fn(View<'_>) -> Option<usize>,
    ) -> bool {
        let mut holds = true;
        for (keyword, least) in [(low, true), (high, false)] {
            let Some(wanted) = node.member(keyword) else {
                continue;
            };
            if least && wanted.number().compare(&Number::from_i64(0)) != Ordering::Greater {
                continue;
            }
            let mut own = facts.all(keyword);
            own.sort_by(|a, b| a.number().compare(&b.number()));
            let tight = if least { own.last() } else { own.first() }.copied();
            let fits = match (facts.values(), tight) {
                (Some(values), _) => values
                    .iter()
                    .filter_map(|value| count(*value))
                    .all(|count| {
                        let count = Number::from_u64(u64::try_from(count).unwrap_or(u64::MAX));
                        let order = count.compare(&wanted.number());
                        if least { order.is_ge() } else { order.is_le() }
                    }),
                (None, Some(own)) => {
                    let order = own.number().compare(&wanted.number());
                    if least { order.is_ge() } else { order.is_le() }
                }
                (None, None) => false,
            };
            if !fits {
                holds = self.changed(keyword, tight, wanted);
            }
        }
        holds
    }

    /// A keyword whose value got tighter or looser.
    pub(super) fn changed(
        &mut self,
        keyword: &str,
        left: Option<View<'a>>,
        right: View<'a>,
    ) -> bool {
        let right = quote(right.raw(), 60).to_string();
        let message = match (left, self.forward) {
            (Some(left), true) => {
                format!("`{keyword}` was {}, is now {right}", quote(left.raw(), 60))
            }
            (Some(left), false) => {
                format!("`{keyword}` was {right}, is now {}", quote(left.raw(), 60))
            }
            (None, true) => format!("`{keyword}` {right} is new"),
            (None, false) => format!("`{keyword}` {right} is gone"),
        };
        self.say(true, message)
    }

    fn pattern(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(wanted) = node.member("pattern") else {
            return true;
        };
        let own = facts.all("pattern");
        if own.iter().any(|one| one.string() == wanted.string()) {
            return true;
        }
        // Whether one pattern is in another is left to instances.
        let sure = self.sure;
        self.sure = false;
        self.changed("pattern", own.first().copied(), wanted);
        self.sure = sure;
        false
    }

    fn format(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(wanted) = node.member("format") else {
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
                name == wanted.string()
                    || WIDER
                        .iter()
                        .any(|(narrow, wide)| *narrow == name && *wide == wanted.string())
            }),
        };
        fits || self.changed("format", own.first().copied(), wanted)
    }
}

/// A bound of a node and whether it is exclusive, as its dialect has it.
fn bound<'a>(doc: &Doc<'a>, node: View<'a>, low: bool) -> Option<(View<'a>, bool)> {
    let (plain, open) = if low {
        ("minimum", "exclusiveMinimum")
    } else {
        ("maximum", "exclusiveMaximum")
    };
    let number = |name: &str| {
        node.member(name)
            .filter(|value| value.kind() == Kind::Number)
    };
    if doc.dialect == Dialect::Draft4 {
        let exclusive = node.member(open).is_some_and(|flag| flag.boolean());
        return number(plain).map(|value| (value, exclusive));
    }
    match (number(plain), number(open)) {
        (Some(a), Some(b)) => {
            let (a, b) = ((a, false), (b, true));
            Some(if within(&b, &a, low) { b } else { a })
        }
        (Some(a), None) => Some((a, false)),
        (None, b) => b.map(|value| (value, true)),
    }
}

/// Whether a bound is at least as tight as another.
fn within(own: &(View<'_>, bool), wanted: &(View<'_>, bool), low: bool) -> bool {
    match own.0.number().compare(&wanted.0.number()) {
        Ordering::Equal => own.1 || !wanted.1,
        Ordering::Greater => low,
        Ordering::Less => !low,
    }
}

/// A few names, the rest as a number.
pub(super) fn listed(names: &[String]) -> String {
    match names.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!(
            "{} and {more} more",
            names.get(..SHOWN).unwrap_or_default().join(", ")
        ),
    }
}

const SHOWN: usize = 6;
/// Formats that are part of another.
const WIDER: [(&str, &str); 7] = [
    ("email", "idn-email"),
    ("hostname", "idn-hostname"),
    ("uri", "uri-reference"),
    ("uri", "iri"),
    ("uri", "iri-reference"),
    ("uri-reference", "iri-reference"),
    ("iri", "iri-reference"),
];
