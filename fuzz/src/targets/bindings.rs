//! The interface of the package for npm, compiled natively: handles, lengths and texts of any kind.
//!
//! The parts of an input are options, a schema, an instance and, if there is one more, a tool.

use serde_json::Value;
use toolsure_analysis::lint::Linter;
use toolsure_json::{DuplicateKeys, Node as _, OwnedDocument, ReadLimits, View};
use toolsure_mcp::check::{Checker, Decision, Fault};
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_schema::settings::{self, SettingError};
use toolsure_schema::{Compiler, Strictness, Verdict, Workspace};
use toolsure_wasm::exports;
use toolsure_wasm::native::{capacity, clear, output, put};

mod answer;

use answer::{items, json, list, text};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{join, parts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "bindings",
    about: "the functions that JavaScript calls answer as the engine does, in JSON, for any bytes, handles and lengths",
    run,
    seeds,
    gate: 8_300,
};

fn run(input: &[u8]) -> Outcome {
    let mut parts = parts(input);
    let mut part = || parts.next().unwrap_or_default();
    let (options, schema, instance, tool) = (part(), part(), part(), part());
    let known = Known::read(options, Compiler::new());
    if matches!(&known, Known::Compiler(compiler) if fuel(compiler) > MOST_FUEL) {
        return Ok(());
    }
    let made = tool_of(schema);
    let tool = if tool.is_empty() { &made } else { tool };
    // An input that failed leaves handles behind.
    clear();
    schemas(&known, options, schema, instance)?;
    // Contracts are lenient unless the options say otherwise.
    let lenient = Compiler::new().strictness(Strictness::Lenient);
    contracts(&Known::read(options, lenient), options, tool, instance)?;
    lint(options, tool)?;
    listings(tool, schema, instance)
}

/// What the options come to.
enum Known {
    Compiler(Compiler),
    Refused,
    /// They have what only the binding reads: names that are there twice, or numbers that are not whole.
    Unclear,
}

impl Known {
    /// Reads options by another reader than the binding's.
    fn read(options: &[u8], mut compiler: Compiler) -> Self {
        if options.is_empty() {
            return Self::Compiler(compiler);
        }
        let limits = ReadLimits {
            duplicate_keys: DuplicateKeys::Refuse,
            ..ReadLimits::default()
        };
        let once = OwnedDocument::read(options, &limits).is_ok();
        let Some(Value::Object(members)) = serde_json::from_slice(options).ok().filter(|_| once)
        else {
            return Self::Unclear;
        };
        for (name, value) in &members {
            if name == "documents" {
                return Self::Unclear;
            }
            match set(compiler, name, value, 2) {
                Some(Ok(set)) => compiler = set,
                Some(Err(_)) => return Self::Refused,
                None => return Self::Unclear,
            }
        }
        Self::Compiler(compiler)
    }
}

