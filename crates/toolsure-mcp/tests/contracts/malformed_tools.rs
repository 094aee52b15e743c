//! One malformed tool beside good ones, in every shape that peers were seen to
//! lose the whole list over: the good tools stay and stay validated, the bad one
//! is named with a reason.

use crate::support::{call, code, listing, page, result, tools};
use toolsure_mcp::catalog::{Catalog, Listing};
use toolsure_mcp::check::{Checker, Fault};
use toolsure_mcp::contract::{Isolated, MalformedTool, SchemaStore};
use toolsure_mcp::era::Era;
use toolsure_mcp::project::{Lost, Projection};

const GOOD: &str = r#"{"name":"good","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}"#;
const LAST: &str = r#"{"name":"last","inputSchema":{"type":"object"}}"#;

/// The tool between `GOOD` and `LAST`, and a part of the reason. Empty: it is a
/// good tool in the newest era.
const SHAPES: &[(&str, &str, &str)] = &[
    (
        "input missing",
        r#"{"name":"bad"}"#,
        "`inputSchema` is missing",
    ),
    (
        "input null",
        r#"{"name":"bad","inputSchema":null}"#,
        "`inputSchema` must be an object, found null",
    ),
    (
        "input true",
        r#"{"name":"bad","inputSchema":true}"#,
        "must be an object, found a boolean",
    ),
    (
        "input false",
        r#"{"name":"bad","inputSchema":false}"#,
        "must be an object, found a boolean",
    ),
    (
        "input number",
        r#"{"name":"bad","inputSchema":5}"#,
        "must be an object, found a number",
    ),
    (
        "input string",
        r#"{"name":"bad","inputSchema":"{}"}"#,
        "must be an object, found a string",
    ),
    (
        "input array",
        r#"{"name":"bad","inputSchema":[]}"#,
        "must be an object, found an array",
    ),
    (
        "input typeless",
        r#"{"name":"bad","inputSchema":{}}"#,
        "found no `type`",
    ),
    (
        "input typeless union",
        r#"{"name":"bad","inputSchema":{"oneOf":[{"type":"object"}]}}"#,
        "found no `type`",
    ),
    (
        "input type array",
        r#"{"name":"bad","inputSchema":{"type":"array"}}"#,
        "found `\"array\"`",
    ),
    (
        "input type list",
        r#"{"name":"bad","inputSchema":{"type":["object","null"]}}"#,
        r#"found `["object","null"]`"#,
    ),
    (
        "input type number",
        r#"{"name":"bad","inputSchema":{"type":5}}"#,
        "found `5`",
    ),
    (
        "input type misspelt",
        r#"{"name":"bad","inputSchema":{"type":"Object"}}"#,
        "found `\"Object\"`",
    ),
    (
        "input dialect number",
        r#"{"name":"bad","inputSchema":{"type":"object","$schema":42}}"#,
        "`inputSchema.$schema` must be a string",
    ),
    (
        "output null",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":null}"#,
        "`outputSchema` must be an object, found null",
    ),
    (
        "output true",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":true}"#,
        "`outputSchema` must be an object, found a boolean",
    ),
    (
        "output false",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":false}"#,
        "must be an object",
    ),
    (
        "output number",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":0}"#,
        "must be an object",
    ),
    (
        "output string",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":"object"}"#,
        "must be an object",
    ),
    (
        "output array",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":[]}"#,
        "must be an object",
    ),
    (
        "output dialect number",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":{"$schema":42}}"#,
        "`outputSchema.$schema` must be a string",
    ),
    // Found when the schema is compiled.
    (
        "output type misspelt",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":{"type":"strng"}}"#,
        "invalid outputSchema: `type` must be",
    ),
    (
        "properties array",
        r#"{"name":"bad","inputSchema":{"type":"object","properties":[]}}"#,
        "invalid inputSchema: `properties` must be",
    ),
    (
        "properties string",
        r#"{"name":"bad","inputSchema":{"type":"object","properties":"a"}}"#,
        "invalid inputSchema: `properties` must be",
    ),
    (
        "property number",
        r#"{"name":"bad","inputSchema":{"type":"object","properties":{"a":5}}}"#,
        "invalid inputSchema",
    ),
    (
        "property null",
        r#"{"name":"bad","inputSchema":{"type":"object","properties":{"a":null}}}"#,
        "invalid inputSchema",
    ),
    (
        "required string",
        r#"{"name":"bad","inputSchema":{"type":"object","required":"a"}}"#,
        "invalid inputSchema: `required` must be",
    ),
    (
        "required numbers",
        r#"{"name":"bad","inputSchema":{"type":"object","required":[1]}}"#,
        "invalid inputSchema",
    ),
    (
        "dialect unknown",
        r#"{"name":"bad","inputSchema":{"type":"object","$schema":"https://example.invalid/d"}}"#,
        "unsupported dialect",
    ),
    (
        "pattern open",
        r#"{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"pattern":"("}}}}"#,
        "invalid inputSchema",
    ),
    // Not about schemas.
    ("tool null", "null", "a tool must be an object, found null"),
    (
        "tool array",
        "[]",
        "a tool must be an object, found an array",
    ),
    (
        "name missing",
        r#"{"inputSchema":{"type":"object"}}"#,
        "`name` is missing",
    ),
    (
        "name number",
        r#"{"name":5,"inputSchema":{"type":"object"}}"#,
        "`name` must be a string, found a number",
    ),
    (
        "name twice",
        r#"{"name":"good","inputSchema":{"type":"object"}}"#,
        "another tool before it has the same name",
    ),
    (
        "description null",
        r#"{"name":"bad","description":null,"inputSchema":{"type":"object"}}"#,
        "`description` must be a string",
    ),
    (
        "annotations array",
        r#"{"name":"bad","annotations":[],"inputSchema":{"type":"object"}}"#,
        "`annotations` must be an object",
    ),
    // Not even readable.
    (
        "duplicate key",
        r#"{"name":"bad","inputSchema":{"type":"object","type":"array"}}"#,
        "duplicate key `type`",
    ),
    (
        "half a surrogate pair",
        r#"{"name":"bad","description":"\ud800","inputSchema":{"type":"object"}}"#,
        "half of a surrogate pair",
    ),
    (
        "bad number",
        r#"{"name":"bad","inputSchema":{"type":"object","maximum":01}}"#,
        "number",
    ),
    // Good tools that peers lose the list over.
    (
        "boolean property",
        r#"{"name":"bad","inputSchema":{"type":"object","properties":{"x":true,"y":false}}}"#,
        "",
    ),
    (
        "array output",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}"#,
        "",
    ),
    (
        "typeless output",
        r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":{}}"#,
        "",
    ),
];

