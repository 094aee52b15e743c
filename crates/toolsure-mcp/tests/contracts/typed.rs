//! Typed publishing and typed reading: Rust types as schemas, results as Rust values.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::sync::Arc;

use crate::support::{code, json, promising};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolsure_mcp::check::{Checker, ResultOf};
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::era::Era;
use toolsure_mcp::publish::{Refused, ToolDefinition};
use toolsure_mcp::typed::UntypedResult;

#[derive(Debug, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(tag = "by", rename_all = "lowercase", deny_unknown_fields)]
enum Find {
    Id { id: u32 },
    Name { name: String, exact: Option<bool> },
}

#[derive(Debug, Deserialize, Serialize, JsonSchema, PartialEq)]
struct User {
    id: u32,
    #[schemars(range(min = 0, max = 150))]
    age: Option<u8>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Plain {
    On,
    Off,
}

fn find() -> Arc<ToolContract> {
    let tool = ToolDefinition::new("find")
        .input_type::<Find>()
        .output_type::<Vec<User>>();
    Arc::new(tool.build(&SchemaStore::new()).unwrap())
}

#[test]
fn an_enum_can_be_the_input_of_a_tool() {
    let tool = find();
    assert!(
        tool.input_text().starts_with(r#"{"type":"object","#),
        "{}",
        tool.input_text()
    );
    let mut checker = Checker::new();
    for (arguments, expected) in [
        (r#"{"by":"id","id":5}"#, "pass"),
        (r#"{"by":"name","name":"a","exact":null}"#, "pass"),
        (r#"{"by":"id"}"#, "arguments-invalid"),
        (r#"{"by":"mail"}"#, "arguments-invalid"),
        (r#"{"by":"id","id":-1}"#, "arguments-invalid"),
    ] {
        let decision = checker.check_arguments_bytes(&tool, arguments.as_bytes());
        assert_eq!(code(&decision), expected, "{arguments}");
        assert_eq!(
            serde_json::from_str::<Find>(arguments).is_ok(),
            expected == "pass"
        );
        let value: serde_json::Value = serde_json::from_str(arguments).unwrap();
        assert_eq!(
            code(&checker.check_arguments_value(&tool, Some(&value))),
            expected
        );
    }
    let refused = ToolDefinition::new("plain")
        .input_type::<Plain>()
        .build(&SchemaStore::new());
    assert!(matches!(refused.unwrap_err().reason, Refused::InputType(_)));
    let refused = ToolDefinition::new("list")
        .input_type::<Vec<u8>>()
        .build(&SchemaStore::new());
    assert!(refused.is_err());
}

/// Valid structured content becomes a Rust value; otherwise an error says why there is none.
#[test]
fn structured_content_is_read_into_a_type_or_says_why_not() {
    let tool = find();
    let mut checker = Checker::new();
    let mut read = |tool: &Arc<ToolContract>, sent: &str| {
        let sent = json(sent);
        let of = ResultOf::from(Era::V2026_07_28);
        checker.read_structured::<Vec<User>>(tool, of, sent.document().root())
    };
    let users = read(
        &tool,
        r#"{"content":[],"structuredContent":[{"id":1,"age":7},{"id":2,"age":null}]}"#,
    )
    .unwrap();
    assert_eq!(
        users,
        [
            User {
                id: 1,
                age: Some(7)
            },
            User { id: 2, age: None }
        ]
    );
    let why = read(
        &tool,
        r#"{"content":[],"structuredContent":[{"id":1,"age":200}]}"#,
    )
    .unwrap_err();
    assert!(matches!(&why, UntypedResult::Refused(_)), "{why}");
    assert!(
        why.to_string().contains("/0/age: expected at most 150"),
        "{why}"
    );
    let why = read(
        &tool,
        r#"{"content":[{"type":"text","text":"boom"}],"isError":true}"#,
    )
    .unwrap_err();
    assert_eq!(why.to_string(), "tool `find` failed: boom");
    let why = read(
        &tool,
        r#"{"resultType":"input_required","requestState":"s"}"#,
    )
    .unwrap_err();
    assert_eq!(
        why.to_string(),
        "the result of tool `find` has no `structuredContent`"
    );
    let loose = promising("{}");
    let why = read(&loose, r#"{"content":[],"structuredContent":[{"id":"x"}]}"#).unwrap_err();
    assert!(
        why.to_string()
            .starts_with("the result of tool `t` cannot be read as `"),
        "{why}"
    );
}