/// Nothing if the value is not clear.
fn set(
    mut compiler: Compiler,
    name: &str,
    value: &Value,
    groups: usize,
) -> Option<Result<Compiler, SettingError>> {
    let text = match value {
        Value::Object(members) if groups > 0 => {
            for (key, value) in members {
                match set(compiler, &format!("{name}.{key}"), value, groups - 1)? {
                    Ok(set) => compiler = set,
                    refused => return Some(refused),
                }
            }
            return Some(Ok(compiler));
        }
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64()?.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    Some(settings::find(name).and_then(|setting| setting.apply(compiler, &text)))
}

fn fuel(compiler: &Compiler) -> u64 {
    let shown = settings::find("limits.fuel").map(|setting| setting.show(compiler));
    let fuel = shown.ok().and_then(|shown| shown.parse().ok());
    fuel.unwrap_or(u64::MAX)
}

fn schemas(known: &Known, options: &[u8], schema: &[u8], instance: &[u8]) -> Outcome {
    put(&[schema, options]);
    let handle = exports::compile(schema.len(), options.len());
    let ours = match known {
        Known::Compiler(compiler) => Some(compiler.compile(schema)),
        _ => None,
    };
    ensure!(
        !matches!(known, Known::Refused) || handle == 0,
        "options are taken that the settings refuse"
    );
    if handle == 0 {
        let said = output();
        let report = json(&said)?;
        let code = text(&report, "code");
        ensure!(!text(&report, "message").is_empty(), "no message: {said}");
        match ours {
            Some(Ok(_)) => return Err(format!("only the binding refuses the schema: {said}")),
            Some(Err(error)) => ensure!(
                code == error.code() && text(&report, "message") == error.to_string(),
                "{said} where the engine says {error}"
            ),
            None => {}
        }
        return misuse();
    }
    let Some(ours) = ours else {
        exports::free_schema(handle);
        return misuse();
    };
    let ours = ours.map_err(|error| format!("only the engine refuses the schema: {error}"))?;
    let mut workspace = Workspace::new();
    put(&[instance]);
    let answer = exports::check(handle, instance.len());
    let verdict = ours.check(&mut workspace, instance);
    let expected = match &verdict {
        Ok(Verdict::Valid) => VALID,
        Ok(Verdict::Invalid) => INVALID,
        Ok(Verdict::Undecided(_)) => UNDECIDED,
        Err(error) if error.limit().is_some() => UNDECIDED,
        Err(_) => UNREADABLE,
    };
    ensure!(
        answer == expected,
        "the binding's check says {answer} where the engine says {verdict:?}"
    );
    if answer == UNDECIDED || answer == UNREADABLE {
        json(&output())?;
    }
    let answer = exports::explain(handle, instance.len());
    let said = output();
    let report = json(&said)?;
    match ours.explain(&mut workspace, instance) {
        Ok(expected) => {
            let (code, word) = match expected.verdict {
                Verdict::Valid => (VALID, "valid"),
                Verdict::Invalid => (INVALID, "invalid"),
                Verdict::Undecided(_) => (UNDECIDED, "undecided"),
            };
            let errors = list(&report, "errors");
            ensure!(
                answer == code
                    && text(&report, "verdict") == word
                    && errors == expected.findings.len(),
                "the binding explains with {answer}: {said}, the engine says {:?} with {} findings",
                expected.verdict,
                expected.findings.len()
            );
        }
        Err(error) => {
            let is_limit = error.limit().is_some();
            let expected = if is_limit { UNDECIDED } else { UNREADABLE };
            ensure!(
                answer == expected
                    && text(&report, "message").ends_with(&error.to_string())
                    && is_limit == (text(&report, "verdict") == "undecided"),
                "the binding explains with {answer}: {said}, the engine says {error}"
            );
        }
    }
    ensure!(
        exports::warnings(handle) == VALID && items(&json(&output())?) == ours.warnings().len(),
        "warnings: {}",
        output()
    );
    handles(handle, instance)
}

/// A handle means its own schema until it is given back, whatever is done with others.
fn handles(handle: u32, instance: &[u8]) -> Outcome {
    put(&[b"false"]);
    let never = exports::compile(5, 0);
    ensure!(never != 0 && never != handle, "a handle is given twice");
    exports::free_schema(handle);
    exports::free_schema(handle);
    ensure!(
        exports::check(handle, 0) == MISUSED && exports::instance_limits(handle) == MISUSED,
        "a handle means a schema after it was given back"
    );
    put(&[b"true"]);
    let always = exports::compile(4, 0);
    put(&[b"1"]);
    ensure!(
        exports::check(never, 1) == INVALID && exports::check(always, 1) == VALID,
        "a handle means another schema than it was given for"
    );
    put(&[instance]);
    let beyond = capacity().saturating_add(1);
    for length in [beyond, usize::MAX] {
        ensure!(
            exports::check(always, length) == MISUSED
                && exports::explain(always, length) == MISUSED,
            "a length beyond the input is taken"
        );
    }
    exports::free_schema(never);
    exports::free_schema(always);
    misuse()
}

/// Handles that nobody was given, and lengths beyond the input.
fn misuse() -> Outcome {
    for handle in [0, 1, u32::MAX] {
        let answers = [
            exports::check(handle, 0),
            exports::explain(handle, 0),
            exports::warnings(handle),
            exports::check_arguments(handle, 0),
            exports::check_result(handle, 0),
            exports::repair_arguments(handle, 0),
            exports::refuse(handle, 1, 0, 0),
            exports::contract_limits(handle),
            exports::projection_limits(handle),
            exports::map_call(handle, 0, 0),
        ];
        ensure!(
            answers == [MISUSED; 10],
            "handle {handle}, which nobody was given, is answered with {answers:?}"
        );
        exports::free_schema(handle);
        exports::free_contract(handle);
        exports::free_projection(handle);
    }
    let capacity = capacity();
    for (first, second) in [(usize::MAX, usize::MAX), (capacity, 1), (0, capacity + 1)] {
        let answers = [
            exports::compile(first, second),
            exports::contract(first, second),
            exports::project(first, second),
        ];
        let reports = [
            exports::lint(first, second),
            exports::check_listing(first, second),
            exports::diff(first, second, 0),
            exports::convert_argument_schema(first, second),
            exports::generate(first, second),
        ];
        ensure!(
            answers == [0; 3] && reports == [MISUSED; 5],
            "lengths beyond the input are taken: {answers:?}"
        );
    }
    Ok(())
}

fn contracts(known: &Known, options: &[u8], tool: &[u8], instance: &[u8]) -> Outcome {
    put(&[tool, options]);
    let handle = exports::contract(tool.len(), options.len());
    let said = output();
    let Known::Compiler(compiler) = known else {
        exports::free_contract(handle);
        return Ok(());
    };
    let limits = compiler.bounds().instance;
    let store = SchemaStore::with(compiler.clone(), SchemaStore::BYTES);
    let ours = ToolContract::read(tool, &store)
        .map_err(|why| why.code())
        .and_then(|tool| match tool.verify() {
            Ok(()) => Ok(tool),
            Err(why) => Err(why.error.code()),
        });
    let ours = match ours {
        Ok(ours) => ours,
        Err(code) => {
            ensure!(
                handle == 0 && text(&json(&said)?, "code") == code,
                "handle {handle}: {said} where the contract is refused for {code}"
            );
            return Ok(());
        }
    };
    ensure!(
        handle != 0 && said == ours.name(),
        "only the binding refuses the tool: {said}"
    );
    let ours = std::sync::Arc::new(ours);
    let mut checker = Checker::new().limits(limits);
    put(&[instance]);
    let answer = exports::check_arguments(handle, instance.len());
    let decision = checker.check_arguments_bytes(&ours, instance);
    same(answer, &decision, "arguments")?;
    let answer = exports::check_result(handle, instance.len());
    match OwnedDocument::read(instance, &limits) {
        Ok(result) => {
            let decision = checker.check_result(
                &ours,
                toolsure_mcp::era::Era::V2026_07_28,
                result.document().root(),
            );
            same(answer, &decision, "a result")?;
        }
        Err(error) if error.limit().is_some() => {
            undecided(answer, "result-undecided")?;
        }
        Err(error) => {
            let said = output();
            ensure!(
                answer == VALID && text(&json(&said)?, "code") == "message-json",
                "{answer} for a result: {said}: {error}"
            );
        }
    }
    let answer = exports::repair_arguments(handle, instance.len());
    let said = output();
    let repaired = json(&said)?;
    let repaired = repaired.document().root().member("arguments");
    if let (VALID, Some(repaired)) = (answer, repaired) {
        let decision = checker.check_arguments_bytes(&ours, repaired.raw().as_bytes());
        ensure!(
            matches!(decision, Decision::Pass(_)),
            "what was repaired does not pass: {said}"
        );
    }
    exports::free_contract(handle);
    ensure!(
        exports::check_arguments(handle, 0) == MISUSED,
        "a handle means a contract after it was given back"
    );
    Ok(())
}

fn same(answer: u32, decision: &Decision, what: &str) -> Outcome {
    let said = output();
    let report = json(&said)?;
    let passes = report.document().root().member("ok").map(View::raw);
    if let Some(Fault::Unreadable(error)) = decision.refusal().map(|refusal| &refusal.fault)
        && error.limit().is_some()
    {
        return undecided(answer, "arguments-undecided");
    }
    match decision {
        Decision::Pass(_) => ensure!(
            answer == VALID && passes == Some("true"),
            "{what} pass, and the binding says {answer}: {said}"
        ),
        Decision::Refuse(refusal) => ensure!(
            answer == VALID
                && passes == Some("false")
                && text(&report, "code") == refusal.fault.code(),
            "{what} are refused for {}, and the binding says {answer}: {said}",
            refusal.fault.code()
        ),
    }
    Ok(())
}

/// The decision on what is over a limit of the reader.
fn undecided(answer: u32, code: &str) -> Outcome {
    let said = output();
    let report = json(&said)?;
    ensure!(
        answer == VALID && text(&report, "code") == code && !text(&report, "setting").is_empty(),
        "{answer} for what is over a limit: {said}"
    );
    Ok(())
}

/// What is found in listings is JSON, and a listing has no change to itself.
fn listings(tool: &[u8], schema: &[u8], instance: &[u8]) -> Outcome {
    let listing = [b"[", tool, b"]"].concat();
    put(&[&listing]);
    exports::check_listing(listing.len(), 0);
    json(&output())?;
    put(&[&listing, &listing]);
    let answer = exports::diff(listing.len(), listing.len(), 0);
    let said = output();
    let report = json(&said)?;
    ensure!(
        answer == 0 || list(&report, "tools") == 0,
        "a listing has changes to itself: {said}"
    );
    put(&[schema]);
    exports::convert_argument_schema(schema.len(), 0);
    json(&output())?;
    put(&[&listing, FOR]);
    let handle = exports::project(listing.len(), FOR.len());
    json(&output())?;
    put(&[b"tool", instance]);
    exports::map_call(handle, 4, instance.len());
    if handle != 0 {
        json(&output())?;
    }
    exports::free_projection(handle);
    Ok(())
}

fn lint(options: &[u8], tool: &[u8]) -> Outcome {
    let listing = [b"[", tool, b"]"].concat();
    put(&[&listing, options]);
    let answer = exports::lint(listing.len(), options.len());
    let said = output();
    let report = json(&said)?;
    if answer == 0 {
        ensure!(!text(&report, "message").is_empty(), "no message: {said}");
        return Ok(());
    }
    if options.is_empty() {
        let wide = ReadLimits {
            depth: 16_384,
            duplicate_keys: DuplicateKeys::KeepLast,
            digits: usize::MAX,
            ..ReadLimits::default()
        };
        let document = OwnedDocument::read(listing, &wide);
        let document = document.map_err(|error| format!("only the binding lints: {error}"))?;
        let tools = document.document().root().items().map(View::raw);
        let expected = Linter::new().lint(tools).findings.len();
        let found = list(&report, "findings");
        ensure!(
            found == expected,
            "{found} findings where the linter has {expected}"
        );
    }
    Ok(())
}

fn tool_of(schema: &[u8]) -> Vec<u8> {
    let head: &[u8] = br#"{"name":"tool","inputSchema":"#;
    let middle: &[u8] = br#","outputSchema":"#;
    [head, schema, middle, schema, b"}"].concat()
}

fn seeds(seeds: &Seeds) -> Vec<Vec<u8>> {
    let pairs = seeds.pairs.iter().enumerate();
    let mut all: Vec<Vec<u8>> = pairs
        .map(|(index, (schema, instance))| {
            let options = OPTIONS.get(index % OPTIONS.len()).copied();
            join(&[options.unwrap_or_default(), schema, instance])
        })
        .collect();
    all.push(join(&[
        "",
        "{}",
        r#"{"content":[],"structuredContent":{"a":1}}"#,
        r#"{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"required":["a"]}}"#,
    ]));
    all
}

const OPTIONS: [&str; 8] = [
    "",
    "",
    r#"{"formats":"assert"}"#,
    r#"{"limits":{"fuel":50,"instance":{"depth":3}}}"#,
    r#"{"strictness":"lenient"}"#,
    r#"{"dialect":"draft-07","limits.schema_bytes":"1KiB"}"#,
    r#"{"documents":{"https://a.example/b":{"type":"string"}}}"#,
    r#"{"limits":{"fuel":true}}"#,
];

/// The options of a projection.
const FOR: &[u8] = br#"{"for":"openai-strict"}"#;
/// The answers of the functions that check.
const VALID: u32 = 0;
const INVALID: u32 = 1;
const UNDECIDED: u32 = 2;
const UNREADABLE: u32 = 3;
const MISUSED: u32 = 4;
/// The default, which takes some 20 ms.
const MOST_FUEL: u64 = 2_000_000;
