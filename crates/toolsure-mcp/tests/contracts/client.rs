//! A client that reads a server's tools.

use std::sync::{Arc, Barrier};

use crate::support::{call, code, contract, json, listing, page, promising, result, tool, tools};
use toolsure_mcp::catalog::{Catalog, ToolSet};
use toolsure_mcp::check::{Checked, Checker, Decision, OnUndecided, PendingTasks, ResultOf};
use toolsure_mcp::contract::{HeaderFaultKind, MalformedTool, SchemaStore, ToolContract};
use toolsure_mcp::era::{Era, ToolMethod};
use toolsure_mcp::message::{created_task, requested_task};
use toolsure_mcp::project::{Lost, Projection};
use toolsure_schema::{Compiler, Formats};

const INPUT: &str = r#"{"type":"object"}"#;

/// A listing compiles nothing. A tool whose schema does not compile stays in the set, and only a
/// call of it is refused, with the reason.
#[test]
fn a_schema_that_does_not_compile_surfaces_when_its_tool_is_called() {
    let catalog = Catalog::new(SchemaStore::new());
    let bad = tool(
        "bad",
        r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/no"}}}"##,
        None,
    );
    catalog
        .load([page(&[&bad, &tool("good", INPUT, None)]).as_bytes()])
        .unwrap();
    assert_eq!(
        catalog.store().compilations(),
        0,
        "listing compiles nothing"
    );
    let set = catalog.snapshot();
    assert_eq!(set.len(), 2);
    assert_eq!(code(&call(&set, "good", "{}")), "pass");
    assert_eq!(
        catalog.store().compilations(),
        1,
        "only what is called is compiled"
    );
    let decision = call(&set, "bad", "{}");
    let refusal = decision.refusal().unwrap();
    assert_eq!(
        (refusal.fault.code(), refusal.fault.rpc_code()),
        ("tool-uncompilable", -32602)
    );
    let said = "tool `bad` has an invalid inputSchema: `$ref` to `#/$defs/no` does not resolve";
    assert!(refusal.text().starts_with(said), "{refusal}");
    assert!(
        refusal.text().contains("(at /properties/a/$ref)"),
        "{refusal}"
    );
    assert!(refusal.error_answer("1").contains(r#""code":-32602"#));
}

/// A tool with members that the protocol does not define keeps its text in every era, and can be
/// called.
#[test]
fn unknown_members_survive_and_break_nothing() {
    let odd = r#"{"name":"odd", "x-vendor": {"n": 1.50}, "inputSchema":{"type":"object", "x-ui": [1,  2]}, "parameters":null}"#;
    let set = tools(&[odd]);
    assert_eq!(set.tool("odd").unwrap().text(), odd);
    assert_eq!(code(&call(&set, "odd", "{}")), "pass");
    for era in Era::ALL {
        let told = Projection::to(era).list(&listing(&[odd]));
        assert!(told.text.contains(odd), "{era}: {}", told.text);
    }
}

/// A changed schema with the same `$id` is a new schema, and an unchanged listing compiles nothing.
#[test]
fn a_contract_follows_its_text_and_never_its_id() {
    let with = |kind: &str| {
        let output = format!(r#"{{"$id":"https://x.invalid/s","type":"{kind}"}}"#);
        page(&[&tool("t", INPUT, Some(&output)), &tool("u", INPUT, None)])
    };
    let catalog = Catalog::new(SchemaStore::new());
    catalog.load([with("number").as_bytes()]).unwrap();
    let before = catalog.snapshot();
    let number = r#"{"content":[],"structuredContent":1}"#;
    let text = r#"{"content":[],"structuredContent":"s"}"#;
    let check = |set: &ToolSet, sent| code(&result(set.tool("t").unwrap(), Era::V2026_07_28, sent));
    assert_eq!(
        (check(&before, number), check(&before, text)),
        ("pass", "result-invalid")
    );

    let change = catalog.load([with("string").as_bytes()]).unwrap();
    assert_eq!(change.changed, ["t"]);
    let after = catalog.snapshot();
    assert_eq!(
        (check(&after, number), check(&after, text)),
        ("result-invalid", "pass")
    );
    // A call in flight goes on with the set that it began with.
    assert_eq!(
        (check(&before, number), check(&before, text)),
        ("pass", "result-invalid")
    );

    // A listing that says the same compiles nothing again and leaks nothing.
    let compiled = catalog.store().compilations();
    let resident = catalog.store().resident();
    for _ in 0..10 {
        assert!(
            catalog
                .load([with("string").as_bytes()])
                .unwrap()
                .is_empty()
        );
        assert_eq!(check(&catalog.snapshot(), text), "pass");
    }
    assert_eq!(catalog.store().compilations(), compiled);
    assert_eq!(catalog.store().resident(), resident);
    let change = catalog
        .load([page(&[&tool("v", INPUT, None)]).as_bytes()])
        .unwrap();
    assert_eq!(
        (change.added, change.removed),
        (vec!["v".to_owned()], vec!["t".to_owned(), "u".to_owned()])
    );
}

/// Two tools with one `$id` keep their own schemas. The TypeScript SDK 2.4.0 checks the results of
/// both by the first.
#[test]
fn two_tools_with_one_id_do_not_meet() {
    let with = |kind: &str| format!(r#"{{"$id":"https://x.invalid/s","type":"{kind}"}}"#);
    let set = tools(&[
        &tool("a", INPUT, Some(&with("number"))),
        &tool("b", INPUT, Some(&with("string"))),
        &tool(
            "c",
            INPUT,
            Some(r#"{"$id":"https://json-schema.org/draft/2020-12/schema","type":"integer"}"#),
        ),
    ]);
    let check = |name: &str, value: &str| {
        let sent = format!(r#"{{"content":[],"structuredContent":{value}}}"#);
        code(&result(set.tool(name).unwrap(), Era::V2026_07_28, &sent))
    };
    assert_eq!((check("a", "1"), check("b", "\"s\"")), ("pass", "pass"));
    assert_eq!(
        (check("a", "\"s\""), check("b", "1")),
        ("result-invalid", "result-invalid")
    );
    assert_eq!(
        (check("c", "1"), check("c", "{}")),
        ("pass", "result-invalid")
    );
}

/// `structuredContent` is present if its key is there, whatever its value. Without it a result is
/// refused, unless it is an error, asks for input, or is of an era before structured content.
#[test]
fn structured_content_is_present_if_its_key_is() {
    let any = promising("{}");
    let nothing = promising(r#"{"not":{}}"#);
    for era in [Era::V2025_06_18, Era::V2025_11_25, Era::V2026_07_28] {
        for value in ["null", "0", "false", "\"\"", "[]", "{}"] {
            let sent = format!(r#"{{"content":[],"structuredContent":{value}}}"#);
            assert_eq!(code(&result(&any, era, &sent)), "pass", "{era} {value}");
            assert_eq!(
                code(&result(&nothing, era, &sent)),
                "result-invalid",
                "{era} {value}"
            );
        }
        assert_eq!(
            code(&result(&any, era, r#"{"content":[]}"#)),
            "result-missing"
        );
        for failed in [
            r#"{"isError":true}"#,
            r#"{"isError":true,"structuredContent":1}"#,
        ] {
            assert_eq!(code(&result(&nothing, era, failed)), "pass");
        }
        assert_eq!(
            code(&result(&any, era, r#"{"isError":"yes"}"#)),
            "result-malformed"
        );
        assert_eq!(code(&result(&any, era, "[]")), "result-malformed");
    }
    // The tag counts where the era has it, and only there.
    let asks = r#"{"resultType":"input_required","requestState":"s"}"#;
    assert_eq!(code(&result(&nothing, Era::V2026_07_28, asks)), "pass");
    assert_eq!(
        code(&result(&nothing, Era::V2025_11_25, asks)),
        "result-missing"
    );
    // With every other `resultType` that is known, and in an error, the output schema is not
    // applied.
    for unchecked in [
        r#"{"resultType":"input_required","requestState":"s","structuredContent":1}"#,
        r#"{"resultType":"task","taskId":"7","status":"working"}"#,
        r#"{"resultType":"task","taskId":"7","status":"working","structuredContent":1}"#,
        r#"{"resultType":"complete","isError":true}"#,
        r#"{"resultType":"complete","isError":true,"structuredContent":1}"#,
    ] {
        let decision = result(&nothing, Era::V2026_07_28, unchecked);
        assert_eq!(code(&decision), "pass", "{unchecked}");
    }
    // `isError: false` says that it is no error.
    for era in [Era::V2025_11_25, Era::V2026_07_28] {
        let decision = result(&nothing, era, r#"{"content":[],"isError":false}"#);
        assert_eq!(code(&decision), "result-missing", "{era}");
    }
    assert_eq!(
        code(&result(
            &nothing,
            Era::V2026_07_28,
            r#"{"resultType":"complete","content":[]}"#
        )),
        "result-missing"
    );
    let odd = r#"{"resultType":"later","structuredContent":{}}"#;
    assert_eq!(
        code(&result(&any, Era::V2026_07_28, odd)),
        "result-type-unknown"
    );
    assert_eq!(
        code(&result(&any, Era::V2025_03_26, r#"{"content":[]}"#)),
        "pass"
    );
    let answer = br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}"#;
    let decision = Checker::new().check_result_message(&any, Era::V2026_07_28, answer);
    assert!(matches!(decision, Decision::Pass(pass) if pass.checked == Checked::ErrorAnswer));
}

/// The result of a task is checked against the tool that made the task, in each message that
/// carries it. A bounded number of tasks is remembered.
#[test]
fn task_results_meet_the_tool_that_made_the_task() {
    let tool = promising(r#"{"type":"integer"}"#);
    let mut checker = Checker::new();
    let mut book = PendingTasks::new(2);

    // 2025-11-25: asked for, and answered in `tasks/result`.
    let created = json(r#"{"task":{"taskId":"7","status":"working"}}"#);
    let of = ResultOf::task(Era::V2025_11_25);
    let decision = checker.check_result(&tool, of, created.document().root());
    assert!(matches!(&decision, Decision::Pass(pass) if pass.checked == Checked::TaskCreated));
    book.insert(
        requested_task(created.document().root()).unwrap(),
        Arc::clone(&tool),
    );
    // Not asked for, it is not a task.
    assert_eq!(
        code(&checker.check_result(&tool, Era::V2025_11_25, created.document().root())),
        "result-missing"
    );
    // Nor if it was asked for in a version without such tasks.
    for era in [Era::V2025_06_18, Era::V2026_07_28] {
        let decision = checker.check_result(&tool, ResultOf::task(era), created.document().root());
        assert_eq!(code(&decision), "result-missing", "{era}");
    }
    let maker = Arc::clone(book.tool("7").unwrap());
    let mut check = |era, method, body: &str| {
        code(&checker.check_task_result(&maker, era, method, json(body).document().root()))
    };
    let (old, new) = (Era::V2025_11_25, Era::V2026_07_28);
    let good = r#"{"content":[],"structuredContent":1}"#;
    let bad = r#"{"content":[],"structuredContent":"x"}"#;
    assert_eq!(check(old, ToolMethod::TaskResult, good), "pass");
    assert_eq!(check(old, ToolMethod::TaskResult, bad), "result-invalid");
    assert_eq!(
        check(
            old,
            ToolMethod::TaskGet,
            r#"{"taskId":"7","status":"working"}"#
        ),
        "pass"
    );

    // 2026-07-28: unasked, and answered in `tasks/get` or `notifications/tasks`.
    let created = json(r#"{"resultType":"task","taskId":"8","status":"working"}"#);
    assert_eq!(created_task(created.document().root()), Some("8"));
    // An id that is too long is no id, and is not kept.
    for (length, is_id) in [(2_048, true), (2_049, false)] {
        let id = "x".repeat(length);
        let created = json(&format!(r#"{{"resultType":"task","taskId":"{id}"}}"#));
        let root = created.document().root();
        assert_eq!(created_task(root).is_some(), is_id);
        let expected = if is_id { "pass" } else { "result-malformed" };
        let decision = Checker::new().check_result(&tool, new, root);
        assert_eq!(code(&decision), expected);
        let mut kept = PendingTasks::new(1);
        kept.insert(&id, Arc::clone(&tool));
        assert_eq!(kept.tool(&id).is_some(), is_id);
    }
    // Which of two a client reads, the version decides; a result without the tag made none.
    for (text, task, asked) in [
        (
            r#"{"resultType":"task","taskId":"8","task":{"taskId":"9"}}"#,
            Some("8"),
            Some("9"),
        ),
        (r#"{"content":[],"taskId":"8"}"#, None, None),
        (r#"{"resultType":"complete","taskId":"8"}"#, None, None),
    ] {
        let result = json(text);
        let root = result.document().root();
        assert_eq!(
            (created_task(root), requested_task(root)),
            (task, asked),
            "{text}"
        );
    }
    // A task of two tools is held to neither.
    let mut two = PendingTasks::new(2);
    let other = br#"{"name":"other","inputSchema":{"type":"object"}}"#;
    let other = Arc::new(ToolContract::read(other, &SchemaStore::new()).unwrap());
    two.insert("8", Arc::clone(&tool));
    two.insert("8", Arc::clone(&tool));
    assert!(two.tool("8").is_some());
    two.insert("8", other);
    assert!(two.tool("8").is_none());
    two.insert("8", Arc::clone(&tool));
    assert!(two.tool("8").is_none());
    for method in [ToolMethod::TaskGet, ToolMethod::TaskChanged] {
        let done =
            |result: &str| format!(r#"{{"taskId":"8","status":"completed","result":{result}}}"#);
        assert_eq!(check(new, method, &done(good)), "pass");
        assert_eq!(check(new, method, &done(bad)), "result-invalid");
        assert_eq!(
            check(new, method, r#"{"taskId":"8","status":"working"}"#),
            "pass"
        );
        assert_eq!(
            check(new, method, r#"{"taskId":"8","status":"completed"}"#),
            "result-malformed"
        );
        assert_eq!(
            check(
                new,
                method,
                r#"{"taskId":"8","status":"failed","error":{}}"#
            ),
            "pass"
        );
    }

    assert_eq!(book.insert("8", Arc::clone(&tool)), None);
    assert_eq!(book.insert("9", Arc::clone(&tool)).as_deref(), Some("7"));
    for round in 0..1_000 {
        book.insert("9", Arc::clone(&tool));
        book.insert(&format!("r{round}"), Arc::clone(&tool));
        assert!(book.len() <= 2);
        book.remove(&format!("r{round}"));
    }
}

/// A tool whose `x-mcp-header` annotations break the rules is removed from a listing of 2026-07-28
/// over HTTP, with the reason; the other tools stay.
#[test]
fn header_annotations_follow_the_rules_or_the_tool_is_dropped() {
    let with = |properties: &str| {
        contract(
            &format!(r#"{{"type":"object","properties":{properties}}}"#),
            None,
        )
    };
    let good = with(
        r#"{"region":{"type":"string","x-mcp-header":"Region"},
            "page":{"type":"object","properties":{"size":{"type":"integer","x-mcp-header":"Size"}}},
            "x-mcp-header":{"type":"boolean"},
            "data":{"default":{"x-mcp-header":5}}}"#,
    );
    let parameters = good.headers().unwrap();
    assert_eq!(parameters.len(), 2);
    assert_eq!(parameters[0].name, "Region");
    assert_eq!(parameters[1].path, ["page", "size"]);

    // Each parameter keeps its path: a name counts once for each parameter below it, with 32 bytes.
    let below =
        r#"{"p":{"type":"string","x-mcp-header":"P"},"q":{"type":"string","x-mcp-header":"Q"}}"#;
    let under = |length| format!(r#"{{"{}":{{"properties":{below}}}}}"#, "a".repeat(length));
    let longest = (1 << 19) - 32 - 32 - 1;
    assert_eq!(with(&under(longest)).headers().unwrap().len(), 2);
    let kind = with(&under(longest + 1))
        .headers()
        .unwrap_err()
        .kind
        .clone();
    assert_eq!(kind, HeaderFaultKind::TooLong { limit: 1 << 20 });

    for (properties, expected) in [
        (
            r#"{"a":{"type":"string","x-mcp-header":5}}"#,
            HeaderFaultKind::NotAString,
        ),
        (
            r#"{"a":{"type":"string","x-mcp-header":""}}"#,
            HeaderFaultKind::NotAToken(String::new()),
        ),
        (
            r#"{"a":{"type":"string","x-mcp-header":"a b"}}"#,
            HeaderFaultKind::NotAToken("a b".to_owned()),
        ),
        (
            r#"{"a":{"type":"string","x-mcp-header":"a\r\nb"}}"#,
            HeaderFaultKind::NotAToken("a\r\nb".to_owned()),
        ),
        (
            r#"{"a":{"type":"number","x-mcp-header":"A"}}"#,
            HeaderFaultKind::Type,
        ),
        (r#"{"a":{"x-mcp-header":"A"}}"#, HeaderFaultKind::Type),
        (
            r#"{"a":{"type":["string","null"],"x-mcp-header":"A"}}"#,
            HeaderFaultKind::Type,
        ),
        (
            r#"{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}"#,
            HeaderFaultKind::Duplicate("a".to_owned()),
        ),
        (
            r#"{"a":{"items":{"type":"string","x-mcp-header":"A"}}}"#,
            HeaderFaultKind::Unreachable,
        ),
        (
            r#"{"a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}}"#,
            HeaderFaultKind::Unreachable,
        ),
        (
            r#"{"a":{"if":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}"#,
            HeaderFaultKind::Unreachable,
        ),
        (
            r#"{"a":{"type":"string","\u0078-mcp-header":""}}"#,
            HeaderFaultKind::NotAToken(String::new()),
        ),
    ] {
        let tool = with(properties);
        assert_eq!(tool.headers().unwrap_err().kind, expected, "{properties}");

        let listing = listing(&[tool.text(), &crate::support::tool("other", INPUT, None)]);
        let told = Projection::to(Era::V2026_07_28).over_http().list(&listing);
        assert!(told.text.contains(r#""name":"other""#) && !told.text.contains(r#""name":"t""#));
        let [Lost::Tool(isolated)] = told.lost.as_slice() else {
            unreachable!("{:?}", told.lost)
        };
        assert_eq!(isolated.name.as_deref(), Some("t"));
        assert!(matches!(isolated.reason, MalformedTool::Header(_)));
        // Elsewhere the annotation means nothing.
        assert!(
            Projection::to(Era::V2026_07_28)
                .list(&listing)
                .text
                .contains(r#""name":"t""#)
        );
        assert!(
            Projection::to(Era::V2025_11_25)
                .over_http()
                .list(&listing)
                .text
                .contains(r#""name":"t""#)
        );
    }
    let defs = contract(
        r#"{"type":"object","$defs":{"a":{"type":"string","x-mcp-header":"A"}}}"#,
        None,
    );
    assert_eq!(
        defs.headers().unwrap_err().kind,
        HeaderFaultKind::Unreachable
    );
}

/// Schemas are compiled once under contention, shared by content, and bounded.
#[test]
fn schemas_are_shared_compiled_once_and_bounded() {
    let store = SchemaStore::new();
    let catalog = Arc::new(Catalog::new(store.clone()));
    let input =
        r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^[a-z]{1,50}$"}}}"#;
    let many: Vec<String> = (0..50)
        .map(|n| tool(&format!("t{n}"), input, None))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    catalog.load([page(&many).as_bytes()]).unwrap();
    let barrier = Arc::new(Barrier::new(8));
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let (catalog, barrier) = (Arc::clone(&catalog), Arc::clone(&barrier));
            std::thread::spawn(move || {
                barrier.wait();
                let set = catalog.snapshot();
                for n in 0..50 {
                    let name = format!("t{}", (n + thread) % 50);
                    assert_eq!(code(&call(&set, &name, r#"{"a":"x"}"#)), "pass");
                }
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(store.compilations(), 1);
    assert_eq!(store.resident().0, 1);

    // A bound for three or so: what was used longest ago goes first.
    let small = SchemaStore::with(Compiler::new().formats(Formats::Assert), 110_000);
    let text = |n: u32| {
        format!(
            r#"{{"type":"object","properties":{{"p{n}":{{"const":"{}"}}}}}}"#,
            "x".repeat(4_000)
        )
    };
    for n in 0..40 {
        small.schema(&text(0)).unwrap();
        small.schema(&text(n)).unwrap();
        assert!(small.resident().1 <= 110_000, "{small:?}");
    }
    assert_eq!(
        small.compilations(),
        40,
        "the first stays, since it is used again and again"
    );
    small.schema(&text(1)).unwrap();
    assert_eq!(small.compilations(), 41, "the second was let go");
    // A contract finds its schema again after it was let go.
    let one = ToolContract::read(tool("t", &text(1), None).as_bytes(), &small).unwrap();
    one.input().unwrap();
    (2..40).for_each(|n| assert!(small.schema(&text(n)).is_ok()));
    one.input().unwrap();

    // A schema heavier than the bound by its patterns alone stays alone.
    let heavy = r#"{"type":"object","properties":{"a":{"pattern":"^(\\p{L}{1,60}){1,6}$"}}}"#;
    small.schema(heavy).unwrap();
    assert!(small.resident().0 <= 2, "{small:?}");
}

/// The third answer has one visible policy.
#[test]
fn what_cannot_be_decided_is_refused_or_passed_by_policy() {
    let tool = contract(
        r#"{"type":"object","properties":{"a":{"uniqueItems":true}}}"#,
        Some(r#"{"uniqueItems":true}"#),
    );
    let items: Vec<String> = (0..500).map(|n| n.to_string()).collect();
    let arguments = format!("{{\"a\":[{}]}}", items.join(","));
    let refuse = Checker::new()
        .fuel(100)
        .check_arguments_bytes(&tool, arguments.as_bytes());
    assert_eq!(code(&refuse), "arguments-undecided");
    let mut lenient = Checker::new().fuel(100).on_undecided(OnUndecided::Pass);
    let pass = lenient.check_arguments_bytes(&tool, arguments.as_bytes());
    assert!(matches!(pass, Decision::Pass(pass) if matches!(pass.checked, Checked::Undecided(_))));
    let sent = format!(
        r#"{{"content":[],"structuredContent":[{}]}}"#,
        items.join(",")
    );
    let refuse = Checker::new().fuel(100).check_result(
        &tool,
        Era::V2026_07_28,
        json(&sent).document().root(),
    );
    assert_eq!(code(&refuse), "result-undecided");
    assert_eq!(
        code(&Checker::new().check_arguments_bytes(&tool, arguments.as_bytes())),
        "pass"
    );
}
