//! Work that a schema's own size makes dear is paid for, so that fuel stays a
//! bound on time: a check of these takes seconds where it is not.

use toolgate_schema::{Schema, Verdict, Workspace};

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
            .check_bytes(&mut workspace, instance.as_bytes())
            .expect("JSON");
        assert!(
            matches!(verdict, Verdict::Undecided(_)) || workspace.fuel_used() > 500_000,
            "{verdict} for {} units",
            workspace.fuel_used()
        );
    }
}
