//! Rules that the engine decides: whether a schema can be compiled, and why not.

use toolsure_json::{Key as _, Kind, Node as _, View, quote};
use toolsure_schema::{CompileError, CompileErrorKind, Schema};
use toolsure_syntax::reference::Target;

use crate::argument::recognise;
use crate::lint::edit::rename_member;
use crate::lint::finding::{Edit, Safety};
use crate::lint::out::Out;
use crate::lint::severity::Severity;
use crate::lint::tool::{Place, Side, Tool, span};

/// TL016: there is an input schema, and each schema is an object or a boolean.
pub(crate) fn schemas(tool: &Tool<'_>, out: &mut Out<'_>) {
    if tool.root.kind() != Kind::Object {
        return;
    }
    for side in [Side::Input, Side::Output] {
        let member = side.member();
        match tool.root.member(member) {
            None if side == Side::Output => {}
            None => {
                let message = "the tool has no `inputSchema`";
                out.find(tool.member_place(member), message).help(
                    "for a tool that takes nothing write `{\"type\": \"object\", \"additionalProperties\": false}`",
                );
            }
            Some(schema) if schema.kind() != Kind::Object => {
                let message = format!("`{member}` must be an object, found {}", schema.kind());
                out.find(tool.member_place(member), message)
                    .help("clients refuse the tool, some the whole listing");
            }
            Some(_) => {}
        }
    }
}

/// TL017: the root of the input schema has `"type": "object"`.
pub(crate) fn root_type(tool: &Tool<'_>, out: &mut Out<'_>) {
    let Some(schema) = tool
        .schema(Side::Input)
        .filter(|schema| schema.kind() == Kind::Object)
    else {
        return;
    };
    match schema.member("type") {
        None => {
            let missing = insert_type(schema);
            let place = tool.member_place(Side::Input.member());
            // A value that a reference applies the root to need not be an object.
            let safety = match may_refer_to_root(schema) {
                true => Safety::Unsafe,
                false => Safety::Safe,
            };
            out.find(place, "the input schema's root has no `type`")
                .help("write `\"type\": \"object\"`; arguments are always an object")
                .fix(safety, Some(vec![missing]));
        }
        Some(found) if found.kind() == Kind::String && found.string() == "object" => {}
        Some(found) => {
            let place = Place {
                pointer: "/inputSchema/type".to_owned(),
                span: span(found),
            };
            let message = format!(
                "the input schema's root must have the type `\"object\"`, found `{}`",
                quote(found.raw(), 60)
            );
            out.find(place, message)
                .help("arguments are always an object; wrap another value in a property");
        }
    }
}

/// TL018: the input schema is JSON Schema, not an argument schema.
pub(crate) fn argument_schema(tool: &Tool<'_>, out: &mut Out<'_>) {
    let Some(sign) = tool.schema(Side::Input).and_then(recognise) else {
        return;
    };
    let place = Place {
        span: tool.at_pointer(sign.pointer()).map_or(0..0, span),
        pointer: sign.pointer().to_owned(),
    };
    let message = format!(
        "this looks like an argument schema, not JSON Schema: {}",
        sign.what()
    );
    out.find(place, message)
        .help("`toolsure argument-schema convert FILE` converts it to JSON Schema");
}

/// Whether a reference in `schema` may lead to its root: any except a JSON Pointer below the root.
fn may_refer_to_root(schema: View<'_>) -> bool {
    let mut waiting = vec![schema];
    while let Some(view) = waiting.pop() {
        waiting.extend(view.items());
        for (key, value) in view.members() {
            let is_reference = matches!(key.text(), "$ref" | "$dynamicRef" | "$recursiveRef");
            if is_reference && value.kind() == Kind::String && !value.string().starts_with("#/") {
                return true;
            }
            waiting.push(value);
        }
    }
    false
}

