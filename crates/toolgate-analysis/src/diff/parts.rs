//! The rules for objects and arrays: members, names, items, counts.

use toolgate_json::{Key as _, Kind, Node as _, View, quote};
use toolgate_pattern::{Limits, Pattern};
use toolgate_schema::Dialect;

use super::facts::{ARRAY, Doc, Facts, OBJECT, STRING};
use super::subset::{Comparison, Left, Step};

impl<'a> Comparison<'a> {
    /// All object keywords of a node.
    pub(super) fn objects(&mut self, facts: &Facts<'a>, types: u8, node: View<'a>) -> bool {
        if types & OBJECT == 0 || facts.values().is_some() {
            return types & OBJECT == 0 || self.unchanged_for_values(facts, node, &OBJECT_KEYWORDS);
        }
        let mut holds = self.required(facts, node);
        holds &= self.declared(facts, node);
        holds &= self.additional(facts, node);
        holds &= self.by_pattern(facts, node);
        holds &= self.names(facts, node);
        holds &= self.counts(facts, node);
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            holds &= self.verbatim(facts, node, keyword);
        }
        holds
    }

    fn required(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let own: Vec<&str> = names_of(facts, "required");
        let mut holds = true;
        for name in node.member("required").into_iter().flat_map(View::items) {
            if !own.contains(&name.string()) {
                let name = quote(name.string(), 64).to_string();
                holds = self.say_both(
                    true,
                    &format!("`{name}` is now required"),
                    &format!("`{name}` is no longer required"),
                );
            }
        }
        holds
    }

    fn declared(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let mut holds = true;
        for (key, schema) in node
            .member("properties")
            .into_iter()
            .flat_map(View::members)
        {
            if let Some(own) = member(facts, key.text()) {
                let step = Step::Name(key.text().to_owned());
                holds &= self.within(step, |this| this.contained(&Left::of(own), schema));
            }
        }
        holds
    }

    fn additional(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(rest) = node.member("additionalProperties") else {
            return true;
        };
        let closed = rest.kind() == Kind::Boolean && !rest.boolean();
        let mut holds = true;
        let mut seen: Vec<&str> = Vec::new();
        for (key, _) in facts.all("properties").into_iter().flat_map(View::members) {
            let name = key.text();
            let covered = node
                .member("properties")
                .is_some_and(|all| all.member(name).is_some())
                || matching(node, name).next().is_some();
            if covered || seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let Some(own) = member(facts, name) else {
                continue;
            };
            if closed {
                let name = quote(name, 64).to_string();
                holds = self.say_both(
                    true,
                    &format!("`{name}` is no longer accepted"),
                    &format!("`{name}` is new"),
                );
            } else {
                let step = Step::Name(name.to_owned());
                holds &= self.within(step, |this| this.contained(&Left::of(own), rest));
            }
        }
        for (key, schema) in facts
            .all("patternProperties")
            .into_iter()
            .flat_map(View::members)
        {
            let shared = node
                .member("patternProperties")
                .is_some_and(|all| all.member(key.text()).is_some());
            if !shared {
                let sure = std::mem::replace(&mut self.sure, false);
                holds &= self.within(Step::AnyName, |this| {
                    this.contained(&Left::of(vec![schema]), rest)
                });
                self.sure = sure;
            }
        }
        match others(facts) {
            None => holds,
            Some(_) if closed => self.say_both(
                true,
                "properties that are not declared are now refused",
                "properties that are not declared are now accepted",
            ),
            Some(own) => {
                holds & self.within(Step::AnyName, |this| this.contained(&Left::of(own), rest))
            }
        }
    }

    fn by_pattern(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let mut holds = true;
        for (key, schema) in node
            .member("patternProperties")
            .into_iter()
            .flat_map(View::members)
        {
            let same: Vec<View<'a>> = facts
                .all("patternProperties")
                .into_iter()
                .filter_map(|all| all.member(key.text()))
                .collect();
            for (name, _) in facts.all("properties").into_iter().flat_map(View::members) {
                let matched = matches(key.text(), name.text());
                if let Some(own) = member(facts, name.text()).filter(|_| matched) {
                    let step = Step::Name(name.text().to_owned());
                    holds &= self.within(step, |this| this.contained(&Left::of(own), schema));
                }
            }
            if same.is_empty() {
                if let Some(own) = others(facts) {
                    let sure = std::mem::replace(&mut self.sure, false);
                    holds &=
                        self.within(Step::AnyName, |this| this.contained(&Left::of(own), schema));
                    self.sure = sure;
                }
            } else {
                holds &= self.within(Step::AnyName, |this| {
                    this.contained(&Left::of(same), schema)
                });
            }
        }
        holds
    }

    fn names(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let Some(wanted) = node.member("propertyNames") else {
            return true;
        };
        let left = Left::of(facts.all("propertyNames")).masked(STRING);
        // Members whose names are all known are few; instances show what is wrong with them.
        let sure = std::mem::replace(&mut self.sure, false);
        let holds = self.contained(&left, wanted);
        self.sure = sure;
        holds
    }

    fn counts(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let least = node
            .member("minProperties")
            .and_then(|value| value.number().as_u64());
        let required = u64::try_from(names_of(facts, "required").len()).unwrap_or(u64::MAX);
        let most = node
            .member("maxProperties")
            .and_then(|value| value.number().as_u64());
        let declared = facts
            .all("properties")
            .into_iter()
            .map(|all| all.len())
            .min()
            .unwrap_or(0);
        let closed = others(facts).is_none() && facts.all("patternProperties").is_empty();
        let by_required = least.is_none_or(|least| required >= least);
        let by_closed = most
            .is_none_or(|most| closed && u64::try_from(declared).is_ok_and(|count| count <= most));
        (by_required && by_closed)
            || self.count_rule(facts, node, "minProperties", "maxProperties", |_| None)
    }

    /// All array keywords of a node.
    pub(super) fn arrays(&mut self, facts: &Facts<'a>, types: u8, node: View<'a>) -> bool {
        if types & ARRAY == 0 || facts.values().is_some() {
            return types & ARRAY == 0 || self.unchanged_for_values(facts, node, &ARRAY_KEYWORDS);
        }
        let mut holds = self.count_rule(facts, node, "minItems", "maxItems", |_| None);
        let unique = |flag: View<'_>| flag.boolean();
        if node.member("uniqueItems").is_some_and(unique)
            && !facts.all("uniqueItems").into_iter().any(unique)
        {
            holds = self.say_both(true, "items must now differ", "items need no longer differ");
        }
        holds &= self.items(facts, node);
        for keyword in ["contains", "minContains", "maxContains"] {
            if node.member("contains").is_some() {
                holds &= self.verbatim(facts, node, keyword);
            }
        }
        holds
    }

    fn items(&mut self, facts: &Facts<'a>, node: View<'a>) -> bool {
        let most = facts
            .all("maxItems")
            .into_iter()
            .filter_map(|value| value.number().as_u64())
            .min()
            .map_or(usize::MAX, |most| {
                usize::try_from(most).unwrap_or(usize::MAX)
            });
        let wanted = tuple(&self.right, node);
        let rest = rest(&self.right, node);
        let longest = facts
            .nodes
            .iter()
            .map(|one| tuple(&self.left, *one).len())
            .max()
            .unwrap_or(0);
        let mut holds = true;
        for index in 0..longest.max(wanted.len()).min(most).min(MOST_ITEMS) {
            let Some(schema) = wanted.get(index).copied().or(rest) else {
                continue;
            };
            if let Some(own) = item(&self.left, facts, index) {
                holds &= self.within(Step::Index(index), |this| {
                    this.contained(&Left::of(own), schema)
                });
            }
        }
        let beyond = longest.max(wanted.len());
        match (rest, item(&self.left, facts, usize::MAX)) {
            (Some(schema), Some(own)) if most > beyond => {
                holds & self.within(Step::AnyItem, |this| this.contained(&Left::of(own), schema))
            }
            _ => holds,
        }
    }

    /// A keyword that holds if the left side says the same.
    fn verbatim(&mut self, facts: &Facts<'a>, node: View<'a>, keyword: &str) -> bool {
        let Some(wanted) = node.member(keyword) else {
            return true;
        };
        facts
            .all(keyword)
            .into_iter()
            .any(|own| self.same(own, wanted))
            || self.say_both(
                false,
                &format!("`{keyword}` is new or changed"),
                &format!("`{keyword}` is gone or changed"),
            )
    }

    /// Values that are listed one by one are left to instances.
    fn unchanged_for_values(
        &mut self,
        facts: &Facts<'a>,
        node: View<'a>,
        keywords: &[&str],
    ) -> bool {
        let mut holds = true;
        for keyword in keywords {
            holds &= self.verbatim(facts, node, keyword);
        }
        holds
    }
}

