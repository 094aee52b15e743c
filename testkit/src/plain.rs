//! Compares the plain program, which explains, with the optimised one, which decides: their
//! verdicts must be equal, and the subschema of each finding must fail for the finding's value.

use serde_json::Value;
use toolsure_schema::{Finding, FindingKind, OutputFormat, Verdict};

use crate::engine::{Answer, Document, Setup};
use crate::ours::{self, Ours};

/// Checks the explanation of an instance whose verdict is `expected`.
///
/// # Errors
///
/// One line that says what is wrong.
pub fn hold(
    ours: &mut Ours,
    setup: &Setup<'_>,
    instance: &str,
    expected: bool,
) -> Result<(), String> {
    let bytes = instance.as_bytes();
    let Ours { schema, workspace } = ours;
    let report = schema
        .explain(workspace, bytes)
        .map_err(|error| error.to_string())?;
    if report.verdict
        != if expected {
            Verdict::Valid
        } else {
            Verdict::Invalid
        }
    {
        return Err(format!("the explanation says {}", report.verdict));
    }
    if report.findings.is_empty() != expected {
        return Err(format!("{} findings", report.findings.len()));
    }
    // The verdict of this output format comes from the plain program.
    let output = schema
        .output(workspace, bytes, OutputFormat::List)
        .map_err(|error| error.to_string())?;
    if !output.starts_with(&format!(r#"{{"valid":{expected}"#)) {
        return Err(format!("the plain program says {output}"));
    }
    let value: Value = serde_json::from_str(instance).map_err(|error| error.to_string())?;
    for finding in report.findings.iter().take(FINDINGS) {
        fails(setup, finding, &value)?;
    }
    Ok(())
}

/// Checks that the subschema of a finding, compiled alone, fails for the finding's value.
fn fails(setup: &Setup<'_>, finding: &Finding, instance: &Value) -> Result<(), String> {
    // Their targets depend on the dynamic scope, which a subschema alone does not have.
    if ["$dynamicRef", "$recursiveRef"]
        .iter()
        .any(|name| setup.schema.contains(name))
    {
        return Ok(());
    }
    let place = || format!("{finding} at {}", finding.keyword_location());
    let value = match finding.property_name() {
        Some(name) => Value::String(name.to_owned()),
        None => match instance.pointer(finding.instance_location()) {
            Some(value) => value.clone(),
            None => return Err(format!("no such value: {}", place())),
        },
    };
    let keyword = finding.source().pointer;
    let pointer = match finding.kind {
        FindingKind::Never { .. }
        | FindingKind::UnexpectedProperty { .. }
        | FindingKind::ForbiddenProperty { .. }
        | FindingKind::UnexpectedItem { .. }
        | FindingKind::ForbiddenName => keyword,
        _ => keyword
            .rsplit_once('/')
            .map_or("", |(subschema, _)| subschema),
    };
    let document = match finding.source().document {
        "" => WHOLE,
        document => document,
    };
    let reference = format!("{document}#{}", fragment(pointer));
    let alone = serde_json::json!({ "$ref": reference }).to_string();
    let mut documents = setup.documents.to_vec();
    documents.push(Document {
        uri: WHOLE.to_owned(),
        text: setup.schema.to_owned(),
    });
    let alone = Setup {
        schema: &alone,
        documents: &documents,
        ..*setup
    };
    let mut alone = ours::compile(&alone).map_err(|error| format!("{error}: {}", place()))?;
    match alone.check_bytes(value.to_string().as_bytes()) {
        Answer::Invalid => Ok(()),
        other => Err(format!("{reference} says {other}: {}", place())),
    }
}

/// Escapes a JSON pointer for a URI fragment.
fn fragment(pointer: &str) -> String {
    let mut text = String::new();
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"/~-._$".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// The retrieval URI of the schema under test.
const WHOLE: &str = "urn:toolsure:whole";
/// The number of findings per instance that are checked.
const FINDINGS: usize = 6;

#[cfg(test)]
mod tests {
    use super::{fragment, hold};
    use crate::Dialect;
    use crate::engine::Setup;
    use crate::ours;

    #[test]
    fn an_explanation_is_held_to_its_verdict() {
        let schema = r##"{"anyOf": [{"$ref": "#/$defs/a%20b"}, false],
            "$defs": {"a b": {"properties": {"x": {"type": "string"}}, "propertyNames": {"maxLength": 2}}}}"##;
        let setup = Setup::new(schema, Dialect::Draft202012);
        let mut ours = ours::compile(&setup).unwrap();
        let cases = [(r#"{"x": "y"}"#, true), (r#"{"x": 1, "long": 2}"#, false)];
        for (instance, valid) in cases {
            assert_eq!(hold(&mut ours, &setup, instance, valid), Ok(()));
            assert!(hold(&mut ours, &setup, instance, !valid).is_err());
        }
    }

    #[test]
    fn fragments_are_escaped() {
        assert_eq!(fragment("/$defs/a b~1%"), "/$defs/a%20b~1%25");
    }
}
