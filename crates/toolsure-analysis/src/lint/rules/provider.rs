//! Rules on what some readers do not accept: model providers and older clients. They read the text of a
//! schema and do not ask for its dialect, and so do these rules.

use toolsure_json::{Key as _, Kind, Node as _, View, quote};
use toolsure_syntax::reference::Target;

use crate::lint::out::Out;
use crate::lint::tool::{Side, Subschema, Tool, span};

/// TL080: a union at the root, which both big providers reject.
pub(crate) fn root_choice<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if !sub.is_root() || sub.side != Side::Input {
        return;
    }
    for keyword in ["anyOf", "oneOf", "allOf", "not", "enum"] {
        if sub.has_member(keyword) {
            let message = format!("`{keyword}` at the root of the input schema");
            out.find(tool.key(sub, keyword), message)
                .help("OpenAI and Anthropic refuse the tool; split it, or check in the handler and say so in the description");
        }
    }
}

/// TL082: names of parameters for which model providers reject the whole request. They check only the root.
pub(crate) fn property_names<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input || !sub.is_root() {
        return;
    }
    for (key, _) in sub.member("properties").into_iter().flat_map(View::members) {
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

/// TL084: keywords beside `$ref`, in what OpenAI's strict mode reads.
pub(crate) fn ref_siblings<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side == Side::Input && sub.has_member("$ref") && sub.view.len() > 1 && !sub.is_root() {
        out.find(tool.key(sub, "$ref"), "`$ref` has keywords beside it")
            .help("OpenAI's strict mode refuses them; move them into the definition");
    }
}

/// TL085: several types in one `type`.
pub(crate) fn type_array<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub
        .member("type")
        .is_some_and(|one| one.kind() == Kind::Array)
    {
        out.find(tool.at(sub, "type"), "`type` is an array")
            .help("some providers and older clients take one name only; choose one, or make an argument optional instead of null");
    }
}

/// TL086: an optional argument as a union with null.
pub(crate) fn optional_null<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let (Some(branches), Some(name)) = (sub.member("anyOf"), sub.property()) else {
        return;
    };
    let required = tool
        .parent(sub)
        .is_some_and(|parent| tool.required(parent).contains(name));
    if sub.side != Side::Input || required {
        return;
    }
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

/// TL087: keywords that OpenAI's strict mode does not support.
pub(crate) fn openai_keywords<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    foreign(tool, sub, "does not support", out);
}

/// TL088: what OpenAI's strict mode requires of every object.
pub(crate) fn openai_closed<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input || !is_object(sub) {
        return;
    }
    if !is_closed(sub) {
        out.find(
            tool.place(sub),
            "the object does not say `\"additionalProperties\": false`",
        )
        .help("OpenAI's strict mode wants it on every object");
    }
    let required = tool.required(sub);
    let optional: Vec<&str> = sub
        .member("properties")
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

/// TL089: keywords that Anthropic's strict mode does not support.
pub(crate) fn anthropic_keywords<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    foreign(tool, sub, "does not support", out);
    if sub.side != Side::Input {
        return;
    }
    let several = sub.member("minItems").filter(|least| {
        least.kind() == Kind::Number && least.number().as_i64().is_none_or(|n| n > 1)
    });
    if several.is_some() {
        let message = "Anthropic's strict mode does not support a `minItems` over 1";
        out.find(tool.at(sub, "minItems"), message)
            .help("say it in the description and check it in the handler");
    }
    let mut members = sub.member("enum").into_iter().flat_map(View::items);
    if members.any(|one| matches!(one.kind(), Kind::Object | Kind::Array)) {
        let message = "Anthropic's strict mode does not support objects and arrays in `enum`";
        out.find(tool.at(sub, "enum"), message)
            .help("say it in the description and check it in the handler");
    }
}

/// TL090: a schema that contains itself.
pub(crate) fn recursive<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if !sub.has("$ref") {
        return;
    }
    let Some(Target::Schema(target)) = tool.references().target(sub) else {
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

/// TL091: a property whose schema is `true` or `false`.
pub(crate) fn boolean_property<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.property().is_some() && sub.view.kind() == Kind::Boolean {
        out.find(tool.place(sub), "the property's schema is a boolean")
            .help("older clients lose the whole listing over it; write `{}` for true, `{\"not\": {}}` for false");
    }
}

/// TL092: an output schema that does not describe an object.
pub(crate) fn output_root<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.is_root() && sub.side == Side::Output && text(sub, "type") != Some("object") {
        out.find(tool.place(sub), "the output schema's root is not `\"type\": \"object\"`")
            .help("clients before 2026-07-28 refuse it, some the whole listing; wrap it, or let a gateway do so");
    }
}

/// TL098: formats that a provider does not accept.
pub(crate) fn formats<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(format) = text(sub, "format").filter(|_| sub.side == Side::Input) else {
        return;
    };
    let refusing = out
        .readers()
        .filter(|reader| reader.formats.is_some_and(|takes| !takes.contains(&format)));
    let readers: Vec<&str> = refusing.map(|reader| reader.reader).collect();
    if !readers.is_empty() {
        let message = format!(
            "{} refuse{} the format `{}`, and with it the whole request",
            readers.join(" and "),
            if readers.len() == 1 { "s" } else { "" },
            quote(format, 64)
        );
        out.find(tool.at(sub, "format"), message)
            .help("say it in the description and check it in the handler");
    }
}

/// TL099: keywords that Gemini's function declarations do not support.
pub(crate) fn gemini_keywords<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    foreign(tool, sub, "refuses", out);
}

