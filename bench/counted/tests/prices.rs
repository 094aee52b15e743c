//! Every operation and every format has a row among those that `prices` measures.

#[path = "../examples/prices/rows.rs"]
mod rows;

use std::collections::BTreeSet;

use serde_json::Value;
use toolsure_schema::{Compiler, Content, Formats, ValueNode, Workspace};
use toolsure_syntax::format::{Format, NumberFormat};
use toolsure_syntax::{Keyword, Vocabulary};

#[test]
fn every_operation_has_a_row() {
    let mut used = BTreeSet::new();
    for row in rows::rows() {
        keywords(&row.schema, &mut used);
    }
    let missing: Vec<&str> = Keyword::ALL
        .iter()
        .filter(|keyword| asserts(**keyword))
        .map(|keyword| keyword.name())
        .filter(|name| !used.contains(*name))
        .collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
}

#[test]
fn every_format_has_a_row() {
    let formats: BTreeSet<String> = rows::rows()
        .iter()
        .filter_map(|row| row.schema.get("format")?.as_str().map(str::to_owned))
        .collect();
    let known = Format::ALL.iter().map(|format| format.name());
    let known = known.chain(NumberFormat::ALL.iter().map(|format| format.name()));
    let missing: Vec<&str> = known.filter(|name| !formats.contains(*name)).collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
}

/// A row measures something: its schema compiles, and its item costs fuel.
#[test]
fn every_row_costs_fuel() {
    let compiler = Compiler::new()
        .formats(Formats::AssertWithNumbers)
        .content(Content::Assert);
    let mut workspace = Workspace::new();
    for row in rows::rows() {
        let schema = serde_json::json!({ "items": row.schema });
        let schema = compiler.compile_value(&schema);
        let schema = schema.unwrap_or_else(|error| panic!("{}: {error}", row.name));
        let items = Value::Array(vec![row.item; 10]);
        let verdict = schema.check(&mut workspace, ValueNode::new(&items));
        assert!(workspace.fuel_used() > 0, "{}: {verdict}", row.name);
        if row.name.starts_with("content") {
            let other = schema.check(&mut workspace, &serde_json::json!(["{"]));
            assert!(!other.is_valid(), "{} asserts nothing", row.name);
        }
    }
}

/// Whether a keyword has an operation of its own. Those that are left out are other names
/// of keywords that have a row, or parts of one.
fn asserts(keyword: Keyword) -> bool {
    let (_, last, vocabulary) = keyword.home();
    let other_name = matches!(
        keyword,
        Keyword::ExclusiveMinimum
            | Keyword::ExclusiveMaximum
            | Keyword::Then
            | Keyword::Else
            | Keyword::DynamicRef
            | Keyword::Defs
            | Keyword::Definitions
    );
    let asserting = matches!(
        vocabulary,
        Vocabulary::Applicator | Vocabulary::Validation | Vocabulary::Unevaluated
    );
    last == toolsure_syntax::Dialect::Draft202012
        && (asserting || keyword == Keyword::Ref)
        && !other_name
}

/// The names of members of all objects of a schema.
fn keywords(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                found.insert(name.clone());
                keywords(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keywords(item, found)),
        _ => {}
    }
}
