//! Instances of a schema, and the calls that test a tool, as JSON.

use std::sync::Arc;

use toolsure_generate::{Generator, Options as Limits, Satisfiable};
use toolsure_json::{Node as _, OwnedDocument, ReadLimits, View};
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::era::Era;
use toolsure_mcp::testing::{Call, CallKind, Judge, Outcome, Pinned, Plan, PlanOptions, Severity};
use toolsure_schema::Compiler;

use crate::listing::{NoReport, options_of};
use crate::options::Options;
use crate::report;
use crate::write::{Object, array};

/// Why there are no instances.
#[derive(Debug)]
#[non_exhaustive]
pub enum NoInstances {
    /// An option is unknown, or has a value that it does not take.
    Report(NoReport),
    /// The schema does not compile.
    Schema(Box<toolsure_schema::CompileError>),
    /// The tool, the call or the answer cannot be read.
    Unread(String),
}

impl NoInstances {
    /// Writes it as an object with `code` and `message`.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Report(report) => report.write(out),
            Self::Schema(error) => report::compile_error(out, error),
            Self::Unread(message) => report::option(out, message),
        }
    }
}

/// Makes instances of a schema. The options are `seed`, `valid`, `invalid` (maximum numbers), `objects`, and those of a
/// validator.
///
/// # Errors
///
/// An option cannot be read, or the schema does not compile.
pub fn generate(schema: &[u8], options: &[u8]) -> Result<String, NoInstances> {
    let options = options_of(options, &OWN).map_err(NoInstances::Report)?;
    let option = |why| NoInstances::Report(NoReport::Option(why));
    let defaults = Limits::default();
    let limits = Limits {
        seed: count(&options, SEED)
            .map_err(option)?
            .unwrap_or(defaults.seed),
        valid: limit(&options, VALID, defaults.valid).map_err(option)?,
        invalid: limit(&options, INVALID, defaults.invalid).map_err(option)?,
        objects: options.own_flag(OBJECTS).map_err(option)?,
        ..defaults
    };
    let generator = Generator::new(options.compiler(), schema);
    let generator = generator.map_err(|error| NoInstances::Schema(Box::new(error)))?;
    let made = generator.instances(&limits);
    let mut out = String::new();
    let mut object = Object::new(&mut out);
    // The generator makes the smallest and the fullest in each case.
    object.array("valid", made.valid.iter().take(limits.valid), |out, one| {
        let mut object = Object::new(out);
        object.member("value", |out| out.push_str(&one.text));
        object.text("purpose", &one.purpose.to_string());
    });
    object.array("invalid", &made.invalid, |out, one| {
        let mut object = Object::new(out);
        object.member("value", |out| out.push_str(&one.text));
        object.text("keyword", one.keyword);
        object.text("keywordLocation", &one.keyword_location);
        object.text("instanceLocation", &one.instance_location);
        object.text("message", &one.message);
    });
    object.array("missing", &made.missing, |out, one| {
        let mut object = Object::new(out);
        object.text("location", &one.location);
        object.boolean("valid", one.is_valid);
        object.boolean("impossible", one.is_impossible);
    });
    object.member("satisfiable", |out| {
        out.push_str(match made.satisfiable {
            Satisfiable::Yes => "true",
            Satisfiable::No(_) => "false",
            _ => "null",
        });
    });
    object.nullable(
        "proof",
        match &made.satisfiable {
            Satisfiable::No(why) => Some(why),
            _ => None,
        },
    );
    drop(object);
    Ok(out)
}

/// The limits that these options of [`generate`] set on a schema. Options that are refused have the default.
#[must_use]
pub fn schema_limits(options: &[u8]) -> ReadLimits {
    let options = options_of(options, &OWN);
    let compiler = options.map_or_else(|_| Compiler::new(), |options| options.compiler().clone());
    let bounds = compiler.bounds();
    ReadLimits {
        duplicate_keys: bounds.instance.duplicate_keys,
        ..ReadLimits::from(&bounds.model)
    }
}

/// Makes the calls that test a tool. The options are `calls` (the maximum number), `seed` and `values` (members and what they
/// must have).
///
/// # Errors
///
/// An option or the tool cannot be read, or its schema does not compile.
pub fn plan(tool: &[u8], options: &[u8]) -> Result<String, NoInstances> {
    let options = options_of(options, &[CALLS, SEED, VALUES]).map_err(NoInstances::Report)?;
    let option = |why| NoInstances::Report(NoReport::Option(why));
    let store = SchemaStore::new();
    let tool = read_tool(tool, &store)?;
    let pinned = options.own(VALUES).into_iter().flat_map(View::members);
    let defaults = PlanOptions::default();
    let wanted = PlanOptions {
        calls: limit(&options, CALLS, defaults.calls).map_err(option)?,
        seed: count(&options, SEED)
            .map_err(option)?
            .unwrap_or(defaults.seed),
        pinned: pinned
            .map(|(key, value)| Pinned::new(toolsure_json::Key::text(key), value.raw()))
            .collect(),
    };
    let plan = Plan::of(&tool, &store, &wanted);
    let plan = plan.map_err(|why| NoInstances::Unread(why.to_string()))?;
    let mut out = String::new();
    array(&mut out, &plan.calls, |out, call| {
        let mut object = Object::new(out);
        object.text("arguments", &call.arguments);
        let covers = match &call.kind {
            CallKind::Valid(covers) | CallKind::Any(covers) => covers.clone(),
            CallKind::Invalid { message, .. } => message.clone(),
            _ => "the members in reverse order".to_owned(),
        };
        object.text("purpose", &covers);
        object.text(
            "kind",
            match call.kind {
                CallKind::Invalid { .. } => "invalid",
                CallKind::Any(_) => "any",
                _ => "valid",
            },
        );
        if let CallKind::Invalid {
            instance_location, ..
        } = &call.kind
        {
            object.text("instanceLocation", instance_location);
        }
    });
    Ok(out)
}