/// One malformed tool changes nothing for the others, and is reported with the reason.
#[test]
fn one_bad_tool_never_breaks_the_list() {
    for (shape, bad, reason) in SHAPES {
        let set = tools(&[GOOD, bad, LAST]);
        assert!(
            set.tool("good").is_some() && set.tool("last").is_some(),
            "{shape}"
        );

        // Validation of the others stays on, in both directions.
        assert_eq!(
            code(&call(&set, "good", r#"{"n":"x"}"#)),
            "arguments-invalid",
            "{shape}"
        );
        assert_eq!(code(&call(&set, "good", r#"{"n":1}"#)), "pass", "{shape}");
        let broken = r#"{"content":[],"structuredContent":{"n":"x"}}"#;
        let good = set.tool("good").unwrap();
        assert_eq!(
            code(&result(good, Era::V2025_11_25, broken)),
            "result-invalid",
            "{shape}"
        );

        // The bad one is named with the reason, and calling it is -32602.
        let mut reasons: Vec<String> = set.isolated().iter().map(Isolated::to_string).collect();
        reasons.extend(
            set.uncompilable()
                .map(|(tool, why)| format!("tool `{}`: {why}", tool.name())),
        );
        if reason.is_empty() {
            assert_eq!(reasons, Vec::<String>::new(), "{shape}");
            assert_eq!(code(&call(&set, "bad", "{}")), "pass", "{shape}");
            continue;
        }
        assert_eq!(reasons.len(), 1, "{shape}: {reasons:?}");
        assert!(reasons[0].contains(reason), "{shape}: {reasons:?}");
        let named = bad.contains("\"name\":\"bad\"");
        assert_eq!(named, reasons[0].contains("`bad`"), "{shape}: {reasons:?}");
        if named {
            let decision = call(&set, "bad", "{}");
            let refusal = decision.refusal().unwrap();
            assert_eq!(refusal.fault.rpc_code(), -32602, "{shape}");
            assert!(
                refusal.text().contains("`bad`"),
                "{shape}: {}",
                refusal.text()
            );
            assert!(!matches!(refusal.fault, Fault::UnknownTool), "{shape}");
        }
    }
}

/// No reader of any era gets a list that its types cannot read.
#[test]
fn no_reader_gets_a_list_it_cannot_read() {
    for (shape, bad, reason) in SHAPES {
        let listing = listing(&[GOOD, bad, LAST]);
        for era in Era::ALL {
            let projected = Projection::to(era).list(&listing);
            let read = Listing::read(projected.text.as_str()).unwrap();
            assert!(
                read.isolated().is_empty(),
                "{shape} for {era}: {:?}",
                read.isolated()
            );
            let again = Projection::to(era).list(&read);
            let dropped = |lost: &[Lost]| {
                lost.iter()
                    .filter(|lost| matches!(lost, Lost::Tool(_)))
                    .count()
            };
            assert_eq!(dropped(&again.lost), 0, "{shape} for {era}");
            assert!(dropped(&projected.lost) <= 1, "{shape} for {era}");
            assert!(
                projected.text.contains(r#""name":"good""#),
                "{shape} for {era}"
            );
            assert!(
                projected.text.contains(r#""name":"last""#),
                "{shape} for {era}"
            );
            if reason.is_empty() {
                assert!(
                    projected.text.contains(r#""name":"bad""#),
                    "{shape} for {era}"
                );
            }
        }
    }
}

/// A tool that does not compile is listed, unless the caller leaves it out.
#[test]
fn a_tool_that_does_not_compile_can_be_listed_or_dropped() {
    let bad = r##"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":{"$ref":"https://x.invalid/s"}}"##;
    let listing = listing(&[GOOD, bad]);
    let set = tools(&[GOOD, bad]);
    let projection = Projection::to(Era::V2026_07_28);
    assert!(projection.list(&listing).text.contains("x.invalid"));

    let sound = |name: &str| set.tool(name).and_then(|tool| tool.verify().err());
    let refused =
        |name: &str| sound(name).map(|_| MalformedTool::Missing("a schema that compiles"));
    let dropped = projection.list_without(&listing, refused);
    assert!(!dropped.text.contains("x.invalid"));
    assert_eq!(dropped.lost.len(), 1);
}

/// One tool that is 20,000 levels deep, or a page that is not a page.
#[test]
fn depth_is_one_tools_fault_and_a_broken_page_is_an_error() {
    let deep = format!(
        r#"{{"name":"deep","inputSchema":{{"type":"object","x":{}{}}}}}"#,
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    let set = tools(&[GOOD, &deep]);
    assert_eq!(set.len(), 1);
    assert_eq!(set.isolated()[0].name.as_deref(), Some("deep"));
    let nested = format!(
        r#"{{"name":"deep","inputSchema":{{"type":"object"{}{}}}}}"#,
        r#","not":{"type":"object""#.repeat(70),
        "}".repeat(70)
    );
    let set = tools(&[GOOD, &nested]);
    let decision = call(&set, "deep", "{}");
    assert!(decision.refusal().unwrap().text().contains("schema depth"));

    for page in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"tools":{}}"#,
        r#"{"tools":[{]}"#,
        r#"{"tools":[1,]}"#,
        "{\"tools\":[\"",
        "\u{0}",
    ] {
        assert!(Listing::read(page).is_err(), "{page}");
    }
    let catalog = Catalog::new(SchemaStore::new());
    catalog.load([page(&[GOOD]).as_bytes()]).unwrap();
    assert!(catalog.load([page(&[LAST]).as_bytes(), b"{"]).is_err());
    assert_eq!(
        catalog.snapshot().tools().len(),
        1,
        "nothing is replaced by half a listing"
    );
    assert!(catalog.snapshot().tool("good").is_some());
    let _ = Checker::default();
}
