//! Rules on what some readers cannot take: model providers and older clients.

use toolgate_json::{Key as _, Kind, Node as _, View, quote};

use crate::lint::out::Out;
use crate::lint::tool::{Side, Sub, Tool, span};

/// TG080: a choice at the root, which both big providers refuse.
pub(crate) fn root_choice<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    if !sub.is_root() || sub.side != Side::Input {
        return;
    }
    for keyword in ["anyOf", "oneOf", "allOf", "not", "enum"] {
        if sub.has(keyword) {
            let message = format!("`{keyword}` at the root of the input schema");
            out.find(tool.key(sub, keyword), message)
                .help("OpenAI and Anthropic refuse the tool; split it, or check in the handler and say so in the description");
        }
    }
}

/// TG082: property names that model providers refuse, and with them the whole request.
pub(crate) fn property_names<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input {
        return;
    }
    for (key, _) in sub.get("properties").into_iter().flat_map(View::members) {
        let name = key.text();
        let fits = (1..=64).contains(&name.len())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
        if !fits {
            let mut place = tool.at(sub, "properties");
            place.span = span(key.view());
            let message = format!(
                "model providers refuse the property name `{}`",
                quote(name, 80)
            );
            out.find(place, message)
                .help("use 1 to 64 of the characters `A-Z a-z 0-9 _ . -`");
        }
    }
}

/// TG084: keywords beside `$ref`.
pub(crate) fn ref_siblings<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    if sub.has("$ref") && sub.view.len() > 1 && !sub.is_root() {
        out.find(tool.key(sub, "$ref"), "`$ref` has keywords beside it")
            .help("OpenAI's strict mode refuses them; move them into the definition");
    }
}

/// TG085: several types in one `type`.
pub(crate) fn type_array<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    if sub.get("type").is_some_and(|one| one.kind() == Kind::Array) {
        out.find(tool.at(sub, "type"), "`type` is an array")
            .help("some providers and older clients take one name only; write an `anyOf`");
    }
}

/// TG086: an optional argument as a choice with null.
pub(crate) fn optional_null<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    let Some(branches) = sub
        .get("anyOf")
        .filter(|_| sub.side == Side::Input && sub.property().is_some())
    else {
        return;
    };
    let null = |branch: View<'_>| {
        branch
            .member("type")
            .is_some_and(|one| one.string() == "null")
    };
    if branches.len() == 2 && branches.items().any(null) {
        out.find(
            tool.at(sub, "anyOf"),
            "an optional argument is written as a choice with null",
        )
        .help("leave it out of `required` and drop the null; some providers mangle the choice");
    }
}

/// TG087: what OpenAI's strict mode does not know.
pub(crate) fn openai_keywords<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    unsupported(tool, sub, &OPENAI_LACKS, "OpenAI's strict mode", out);
}

/// TG088: what OpenAI's strict mode demands of every object.
pub(crate) fn openai_closed<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input || !sub.types().contains(&"object") {
        return;
    }
    let closed = sub
        .get("additionalProperties")
        .is_some_and(|value| value.kind() == Kind::Boolean && !value.boolean());
    if !closed {
        out.find(
            tool.place(sub),
            "the object does not say `\"additionalProperties\": false`",
        )
        .help("OpenAI's strict mode wants it on every object");
    }
    let required = tool.required(sub);
    let optional: Vec<&str> = sub
        .get("properties")
        .into_iter()
        .flat_map(View::members)
        .map(|(key, _)| key.text())
        .filter(|name| !required.contains(name))
        .collect();
    if !optional.is_empty() {
        let message = format!("{} not required", super::list(&optional));
        out.find(tool.place(sub), message)
            .help("OpenAI's strict mode wants every property required; let optional ones be null");
    }
}

/// TG089: what Anthropic's strict mode does not know.
pub(crate) fn anthropic_keywords<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    unsupported(tool, sub, &ANTHROPIC_LACKS, "Anthropic's strict mode", out);
}

/// TG090: a schema that contains itself.
pub(crate) fn recursive<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    let Some(target) = sub.text("$ref").and_then(|text| text.strip_prefix('#')) else {
        return;
    };
    let whole = format!("/{}{target}", sub.side.member());
    let Some(target) = tool.at_pointer(&whole) else {
        return;
    };
    let mut at = Some(sub);
    while let Some(around) = at {
        if around.view.id() == target.id() {
            out.find(tool.at(sub, "$ref"), "the schema contains itself")
                .help("Anthropic's strict mode refuses recursion; unroll it to the depth you need");
            return;
        }
        at = tool.parent(around);
    }
}

/// TG091: a property whose schema is `true` or `false`.
pub(crate) fn boolean_property<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    if sub.property().is_some() && sub.view.kind() == Kind::Boolean {
        out.find(tool.place(sub), "the property's schema is a boolean")
            .help("older clients lose the whole listing over it; write `{}` for true, `{\"not\": {}}` for false");
    }
}

/// TG092: an output that is no object.
pub(crate) fn output_root<'a>(tool: &Tool<'a>, sub: &Sub<'a>, out: &mut Out<'_>) {
    if sub.is_root() && sub.side == Side::Output && !sub.is("object") {
        out.find(tool.place(sub), "the output schema's root is not `\"type\": \"object\"`")
            .help("clients before 2026-07-28 refuse it, some the whole listing; wrap it, or let a gateway do so");
    }
}

/// TG094: sizes over OpenAI's bounds.
pub(crate) fn openai_size(tool: &Tool<'_>, out: &mut Out<'_>) {
    let input = || tool.subs.iter().filter(|sub| sub.side == Side::Input);
    let properties = input().filter(|sub| sub.property().is_some()).count();
    let members = input().fold(0_usize, |sum, sub| {
        sum.saturating_add(sub.get("enum").map_or(0, |list| list.len()))
    });
    let mut deepest = 0;
    for sub in input() {
        let mut levels = 0_usize;
        let mut at = Some(sub);
        while let Some(around) = at {
            levels = levels.saturating_add(usize::from(around.property().is_some()));
            at = tool.parent(around);
        }
        deepest = deepest.max(levels);
    }
    for (what, found, most) in [
        ("properties", properties, 5_000),
        ("enum members", members, 1_000),
        ("levels of properties", deepest, 10),
    ] {
        if found > most {
            let message = format!(
                "the input schema has {found} {what}, more than the {most} that OpenAI takes"
            );
            out.find(tool.member_place(Side::Input.member()), message);
        }
    }
}

fn unsupported<'a>(tool: &Tool<'a>, sub: &Sub<'a>, lacks: &[&str], who: &str, out: &mut Out<'_>) {
    if sub.side != Side::Input {
        return;
    }
    let odd: Vec<&str> = sub
        .view
        .members()
        .map(|(key, _)| key.text())
        .filter(|name| lacks.contains(name))
        .collect();
    if let Some(first) = odd.first() {
        let message = format!("{who} does not support {}", super::list(&odd));
        out.find(tool.key(sub, first), message)
            .help("say it in the description and check it in the handler");
    }
}

const OPENAI_LACKS: [&str; 16] = [
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "contains",
    "default",
];
const ANTHROPIC_LACKS: [&str; 15] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
];
