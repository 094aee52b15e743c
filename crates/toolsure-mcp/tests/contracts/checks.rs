//! Checks beyond the compiled schema: a host's engine, argument schemas, remembered tasks, and what a fault is called.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::sync::{Arc, Mutex};

use crate::support::{code, contract, json, promising, same, tool, tools};
use toolsure_json::ReadLimits;
use toolsure_mcp::check::{Checked, Checker, Decision, OnUndecided, PendingTasks};
use toolsure_mcp::contract::{
    ARGUMENT_SCHEMA, Engine, HostSchema, HostVerdict, SchemaStore, ToolContract, Validator,
};
use toolsure_mcp::era::Era;

const INPUT: &str = r#"{"type":"object"}"#;

/// Accepts everything, and keeps the texts that it was asked about.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Validator for Heard {
    fn compile(&self, _: &str) -> Result<Box<dyn HostSchema>, String> {
        Ok(Box::new(self.clone()))
    }
}

impl HostSchema for Heard {
    fn check(&self, instance: &str) -> HostVerdict {
        self.0.lock().unwrap().push(instance.to_owned());
        HostVerdict::Valid
    }
}

impl Heard {
    fn last(&self) -> String {
        self.0.lock().unwrap().pop().unwrap()
    }
}

/// Bounds under which the reader refuses no value of these tests.
fn deep() -> ReadLimits {
    ReadLimits {
        depth: 2_000,
        ..ReadLimits::default()
    }
}

/// A host's engine gets schemas of dialects that only it may know, and no schema that refers to
/// another document or exceeds a limit.
#[test]
fn a_hosts_engine_decides_on_unknown_dialects() {
    let deep = format!(
        r#"{{"$schema":"urn:ours","type":"object","extends":{}{{}}{}}}"#,
        r#"{"not":"#.repeat(200),
        "}".repeat(200)
    );
    for (schema, code) in [
        (
            r#"{"$schema":"http://json-schema.org/draft-03/schema#","type":"object","properties":{"a":{"type":"any","required":true}}}"#,
            None,
        ),
        (
            r##"{"$schema":"urn:ours","type":"object","extends":{"$ref":"#/parts/a"},"parts":{"a":{}}}"##,
            None,
        ),
        (
            r##"{"$schema":"urn:ours","type":"object","not":{"$ref":"#named"}}"##,
            None,
        ),
        (
            r#"{"type":"object","properties":{"a":{"$id":"urn:a","$schema":"urn:ours"}}}"#,
            None,
        ),
        (
            r#"{"$schema":"urn:ours","type":"object","properties":{"a":{"$ref":"https://h.example/a"}}}"#,
            Some("ref-denied"),
        ),
        (
            r#"{"$schema":"urn:ours","type":"object","extends":[{"$ref":"a.json#/b"}]}"#,
            Some("ref-denied"),
        ),
        (
            r#"{"$schema":"urn:ours","type":"object","x":{"$dynamicRef":"//h.example"}}"#,
            Some("ref-denied"),
        ),
        (deep.as_str(), Some("limit")),
        // Nothing else about a schema of a known dialect is the host's to decide on.
        (r#"{"type":"object","required":1}"#, Some("invalid-schema")),
        (
            r##"{"type":"object","$ref":"#/no"}"##,
            Some("unresolved-ref"),
        ),
    ] {
        for part in ["inputSchema", "outputSchema"] {
            let input = if part == "inputSchema" { schema } else { INPUT };
            let output = (part == "outputSchema").then_some(schema);
            let tool = contract(input, output);
            let heard = Heard::default();
            let mut checker = Checker::new().engine(Engine::new(heard.clone()));
            let decision = checker.check_arguments_bytes(&tool, br#"{"a":1}"#);
            let refused = decision.refusal().map(|why| why.text().to_owned());
            assert_eq!(refused.is_some(), code.is_some(), "{schema} {refused:?}");
            assert_eq!(
                heard.0.lock().unwrap().is_empty(),
                code.is_some(),
                "{schema}"
            );
            let found = tool.verify_for_host().err().map(|why| why.error.code());
            assert_eq!(found, code, "{schema}");
            if part == "outputSchema" {
                let result = br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"x"}],"structuredContent":{"a":1}}}"#;
                let decision = checker.check_result_message(&tool, Era::V2026_07_28, result);
                assert_eq!(decision.refusal().is_some(), code.is_some(), "{schema}");
            }
            // Without a host's engine each of them is refused.
            let decision = Checker::new().check_arguments_bytes(&tool, br#"{"a":1}"#);
            assert!(decision.refusal().is_some(), "{schema}");
        }
    }
}

