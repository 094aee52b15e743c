//! Rules on keywords that are misspelt, from another format, or on the wrong type.

use toolsure_json::{Key as _, Kind, Node, View, quote};
use toolsure_syntax::Keyword;

use crate::lint::edit::{remove_member, rename};
use crate::lint::finding::{Edit, Safety};
use crate::lint::out::Out;
use crate::lint::tool::{Side, Subschema, Tool, span};
use crate::tool::HEADER;

/// TL032: a name that is almost a keyword, with a value that fits the keyword.
pub(crate) fn misspelt<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    // Fixes are applied together, and no two may write the same name: if several names are misspellings of
    // one keyword, only the first has a fix, and TL017 fixes a root without `type`.
    let mut written: Vec<&str> = Vec::new();
    if sub.parent.is_none() && sub.side == Side::Input {
        written.push("type");
    }
    for (key, value) in sub.view.members() {
        let Some(meant) = meant(tool, sub, key.text(), value.kind()) else {
            continue;
        };
        if out.is_only_counted() {
            continue;
        }
        let is_free = !written.contains(&meant) && tool.member(sub.view, meant).is_none();
        let edit = rename(key.view(), meant).filter(|_| is_free);
        written.extend(edit.as_ref().map(|_| meant));
        let message = format!(
            "`{}` is not a keyword of JSON Schema; validators ignore it",
            quote(key.text(), 64)
        );
        out.find(tool.key(sub, key.text()), message)
            .help(format!("did you mean `{meant}`?"))
            .fix(Safety::Unsafe, edit.map(|edit| vec![edit]));
    }
}

/// TL033: OpenAPI's `nullable`, which JSON Schema does not have.
pub(crate) fn nullable<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if !sub.get("nullable").is_some_and(Node::boolean) {
        return;
    }
    let is_null = |value: View<'_>| value.kind() == Kind::Null;
    let list = sub.get("enum");
    if sub.get("const").is_some_and(is_null) || list.is_some_and(|list| list.items().any(is_null)) {
        let message = "`nullable` is OpenAPI 3.0, not JSON Schema; null is allowed without it";
        let drop = remove_member(sub.view, "nullable").filter(|_| !tool.ambiguous);
        out.find(tool.key(sub, "nullable"), message)
            .help("leave it out")
            .fix(Safety::Safe, drop.map(|drop| vec![drop]));
        return;
    }
    let edits = match sub.get("type") {
        Some(one) if one.kind() == Kind::String && sub.get("enum").is_none() => {
            remove_member(sub.view, "nullable").map(|drop| {
                vec![
                    drop,
                    Edit {
                        span: span(one),
                        text: format!("[{}, \"null\"]", one.raw()),
                    },
                ]
            })
        }
        _ => None,
    };
    out.find(
        tool.key(sub, "nullable"),
        "`nullable` is OpenAPI 3.0, not JSON Schema: most validators still refuse null",
    )
    .help("write `\"type\": [\"string\", \"null\"]` or an `anyOf` with `{\"type\": \"null\"}`")
    .fix(Safety::Unsafe, edits);
}

/// TL034: names that are not keywords.
pub(crate) fn unknown<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for (key, value) in sub.view.members() {
        let name = key.text();
        let known = Keyword::from_name(name).is_some() || name == "nullable";
        if known || name.starts_with("x-") || meant(tool, sub, name, value.kind()).is_some() {
            continue;
        }
        if out.is_only_counted() {
            continue;
        }
        let found = out.find(
            tool.key(sub, name),
            format!(
                "`{}` is not a keyword of JSON Schema; validators ignore it",
                quote(name, 64)
            ),
        );
        match name {
            "example" => found.help("write `\"examples\": [ … ]`"),
            "discriminator" | "xml" | "externalDocs" => found.help("it is OpenAPI's; leave it out"),
            "optional" => found.help("leave the name out of the object's `required` instead"),
            _ => found.help("leave it out, or name it `x-…` if a program reads it"),
        };
    }
}

/// TL035: extension keywords, which are sent to the model too.
pub(crate) fn extension<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for (key, _) in sub.view.members() {
        let name = key.text();
        if name.starts_with("x-") && name != HEADER {
            let message = format!(
                "`{}` is sent to the model, which has no use for it",
                quote(name, 64)
            );
            out.find(tool.key(sub, name), message);
        }
    }
}

/// TL036: keywords that cannot apply to any value of the declared type.
pub(crate) fn inapplicable<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let types = sub.types();
    if types.is_empty() {
        return;
    }
    for (key, _) in sub.view.members() {
        let Some(known) = Keyword::from_name(key.text()) else {
            continue;
        };
        let about = known.applies_to().types();
        if about.is_empty()
            || !known.is_in(sub.dialect)
            || types.iter().any(|one| about.contains(one))
        {
            continue;
        }
        let empty = sub.get(known.name()).is_some_and(|value| {
            matches!(value.kind(), Kind::Object | Kind::Array) && value.is_empty()
        });
        if empty {
            continue;
        }
        let message = format!(
            "`{}` says nothing about a value of type {}",
            known.name(),
            super::list(&types)
        );
        out.find(tool.key(sub, known.name()), message).help(format!(
            "it is about type {}; was the type meant to be that?",
            super::list(about)
        ));
    }
}

/// The keyword that a name was meant to be, if the name is not a keyword but close to one.
fn meant<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, name: &str, kind: Kind) -> Option<&'static str> {
    let is_known = Keyword::from_name(name).is_some();
    if is_known || name.starts_with("x-") || NAMES_OF_THEIR_OWN.contains(&name) {
        return None;
    }
    let alias = match name {
        "enums" | "oneof_values" => Some("enum"),
        "mandatory" if kind == Kind::Array => Some("required"),
        "defs" | "$def" => Some("$defs"),
        "ref" => Some("$ref"),
        "schema" if kind == Kind::String => Some("$schema"),
        _ => None,
    };
    let names = Keyword::ALL
        .iter()
        .filter(|known| known.value().fits(kind))
        .filter(|known| known.is_in(sub.dialect) && !known.is_legacy_in(sub.dialect))
        .map(|known| known.name());
    alias.or_else(|| tool.closest(name, names))
}

/// Names from OpenAPI and generators that are close to keywords by chance.
const NAMES_OF_THEIR_OWN: [&str; 4] = ["example", "nullable", "id", "name"];
