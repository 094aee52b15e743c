//! Writes schemas so that the validators of clients can compile them, and check them at a bounded
//! cost.

use toolsure_analysis::tool::HEADER;
use toolsure_json::{Kind, Node as _, OwnedDocument, View};
use toolsure_schema::{CompileError, Schema, Warning};

use super::RewrittenListing;
use super::root::EMPTY_ROOT;
use super::rules::Rules;
use super::schema_edits::{SchemaEdits, member, members};
use crate::catalog::{Listing, UnreadableListing};
use crate::contract::{SchemaPart, SchemaStore, definition_limits};
use crate::message::Edits;
use crate::project::Lost;

/// What clients get for a schema that may take them too long to check: exponential time in the
/// schema or the value, or more than linear time in a long text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a costly schema is sent in part, not at all, or as it is"
)]
pub enum CostlySchemas {
    /// The schema without its costly parts (the default). It accepts at least as much.
    #[default]
    Simplify,
    /// No output schema; `{"type":"object"}` for an input schema.
    Strip,
    /// The schema as written.
    Pass,
}

/// Rewrites the schemas of a page that popular clients cannot compile as they are: patterns are
/// written for strict engines; keywords that `store` ignored are left out, as are an `$id` and
/// references to outside the schema; `costly` decides about costly parts. The result accepts at
/// least everything that the original accepts. If no part can be kept, an output schema is left
/// out, and an input schema keeps only the names and types of its members.
///
/// `None` if the page can stay as it is.
///
/// # Errors
///
/// The rewritten page cannot be read again, because it exceeds a limit.
///
/// ```
/// use toolsure_mcp::catalog::Listing;
/// use toolsure_mcp::clients::{CostlySchemas, simplify};
/// use toolsure_mcp::contract::SchemaStore;
///
/// let page = Listing::read(br#"{"tools": [{"name": "find", "inputSchema": {"type": "object",
///   "properties": {"id": {"pattern": "^[\\w-.]+$"}, "at": {"pattern": "^(a+)+$"}}}}]}"#.as_slice())?;
/// let simple = simplify(&page, &SchemaStore::lenient(), CostlySchemas::Simplify, |_| true)?
///     .ok_or("the page can stay as it is")?;
/// assert!(simple.listing.text().contains(r#"{"id": {"pattern": "^[\\w\\-.]+$"}, "at": {}}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simplify(
    listing: &Listing,
    store: &SchemaStore,
    costly: CostlySchemas,
    of_tool: impl Fn(&str) -> bool,
) -> Result<Option<RewrittenListing>, UnreadableListing> {
    let (mut edits, mut lost) = (Edits::new(), Vec::new());
    for tool in listing.tools().items() {
        let name = tool.member("name").map_or("", |name| name.string());
        if tool.kind() != Kind::Object || !of_tool(name) {
            continue;
        }
        for part in [SchemaPart::Input, SchemaPart::Output] {
            let schema = tool.member(part.member());
            let Some(schema) = schema.filter(|schema| schema.kind() == Kind::Object) else {
                continue;
            };
            let Some((simpler, what)) = simplified(schema, part, store, costly) else {
                continue;
            };
            match simpler {
                Some(text) => {
                    edits.replace(schema, text);
                    let tool = name.to_owned();
                    lost.push(Lost::Schema { tool, part, what });
                }
                None => {
                    edits.remove_member(tool, part.member());
                    let (tool, why) = (name.to_owned(), what);
                    lost.push(Lost::Withdrawn { tool, why });
                }
            }
        }
    }
    if edits.is_empty() {
        return Ok(None);
    }
    let listing = listing.rewritten(edits.apply(listing.text()))?;
    Ok(Some(RewrittenListing { listing, lost }))
}

/// The simplified form of one schema, and why: `None` if it stays, no text if it is left out.
fn simplified(
    schema: View<'_>,
    part: SchemaPart,
    store: &SchemaStore,
    costly: CostlySchemas,
) -> Option<(Option<String>, String)> {
    // A schema that does not compile is left to the caller.
    let compiled = store.schema(schema.raw()).ok()?;
    match attempt(&compiled, part, store, costly) {
        Attempt::AsItIs => None,
        Attempt::Simplified(text, notes) => Some((Some(text), notes.join("; "))),
        Attempt::Failed(why) => Some(match part {
            SchemaPart::Output => (None, why),
            SchemaPart::Input if costly == CostlySchemas::Strip => {
                (Some(EMPTY_ROOT.to_owned()), why)
            }
            SchemaPart::Input => (Some(outline(schema)), why),
        }),
    }
}

