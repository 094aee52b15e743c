//! Rules on schemas that contradict themselves.

use std::collections::HashSet;
use std::ops::ControlFlow;

use toolsure_json::{
    Key as _, Kind, Node as _, Unmetered, View, equal_values, first_duplicate, quote,
};
use toolsure_syntax::positions::each_subschema;
use toolsure_syntax::{Dialect, Keyword};

use crate::bounds::{Bound, End};
use crate::lint::out::Out;
use crate::lint::tool::{Side, Step, Subschema, Tool, span};

/// TL040: bounds that exclude every value.
pub(crate) fn ranges<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let bound = |end| Bound::of(sub.dialect, end, |keyword| sub.get(keyword));
    if let (Some(least), Some(most)) = (bound(End::Lower), bound(End::Upper)) {
        let order = least.value.number().compare(&most.value.number());
        let is_open = least.is_exclusive || most.is_exclusive;
        if order.is_gt() || (is_open && order.is_eq()) {
            let (low, high) = ((least.keyword, least.value), (most.keyword, most.value));
            empty_range(tool, sub, low, high, out);
        }
    }
    for (low, high) in COUNTS {
        let number = |name: &str| sub.get(name).filter(|value| value.kind() == Kind::Number);
        let (Some(least), Some(most)) = (number(low), number(high)) else {
            continue;
        };
        // The two only say how many items match `contains`.
        let counts = low != "minContains" || sub.has("contains");
        if counts && least.number().compare(&most.number()).is_gt() {
            empty_range(tool, sub, (low, least), (high, most), out);
        }
    }
}

fn empty_range<'a>(
    tool: &Tool<'a>,
    sub: &Subschema<'a>,
    (low, least): (&str, View<'a>),
    (high, most): (&str, View<'a>),
    out: &mut Out<'_>,
) {
    let message = format!(
        "no value fits: `{low}` is {} and `{high}` is {}",
        quote(least.raw(), 40),
        quote(most.raw(), 40)
    );
    out.find(tool.at(sub, low), message);
}

/// TL041: an empty enum.
pub(crate) fn empty_enum<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub
        .get("enum")
        .is_some_and(|list| list.kind() == Kind::Array && list.is_empty())
    {
        out.find(tool.at(sub, "enum"), "no value fits: `enum` is empty")
            .help("list the allowed values, or leave `enum` out");
    }
}

/// TL042: values of `enum` and `const` that `type` does not allow.
pub(crate) fn enum_types<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(allowed) = sub.type_set() else {
        return;
    };
    let types = sub.types();
    let allowed = |value: View<'_>| allowed.admits(value, value.kind());
    let odd: Vec<&str> = sub
        .get("enum")
        .into_iter()
        .flat_map(View::items)
        .filter(|value| !allowed(*value))
        .map(View::raw)
        .collect();
    if !odd.is_empty() {
        let message = format!(
            "`enum` has {}, which type {} refuses",
            super::list(&odd),
            super::list(&types)
        );
        out.find(tool.at(sub, "enum"), message)
            .help("take the values out, or add their type");
    }
    if let Some(value) = sub.get("const").filter(|value| !allowed(*value)) {
        let message = format!(
            "no value fits: `const` is `{}`, which type {} refuses",
            quote(value.raw(), 40),
            super::list(&types)
        );
        out.find(tool.at(sub, "const"), message);
    }
}

/// TL114: a `const` that is not in the `enum` beside it.
pub(crate) fn const_outside_enum<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let (Some(only), Some(list)) = (sub.get("const"), sub.get("enum")) else {
        return;
    };
    let is_only = |one| equal_values(only, one);
    if list.kind() == Kind::Array && !list.is_empty() && !list.items().any(is_only) {
        let message = format!(
            "no value fits: `const` is `{}`, which `enum` does not have",
            quote(only.raw(), 60)
        );
        out.find(tool.at(sub, "const"), message)
            .help("keep one of the two, or add the value to `enum`");
    }
}