/// TL100: what Gemini requires of types, unions and enums.
pub(crate) fn gemini_shapes<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input || sub.view.kind() != Kind::Object {
        return;
    }
    if sub.has_member("anyOf") {
        let others: Vec<&str> = sub
            .view
            .members()
            .map(|(key, _)| key.text())
            .filter(|name| *name != "anyOf" && !ANNOTATIONS.contains(name))
            .collect();
        if sub.keyword == "items" {
            out.find(tool.key(sub, "anyOf"), "Gemini refuses `anyOf` in `items`")
                .help("give the items one type, and say in the description what they may be");
        } else if !others.is_empty() {
            let message = format!("Gemini refuses {} beside `anyOf`", super::list(&others));
            out.find(tool.key(sub, "anyOf"), message)
                .help("move it into each branch");
        }
    } else if !sub.has_member("type")
        && !sub.has_member("$ref")
        && (sub.property().is_some() || sub.keyword == "items")
        && !out.is_only_counted()
    {
        out.find(tool.place(sub), "Gemini refuses a schema without `type`")
            .help("write the type");
    }
    let strings = |one: View<'_>| one.kind() == Kind::String && !one.string().is_empty();
    if let Some(odd) = sub
        .member("enum")
        .into_iter()
        .flat_map(View::items)
        .find(|one| !strings(*one))
    {
        let message = format!("Gemini refuses `{}` in `enum`", quote(odd.raw(), 40));
        out.find(tool.at(sub, "enum"), message).help(
            "its enums have strings that are not empty; list other values in the description",
        );
    }
}

/// TL101: what Anthropic's strict mode requires of every object.
pub(crate) fn anthropic_closed<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side == Side::Input && is_object(sub) && !is_closed(sub) {
        let place = tool.at(sub, "additionalProperties");
        out.find(
            place,
            "the object does not say `\"additionalProperties\": false`",
        )
        .help("Anthropic's strict mode wants it on every object");
    }
}

/// TL103: keywords that a llama.cpp grammar does not enforce.
pub(crate) fn llama_keywords<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    foreign(tool, sub, "ignores", out);
    if sub.side != Side::Input {
        return;
    }
    let help = "say it in the description too and check it in the handler";
    if text(sub, "type") == Some("number") {
        let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
        let found: Vec<&str> = bounds
            .into_iter()
            .filter(|bound| sub.has_member(bound))
            .collect();
        if let Some(first) = found.first() {
            let message = format!("llama.cpp ignores {} of a `number`", super::list(&found));
            out.find(tool.key(sub, first), message).help(help);
        }
    }
    let choice = ["anyOf", "oneOf"]
        .into_iter()
        .find(|choice| sub.has_member(choice));
    if let Some(choice) = choice.filter(|_| sub.has_member("properties")) {
        let message = format!("llama.cpp does not combine `properties` with `{choice}`");
        out.find(tool.key(sub, choice), message)
            .help("put the properties into each branch");
    }
    let unknown = out
        .readers()
        .filter_map(|reader| reader.formats)
        .find_map(|takes| text(sub, "format").filter(|format| !takes.contains(format)));
    if let Some(format) = unknown {
        let message = format!("llama.cpp ignores the format `{}`", quote(format, 64));
        out.find(tool.at(sub, "format"), message).help(help);
    }
}

/// TL104: patterns that llama.cpp cannot turn into a grammar.
pub(crate) fn llama_pattern<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(pattern) = text(sub, "pattern").filter(|_| sub.side == Side::Input) else {
        return;
    };
    let why = if !(pattern.starts_with('^') && pattern.ends_with('$')) {
        "a pattern that does not begin with `^` and end with `$`"
    } else if pattern.contains("(?") {
        "a pattern with `(?`"
    } else {
        return;
    };
    out.find(
        tool.at(sub, "pattern"),
        format!("llama.cpp has no grammar for {why}"),
    )
    .help("write the whole string's pattern, as `^…$` without lookaround");
}

/// Keywords of the input schema that a reader does not accept, in one finding for each subschema.
fn foreign<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, verb: &str, out: &mut Out<'_>) {
    if sub.side != Side::Input {
        return;
    }
    for reader in out.readers() {
        let names = sub.view.members().map(|(key, _)| key.text());
        let odd: Vec<&str> = names.filter(|name| !reader.keywords.has(name)).collect();
        if let Some(first) = odd.first() {
            if out.is_only_counted() {
                continue;
            }
            let message = format!("{} {verb} {}", reader.reader, super::list(&odd));
            out.find(tool.key(sub, first), message)
                .help("say it in the description and check it in the handler");
        }
    }
}

/// The value of a member, if it is a string.
fn text<'a>(sub: &Subschema<'a>, name: &str) -> Option<&'a str> {
    let value = sub.member(name)?;
    (value.kind() == Kind::String).then(|| value.string())
}

fn is_object(sub: &Subschema<'_>) -> bool {
    let is_object = |name: View<'_>| name.string() == "object";
    let has_type = sub.member("type").is_some_and(|value| match value.kind() {
        Kind::String => is_object(value),
        _ => value.items().any(is_object),
    });
    has_type || (!sub.has_member("type") && sub.has_member("properties"))
}

fn is_closed(sub: &Subschema<'_>) -> bool {
    sub.member("additionalProperties")
        .is_some_and(|value| value.kind() == Kind::Boolean && !value.boolean())
}

/// Keywords that Gemini accepts beside `anyOf`.
const ANNOTATIONS: [&str; 6] = [
    "title",
    "description",
    "default",
    "nullable",
    "example",
    "$schema",
];
