//! What contracts cost: allocations and memory, with the promised bounds. Times and instructions
//! are measured by `cargo xtask bench` and `cargo xtask instructions`.

use crate::support::{shared_files, tool, tools};
use toolsure_json::Node as _;
use toolsure_mcp::catalog::{Catalog, Listing};
use toolsure_mcp::check::{Checker, Decision};
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::era::Era;
use toolsure_schema::Workspace;

const ORDER: &str = r##"{"type":"object","properties":{
    "orders":{"type":"array","items":{"$ref":"#/$defs/line"},"maxItems":50},
    "note":{"type":"string","maxLength":200},"code":{"type":"string","pattern":"^[A-Z]{2}[0-9]{4}$"},
    "at":{"type":"string","format":"date-time"}},"required":["orders"],"additionalProperties":false,
    "$defs":{"line":{"type":"object","properties":{"id":{"type":"integer"},"qty":{"type":"integer","minimum":1},"unit":{"enum":["kg","lb"]}},"required":["id","qty"],"additionalProperties":false}}}"##;
const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"order","arguments":{"orders":[{"id":1,"qty":2,"unit":"kg"},{"id":2,"qty":1},{"id":3,"qty":7,"unit":"lb"}],"note":"leave it at the door","code":"AB1234","at":"2026-11-21T10:00:00Z"}}}"#;
const RESULT: &[u8] = br#"{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"ok"}],"structuredContent":{"orders":[{"id":1,"qty":2}]}}}"#;

fn passes(decision: &Decision) -> bool {
    matches!(decision, Decision::Pass(_))
}

/// Flat, absent and nested arguments alike.
#[test]
fn a_valid_call_and_result_allocate_nothing_once_warm() {
    let flat = r#"{"type":"object","properties":{"path":{"type":"string","pattern":"^/"},"limit":{"type":"integer","minimum":1},"at":{"format":"date-time"},"order":{"enum":["up","down"]}},"required":["path"],"additionalProperties":false}"#;
    let flat_call = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"flat","arguments":{"path":"/a","limit":5,"at":"2026-11-21T10:00:00Z","order":"up"}}}"#;
    let flat_result =
        br#"{"jsonrpc":"2.0","id":"a","result":{"content":[],"structuredContent":{"path":"/a"}}}"#;
    let absent = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"any"}}"#;
    let set = tools(&[
        &tool("order", ORDER, Some(ORDER)),
        &tool("flat", flat, Some(flat)),
        &tool("any", r#"{"type":"object"}"#, None),
    ]);
    let mut checker = Checker::new();
    let mut allocations = |name: &str, message: &[u8], result: &[u8]| {
        let contract = set.tool(name).unwrap();
        let mut round = || {
            assert!(passes(&checker.check_call_message(&set, message)));
            assert!(passes(&checker.check_result_message(
                contract,
                Era::V2026_07_28,
                result
            )));
        };
        (0..3).for_each(|_| round());
        allocation_counter::measure(|| (0..100).for_each(|_| round())).count_total
    };
    assert_eq!(allocations("flat", flat_call, flat_result), 0);
    assert_eq!(allocations("any", absent, flat_result), 0);
    // Objects inside objects too.
    assert_eq!(allocations("order", CALL, RESULT), 0);
}

#[toolsure_needs::needs("corpus/listings")]
#[test]
fn ten_thousand_tools_load_without_compiling() {
    let mut all = Vec::new();
    for (_, text) in shared_files("corpus/listings", "json") {
        let listing = Listing::read(text).unwrap();
        let tools = listing.result().member("tools").unwrap();
        all.extend(tools.items().map(|tool| tool.raw().to_owned()));
    }
    // Real tools again under other names, in pages of a thousand.
    let mut pages = Vec::new();
    for page in 0..10 {
        let tools: Vec<String> = (0..1_000)
            .map(|n| {
                let number = page * 1_000 + n;
                let (head, tail) = all[number % all.len()].split_once("\"name\":\"").unwrap();
                format!("{head}\"name\":\"t{number}-{tail}")
            })
            .collect();
        pages.push(format!(r#"{{"tools":[{}]}}"#, tools.join(",")));
    }
    let bytes: usize = pages.iter().map(String::len).sum();
    let catalog = Catalog::new(SchemaStore::new());
    let counted = allocation_counter::measure(|| {
        catalog
            .load(pages.iter().map(|page| page.as_bytes()))
            .unwrap();
    });
    assert_eq!(catalog.snapshot().len(), 10_000);
    assert_eq!(catalog.store().compilations(), 0);
    eprintln!(
        "10,000 tools of {bytes} bytes: {} bytes held, {} at most",
        counted.bytes_current, counted.bytes_max
    );
    assert!(counted.bytes_max < 64 << 20, "{counted:?}");
}

/// Many references to a name that many resources bind: what lenient compilation leaves out is found
/// in memory in proportion to the schema, not to the product of both numbers.
#[test]
fn dynamic_references_cost_lenient_compilation_in_proportion() {
    let most = |count: usize| {
        let of_each = |text: &str| {
            let all = (0..count).map(|number| text.replace('@', &number.to_string()));
            all.collect::<Vec<_>>().join(",")
        };
        let references = of_each(r##"{"items":{"$dynamicRef":"#n"}}"##);
        let resources = of_each(r#""@":{"$id":"urn:@","$dynamicAnchor":"n"}"#);
        let schema = format!(
            r##"{{"$dynamicAnchor":"n","type":"any","allOf":[{references}],"$defs":{{{resources}}}}}"##
        );
        let store = SchemaStore::lenient();
        let counted = allocation_counter::measure(|| {
            assert_eq!(store.schema(&schema).unwrap().warnings().len(), 1);
        });
        counted.bytes_max
    };
    let (few, many) = (most(500), most(2_000));
    assert!(many < 6 * few, "{few} bytes, {many} bytes");
}

/// What the store counts for a schema is not below what is allocated, for the schema and for explaining what
/// it refuses.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn what_a_schema_is_taken_to_weigh() {
    let (mut least, mut most) = (f64::MAX, 0.0_f64);
    let (mut estimated, mut held) = (0, 0);
    let mut workspace = Workspace::new();
    for (_, text) in shared_files("corpus/listings", "json") {
        let listing = Listing::read(text).unwrap();
        let store = SchemaStore::lenient();
        let tools = listing.result().member("tools").unwrap();
        let schemas = tools.items().filter_map(|tool| tool.member("inputSchema"));
        let schemas: Vec<&str> = schemas.map(|schema| schema.raw()).collect();
        let counted = allocation_counter::measure(|| {
            for text in &schemas {
                if let Ok(schema) = store.schema(text) {
                    for instance in ["0", "{}"] {
                        drop(schema.explain(&mut workspace, instance));
                    }
                }
            }
        });
        let weight = store.resident().1;
        let real = u32::try_from(counted.bytes_current).unwrap();
        let ratio = f64::from(u32::try_from(weight).unwrap()) / f64::from(real);
        (least, most) = (least.min(ratio), most.max(ratio));
        estimated += weight;
        held += real;
    }
    eprintln!("estimate / held: {least:.2} to {most:.2} by server; {estimated} / {held} in all");
    assert!(held == 0 || least > 1.0, "{least}");
    assert!(held == 0 || most < 4.0, "{most}");
}
