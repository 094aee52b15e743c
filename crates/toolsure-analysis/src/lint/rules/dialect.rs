//! Rules on keywords that a dialect ignores.

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_syntax::reference::hides_siblings;
use toolsure_syntax::{Dialect, Keyword};

use crate::lint::out::Out;
use crate::lint::tool::{Side, Subschema, Tool};
use crate::readers::{Fact, Part};

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

/// TL107: a schema that a reader reads in another dialect than its own.
pub(crate) fn read_as<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let part = match sub.side {
        Side::Input => Part::Input,
        Side::Output => Part::Output,
    };
    if sub.is_root() && sub.view.member("$schema").is_some() {
        let broken = out.broken(
            |fact| matches!(fact, Fact::Declares(of, dialect) if *of == part && *dialect != sub.dialect),
        );
        let message = format!(
            "the {} declares {}",
            if part == Part::Input {
                "input schema"
            } else {
                "output schema"
            },
            sub.dialect.title()
        );
        out.find_broken(tool.at(sub, "$schema"), message, &broken, DECLARE);
    }
    for (keyword, is_misread) in MISREAD {
        let Some(value) = sub.member(keyword) else {
            continue;
        };
        let broken = out.broken(|fact| match fact {
            Fact::ReadsAs(of, dialect) => {
                *of == part && *dialect != sub.dialect && is_misread(sub, value, *dialect)
            }
            _ => false,
        });
        let Some((reader, fact)) = broken.first() else {
            continue;
        };
        let Some(dialect) = reader.reads_as(part) else {
            continue;
        };
        let message = format!(
            "`{keyword}` as {} has it is read as {} has it, {}",
            sub.dialect.title(),
            dialect.title(),
            fact.consequence.words()
        );
        out.find_broken(tool.key(sub, keyword), message, &broken, DECLARE);
    }
}

/// Whether a keyword of a schema has another meaning, or none, in a dialect.
type Misread = fn(&Subschema<'_>, View<'_>, Dialect) -> bool;

/// Keywords that two dialects read differently. Forms that a dialect does not have make it refuse the
/// schema; the others make it refuse values.
const MISREAD: [(&str, Misread); 5] = [
    ("items", |sub, items, dialect| match dialect {
        Dialect::Draft202012 => items.kind() == Kind::Array,
        _ => items.kind() != Kind::Array && sub.has_member("prefixItems"),
    }),
    ("exclusiveMinimum", |_, bound, dialect| {
        dialect >= Dialect::Draft6 && bound.kind() == Kind::Boolean
    }),
    ("exclusiveMaximum", |_, bound, dialect| {
        dialect >= Dialect::Draft6 && bound.kind() == Kind::Boolean
    }),
    ("minContains", |sub, least, dialect| {
        dialect <= Dialect::Draft7 && sub.has_member("contains") && least.raw() == "0"
    }),
    ("$ref", |sub, _, dialect| {
        let hidden = |name: &str| Keyword::from_name(name).is_some_and(Keyword::can_reject);
        let mut names = sub.view.members().map(|(key, _)| key.text());
        // A reader of an older dialect ignores what stands beside `$ref`; one of a newer applies it.
        (dialect > Dialect::Draft7)
            && sub.dialect <= Dialect::Draft7
            && names.any(|name| name != "$ref" && hidden(name))
    }),
];
const DECLARE: &str = "write it in 2020-12, or in words that both have";

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
