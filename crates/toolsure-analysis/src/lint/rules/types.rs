//! Rules on what a schema leaves unspecified.

use toolsure_json::{Kind, Node as _, quote};

use super::words_of_name;
use crate::lint::finding::{Edit, Safety};
use crate::lint::out::Out;
use crate::lint::tool::{Side, Subschema, Tool, span};
use crate::readers::Fact;
use crate::tool::HEADER;

/// TL061: an argument that may be any value.
pub(crate) fn untyped<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(name) = sub.property().filter(|_| sub.side == Side::Input) else {
        return;
    };
    let bare = match sub.view.kind() {
        Kind::Boolean => sub.view.boolean(),
        _ => !SAY_SOMETHING.iter().any(|keyword| sub.has(keyword)),
    };
    let declared_above = tool.parent(sub).is_some_and(Subschema::in_place);
    // Who writes that any value is taken has not forgotten the type.
    let about = sub.text("description").unwrap_or_default().to_lowercase();
    let is_any = ["any json", "any value", "any type"];
    let is_any = is_any.iter().any(|phrase| about.contains(phrase));
    if bare && !declared_above && !is_any && !out.is_only_counted() {
        let message = format!("`{}` has no type; a model has to guess", quote(name, 64));
        out.find(tool.place(sub), message);
    }
}

/// TL062: an object argument whose members are not described.
pub(crate) fn opaque<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(name) = sub.property().filter(|_| sub.side == Side::Input) else {
        return;
    };
    let members = [
        "properties",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
        "enum",
        "const",
    ];
    // A longer description tells a model what to write there.
    let is_explained = sub
        .text("description")
        .is_some_and(|text| text.len() >= ENOUGH_TEXT);
    if !is_explained && sub.is("object") && !members.iter().any(|keyword| sub.has(keyword)) {
        let message = format!(
            "`{}` is an object, and nothing says what it holds",
            quote(name, 64)
        );
        out.find(tool.place(sub), message).help(
            "declare its `properties`, or `additionalProperties: true` if it may hold anything",
        );
    }
}

/// TL063: an array without a schema for its items.
pub(crate) fn no_items<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let array = sub.types().contains(&"array");
    // What is said of items elsewhere; no other keyword takes the place of `items` for the readers that require it.
    let said = ["items", "prefixItems", "$ref", "allOf"];
    if array && sub.side == Side::Input && !said.iter().any(|keyword| sub.has(keyword)) {
        let broken = out.broken(|fact| matches!(fact, Fact::ArrayItems));
        out.find_broken(
            tool.place(sub),
            "the array has no `items`",
            &broken,
            "write `items`, so that a model has not to guess",
        );
    }
}

/// TL106: an array whose items are listed one by one.
pub(crate) fn tuples<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input {
        return;
    }
    if sub.has_member("prefixItems") && !sub.has_member("items") {
        let broken = out.broken(|fact| matches!(fact, Fact::TupleItems));
        out.find_broken(
            tool.key(sub, "prefixItems"),
            "`prefixItems` without `items`",
            &broken,
            "write `items` too: `false`, or the schema of the other items",
        );
    }
    if sub
        .member("items")
        .is_some_and(|items| items.kind() == Kind::Array)
    {
        let broken = out.broken(|fact| matches!(fact, Fact::NoItemsArray));
        out.find_broken(
            tool.key(sub, "items"),
            "`items` is an array of schemas",
            &broken,
            "write `prefixItems`, or one schema for all items",
        );
    }
}

/// TL064: a count that may have a fraction.
pub(crate) fn integer_as_number<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(name) = sub
        .property()
        .filter(|_| sub.side == Side::Input && sub.is("number"))
    else {
        return;
    };
    let fraction = |keyword: &str| {
        sub.get(keyword)
            .is_some_and(|value| value.kind() == Kind::Number && !value.number().is_integer())
    };
    let stepped = ["multipleOf", "default", "minimum", "maximum"];
    let words = words_of_name(name);
    let last = words.last().map(String::as_str).unwrap_or_default();
    let counts = COUNTS.contains(&last)
        || words.windows(2).any(|pair| {
            matches!(pair, [a, b] if (a == "max" || a == "page" || a == "batch") && ["results", "items", "size", "rows", "number"].contains(&b.as_str()))
        });
    let text = sub.text("description").unwrap_or_default();
    let measures = MEASURES.iter().any(|unit| text.contains(unit));
    if counts && !measures && !stepped.iter().any(|keyword| fraction(keyword)) {
        let edit = sub.get("type").map(|value| Edit {
            span: span(value),
            text: "\"integer\"".to_owned(),
        });
        let message = format!(
            "`{}` is a whole number by its name, and `number` allows fractions",
            quote(name, 64)
        );
        out.find(tool.at(sub, "type"), message)
            .help("write `\"type\": \"integer\"`")
            .fix(Safety::Unsafe, edit.map(|edit| vec![edit]));
    }
}

/// Bytes of a description that is long enough to describe an object.
const ENOUGH_TEXT: usize = 40;
const COUNTS: [&str; 14] = [
    "count", "limit", "page", "offset", "index", "port", "retries", "depth", "days", "lines",
    "results", "rows", "skip", "items",
];
/// Words in a description that show that a value is measured, not counted: a speed index in milliseconds.
const MEASURES: [&str; 5] = ["milliseconds", "seconds", "percent", "ratio", "score"];
const SAY_SOMETHING: [&str; 16] = [
    "type",
    "enum",
    "const",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "properties",
    "items",
    "pattern",
    "format",
    HEADER,
];