/// TL115: two branches of a `oneOf` that consist only of a type, and one value has both.
pub(crate) fn overlapping<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let mut seen: Vec<&str> = Vec::new();
    let mut reported = HashSet::new();
    let branches = sub.get("oneOf").into_iter().flat_map(View::items);
    for branch in branches {
        let bare = branch
            .members()
            .all(|(key, _)| key.text() == "type" || !rejects(key.text(), sub.dialect));
        let Some(types) = branch.member("type").filter(|_| bare) else {
            continue;
        };
        let own: Vec<&str> = match types.kind() {
            Kind::String => vec![types.string()],
            _ => types.items().map(|one| one.string()).collect(),
        };
        // TL050 reports two equal branches.
        if types.raw().len() <= LONGEST_TYPES && !reported.insert(types.raw()) {
            continue;
        }
        let meets = |a: &str, b: &str| {
            a == b || matches!((a, b), ("number", "integer") | ("integer", "number"))
        };
        let shared = own.iter().find_map(|one| {
            let other = seen.iter().find(|other| meets(one, other))?;
            Some((*other, *one))
        });
        if let Some((first, second)) = shared {
            let mut place = tool.at(sub, "oneOf");
            place.span = span(branch);
            let value = if first == second { first } else { "integer" };
            let message =
                format!("every {value} fits two branches of `oneOf`, and is refused therefore");
            out.find(place, message)
                .help("write `anyOf`, or leave the narrower branch out");
            return;
        }
        // There are seven types: more entries add nothing.
        seen.extend(own.into_iter().take(FEW_TYPES));
    }
}

/// TL043: a value that is in an enum twice.
pub(crate) fn duplicate_members<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if let Some(value) = repeated(sub, "enum") {
        let message = format!("`enum` has `{}` twice", quote(value.raw(), 60));
        out.find(tool.at(sub, "enum"), message);
    }
}

/// TL050: two equal branches.
pub(crate) fn duplicate_branches<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let Some(branch) = repeated(sub, keyword) else {
            continue;
        };
        let mut place = tool.at(sub, keyword);
        place.span = span(branch);
        let message = format!("`{keyword}` has the same branch twice");
        let found = out.find(place, message);
        if keyword == "oneOf" {
            found.help("a value that fits it fits both, and `oneOf` then refuses it");
        }
    }
}

/// TL044: a property that is both required and forbidden.
pub(crate) fn required_forbidden<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for name in required(sub) {
        if forbidden(tool, sub, name.string()) {
            let mut place = tool.at(sub, "required");
            place.span = span(name);
            let message = format!(
                "no object fits: `{}` is required, and `additionalProperties` or its own schema forbids it",
                quote(name.string(), 64)
            );
            out.find(place, message)
                .help("declare it under `properties`, or take it out of `required`");
        }
    }
}

/// TL045: a property that is required but not declared.
pub(crate) fn required_undeclared<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let names = required(sub);
    if names.is_empty() {
        return;
    }
    let mut top = sub;
    while let Some(parent) = tool.parent(top).filter(|_| top.in_place()) {
        top = parent;
    }
    let declared = tool.declared(top.view, || {
        let mut declared = HashSet::new();
        declarations(top.view, &mut BRANCHES.clone(), &mut declared).then_some(declared)
    });
    let Some(declared) = declared.filter(|declared| !declared.is_empty()) else {
        return;
    };
    for name in names {
        if declared.contains(name.string()) || forbidden(tool, sub, name.string()) {
            continue;
        }
        if out.is_only_counted() {
            continue;
        }
        let mut place = tool.at(sub, "required");
        place.span = span(name);
        let message = format!(
            "`{}` is required and not declared under `properties`",
            quote(name.string(), 64)
        );
        let near = tool.closest(name.string(), declared.iter().copied());
        let help = near.map_or_else(
            || "declare it, so that a model knows what to put there".to_owned(),
            |near| format!("did you mean `{}`?", quote(near, 64)),
        );
        out.find(place, message).help(help);
    }
}

/// TL048: a default that is never used.
pub(crate) fn default_on_required<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let (Some(name), Some(parent)) = (sub.property(), tool.parent(sub)) else {
        return;
    };
    if sub.has("default") && tool.required(parent).contains(name) {
        let message = format!("`{}` has a default and is required", quote(name, 64));
        out.find(tool.at(sub, "default"), message)
            .help("take it out of `required`, or drop the default");
    }
}

