//! Rules on keywords that a dialect ignores.

use toolsure_json::{Key as _, Node as _};
use toolsure_syntax::reference::hides_siblings;
use toolsure_syntax::{Dialect, Keyword};

use crate::lint::out::Out;
use crate::lint::tool::{Subschema, Tool};

/// TL021: keywords of a dialect other than the schema's, which ignores them.
pub(crate) fn mismatch<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for (key, value) in sub.view.members() {
        let Some(known) = Keyword::from_name(key.text()) else {
            continue;
        };
        let legacy = known.is_legacy_in(sub.dialect);
        let lives = known.is_in(sub.dialect) && !legacy;
        if lives || !known.value().fits(value.kind()) || HARMLESS.contains(&known.name()) {
            continue;
        }
        let instead = match known.name() {
            "dependencies" => ", use `dependentRequired` or `dependentSchemas`",
            "additionalItems" => ", use `items` beside `prefixItems`",
            "id" => ", use `$id`",
            "$recursiveRef" => ", use `$dynamicRef`",
            _ => "",
        };
        let declared = if tool
            .schema(sub.side)
            .is_some_and(|root| root.member("$schema").is_some())
        {
            "declared"
        } else {
            "assumed, as no `$schema` is declared"
        };
        let message = format!(
            "`{}` is not a keyword of {}, the dialect {declared}; {} ignore it",
            known.name(),
            sub.dialect.title(),
            if legacy {
                "many validators"
            } else {
                "validators"
            }
        );
        let (first, last, _) = known.home();
        let help = if sub.dialect < first {
            format!("declare {} or later, or say it otherwise", first.title())
        } else {
            let last = if legacy { Dialect::Draft7 } else { last };
            format!("{} was the last to have it{instead}", last.title())
        };
        out.find(tool.key(sub, known.name()), message).help(help);
    }
}

/// TL030: keywords beside `$ref` in draft 7 and older, which ignore them.
pub(crate) fn ref_siblings<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if !hides_siblings(sub.view, sub.dialect) {
        return;
    }
    let names: Vec<&str> = sub
        .view
        .members()
        .map(|(key, _)| key.text())
        .filter(|name| {
            // Most validators ignore formats and encodings anyway.
            let is_annotation = |known| {
                use Keyword::{ContentEncoding, ContentMediaType, Format};
                matches!(known, Format | ContentEncoding | ContentMediaType)
            };
            Keyword::from_name(name).is_some_and(|known| {
                known != Keyword::Ref && known.can_reject() && !is_annotation(known)
            })
        })
        .collect();
    let Some(first) = names.first() else { return };
    let message = format!(
        "{} beside `$ref` {} ignored in {}",
        super::list(&names),
        if names.len() == 1 { "is" } else { "are" },
        sub.dialect.title()
    );
    out.find(tool.key(sub, first), message)
        .help("declare 2020-12, or put the reference into an `allOf`");
}

/// Keywords that can be ignored without harm: definitions work wherever they are, and annotations assert
/// nothing.
const HARMLESS: [&str; 9] = [
    "$defs",
    "definitions",
    "$comment",
    "readOnly",
    "writeOnly",
    "deprecated",
    "examples",
    "$schema",
    "id",
];
