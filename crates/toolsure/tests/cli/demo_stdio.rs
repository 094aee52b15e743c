//! `toolsure serve-demo` on stdio: both eras, every kind of call, and invalid messages.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::run::PROGRAM;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Sends lines, closes the input, and reads every answer.
fn converse(lines: &[String]) -> Vec<Value> {
    let mut child = Command::new(PROGRAM)
        .arg("serve-demo")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = lines.join("\n");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn open(version: &str) -> Vec<String> {
    vec![
        format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}}}}}}"#
        ),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
    ]
}

fn legacy(version: &str, method: &str, params: &str) -> Value {
    let mut lines = open(version);
    lines.push(format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#
    ));
    let answers = converse(&lines);
    assert_eq!(answers[0]["result"]["protocolVersion"], version);
    answers[1].clone()
}

fn modern(method: &str, params: &str) -> Value {
    let comma = if params.is_empty() { "" } else { "," };
    converse(&[format!(
        r#"{{"jsonrpc":"2.0","id":"m","method":"{method}","params":{{{META}{comma}{params}}}}}"#
    )])[0]
        .clone()
}

#[test]
fn the_eras_see_the_output_each_in_its_form() {
    let call = r#"{"name":"get-count","arguments":{"collection":"orders"}}"#;
    let natural = modern(
        "tools/call",
        r#""name":"get-count","arguments":{"collection":"orders"}"#,
    );
    assert_eq!(natural["result"]["structuredContent"], 42);
    assert_eq!(natural["result"]["resultType"], "complete");
    let wrapped = legacy("2025-11-25", "tools/call", call);
    let result =
        json!({"content": [{"type": "text", "text": "42"}], "structuredContent": {"result": 42}});
    assert_eq!(wrapped["result"], result);
    let text_only = legacy("2024-11-05", "tools/call", call);
    assert_eq!(
        text_only["result"],
        json!({"content": [{"type": "text", "text": "42"}]})
    );

    let schema = |listing: &Value| listing["result"]["tools"][1]["outputSchema"].clone();
    assert_eq!(schema(&modern("tools/list", ""))["type"], "integer");
    assert_eq!(
        schema(&legacy("2025-06-18", "tools/list", "{}")),
        json!({"type": "object", "properties": {"result": {"type": "integer", "minimum": 0}}, "required": ["result"]})
    );
    assert_eq!(
        schema(&legacy("2025-03-26", "tools/list", "{}")),
        Value::Null
    );
}

#[test]
fn arguments_are_checked_before_the_tool_works() {
    let call = |arguments: &str| {
        modern(
            "tools/call",
            &format!(r#""name":"find-by-id-or-name"{arguments}"#),
        )["result"]
            .clone()
    };
    assert_eq!(
        call(r#","arguments":{"id":"u-2"}"#)["structuredContent"]["record"]["name"],
        "Grace"
    );
    assert_eq!(
        call(r#","arguments":{"name":"Nobody"}"#)["structuredContent"]["record"],
        Value::Null
    );
    for wrong in [
        "",
        r#","arguments":{}"#,
        r#","arguments":{"id":"u-1","name":"Ada"}"#,
        r#","arguments":{"id":7}"#,
    ] {
        let result = call(wrong);
        assert_eq!(
            (&result["isError"], &result["structuredContent"]),
            (&json!(true), &Value::Null),
            "{wrong}"
        );
        assert!(
            result["content"][0]["text"]
                .as_str()
                .unwrap()
                .starts_with("invalid arguments for `find-by-id-or-name`: ")
        );
    }
    let hours = modern(
        "tools/call",
        r#""name":"get-weather-forecast","arguments":{"city":"Oslo","hours":2.0}"#,
    );
    assert_eq!(
        hours["result"]["structuredContent"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let hostile = modern("tools/call", r#""name":"hostile-schema","arguments":{}"#);
    assert_eq!(hostile["error"]["code"], -32602);
    assert_eq!(
        modern("tools/call", r#""name":"nope""#)["error"]["message"],
        "Unknown tool: nope"
    );
    for malformed in [
        r#""name":"get-count","arguments":[1]"#,
        r#""name":"get-count","arguments":null"#,
        r#""name":5"#,
    ] {
        assert_eq!(
            modern("tools/call", malformed)["error"]["code"],
            -32602,
            "{malformed}"
        );
    }
}

#[test]
fn modern_messages_need_their_metadata() {
    assert_eq!(
        modern("server/discover", "")["result"]["supportedVersions"][0],
        "2026-07-28"
    );
    assert_eq!(modern("ping", "")["error"]["code"], -32601);
    let other = META.replace("2026-07-28", "2031-01-01");
    let answers = converse(&[
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{other}}}}}"#),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#.to_owned(),
    ]);
    let codes: Vec<&Value> = answers
        .iter()
        .map(|answer| &answer["error"]["code"])
        .collect();
    assert_eq!(codes, [&json!(-32022), &json!(-32602), &json!(-32600)]);
    assert_eq!(
        answers[0]["error"]["data"],
        json!({"supported": ["2026-07-28"], "requested": "2031-01-01"})
    );
}

#[test]
fn garbage_gets_its_answer_and_the_server_goes_on() {
    let garbage = [
        ("{nope", -32700),
        ("\u{1}", -32700),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32700),
        ("7", -32600),
        ("[]", -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#,
            -32602,
        ),
    ];
    let mut lines: Vec<String> = garbage.iter().map(|(text, _)| (*text).to_owned()).collect();
    lines.push("[".repeat(1_000_000));
    lines.push("x".repeat(5 << 20));
    lines.push(r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#.to_owned());
    lines.push(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#.to_owned());
    lines.push(r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#.to_owned());
    let answers = converse(&lines);
    for ((text, code), answer) in garbage.iter().zip(&answers) {
        assert_eq!(answer["error"]["code"], *code, "{text}");
    }
    let codes: Vec<Option<i64>> = answers[garbage.len()..]
        .iter()
        .map(|answer| answer["error"]["code"].as_i64())
        .collect();
    assert_eq!(codes, [Some(-32700), Some(-32600), None]);
    assert_eq!(
        answers.last().unwrap(),
        &json!({"jsonrpc": "2.0", "id": "last", "result": {}})
    );
}

#[test]
fn sigterm_ends_it_in_order() {
    let mut child = Command::new(PROGRAM)
        .arg("serve-demo")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(child.stdout.as_mut().unwrap()),
        &mut line,
    )
    .unwrap();
    Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
}
