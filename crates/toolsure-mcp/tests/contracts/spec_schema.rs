//! Every message that we make validates against the protocol's own schema.json
//! of its era, by our own engine.
//!
//! The files are read from the folder that `TOOLSURE_MCP_SCHEMAS` names,
//! `<version>/schema.json` each (they are a part of the specification's
//! repository, and inside the official conformance package). Without it the
//! tests are ignored. It need not have every version.

use crate::support::protocol::{check, definition, has_definition};
use crate::support::{call, json, listing, promising, result, told, tool, tools};
use toolsure_mcp::catalog::Listing;
use toolsure_mcp::clients::{CostlySchemas, sanitize, simplify};
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::era::{Era, Structured};
use toolsure_mcp::project::{Lost, OutputPolicy, Projection};

const OUTPUTS: &[&str] = &[
    r#"{"type":"object","properties":{"a":true}}"#,
    r##"{"type":"array","items":{"$ref":"#"}}"##,
    r#"{"type":"integer"}"#,
    "{}",
    r#"{"anyOf":[{"type":"object"},{"type":"object"}]}"#,
    r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}}"##,
];

#[toolsure_needs::needs("$TOOLSURE_MCP_SCHEMAS")]
#[test]
fn lists_validate_in_every_era() {
    let input = r#"{"type":"object","properties":{"x":true,"y":false},"required":["x"]}"#;
    let all: Vec<String> = OUTPUTS
        .iter()
        .enumerate()
        .map(|(n, output)| tool(&format!("t{n}"), input, Some(output)))
        .collect();
    let mut all: Vec<&str> = all.iter().map(String::as_str).collect();
    all.extend([
        r#"{"name":"bad"}"#,
        "5",
        r#"{"name":"p","inputSchema":{"type":"object","properties":[]}}"#,
    ]);
    let mut checked = 0;
    for era in Era::ALL {
        let Some(schema) = definition(era, "ListToolsResult") else {
            continue;
        };
        for policy in [OutputPolicy::Wrap, OutputPolicy::Drop] {
            let list = Projection::to(era).output(policy).list(&listing(&all));
            let document = json(&list.text);
            check(
                &schema,
                document.document().at_pointer("/result").unwrap().raw(),
                era.version(),
            );
            checked += 1;
        }
    }
    assert!(checked > 0);
}

/// Tools with members that the protocol does not allow.
const ODD: &[&str] = &[
    r#"{"name":"a","inputSchema":{"type":"object"},"description":5,"title":null,"_meta":[]}"#,
    r#"{"name":"b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes","title":1}}"#,
    r#"{"name":"c","inputSchema":{"type":"object"},"icons":[{},{"src":5},"x",{"src":"https://x.test/","sizes":"any","theme":"blue"}]}"#,
    r#"{"name":"d","inputSchema":{"type":"object"},"execution":{"taskSupport":"maybe"}}"#,
    r#"{"name":"e","inputSchema":{"type":"object","$schema":5},"outputSchema":true}"#,
    r#"{"name":"f","inputSchema":{"type":"object","properties":{"a":5,"b":null},"required":"a"}}"#,
    r#"{"name":"g","inputSchema":{"type":"object","required":[5,"a","a"]},"outputSchema":{"required":[1]}}"#,
    r#"{"name":"h","inputSchema":{"type":"object","properties":[]},"outputSchema":{"$ref":"https://x.test/"}}"#,
    r#"{"name":"i","inputSchema":{"type":"object"},"annotations":[],"icons":{},"execution":5}"#,
];

/// Lists with odd members are valid by each era's schema after `sanitize` and `simplify`, and no
/// projection leaves out a tool.
#[toolsure_needs::needs("$TOOLSURE_MCP_SCHEMAS")]
#[test]
fn mended_lists_validate_in_every_era() {
    let page = format!(
        r#"{{"tools":[{}],"nextCursor":null,"_meta":5,"ttlMs":-1,"cacheScope":"x","resultType":null}}"#,
        ODD.join(",")
    );
    let store = SchemaStore::lenient();
    let page = Listing::read(page.as_str()).unwrap();
    let page = sanitize(&page, &store, true, |_| true)
        .unwrap()
        .unwrap()
        .listing;
    let page = simplify(&page, &store, CostlySchemas::Simplify, |_| true)
        .unwrap()
        .unwrap();
    let mut checked = 0;
    for era in Era::ALL {
        let Some(schema) = definition(era, "ListToolsResult") else {
            continue;
        };
        let list = Projection::to(era).list(&page.listing);
        check(&schema, &list.text, era.version());
        let lost = |lost: &Lost| matches!(lost, Lost::Tool(_));
        assert!(!list.lost.iter().any(lost), "{:?}", list.lost);
        checked += 1;
    }
    assert!(checked > 0);
}

#[toolsure_needs::needs("$TOOLSURE_MCP_SCHEMAS")]
#[test]
fn results_and_refusals_validate_in_every_era() {
    let mut checked = 0;
    for era in Era::ALL {
        let Some(schema) = definition(era, "CallToolResult") else {
            continue;
        };
        for (output, value) in
            OUTPUTS
                .iter()
                .zip([r#"{"a":1}"#, "[[]]", "0", "null", r#"{"b":2}"#, "[[1]]"])
        {
            let contract = promising(output);
            let sent =
                format!(r#"{{"resultType":"complete","content":[],"structuredContent":{value}}}"#);
            for contract in [Some(&*contract), None] {
                let told = told(era, contract, &sent);
                check(&schema, &told.text, era.version());
                checked += 1;
            }
        }
        let set = tools(&[&tool(
            "t",
            r#"{"type":"object","required":["a"]}"#,
            Some(r#"{"type":"object"}"#),
        )]);
        let wrong = call(&set, "t", "{}");
        check(
            &schema,
            &wrong.refusal().unwrap().error_result(era),
            era.version(),
        );
        let missing = result(
            set.tool("t").unwrap(),
            Era::V2026_07_28,
            r#"{"content":[]}"#,
        );
        check(
            &schema,
            &missing.refusal().unwrap().error_result(era),
            era.version(),
        );
        assert_eq!(era.structured() == Structured::Any, era.is_modern());

        let unknown = call(&set, "nope", "{}");
        let answer = unknown.refusal().unwrap().answer(era, "\"x\"");
        let name = if has_definition(era, "JSONRPCErrorResponse") {
            "JSONRPCErrorResponse"
        } else {
            "JSONRPCError"
        };
        check(&definition(era, name).unwrap(), &answer, era.version());
        checked += 3;
    }
    assert!(checked > 0);
}