/// Judges an answer: `call` is one of [`plan`], `answer` has `result`, or `error` with `code` and `message`. Returns an array of
/// findings.
///
/// # Errors
///
/// The tool, the call, the answer or the version cannot be read.
pub fn judge(
    tool: &[u8],
    version: &str,
    call: &[u8],
    answer: &[u8],
) -> Result<String, NoInstances> {
    let unread = |what: &str| NoInstances::Unread(format!("{what} cannot be read"));
    let tool = Arc::new(read_tool(tool, &SchemaStore::new())?);
    let era = Era::from_version(version).ok_or_else(|| unread("the protocol version"))?;
    let read = |text: &[u8]| OwnedDocument::read(text, &ReadLimits::default());
    let call = read(call).map_err(|_| unread("the call"))?;
    let answer = read(answer).map_err(|_| unread("the answer"))?;
    let (call, answer) = (call.document().root(), answer.document().root());
    let text = |view: View<'_>, name: &str| {
        let member = view.member(name);
        member.map_or_else(String::new, |member| member.string().to_owned())
    };
    let mut made = Call::valid(text(call, "arguments"), text(call, "purpose"));
    match text(call, "kind").as_str() {
        "invalid" => {
            made.kind = CallKind::Invalid {
                keyword_location: String::new(),
                instance_location: text(call, "instanceLocation"),
                message: text(call, "purpose"),
            };
        }
        "any" => made.kind = CallKind::Any(text(call, "purpose")),
        _ => {}
    }
    let error = answer.member("error");
    let message = error.map_or_else(String::new, |error| text(error, "message"));
    let outcome = match (answer.member("result"), error) {
        (Some(result), _) => Outcome::Result(result),
        (None, Some(error)) => {
            let code = error.member("code").and_then(|code| code.number().as_i64());
            Outcome::Error(code.unwrap_or(0), &message)
        }
        (None, None) => Outcome::Silence,
    };
    let findings = Judge::new(era).judge(&tool, &made, &outcome);
    let mut out = String::new();
    array(&mut out, &findings, |out, one| {
        let mut object = Object::new(out);
        object.text("code", one.code.name());
        object.text(
            "severity",
            match one.code.severity() {
                Severity::Warning => "warning",
                _ => "error",
            },
        );
        object.text("message", &one.message);
        object.text("pointer", &one.pointer);
    });
    Ok(out)
}

fn read_tool(tool: &[u8], store: &SchemaStore) -> Result<ToolContract, NoInstances> {
    ToolContract::read(tool, store).map_err(|why| NoInstances::Unread(why.to_string()))
}

fn count(options: &Options, name: &str) -> Result<Option<u64>, String> {
    match options.own(name) {
        None => Ok(None),
        Some(value) if value.kind() == toolsure_json::Kind::Number => {
            let count = value.number().as_u64();
            count.map(Some).ok_or_else(|| whole(name))
        }
        Some(_) => Err(whole(name)),
    }
}

fn limit(options: &Options, name: &str, default: usize) -> Result<usize, String> {
    let count = count(options, name)?;
    Ok(count.map_or(default, |count| {
        usize::try_from(count).unwrap_or(usize::MAX)
    }))
}

fn whole(name: &str) -> String {
    format!("`{name}` must be a whole number that is not negative")
}

const SEED: &str = "seed";
const VALID: &str = "valid";
const INVALID: &str = "invalid";
const OBJECTS: &str = "objects";
/// The options of [`generate`] besides those of a validator.
const OWN: [&str; 4] = [SEED, VALID, INVALID, OBJECTS];
const CALLS: &str = "calls";
const VALUES: &str = "values";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_plans_and_judgements_are_json() {
        let made = generate(br#"{"enum": [1, "a"]}"#, br#"{"seed": 2}"#).unwrap_or_default();
        assert!(
            made.contains(r#""value":"a""#) && made.contains(r#""satisfiable":true"#),
            "{made}"
        );
        let none = generate(br#"{"enum": [1]}"#, br#"{"valid": 0}"#).unwrap_or_default();
        assert!(
            none.contains(r#""valid":[],"#) && none.contains(r#""satisfiable":true"#),
            "{none}"
        );
        let tool = br#"{"name": "t", "inputSchema": {"type": "object", "required": ["a"]}}"#;
        let calls = plan(tool, br#"{"values": {"a": 7}}"#).unwrap_or_default();
        assert!(calls.contains(r#""arguments":"{\"a\":7}""#), "{calls}");
        let call = br#"{"arguments": "{}", "kind": "invalid", "purpose": "missing"}"#;
        let answer = br#"{"result": {"content": []}}"#;
        let found = judge(tool, "2025-11-25", call, answer).unwrap_or_default();
        assert!(
            found.contains(r#""code":"accepts-invalid","severity":"error""#),
            "{found}"
        );
        let few = schema_limits(br#"{"seed": 2, "limits": {"schema_nodes": 9}}"#);
        assert_eq!(few.nodes, 9);
        assert!(generate(b"{", b"{}").is_err() && generate(b"{}", br#"{"seed": -1}"#).is_err());
    }
}