/// TL049: a union with a branch that accepts everything, so that it restricts nothing.
pub(crate) fn accepts_all<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    // Nobody has to guess the values that a server returns.
    let Some(branches) = sub.get("anyOf").filter(|_| sub.side == Side::Input) else {
        return;
    };
    let empty = branches.items().position(|branch| match branch.kind() {
        Kind::Boolean => branch.boolean(),
        Kind::Object => !branch
            .members()
            .any(|(key, _)| rejects(key.text(), sub.dialect)),
        _ => false,
    });
    if let Some(index) = empty {
        let message =
            format!("branch {index} of `anyOf` accepts everything, so the others say nothing");
        out.find(tool.at(sub, "anyOf"), message)
            .help("say what the value is, or leave the `anyOf` out");
    }
}

/// TL051: definitions that nothing refers to.
pub(crate) fn unused(tool: &Tool<'_>, out: &mut Out<'_>) {
    for sub in &tool.unused {
        let Step::Name(name) = sub.step else {
            continue;
        };
        let message = format!("nothing refers to the definition `{}`", quote(name, 64));
        out.find(tool.place(sub), message);
    }
}

/// Whether a member of a schema can reject a value in this dialect.
fn rejects(name: &str, dialect: Dialect) -> bool {
    Keyword::from_name(name).is_some_and(|known| known.can_reject() && known.is_in(dialect))
}

/// The second of two equal items of a keyword's list.
fn repeated<'a>(sub: &Subschema<'a>, keyword: &str) -> Option<View<'a>> {
    let list = sub.get(keyword)?;
    match first_duplicate(list, &mut Unmetered) {
        ControlFlow::Continue(found) => list.item(found?.1),
        ControlFlow::Break(never) => match never {},
    }
}

fn required<'a>(sub: &Subschema<'a>) -> Vec<View<'a>> {
    let names = sub.get("required").into_iter().flat_map(View::items);
    names.filter(|name| name.kind() == Kind::String).collect()
}

fn forbidden<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, name: &str) -> bool {
    let is_false = |schema: View<'_>| schema.kind() == Kind::Boolean && !schema.boolean();
    let declared = sub.get("properties").and_then(|all| tool.member(all, name));
    match declared {
        Some(schema) => is_false(schema),
        None => {
            sub.get("additionalProperties").is_some_and(is_false) && !by_pattern(tool, sub, name)
        }
    }
}

fn by_pattern<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, name: &str) -> bool {
    let mut patterns = sub
        .get("patternProperties")
        .into_iter()
        .flat_map(View::members);
    patterns.any(|(key, _)| tool.matches(key.text(), name) != Some(false))
}

/// Collects the properties that a schema and its branches declare; `false` if some may be declared in a
/// place that this does not search.
fn declarations<'a>(schema: View<'a>, left: &mut usize, names: &mut HashSet<&'a str>) -> bool {
    let Some(less) = left.checked_sub(1) else {
        return false;
    };
    *left = less;
    let open = |value: View<'_>| value.kind() == Kind::Object && !value.is_empty();
    let elsewhere = ["$ref", "$dynamicRef", "$recursiveRef", "patternProperties"]
        .iter()
        .any(|keyword| schema.member(keyword).is_some());
    if elsewhere || schema.member("additionalProperties").is_some_and(open) {
        return false;
    }
    for (key, _) in schema
        .member("properties")
        .into_iter()
        .flat_map(View::members)
    {
        names.insert(key.text());
    }
    let mut known = true;
    each_subschema(schema, |keyword, branch| {
        let in_place = Keyword::from_name(keyword).is_some_and(Keyword::is_in_place);
        known = known && (!in_place || declarations(branch, left, names));
    });
    known
}

/// Branches of one object that are searched for declarations, including nested ones.
const BRANCHES: usize = 100;

/// Bytes of a branch's `type`; all seven names need 70.
const LONGEST_TYPES: usize = 200;
/// Types of a branch that are considered.
const FEW_TYPES: usize = 7;

/// Lower and upper bounds of a count.
const COUNTS: [(&str, &str); 4] = [
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
];
