//! Time against the size of the instance and of the schema.

use std::fmt::Write as _;
use std::hint::black_box;

use serde::de::IgnoredAny;
use serde_json::Value;
use toolsure_json::ReadLimits;
use toolsure_schema::{Compiler, Limits, ModelLimits, Workspace};
use toolsure_testkit::Dialect;
use toolsure_testkit::engine::Setup;
use toolsure_testkit::peers::Jsonschema;

use crate::measure::{figure, thread_time};

/// The times at each size.
pub(crate) struct Grown {
    /// By bytes of the instance: text to verdict.
    pub(crate) instances: Vec<Point>,
    /// By subschemas: compiling, and the verdict on an instance with every member.
    pub(crate) schemas: Vec<Point>,
}

/// The least times at one size.
pub(crate) struct Point {
    /// Bytes or subschemas.
    pub(crate) size: usize,
    /// Nanoseconds, by what was done and by whom.
    pub(crate) nanos: Vec<(&'static str, f64)>,
}

/// Measures both ways of growing.
///
/// # Errors
///
/// One line if a schema is refused or there is no clock.
pub(crate) fn measure(passes: usize) -> Result<Grown, String> {
    let powers = |from: u32, to: u32| (from..=to).map(|power| 10_usize.pow(power));
    Ok(Grown {
        instances: powers(1, 7)
            .map(|bytes| instance(bytes, passes))
            .collect::<Result<_, _>>()?,
        schemas: powers(1, 4)
            .map(|count| schema(count, passes))
            .collect::<Result<_, _>>()?,
    })
}

/// An array of records, as many as fit.
fn instance(bytes: usize, passes: usize) -> Result<Point, String> {
    let schema = r#"{"type":"array","items":{"type":"object","properties":{
        "id":{"type":"integer","minimum":0},"name":{"type":"string","maxLength":40},
        "on":{"type":"boolean"}},"required":["id"]}}"#;
    let mut text = String::from("[");
    for id in 0_u32.. {
        let separator = if id == 0 { "" } else { "," };
        let record = match id % 2 {
            0 => format!("{separator}{{\"id\":{id}}}"),
            _ => format!("{separator}{{\"id\":{id},\"name\":\"record {id}\",\"on\":true}}"),
        };
        if text.len() + record.len() + 1 > bytes {
            break;
        }
        text.push_str(&record);
    }
    text.push(']');
    let ours = compiler().compile(schema.as_bytes()).map_err(said)?;
    let parsed: Value = serde_json::from_str(schema).map_err(said)?;
    let theirs = Jsonschema::default()
        .validator(&parsed, &Setup::new(schema, Dialect::Draft202012))
        .map_err(said)?;
    let mut workspace = Workspace::new();
    let checked = ours.check(&mut workspace, text.as_bytes());
    if !checked.is_ok_and(toolsure_schema::Verdict::is_valid) {
        return Err(format!(
            "ours does not accept the instance of {bytes} bytes"
        ));
    }
    let text = text.as_bytes();
    Ok(Point {
        size: text.len(),
        nanos: vec![
            (
                "toolsure",
                least(passes, || {
                    let _ = black_box(ours.check(&mut workspace, black_box(text)));
                })?,
            ),
            (
                "serde_json + jsonschema",
                least(passes, || {
                    let value: Value = serde_json::from_slice(black_box(text)).unwrap_or_default();
                    black_box(theirs.is_valid(&value));
                })?,
            ),
            (
                "serde_json IgnoredAny",
                least(passes, || {
                    let _ = black_box(serde_json::from_slice::<IgnoredAny>(black_box(text)));
                })?,
            ),
        ],
    })
}

/// An object schema whose properties are objects of three scalars each.
fn schema(count: usize, passes: usize) -> Result<Point, String> {
    let mut schema = String::from(r#"{"type":"object","properties":{"#);
    let mut instance = String::from("{");
    let groups = (count.saturating_sub(1) / 4).max(1);
    for group in 0..groups {
        let separator = if group == 0 { "" } else { "," };
        let _ = write!(
            schema,
            r#"{separator}"group{group}":{{"type":"object","properties":{{"a":{{"type":"string","minLength":1}},"b":{{"type":"integer"}},"c":{{"enum":["x","y"]}}}},"required":["a"]}}"#
        );
        let _ = write!(
            instance,
            r#"{separator}"group{group}":{{"a":"text","b":{group},"c":"y"}}"#
        );
    }
    schema.push_str("}}");
    instance.push('}');
    let compiler = compiler();
    let setup = Setup::new(&schema, Dialect::Draft202012);
    let ours = compiler.compile(schema.as_bytes()).map_err(said)?;
    let mut workspace = Workspace::new();
    let text = instance.as_bytes();
    Ok(Point {
        size: 1 + 4 * groups,
        nanos: vec![
            (
                "compile: toolsure",
                least(passes, || {
                    let _ = black_box(compiler.compile(black_box(schema.as_bytes())));
                })?,
            ),
            (
                "compile: serde_json + jsonschema",
                least(passes, || {
                    let parsed: Value =
                        serde_json::from_str(black_box(&schema)).unwrap_or_default();
                    let _ = black_box(Jsonschema::default().validator(&parsed, &setup));
                })?,
            ),
            (
                "check: toolsure",
                least(passes, || {
                    let _ = black_box(ours.check(&mut workspace, black_box(text)));
                })?,
            ),
        ],
    })
}

/// A compiler whose bounds the largest sizes keep.
fn compiler() -> Compiler {
    Compiler::new().limits(Limits {
        model: ModelLimits {
            schema_bytes: 64 << 20,
            subschemas: 1 << 20,
            ..ModelLimits::default()
        },
        plan_nodes: 1 << 20,
        instance: ReadLimits {
            nodes: 16 << 20,
            ..ReadLimits::default()
        },
        fuel: 1 << 40,
        ..Limits::default()
    })
}

/// Nanoseconds of one run, the least of several passes of at least a few milliseconds.
fn least(passes: usize, mut work: impl FnMut()) -> Result<f64, String> {
    let mut runs = 1_u32;
    let mut taken = Vec::new();
    while taken.len() < passes {
        let started = thread_time()?;
        for _ in 0..runs {
            work();
        }
        let nanos = thread_time()?.saturating_sub(started).as_secs_f64() * 1e9;
        if nanos < LEAST && taken.is_empty() && runs < 1 << 24 {
            runs *= 2;
        } else {
            taken.push(nanos / f64::from(runs));
        }
    }
    figure(taken)
        .map(|figure| figure.minimum)
        .ok_or_else(|| "no pass was taken".to_owned())
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

const LEAST: f64 = 3e6;
