//! Fixed pieces of work for an instruction counter: no clock, no calibration, no peers.
//!
//! `toolsure-counted FILE`: the file is what `cargo xtask instructions` wrote, one set
//! of schemas with instances. It warms up, then calls each function that is named
//! `counted_PHASE` once; callgrind's profile says what each took.

use std::hint::black_box;
use std::process::ExitCode;

use serde_json::Value;
use toolsure_schema::{Compiler, Schema, ValueNode, Workspace};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// A schema compiled, its instances as text and parsed.
struct Ready {
    text: String,
    schema: Schema,
    valid: Vec<(String, Value)>,
    invalid: Vec<(String, Value)>,
}

fn run() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let text = std::fs::read_to_string(&path).map_err(|e| format!("`{path}`: {e}"))?;
    let set: Value = serde_json::from_str(&text).map_err(|e| format!("`{path}`: {e}"))?;
    let compiler = Compiler::new();
    let ready: Vec<Ready> = items(&set)
        .iter()
        .map(|workload| prepare(&compiler, workload))
        .collect::<Result<_, _>>()
        .map_err(|e| format!("`{path}`: {e}"))?;
    let mut workspace = Workspace::new();
    let unused: Vec<Schema> = ready
        .iter()
        .map(|one| compiler.compile(one.text.as_bytes()))
        .collect::<Result<_, _>>()
        .map_err(|e| format!("`{path}`: {e}"))?;
    for one in &ready {
        for (text, value) in one.valid.iter().chain(&one.invalid) {
            let _ = black_box(one.schema.check(&mut workspace, text.as_bytes()));
            black_box(one.schema.explain(&mut workspace, value));
        }
    }
    counted_compile(&compiler, &ready);
    counted_bytes(&mut workspace, &ready);
    counted_value(&mut workspace, &ready);
    counted_invalid(&mut workspace, &ready);
    counted_faults(&mut workspace, &ready);
    counted_explain(&mut workspace, &ready);
    counted_texts(&mut workspace, &ready);
    counted_first(&mut workspace, &ready, &unused);
    Ok(())
}

#[inline(never)]
fn counted_compile(compiler: &Compiler, ready: &[Ready]) {
    for one in ready {
        drop(black_box(compiler.compile(black_box(one.text.as_bytes()))));
    }
}

#[inline(never)]
fn counted_bytes(workspace: &mut Workspace, ready: &[Ready]) {
    for one in ready {
        for (text, _) in &one.valid {
            let _ = black_box(one.schema.check(workspace, text.as_bytes()));
        }
    }
}

#[inline(never)]
fn counted_value(workspace: &mut Workspace, ready: &[Ready]) {
    for one in ready {
        for (_, value) in &one.valid {
            let _ = black_box(one.schema.check(workspace, value));
        }
    }
}

#[inline(never)]
fn counted_invalid(workspace: &mut Workspace, ready: &[Ready]) {
    for one in ready {
        for (_, value) in &one.invalid {
            let _ = black_box(one.schema.check(workspace, value));
        }
    }
}

#[inline(never)]
fn counted_faults(workspace: &mut Workspace, ready: &[Ready]) {
    for one in ready {
        for (_, value) in &one.invalid {
            let faults = one.schema.faults(workspace, ValueNode::new(value));
            black_box(faults.iter().count());
        }
    }
}

#[inline(never)]
fn counted_explain(workspace: &mut Workspace, ready: &[Ready]) {
    for one in ready {
        for (_, value) in &one.invalid {
            black_box(one.schema.explain(workspace, value));
        }
    }
}

/// Every error with its message.
#[inline(never)]
fn counted_texts(workspace: &mut Workspace, ready: &[Ready]) {
    for one in ready {
        for (_, value) in &one.invalid {
            let report = one.schema.explain(workspace, value);
            for finding in &report.findings {
                black_box(finding.to_string());
            }
        }
    }
}

/// The first error of each schema: an explanation that has to build what it needs.
#[inline(never)]
fn counted_first(workspace: &mut Workspace, ready: &[Ready], unused: &[Schema]) {
    for (one, schema) in ready.iter().zip(unused) {
        if let Some((_, value)) = one.invalid.first() {
            black_box(schema.explain(workspace, value));
        }
    }
}

fn prepare(compiler: &Compiler, workload: &Value) -> Result<Ready, String> {
    let text = workload.get("schema").and_then(Value::as_str);
    let text = text.unwrap_or_default().to_owned();
    let parsed = |name: &str| {
        let list = items(workload.get(name).unwrap_or(&Value::Null));
        list.iter()
            .filter_map(Value::as_str)
            .map(|text| match serde_json::from_str(text) {
                Ok(value) => Ok((text.to_owned(), value)),
                Err(error) => Err(error.to_string()),
            })
            .collect::<Result<Vec<_>, _>>()
    };
    Ok(Ready {
        schema: compiler
            .compile(text.as_bytes())
            .map_err(|e| e.to_string())?,
        valid: parsed("valid")?,
        invalid: parsed("invalid")?,
        text,
    })
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