/// All schemas that a member of this name must match; none if there can be no such member.
pub(super) fn member<'a>(facts: &Facts<'a>, name: &str) -> Option<Vec<View<'a>>> {
    let mut schemas = Vec::new();
    for node in &facts.nodes {
        let own = node.member("properties").and_then(|all| all.member(name));
        let patterns: Vec<View<'a>> = matching(*node, name).collect();
        if own.is_none() && patterns.is_empty() {
            schemas.extend(node.member("additionalProperties"));
        }
        schemas.extend(own);
        schemas.extend(patterns);
    }
    possible(schemas)
}

/// All schemas that a member must match whose name is nowhere declared.
pub(super) fn others<'a>(facts: &Facts<'a>) -> Option<Vec<View<'a>>> {
    possible(facts.all("additionalProperties"))
}

/// All schemas that an item must match; `usize::MAX` is the one beyond all tuples.
pub(super) fn item<'a>(doc: &Doc<'a>, facts: &Facts<'a>, index: usize) -> Option<Vec<View<'a>>> {
    let schemas = facts.nodes.iter().filter_map(|node| {
        let tuple = tuple(doc, *node);
        tuple.get(index).copied().or_else(|| rest(doc, *node))
    });
    possible(schemas.collect())
}

/// The schemas of a tuple's items.
pub(super) fn tuple<'a>(doc: &Doc<'a>, node: View<'a>) -> Vec<View<'a>> {
    let list = match doc.dialect {
        Dialect::Draft202012 => node.member("prefixItems"),
        _ => node
            .member("items")
            .filter(|items| items.kind() == Kind::Array),
    };
    list.into_iter()
        .flat_map(View::items)
        .take(MOST_ITEMS)
        .collect()
}