/// TL020 and TL022 to TL029: errors of the compiler, which reports as many as it can.
pub(crate) fn compile(tool: &Tool<'_>, out: &mut Out<'_>) {
    for side in [Side::Input, Side::Output] {
        let Some(schema) = tool.root.member(side.member()) else {
            continue;
        };
        if schema.kind() != Kind::Object {
            continue;
        }
        match tool.engine.lenient().compile(schema.raw().as_bytes()) {
            Ok(compiled) => {
                // A compiler that ignores such keywords has made a usable schema.
                if tool.engine.is_lenient() {
                    out.at_most(Severity::Warning);
                }
                for warning in compiled.warnings() {
                    refused(tool, side, schema, warning.error(), out);
                }
                out.at_most(Severity::Error);
                // A tree has fewer paths than it may have subschemas.
                if !tool.is_tree(side) && compiled.naive_cost() > PATHS {
                    combinatorial(tool, side, &compiled, out);
                }
            }
            Err(error) => {
                refused(tool, side, schema, &error, out);
                other_references(tool, side, schema, &error, out);
            }
        }
    }
}

/// TL113: a schema that takes exponential time in a validator that follows every path.
fn combinatorial(tool: &Tool<'_>, side: Side, compiled: &Schema, out: &mut Out<'_>) {
    let inner = compiled.costly_places(PATHS).into_iter().next();
    let pointer = format!("/{}{}", side.member(), inner.unwrap_or_default());
    let place = Place {
        span: tool.at_pointer(&pointer).map_or(0..0, span),
        pointer,
    };
    let message = format!("a validator may apply more than {PATHS} subschemas to one value");
    out.find_as("TL113", place, message).help(
        "let references and branches share less; choose a branch by one property with `const`",
    );
}

fn refused<'a>(
    tool: &Tool<'a>,
    side: Side,
    schema: View<'a>,
    error: &CompileError,
    out: &mut Out<'_>,
) {
    let start = schema.span().start;
    let whole = span(schema);
    let place = match error.document() {
        "" => Place {
            pointer: format!("/{}{}", side.member(), error.pointer()),
            span: error.span().map_or(whole, |span| {
                start.saturating_add(span.start)..start.saturating_add(span.end)
            }),
        },
        // The place is in a registered document.
        _ => Place {
            pointer: format!("/{}", side.member()),
            span: whole,
        },
    };
    let own = error.document().is_empty();
    let value = tool.at_pointer(&place.pointer).filter(|_| own);
    let code = match error.kind() {
        CompileErrorKind::UnsupportedDialect { .. } => "TL020",
        CompileErrorKind::InvalidSchema { keyword, .. } => match (keyword.as_str(), value) {
            // TL033 reports it.
            ("nullable", _) => return,
            ("exclusiveMinimum" | "exclusiveMaximum", Some(flag))
                if flag.kind() == Kind::Boolean =>
            {
                return draft4_bound(tool, keyword, flag, place, out);
            }
            ("items", Some(tuple)) if tuple.kind() == Kind::Array && !tuple.is_empty() => {
                return tuple_items(tool, tuple, place, out);
            }
            _ => "TL027",
        },
        CompileErrorKind::RefDenied { .. } => "TL024",
        CompileErrorKind::UnresolvedRef { .. } => "TL025",
        CompileErrorKind::CyclicRef { .. } => "TL026",
        CompileErrorKind::Pattern { .. } => "TL029",
        CompileErrorKind::Json { .. } | CompileErrorKind::Limit(_) => "TL028",
        _ => "TL027",
    };
    let required_flag = matches!(
        (error.kind(), value.map(View::kind)),
        (CompileErrorKind::InvalidSchema { keyword, .. }, Some(Kind::Boolean)) if keyword == "required"
    );
    let empty = value.and_then(|value| other_empty(error.kind(), value));
    let replaced = match error.kind() {
        CompileErrorKind::InvalidSchema {
            closest: Some(closest),
            ..
        } => value
            .filter(|value| value.kind() == Kind::String)
            .map(|value| (value, format!("\"{closest}\""))),
        _ => empty.map(|(value, other)| (value, other.to_owned())),
    };
    let fix = replaced.map(|(value, text)| {
        vec![Edit {
            span: span(value),
            text,
        }]
    });
    let message = match error.document() {
        "" => error.to_string(),
        uri => format!(
            "{error}, at `{}` of the document `{}`",
            quote(error.pointer(), 200),
            quote(uri, 200)
        ),
    };
    let found = out.find_as(code, place, message);
    found.help = if required_flag {
        Some(
            "list the names of required properties in the `required` of the object around it"
                .to_owned(),
        )
    } else if let Some((_, other)) = empty {
        let why = match other {
            "{}" => "PHP writes an empty array for an empty object; ",
            _ => "",
        };
        Some(format!("{why}write `{other}`"))
    } else {
        error.help()
    };
    found.setting = error.limit().map(|limit| limit.name.setting());
    let safety = match empty {
        // The schema could not be used before.
        Some(_) => Safety::Safe,
        None => Safety::Unsafe,
    };
    found.fix(safety, fix);
}

