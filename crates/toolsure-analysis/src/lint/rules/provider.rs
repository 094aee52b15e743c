//! Rules on what some readers do not take in a schema. Each compares a schema with a kind of fact; the
//! readers, and what they do, are in the [table of readers](crate::readers). They read the text of a schema
//! and do not ask for its dialect, and so do these rules.

use toolsure_json::{Key as _, Kind, Node as _, View, quote};
use toolsure_syntax::reference::Target;

use crate::lint::finding::{Edit, Safety};
use crate::lint::out::Out;
use crate::lint::tool::{Side, Subschema, Tool, span};
use crate::readers::{Fact, Limit};

/// TL080: keywords that the root of an input schema must not have.
pub(crate) fn root_choice<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if !sub.is_root() || sub.side != Side::Input {
        return;
    }
    for (key, _) in sub.view.members() {
        let keyword = key.text();
        let broken =
            out.broken(|fact| matches!(fact, Fact::RootWithout(lacks) if lacks.contains(&keyword)));
        let message = || format!("`{}` at the root of the input schema", quote(keyword, 40));
        if !broken.is_empty() {
            let advice = "split the tool, or check in the handler and say so in the description";
            out.find_broken(tool.key(sub, keyword), message(), &broken, advice);
        }
    }
}

/// TL105: a root without `properties`.
pub(crate) fn root_properties<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let is_object = sub.view.kind() == Kind::Object && is_object(sub);
    if !sub.is_root() || sub.side != Side::Input || !is_object || sub.has_member("properties") {
        return;
    }
    let broken = out.broken(|fact| matches!(fact, Fact::RootProperties));
    let start = span(sub.view).start.saturating_add(1);
    let comma = if sub.view.is_empty() { "" } else { ", " };
    let edit = Edit {
        span: start..start,
        text: format!("\"properties\": {{}}{comma}"),
    };
    out.find_broken(
        tool.place(sub),
        "the input schema has no `properties`",
        &broken,
        "write `\"properties\": {}`, which accepts the same",
    )
    .map(|finding| finding.fix(Safety::Safe, Some(vec![edit])));
}

/// TL082: names of parameters, of which readers check those at the root.
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
            let message = format!("the property name `{}`", quote(name, 80));
            let broken = out.broken(|fact| matches!(fact, Fact::PropertyNames));
            let advice = "use 1 to 64 of the characters `A-Z a-z 0-9 _ . -`";
            out.find_broken(place, message, &broken, advice);
        }
    }
}

/// TL084: keywords beside `$ref`, and references to other places than definitions.
pub(crate) fn references<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(reference) = text(sub, "$ref").filter(|_| sub.side == Side::Input) else {
        return;
    };
    if sub.view.len() > 1 && !sub.is_root() {
        let broken = out.broken(|fact| matches!(fact, Fact::NoReferenceSiblings));
        let advice = "move them into the definition";
        out.find_broken(
            tool.key(sub, "$ref"),
            "`$ref` has keywords beside it",
            &broken,
            advice,
        );
    }
    let broken = out.broken(
        |fact| matches!(fact, Fact::ReferencesBelow(start) if !reference.starts_with(start)),
    );
    let message = format!("the reference `{}`", quote(reference, 80));
    out.find_broken(
        tool.at(sub, "$ref"),
        message,
        &broken,
        "put the definition under `$defs`",
    );
}

/// TL085: several types in one `type`.
pub(crate) fn type_array<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub
        .member("type")
        .is_some_and(|one| one.kind() == Kind::Array)
    {
        let broken = out.broken_by(sub.side, |fact| matches!(fact, Fact::OneType));
        let advice = "choose one name, or make an argument optional instead of null";
        out.find_broken(tool.at(sub, "type"), "`type` is an array", &broken, advice);
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
        let broken = out.broken(|fact| matches!(fact, Fact::NoOptionalNull));
        out.find_broken(
            tool.at(sub, "anyOf"),
            "an optional argument is written as a choice with null",
            &broken,
            "leave it out of `required` and drop the null",
        );
    }
}

/// TL087: keywords that a reader does not take, in one finding of a reader for each subschema.
pub(crate) fn keywords<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input {
        return;
    }
    for broken in out.broken(|fact| matches!(fact, Fact::Keywords(_))) {
        let Fact::Keywords(keywords) = broken.1.fact else {
            continue;
        };
        let names = sub.view.members().map(|(key, _)| key.text());
        let odd: Vec<&str> = names.filter(|name| !keywords.has(name)).collect();
        if let Some(first) = odd.first() {
            if out.is_only_counted() {
                continue;
            }
            let verb = if odd.len() == 1 { "is" } else { "are" };
            let message = format!("{} {verb} not supported", super::list(&odd));
            out.find_broken(tool.key(sub, first), message, &[broken], HANDLER);
        }
    }
}

/// TL088: objects that are open, and properties that are optional.
pub(crate) fn closed<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input || !is_object(sub) {
        return;
    }
    if !is_closed(sub) {
        let broken = out.broken(|fact| matches!(fact, Fact::Closed));
        out.find_broken(
            tool.at(sub, "additionalProperties"),
            "the object does not say `\"additionalProperties\": false`",
            &broken,
            "write it on every object",
        );
    }
    let broken = out.broken(|fact| matches!(fact, Fact::AllRequired));
    if broken.is_empty() {
        return;
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
        let advice = "require every property, and let optional ones be null";
        out.find_broken(tool.place(sub), message, &broken, advice);
    }
}