#[test]
fn a_hosts_engine_is_given_the_value_that_came() {
    let heard = Heard::default();
    let mut checker = Checker::new().engine(Engine::new(heard.clone()));
    let values = [
        "{}",
        r#"{"a":[]}"#,
        r#"{"a":{},"b":[[],[{}]]}"#,
        r#"{"a":[1,-2.50,1e400,"x\"\u0000é",null,true,false],"b \"c\"":{"d":[{"e":1},{"f":2,"g":3}]}}"#,
    ];
    let tool = contract(INPUT, Some("{}"));
    for text in values {
        let decision = checker.check_arguments_bytes(&tool, text.as_bytes());
        assert!(matches!(&decision, Decision::Pass(pass) if pass.checked == Checked::Valid));
        let sent = heard.last();
        assert!(same(&sent, text), "{text} was sent as {sent}");
        let result = json(&format!(r#"{{"content":[],"structuredContent":{text}}}"#));
        let decision = checker.check_result(&tool, Era::V2026_07_28, result.document().root());
        assert_eq!(code(&decision), "pass");
        let sent = heard.last();
        assert!(same(&sent, text), "{text} was sent as {sent}");
    }
}

#[test]
fn a_hosts_engine_is_given_512_levels_and_no_more() {
    let heard = Heard::default();
    let engine = Engine::new(heard.clone());
    let tool = contract(INPUT, Some("{}"));
    let wrapped = |open: &str, close: &str, levels: usize| {
        format!("{}0{}", open.repeat(levels), close.repeat(levels))
    };
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let arguments = |levels: usize| format!(r#"{{"a":{}}}"#, wrapped(open, close, levels - 1));
        let mut checker = Checker::new().limits(deep()).engine(engine.clone());
        let decision = checker.check_arguments_bytes(&tool, arguments(512).as_bytes());
        assert_eq!(code(&decision), "pass", "{open}");
        assert_eq!(heard.last(), arguments(512));

        let decision = checker.check_arguments_bytes(&tool, arguments(513).as_bytes());
        assert_eq!(code(&decision), "arguments-undecided", "{open}");
        let text = decision.refusal().unwrap().text().to_owned();
        assert!(
            text.contains("arguments with more than 512 levels"),
            "{text}"
        );
        assert!(heard.0.lock().unwrap().is_empty(), "half a value was sent");

        let mut checker = checker.on_undecided(OnUndecided::Pass);
        let decision = checker.check_arguments_bytes(&tool, arguments(513).as_bytes());
        assert!(
            matches!(&decision, Decision::Pass(pass) if pass.checked == Checked::HostUndecided)
        );
    }
}

#[test]
fn arguments_that_are_no_object_are_a_malformed_call() {
    // The schema would accept them.
    let tool = contract(r#"{"type":"object"}"#, None);
    for text in ["[]", "null", "1", r#""{}""#] {
        let decision = Checker::new().check_arguments_bytes(&tool, text.as_bytes());
        assert_eq!(code(&decision), "call-malformed", "{text}");
        let refusal = decision.refusal().unwrap();
        assert_eq!(refusal.fault.kind(), "arguments", "{text}");
    }
}

#[test]
fn argument_schemas_are_asked_before_input_schemas_if_they_count() {
    let with = |schema: &str| {
        let text = format!(
            r#"{{"name":"t","inputSchema":{INPUT},"_meta":{{"{ARGUMENT_SCHEMA}":{schema}}}}}"#
        );
        Arc::new(ToolContract::read(text.as_bytes(), &SchemaStore::new()).unwrap())
    };
    let good = with(r#"{"q": {"type": "string", "required": true}}"#);
    let bad = with("5");
    for (tool, arguments, ignored, counted) in [
        (&good, r#"{"q":"a"}"#, "pass", "pass"),
        (&good, r#"{"q":1}"#, "pass", "arguments-invalid"),
        (&good, "{}", "pass", "arguments-invalid"),
        (&bad, r#"{"q":"a"}"#, "pass", "tool-argument-schema"),
    ] {
        let check = |mut checker: Checker| {
            let decision = checker.check_arguments_bytes(tool, arguments.as_bytes());
            (
                code(&decision),
                decision.refusal().map(|why| why.fault.kind()),
            )
        };
        assert_eq!(check(Checker::new()).0, ignored, "{arguments}");
        let (found, kind) = check(Checker::new().argument_schemas());
        assert_eq!(found, counted, "{arguments}");
        let expected = match counted {
            "pass" => None,
            "arguments-invalid" => Some("arguments"),
            _ => Some("schema"),
        };
        assert_eq!(kind, expected, "{arguments}");
    }
}

#[test]
fn a_fault_names_what_is_at_fault() {
    let listed = tools(&[
        &tool("sound", r#"{"type":"object","required":["a"]}"#, None),
        &tool("broken", r#"{"type":"object","minLength":"x"}"#, None),
    ]);
    let kind = |decision: &Decision| decision.refusal().unwrap().fault.kind();
    let call = |params: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        Checker::new().check_call_message(&listed, text.as_bytes())
    };
    assert_eq!(
        kind(&Checker::new().check_call_message(&listed, b"{")),
        "message"
    );
    assert_eq!(
        kind(&Checker::new().check_call_message(&listed, b"[]")),
        "message"
    );
    assert_eq!(kind(&call(r#"{"name":"absent"}"#)), "tool");
    assert_eq!(kind(&call(r#"{"name":"broken"}"#)), "schema");
    assert_eq!(kind(&call(r#"{"name":"sound"}"#)), "arguments");
    assert_eq!(
        kind(&call(r#"{"name":"sound","arguments":[]}"#)),
        "arguments"
    );
    let promising = promising(r#"{"type":"integer"}"#);
    for result in [
        r#"{"content":[]}"#,
        r#"{"content":[],"structuredContent":"x"}"#,
        r#"{"content":5}"#,
    ] {
        assert_eq!(
            kind(&crate::support::result(
                &promising,
                Era::V2026_07_28,
                result
            )),
            "result",
            "{result}"
        );
    }
}

#[test]
fn the_fuel_of_a_check_is_told() {
    let tool = contract(
        r#"{"type":"object","properties":{"a":{"items":{"type":"integer"}}}}"#,
        None,
    );
    let mut checker = Checker::new();
    let mut fuel = |arguments: &[u8]| {
        assert_eq!(
            code(&checker.check_arguments_bytes(&tool, arguments)),
            "pass"
        );
        checker.fuel_used()
    };
    let (few, many) = (fuel(br#"{"a":[1]}"#), fuel(br#"{"a":[1,2,3,4,5,6,7,8]}"#));
    assert!(0 < few && few < many, "{few} and {many}");
    assert_eq!(fuel(br#"{"a":[1]}"#), few, "of one check, not of all");
}

#[test]
fn tasks_are_remembered_until_they_are_over_or_too_many() {
    let tool = promising("{}");
    let mut tasks = PendingTasks::new(2);
    assert!(tasks.is_empty());
    assert_eq!(tasks.insert("a", Arc::clone(&tool)), None);
    assert_eq!((tasks.len(), tasks.is_empty()), (1, false));
    // A name that comes again many times is one task, and makes no other be forgotten.
    for _ in 0..100 {
        assert_eq!(tasks.insert("b", Arc::clone(&tool)), None);
        assert_eq!(tasks.len(), 2);
    }
    assert!(tasks.tool("a").is_some() && tasks.tool("b").is_some());
    // The oldest goes, by when it came last.
    assert_eq!(tasks.insert("c", Arc::clone(&tool)).as_deref(), Some("a"));
    assert_eq!(tasks.insert("b", Arc::clone(&tool)), None);
    assert_eq!(tasks.insert("d", Arc::clone(&tool)).as_deref(), Some("c"));
    assert_eq!(tasks.insert("c", Arc::clone(&tool)).as_deref(), Some("b"));
    assert_eq!(tasks.len(), 2);
    assert!(tasks.tool("c").is_some());

    assert!(Arc::ptr_eq(&tasks.remove("c").unwrap(), &tool));
    assert!(tasks.tool("c").is_none() && tasks.remove("c").is_none());
    assert_eq!(tasks.len(), 1);
    // Its room is free again.
    assert_eq!(tasks.insert("e", Arc::clone(&tool)), None);
    assert_eq!(tasks.insert("f", tool).as_deref(), Some("d"));
}
