//! Rules on values in a schema: the engine checks defaults and examples.

use toolsure_json::{Kind, Node as _, View, pointer, quote};
use toolsure_schema::{Compiler, Dialect, Schema, Workspace};

use super::list;
use crate::lint::edit::remove_member;
use crate::lint::finding::Safety;
use crate::lint::out::Out;
use crate::lint::tool::{Place, Side, Subschema, Tool, span};

/// TL046: a default that its own schema rejects.
pub(crate) fn defaults(tool: &Tool<'_>, out: &mut Out<'_>) {
    check(tool, out, |sub| {
        sub.get("default")
            .map(|value| ("default", value))
            .into_iter()
            .collect()
    });
}

/// TL047: an example that its own schema rejects.
pub(crate) fn examples(tool: &Tool<'_>, out: &mut Out<'_>) {
    check(tool, out, |sub| {
        let many = sub
            .get("examples")
            .filter(|list| list.kind() == Kind::Array);
        many.into_iter()
            .flat_map(View::items)
            .map(|value| ("examples", value))
            .chain(sub.get("example").map(|value| ("example", value)))
            .collect()
    });
}

/// A value and the subschema that it must match.
struct Sample<'t, 'a> {
    sub: &'t Subschema<'a>,
    keyword: &'static str,
    value: View<'a>,
}

fn check<'a>(
    tool: &Tool<'a>,
    out: &mut Out<'_>,
    values: impl Fn(&Subschema<'a>) -> Vec<(&'static str, View<'a>)>,
) {
    for side in [Side::Input, Side::Output] {
        let Some(schema) = tool.schema(side) else {
            continue;
        };
        let samples: Vec<Sample<'_, '_>> = tool
            .subs
            .iter()
            .filter(|sub| sub.side == side)
            .flat_map(|sub| {
                let with = move |(keyword, value)| Sample {
                    sub,
                    keyword,
                    value,
                };
                values(sub).into_iter().map(with)
            })
            .take(MOST_SAMPLES)
            .collect();
        if !samples.is_empty() {
            judge(tool, side, schema, &samples, out);
        }
    }
}

/// Checks all values at once: a tuple of references to the subschemas against the tuple of the values.
fn judge<'a>(
    tool: &Tool<'a>,
    side: Side,
    schema: View<'_>,
    samples: &[Sample<'_, 'a>],
    out: &mut Out<'_>,
) {
    let head = side.member().len().saturating_add(1);
    let references: Vec<String> = samples
        .iter()
        .map(|sample| {
            let pointer = tool.pointer(sample.sub);
            let inner = pointer.get(head..).unwrap_or_default();
            format!("{{\"$ref\":\"{DOCUMENT}#{}\"}}", encode(inner))
        })
        .collect();
    let dialect = Dialect::Draft202012.uri();
    let references = references.join(",");
    let tuple = format!("{{\"$schema\":\"{dialect}\",\"prefixItems\":[{references}]}}");
    // Another rule reports an error elsewhere in the schema.
    let Some(compiled) = compile(tool.engine.beside(), schema, &tuple) else {
        return;
    };
    let raw: Vec<&str> = samples.iter().map(|sample| sample.value.raw()).collect();
    let instance = format!("[{}]", raw.join(","));
    let mut workspace = Workspace::new();
    if !compiled
        .check(&mut workspace, instance.as_bytes())
        .is_ok_and(|verdict| verdict == toolsure_schema::Verdict::Invalid)
    {
        return;
    }
    let Ok(report) = compiled.explain(&mut workspace, instance.as_bytes()) else {
        return;
    };
    let mut reported = None;
    let mut nulls: Vec<(&Sample<'_, 'a>, String)> = Vec::new();
    for finding in &report.findings {
        let mut tokens = pointer::tokens(finding.instance_location());
        let Some(index) = tokens.next().and_then(|token| pointer::index(&token)) else {
            continue;
        };
        let Some(sample) = samples.get(index).filter(|_| reported != Some(index)) else {
            continue;
        };
        reported = Some(index);
        let word = if sample.keyword == "default" {
            "default"
        } else {
            "example"
        };
        let message = format!(
            "the {word} `{}` does not match its own schema: {}",
            quote(sample.value.raw(), 40),
            finding.kind
        );
        if word == "default" && sample.value.kind() == Kind::Null {
            nulls.push((sample, message));
        } else {
            out.find(sample.place(tool), message);
        }
    }
    null_defaults(tool, &nulls, out);
}

/// Defaults that are null though their schemas refuse it, as one finding: a generator that writes one for
/// an optional parameter writes one for each.
fn null_defaults<'a>(tool: &Tool<'a>, nulls: &[(&Sample<'_, 'a>, String)], out: &mut Out<'_>) {
    let Some((first, message)) = nulls.first() else {
        return;
    };
    let (message, advice) = match nulls {
        [_] => (
            message.clone(),
            "leave it out: an optional property needs no default; or let the type have null",
        ),
        all => {
            let names: Vec<String> = all
                .iter()
                .map(|(sample, _)| match sample.sub.property() {
                    Some(name) => name.to_owned(),
                    None => tool.pointer(sample.sub),
                })
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let message = format!(
                "{} defaults are `null`, which their own schemas refuse: {}",
                all.len(),
                list(&names)
            );
            (
                message,
                "leave them out: an optional property needs no default; or let the types have null",
            )
        }
    };
    let drops = nulls.iter().map(|(sample, _)| {
        remove_member(sample.sub.view, sample.keyword).filter(|_| !tool.ambiguous)
    });
    out.find(first.place(tool), message)
        .help(advice)
        .fix(Safety::Safe, drops.collect());
}

impl<'a> Sample<'_, 'a> {
    fn place(&self, tool: &Tool<'a>) -> Place {
        let mut place = tool.at(self.sub, self.keyword);
        place.span = span(self.value);
        place
    }
}

fn compile(compiler: Compiler, schema: View<'_>, tuple: &str) -> Option<Schema> {
    compiler
        .register(DOCUMENT, schema.raw().as_bytes())
        .ok()?
        .compile(tuple.as_bytes())
        .ok()
}

/// A JSON Pointer as a URI fragment inside a JSON string.
fn encode(pointer: &str) -> String {
    let mut text = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@?".contains(&byte);
        if plain {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

const DOCUMENT: &str = "urn:toolsure:schema";
/// Values of one schema that are checked.
const MOST_SAMPLES: usize = 2_000;