/// TL089: values of keywords that a reader does not take.
pub(crate) fn values<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input || sub.view.kind() != Kind::Object {
        return;
    }
    let members = || sub.member("enum").into_iter().flat_map(View::items);
    let is_odd = |fact: &Fact, one: View<'_>| match fact {
        Fact::EnumStrings => one.kind() != Kind::String || one.string().is_empty(),
        Fact::EnumScalars => matches!(one.kind(), Kind::Object | Kind::Array),
        _ => false,
    };
    let broken = out.broken(|fact| members().any(|one| is_odd(fact, one)));
    let odd = members().find(|one| broken.iter().any(|(_, fact)| is_odd(&fact.fact, *one)));
    if let Some(odd) = odd {
        let message = format!("`{}` in `enum`", quote(odd.raw(), 40));
        let advice = "list such values in the description and check them in the handler";
        out.find_broken(tool.at(sub, "enum"), message, &broken, advice);
    }
    for keyword in ["minLength", "maxLength", "minItems", "maxItems"] {
        let Some(bound) = sub.member(keyword).filter(|one| one.kind() == Kind::Number) else {
            continue;
        };
        let bound = bound.number().as_i64().unwrap_or(i64::MAX);
        let broken = out.broken(|fact| match fact {
            Fact::Limit(Limit::MinItems(most)) if keyword == "minItems" => is_over(bound, *most),
            Fact::Limit(Limit::Repetitions(most)) => is_over(bound, *most),
            _ => false,
        });
        let message = format!("a `{keyword}` of {bound}");
        out.find_broken(tool.at(sub, keyword), message, &broken, HANDLER);
    }
    if text(sub, "type") == Some("number") {
        let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
        let found: Vec<&str> = bounds
            .into_iter()
            .filter(|bound| sub.has_member(bound))
            .collect();
        if let Some(first) = found.first() {
            let broken = out.broken(|fact| matches!(fact, Fact::NoNumberBounds));
            let message = format!("{} of a `number`", super::list(&found));
            out.find_broken(tool.key(sub, first), message, &broken, HANDLER);
        }
    }
}

fn is_over(bound: i64, most: usize) -> bool {
    usize::try_from(bound).is_ok_and(|bound| bound > most)
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
            let broken = out.broken_by(sub.side, |fact| matches!(fact, Fact::NoRecursion));
            out.find_broken(
                tool.at(sub, "$ref"),
                "the schema contains itself",
                &broken,
                "unroll it to the depth you need",
            );
            return;
        }
        at = tool.parent(around);
    }
}

/// TL091: a property whose schema is `true` or `false`.
pub(crate) fn boolean_property<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.property().is_some() && sub.view.kind() == Kind::Boolean {
        let broken = out.broken_by(sub.side, |fact| matches!(fact, Fact::NoBooleanProperties));
        out.find_broken(
            tool.place(sub),
            "the property's schema is a boolean",
            &broken,
            "write `{}` for true, `{\"not\": {}}` for false",
        );
    }
}

/// TL092: an output schema that does not describe an object.
pub(crate) fn output_root<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.is_root() && sub.side == Side::Output && text(sub, "type") != Some("object") {
        let broken = out.broken(|fact| matches!(fact, Fact::OutputObject));
        out.find_broken(
            tool.place(sub),
            "the output schema's root is not `\"type\": \"object\"`",
            &broken,
            "wrap it, or let a gateway do so",
        );
    }
}

/// TL098: formats that a reader does not take.
pub(crate) fn formats<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(format) = text(sub, "format").filter(|_| sub.side == Side::Input) else {
        return;
    };
    let broken =
        out.broken(|fact| matches!(fact, Fact::Formats(takes) if !takes.contains(&format)));
    let message = format!("the format `{}` is not supported", quote(format, 64));
    out.find_broken(tool.at(sub, "format"), message, &broken, HANDLER);
}

/// TL100: what readers require of types and unions.
pub(crate) fn shapes<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
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
        let is_item = sub.keyword == "items";
        if is_item {
            let broken = out.broken(|fact| matches!(fact, Fact::NoUnionItems));
            let advice = "give the items one type, and say in the description what they may be";
            out.find_broken(
                tool.key(sub, "anyOf"),
                "`anyOf` in `items`",
                &broken,
                advice,
            );
        }
        if !others.is_empty() {
            let broken = out.broken(|fact| match fact {
                Fact::BareUnions => !is_item,
                Fact::UnionTypesInBranches => others.contains(&"type"),
                _ => false,
            });
            let message = format!("{} beside `anyOf`", super::list(&others));
            out.find_broken(
                tool.key(sub, "anyOf"),
                message,
                &broken,
                "move it into each branch",
            );
        }
    } else if !sub.has_member("type")
        && !sub.has_member("$ref")
        && (sub.property().is_some() || sub.keyword == "items")
    {
        let broken = out.broken(|fact| matches!(fact, Fact::Typed));
        if !broken.is_empty() && !out.is_only_counted() {
            out.find_broken(
                tool.place(sub),
                "the schema has no `type`",
                &broken,
                "write the type",
            );
        }
    }
    let choice = ["anyOf", "oneOf"]
        .into_iter()
        .find(|choice| sub.has_member(choice));
    if let Some(choice) = choice.filter(|_| sub.has_member("properties")) {
        let broken = out.broken(|fact| matches!(fact, Fact::UnionsNotCombined));
        let message = format!("`properties` beside `{choice}`");
        let advice = "put the properties into each branch";
        out.find_broken(tool.key(sub, choice), message, &broken, advice);
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

/// Keywords that may stand beside a bare union.
const ANNOTATIONS: [&str; 6] = [
    "title",
    "description",
    "default",
    "nullable",
    "example",
    "$schema",
];
const HANDLER: &str = "say it in the description and check it in the handler";
