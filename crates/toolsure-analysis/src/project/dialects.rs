//! Schemas as a reader of one dialect reads them, whatever they declare.
//!
//! Some readers take every schema as 2020-12, others as draft 7. [`as_2020_12`] writes a schema of
//! another dialect in 2020-12; [`for_draft_7`] rewrites a schema so that a reader of draft 7 refuses
//! nothing that the schema accepts.

use toolsure_json::{Node as _, View};
use toolsure_schema::Compiler;
use toolsure_syntax::Dialect;

use super::draft7::widened;
use super::normalise::normalise;
use super::reference::{inlined, plain_references};
use super::report::Refusal;
use super::tree::Json;
use crate::engine::Engine;

/// The same schema in 2020-12, without `$schema`; `None` if it is in 2020-12 already, or empty of anything that
/// the dialects read differently and declares none. The dialect of a schema that declares none is the
/// compiler's.
///
/// It accepts the same values, with one exception: 2020-12 takes `1.0` as an integer, draft 4 does not.
/// References that are not JSON Pointers into the schema are replaced by their targets.
///
/// ```
/// use toolsure_analysis::project::as_2020_12;
/// use toolsure_analysis::Compiler;
/// use toolsure_json::{OwnedDocument, ReadLimits};
///
/// let schema = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}],
///     "additionalItems": false}"#;
/// let document = OwnedDocument::read(schema, &ReadLimits::default())?;
/// let converted = as_2020_12(document.document().root(), &Compiler::new())?;
/// assert_eq!(converted.as_deref(), Some(r#"{"prefixItems":[{"type":"string"}],"items":false}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The schema does not compile, or has a reference that cannot be replaced.
pub fn as_2020_12(schema: View<'_>, compiler: &Compiler) -> Result<Option<String>, Refusal> {
    let engine = Engine::new(compiler.clone());
    let dialect = engine.dialect(schema, None);
    let declared = schema.member("$schema").is_some();
    if dialect == Dialect::Draft202012 {
        return Ok(None);
    }
    compiler
        .compile(schema.raw().as_bytes())
        .map_err(Refusal::Schema)?;
    let mut tree = plain_references(compiler.parser(), schema)?;
    one_dialect(&tree)?;
    let changed = normalise(&mut tree, dialect);
    if !changed && !declared {
        return Ok(None);
    }
    let text = tree.write();
    // A reference into a keyword that has another name now, such as `#/items/0`.
    if compiles(compiler, &text, Dialect::Draft202012) {
        return Ok(Some(text));
    }
    let (mut tree, _) = inlined(compiler.parser(), schema)?;
    normalise(&mut tree, dialect);
    let text = tree.write();
    check(compiler, &text, Dialect::Draft202012)?;
    Ok(Some(text))
}

/// A schema that readers of draft 7, whatever dialect a schema declares, refuse nothing for that the
/// schema accepts; `None` if the schema is one as it is. Read in 2020-12, the result accepts at least as
/// much, too, so one listing serves both.
///
/// Only what draft 7 reads more narrowly is removed or loosened, such as `items` after `prefixItems` or
/// `contains` with `minContains: 0`; what it ignores stays. Three more things go, because common
/// validators of that dialect read them more narrowly: `nullable`, `multipleOf` of a number that a binary
/// fraction does not represent (`0.01`), and `format`, unless the compiler asserts formats.
///
/// ```
/// use toolsure_analysis::project::for_draft_7;
/// use toolsure_analysis::Compiler;
/// use toolsure_json::{OwnedDocument, ReadLimits};
///
/// let schema = r#"{"type": "array", "prefixItems": [{"type": "string"}], "items": false}"#;
/// let document = OwnedDocument::read(schema, &ReadLimits::default())?;
/// let listed = for_draft_7(document.document().root(), &Compiler::new())?;
/// let expected = r#"{"type":"array","prefixItems":[{"type":"string"}],"maxItems":1}"#;
/// assert_eq!(listed.as_deref(), Some(expected));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The schema does not compile, or has a reference that cannot be replaced.
pub fn for_draft_7(schema: View<'_>, compiler: &Compiler) -> Result<Option<String>, Refusal> {
    compiler
        .compile(schema.raw().as_bytes())
        .map_err(Refusal::Schema)?;
    let engine = Engine::new(compiler.clone());
    let dialect = engine.dialect(schema, None);
    let mut tree = plain_references(compiler.parser(), schema)?;
    one_dialect(&tree)?;
    let declared = dialect != Dialect::Draft202012 && schema.member("$schema").is_some();
    let mut changed = declared | normalise(&mut tree, dialect);
    if dialect == Dialect::Draft202012 {
        // `normalise` leaves it out.
        tree = restore_dialect(tree, schema);
    }
    let formats = engine.asserts().formats;
    changed |= widened(&mut tree, formats);
    let before = Json::of(schema);
    if !changed && before.equals(&tree) {
        return Ok(None);
    }
    let text = tree.write();
    check(compiler, &text, Dialect::Draft7)?;
    check(compiler, &text, Dialect::Draft202012)?;
    Ok(Some(text))
}

/// Refuses a schema in which a part has a dialect of its own. Data that looks like one counts too.
fn one_dialect(schema: &Json) -> Result<(), Refusal> {
    let mut todo = vec![(schema, true)];
    while let Some((json, at_root)) = todo.pop() {
        match json {
            Json::Object(members) => {
                if !at_root && members.text("$schema").is_some() {
                    let why = "a part of the schema declares a dialect of its own";
                    return Err(Refusal::Reference(why.to_owned()));
                }
                todo.extend(members.list.iter().map(|(_, value)| (value, false)));
            }
            Json::Array(items) => todo.extend(items.iter().map(|item| (item, false))),
            _ => {}
        }
    }
    Ok(())
}

/// Puts `$schema` back where it was.
fn restore_dialect(tree: Json, schema: View<'_>) -> Json {
    match (tree, Json::of(schema)) {
        (Json::Object(mut members), Json::Object(own)) => {
            if let Some(uri) = own.get("$schema") {
                members.list.insert(0, ("$schema".to_owned(), uri.clone()));
            }
            Json::Object(members)
        }
        (tree, _) => tree,
    }
}

fn compiles(compiler: &Compiler, text: &str, dialect: Dialect) -> bool {
    check(compiler, text, dialect).is_ok()
}

fn check(compiler: &Compiler, text: &str, dialect: Dialect) -> Result<(), Refusal> {
    let compiled = compiler.clone().dialect(dialect).compile(text.as_bytes());
    match compiled {
        Ok(_) => Ok(()),
        Err(error) if error.limit().is_some() => Err(Refusal::Schema(error)),
        Err(error) => Err(Refusal::Internal(error.to_string())),
    }
}