/// For an empty array where an object belongs, and the reverse: what to write instead.
fn other_empty<'a>(error: &CompileErrorKind, value: View<'a>) -> Option<(View<'a>, &'static str)> {
    let CompileErrorKind::InvalidSchema { expected, .. } = error else {
        return None;
    };
    let other = match value.kind() {
        Kind::Array if expected.contains("object") => "{}",
        Kind::Object if expected.starts_with("an array") => "[]",
        _ => return None,
    };
    value.is_empty().then_some((value, other))
}

/// `exclusiveMinimum: true`, as in draft 4 and OpenAPI 3.0.
fn draft4_bound(tool: &Tool<'_>, keyword: &str, flag: View<'_>, place: Place, out: &mut Out<'_>) {
    let bound = if keyword == "exclusiveMinimum" {
        "minimum"
    } else {
        "maximum"
    };
    let object = flag.parent();
    let number = object.and_then(|object| object.member(bound));
    let message = format!("`{keyword}` is a boolean, as only draft 4 and OpenAPI 3.0 have it");
    let help = match (flag.boolean(), number) {
        (true, Some(number)) => format!(
            "write `\"{keyword}\": {}` instead of the pair",
            quote(number.raw(), 40)
        ),
        _ => "leave it out; it has no effect".to_owned(),
    };
    let edits = object.filter(|_| !tool.ambiguous).and_then(|object| {
        let drop = |name: &str| crate::lint::edit::remove_member(object, name);
        match (flag.boolean(), number) {
            (true, Some(number)) => Some(vec![
                drop(bound)?,
                Edit {
                    span: span(flag),
                    text: number.raw().to_owned(),
                },
            ]),
            _ => Some(vec![drop(keyword)?]),
        }
    });
    out.find_as("TL022", place, message)
        .help(help)
        .fix(Safety::Safe, edits);
}

/// `items: [ … ]`, which is `prefixItems` in 2020-12.
fn tuple_items(tool: &Tool<'_>, tuple: View<'_>, place: Place, out: &mut Out<'_>) {
    let edits = tuple
        .parent()
        .filter(|_| !tool.ambiguous)
        .and_then(|object| {
            if object.member("prefixItems").is_some() {
                return None;
            }
            let mut edits = vec![rename_member(object, "items", "prefixItems")?];
            if object.member("additionalItems").is_some() {
                edits.push(rename_member(object, "additionalItems", "items")?);
            }
            Some(edits)
        });
    out.find_as(
        "TL023",
        place,
        "`items` is an array, which 2020-12 does not allow",
    )
    .help("write `prefixItems` for a tuple, and `items` for what follows it")
    .fix(Safety::Safe, edits);
}

/// The compiler stops at the first reference; other broken ones are found here.
fn other_references(
    tool: &Tool<'_>,
    side: Side,
    schema: View<'_>,
    error: &CompileError,
    out: &mut Out<'_>,
) {
    let start = schema.span().start;
    let reported = error.span().map(|span| start.saturating_add(span.start));
    let references = tool.references();
    let side_subs = tool.subs.iter().filter(|sub| sub.side == side);
    for sub in side_subs
        .filter(|sub| sub.has("$ref"))
        .take(MOST_REFERENCES)
    {
        let Some(reference) = sub.get("$ref") else {
            continue;
        };
        let is_dead = matches!(references.target(sub), Some(Target::Nowhere));
        if is_dead && Some(span(reference).start) != reported {
            let message = format!(
                "`$ref` to `{}` does not resolve",
                quote(reference.string(), 200)
            );
            out.find_as("TL025", tool.at(sub, "$ref"), message);
        }
    }
}

fn insert_type(schema: View<'_>) -> Edit {
    let at = schema.span().start.saturating_add(1);
    let comma = if schema.is_empty() { "" } else { ", " };
    Edit {
        span: at..at,
        text: format!("\"type\": \"object\"{comma}"),
    }
}

/// Subschemas that a validator may apply to one value; the guard reports more expensive schemas in a
/// simpler form.
const PATHS: u64 = 10_000;
const MOST_REFERENCES: usize = 1_000;
