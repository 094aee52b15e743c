//! Work that a schema's own size makes dear is paid for, so that fuel stays a
//! bound on time: a check of these takes seconds where it is not.

use toolsure_schema::{Compiler, Formats, Schema, Verdict, Workspace};

/// Each schema's operand is huge and each instance asks for it many times.
#[test]
fn large_operands_cost_fuel() {
    let digits = format!("0.{}1", "0".repeat(3_800));
    let name = "n".repeat(500_000);
    let items = |item: &str| format!("[{}]", vec![item; 20_000].join(","));
    for (schema, instance) in [
        (
            format!("{{\"items\":{{\"minimum\":{digits}}}}}"),
            items("1"),
        ),
        (
            format!("{{\"items\":{{\"not\":{{\"const\":{digits}}}}}}}"),
            items("0.1"),
        ),
        (
            format!("{{\"items\":{{\"not\":{{\"enum\":[{digits}]}}}}}}"),
            items("0.1"),
        ),
        (
            format!("{{\"items\":{{\"dependentRequired\":{{\"{name}\":[\"b\"]}}}}}}"),
            items("{\"a\":1}"),
        ),
    ] {
        let schema = Schema::compile(schema.as_bytes()).expect("a schema");
        let mut workspace = Workspace::new();
        let verdict = schema
            .check(&mut workspace, instance.as_bytes())
            .expect("JSON");
        assert!(
            matches!(verdict, Verdict::Undecided(_)) || workspace.fuel_used() > 500_000,
            "{verdict} for {} units",
            workspace.fuel_used()
        );
    }
}

/// Many operations on one small value: each is paid for, also where the value is a machine
/// integer or a text of a few bytes. They took one unit, or less than one for each.
#[test]
fn many_operations_on_one_value_cost_fuel() {
    let bounds: Vec<String> = (0..30)
        .map(|n| {
            let e = n + 99;
            format!(
                "{{\"minimum\":-1.5e{e},\"maximum\":1.5e{e},\"exclusiveMinimum\":-1.25e{e},\"multipleOf\":0.5}}"
            )
        })
        .collect();
    let formats = |name: &str, count: usize| -> String {
        let parts: Vec<String> = (0..count)
            .map(|n| format!("{{\"format\":\"{name}\",\"minLength\":{}}}", n % 4))
            .collect();
        parts.join(",")
    };
    let cheap: Vec<String> = (0..60)
        .map(|n| format!("{{\"minimum\":-{n},\"maximum\":{}}}", n + 9))
        .collect();
    let host = format!("\"{}\"", ["xn--ihqwcrb4cv8a8dqg056pqjye"; 3].join("."));
    // Operations, a value, how many of it, and the least that a check of them may take.
    for (parts, item, count, least) in [
        (bounds.join(","), "1", 1_000, 100_000),
        (
            formats("idn-hostname", 31),
            "\"\u{e9}.\u{fc}\"",
            1_000,
            500_000,
        ),
        (formats("hostname", 20), host.as_str(), 100, 400_000),
        (formats("json-pointer", 31), "\"/abc\"", 1_000, 31_000),
        (cheap.join(","), "1", 1_000, 20_000),
    ] {
        let schema = format!("{{\"items\":{{\"allOf\":[{parts}]}}}}");
        let compiler = Compiler::new().formats(Formats::Assert);
        let schema = compiler.compile(schema.as_bytes()).expect("a schema");
        let instance = format!("[{}]", vec![item; count].join(","));
        let mut workspace = Workspace::new();
        let verdict = schema
            .check(&mut workspace, instance.as_bytes())
            .expect("JSON");
        assert_eq!(verdict, Verdict::Valid, "{item}");
        let used = workspace.fuel_used();
        assert!(used >= least, "{item}: {used} units");
    }
}