/// The schema of the items behind a tuple.
fn rest<'a>(doc: &Doc<'a>, node: View<'a>) -> Option<View<'a>> {
    let items = node.member("items");
    match (doc.dialect, items.map(View::kind)) {
        (Dialect::Draft202012, _) => items,
        (_, Some(Kind::Array)) => node.member("additionalItems"),
        _ => items,
    }
}

fn possible(schemas: Vec<View<'_>>) -> Option<Vec<View<'_>>> {
    let never = |schema: &View<'_>| schema.kind() == Kind::Boolean && !schema.boolean();
    (!schemas.iter().any(never)).then_some(schemas)
}

fn matching<'a>(node: View<'a>, name: &str) -> impl Iterator<Item = View<'a>> {
    let patterns = node
        .member("patternProperties")
        .into_iter()
        .flat_map(View::members);
    patterns
        .filter(move |(key, _)| matches(key.text(), name))
        .map(|(_, schema)| schema)
}

fn matches(pattern: &str, name: &str) -> bool {
    let mut fuel = 10_000;
    let limits = Limits {
        size: 64 << 10,
        ..Limits::default()
    };
    Pattern::new(pattern, &limits)
        .is_ok_and(|pattern| pattern.matches(name, &mut fuel) == Some(true))
}

fn names_of<'a>(facts: &Facts<'a>, keyword: &str) -> Vec<&'a str> {
    let lists = facts.all(keyword).into_iter().flat_map(View::items);
    lists.map(|name| name.string()).collect()
}

const MOST_ITEMS: usize = 100;
const OBJECT_KEYWORDS: [&str; 5] = [
    "required",
    "properties",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
];
const ARRAY_KEYWORDS: [&str; 5] = [
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
];