/// What lenient compilation left out. `nullable` is no keyword there, but some clients know it and
/// allow `null` for it.
fn ignored(schema: &Schema) -> impl Iterator<Item = &CompileError> {
    let errors = schema.warnings().iter().map(Warning::error);
    errors.filter(|error| !error.pointer().ends_with("/nullable"))
}

enum Attempt {
    AsItIs,
    Simplified(String, Vec<String>),
    Failed(String),
}

fn attempt(
    compiled: &Schema,
    part: SchemaPart,
    store: &SchemaStore,
    costly: CostlySchemas,
) -> Attempt {
    let document = compiled.text().document();
    let mut schema_edits = SchemaEdits::of(compiled);
    for error in ignored(compiled) {
        let place = document.at_pointer(error.pointer());
        if let Some(place) = place.filter(|_| error.document().is_empty()) {
            schema_edits.ignore(place);
            schema_edits.note(place, "a keyword is ignored");
        }
    }
    let mut rules = Rules::new(schema_edits.dialect(), part, costly != CostlySchemas::Pass);
    rules.mark(&mut schema_edits);
    if let Some(why) = rules.hopeless {
        return Attempt::Failed(why.to_owned());
    }
    if rules.costly && costly == CostlySchemas::Strip {
        return Attempt::Failed(TOO_MUCH.to_owned());
    }
    let (mut text, mut notes) = if schema_edits.is_unchanged() {
        (None, Vec::new())
    } else {
        let (text, notes) = schema_edits.apply(document.source());
        (Some(text), notes)
    };
    if costly != CostlySchemas::Pass {
        let now = match &text {
            None => compiled.clone(),
            Some(text) => match store.schema(text) {
                Ok(schema) => schema,
                Err(_) => return Attempt::Failed(NO_FORM.to_owned()),
            },
        };
        if now.naive_cost() > PATHS {
            if costly == CostlySchemas::Strip {
                return Attempt::Failed(TOO_MUCH.to_owned());
            }
            let (cut, more) = without_costly(&now);
            text = Some(cut);
            notes.extend(more);
        }
    }
    let Some(text) = text else {
        return Attempt::AsItIs;
    };
    // Checks the result again: it must need no further change.
    match store.schema(&text) {
        Ok(simpler)
            if ignored(&simpler).next().is_none()
                && (costly == CostlySchemas::Pass || simpler.naive_cost() <= PATHS) =>
        {
            Attempt::Simplified(text, notes)
        }
        _ => Attempt::Failed(NO_FORM.to_owned()),
    }
}

fn without_costly(schema: &Schema) -> (String, Vec<String>) {
    let document = schema.text().document();
    let mut schema_edits = SchemaEdits::of(schema);
    for pointer in schema.costly_places(PATHS) {
        if let Some(place) = document.at_pointer(&pointer) {
            schema_edits.cut(place);
            schema_edits.note(place, TOO_MUCH);
        }
    }
    schema_edits.apply(document.source())
}

/// An input schema reduced to the names of its members, and what models and headers need of them.
fn outline(schema: View<'_>) -> String {
    let mut properties = Vec::new();
    if let Some(map) = schema.member("properties") {
        for (name, value) in members(map) {
            let kept = members(value).filter(|(keyword, value)| {
                matches!(*keyword, "title" | "description" | "type" | HEADER)
                    && value.kind() == Kind::String
            });
            let kept: Vec<String> = kept
                .map(|(name, value)| member(name, value.raw()))
                .collect();
            properties.push(member(name, &format!("{{{}}}", kept.join(","))));
        }
    }
    let text = format!(
        r#"{{"type":"object","properties":{{{}}}}}"#,
        properties.join(",")
    );
    // A `type` may be an unknown one.
    let known = OwnedDocument::read(text.as_str(), &definition_limits()).is_ok()
        && Schema::compile(text.as_bytes()).is_ok();
    if known { text } else { EMPTY_ROOT.to_owned() }
}

const TOO_MUCH: &str = "it costs too much to check";
const NO_FORM: &str = "it has no form that clients can compile";
/// The maximum number of subschemas that a client may apply to one location of a value.
const PATHS: u64 = 10_000;
