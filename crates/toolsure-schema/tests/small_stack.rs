//! A stack of 256 KiB is enough for every shape that recurses, at every depth:
//! deeper than the limit is undecided or refused, never an overflow.

#[path = "shared/stack.rs"]
mod stack;

use toolsure_schema::{Compiler, Limits, Verdict, Workspace, settings};

/// A schema and an instance for each way to recurse, `n` levels deep.
fn shapes(n: usize) -> Vec<(&'static str, String, String)> {
    let objects = format!("{}1{}", "{\"x\":".repeat(n), "}".repeat(n));
    let arrays = format!("{}1{}", "[".repeat(n), "]".repeat(n));
    let chain = |step: &dyn Fn(usize) -> String| {
        let steps: Vec<String> = (0..n)
            .map(|i| format!("\"d{i}\":{}", step(i + 1)))
            .collect();
        let leaf = format!("\"d{n}\":{{\"minProperties\":0,\"type\":\"object\"}}");
        format!(
            "{{\"$ref\":\"#/$defs/d0\",\"$defs\":{{{},{leaf}}}}}",
            steps.join(",")
        )
    };
    let to = |i: usize| format!("{{\"$ref\":\"#/$defs/d{i}\"}}");
    let recursive = |body: &str| format!("{{\"$ref\":\"#/$defs/n\",\"$defs\":{{\"n\":{body}}}}}");
    let n = "{\"$ref\":\"#/$defs/n\"}";
    vec![
        ("refs", chain(&|i| to(i)), "{}".to_owned()),
        (
            "allOf",
            chain(&|i| format!("{{\"allOf\":[{}],\"maxProperties\":9}}", to(i))),
            "{}".to_owned(),
        ),
        (
            "anyOf",
            chain(&|i| format!("{{\"anyOf\":[{},false]}}", to(i))),
            "{}".to_owned(),
        ),
        (
            "oneOf",
            chain(&|i| format!("{{\"oneOf\":[false,{}]}}", to(i))),
            "{}".to_owned(),
        ),
        (
            "if",
            chain(&|i| format!("{{\"if\":{0},\"then\":{0}}}", to(i))),
            "{}".to_owned(),
        ),
        (
            "unevaluated chain",
            chain(&|i| {
                format!(
                    "{{\"anyOf\":[{},false],\"unevaluatedProperties\":false}}",
                    to(i)
                )
            }),
            "{}".to_owned(),
        ),
        (
            "properties",
            recursive(&format!("{{\"properties\":{{\"x\":{n}}}}}")),
            objects.clone(),
        ),
        (
            "additional",
            recursive(&format!("{{\"additionalProperties\":{n}}}")),
            objects.clone(),
        ),
        (
            "items",
            recursive(&format!("{{\"items\":{n}}}")),
            arrays.clone(),
        ),
        (
            "contains",
            recursive(&format!("{{\"contains\":{n}}}")),
            arrays.clone(),
        ),
        (
            "dependentSchemas",
            recursive(&format!(
                "{{\"dependentSchemas\":{{\"x\":{{\"properties\":{{\"x\":{n}}}}}}}}}"
            )),
            objects.clone(),
        ),
        (
            "unevaluatedProperties",
            recursive(&format!(
                "{{\"anyOf\":[{{\"properties\":{{\"y\":true}}}},{{\"type\":\"number\"}}],\"unevaluatedProperties\":{n}}}"
            )),
            objects.clone(),
        ),
        (
            "unevaluatedItems",
            recursive(&format!(
                "{{\"contains\":{{\"type\":\"string\"}},\"minContains\":0,\"unevaluatedItems\":{n}}}"
            )),
            arrays.clone(),
        ),
        (
            "uniqueItems",
            "{\"uniqueItems\":true}".to_owned(),
            format!("[{arrays},{arrays}]"),
        ),
        ("const", format!("{{\"const\":{arrays}}}"), arrays),
        ("enum", format!("{{\"enum\":[{objects},1]}}"), objects),
    ]
}

#[test]
fn every_recursion_stays_inside_256_kib() {
    let run = || {
        let mut limits = Limits::default();
        // Deeper than any default, so that the depth of evaluation is what bounds it.
        limits.instance.depth = 4_000;
        let compiler = Compiler::new().limits(limits);
        let mut workspace = Workspace::new();
        for n in [1, 60, 150, 290, 310, 600, 3_000] {
            for (name, schema, instance) in shapes(n) {
                let Ok(schema) = compiler.compile(schema.as_bytes()) else {
                    continue;
                };
                let verdict = schema.check(&mut workspace, instance.as_bytes());
                assert!(verdict.is_ok(), "{name} {n}");
                if n <= 60 {
                    assert!(!matches!(verdict, Ok(Verdict::Undecided(_))), "{name} {n}");
                }
                let report = schema.explain(&mut workspace, instance.as_bytes());
                assert!(report.is_ok(), "{name} {n}");
            }
        }
    };
    stack::in_small_stack(run);
}

/// The most that the settings allow is safe in a thread of the usual 2 MiB: whatever an operator
/// raises, nothing overflows.
#[test]
fn the_largest_settings_stay_inside_2_mib() {
    let run = || {
        let mut compiler = Compiler::new();
        for name in [
            "limits.depth",
            "limits.schema_nesting",
            "limits.evaluation_depth",
            "limits.instance.depth",
        ] {
            let setting = settings::find(name).expect("a setting");
            let (settings::Kind::Count(range) | settings::Kind::Bytes(range)) = setting.kind()
            else {
                unreachable!("{name} takes a number");
            };
            compiler = setting
                .apply(compiler, &range.end().to_string())
                .expect("the most that is allowed");
        }
        let mut workspace = Workspace::new();
        let mut compiled = 0;
        let mut check = |schema: &str, instance: &str| {
            if let Ok(schema) = compiler.compile(schema.as_bytes()) {
                compiled += 1;
                let _ = schema.check(&mut workspace, instance.as_bytes());
                let _ = schema.explain(&mut workspace, instance.as_bytes());
            }
        };
        for n in [500, 990, 1_010] {
            for (_, schema, instance) in shapes(n) {
                check(&schema, &instance);
            }
        }
        for keyword in ["not", "items", "additionalProperties", "if", "contains"] {
            let nested = format!("{{\"{keyword}\":").repeat(500);
            check(&format!("{nested}true{}", "}".repeat(500)), "[[[{}]]]");
        }
        let nested = "{\"properties\":{\"x\":".repeat(250);
        check(&format!("{nested}true{}", "}}".repeat(250)), "{\"x\":{}}");
        assert!(compiled > 30, "only {compiled} schemas were compiled");
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    assert!(thread.expect("a thread").join().is_ok());
}
