//! Checks without the compiled schema: by the argument schema in a tool's definition, and by a
//! host's own engine.

use std::sync::Arc;

use toolsure_json::{Key as _, Kind, Node, json_string};
use toolsure_schema::Exhausted;

use super::decision::{Checked, Decision, Fault};
use super::{Checker, OnUndecided};
use crate::argument::Answer;
use crate::contract::{Engine, HostVerdict, SchemaPart, ToolContract};
use crate::refusal_text;

impl Checker {
    /// The refusal of arguments by the tool's argument schema, if it has one that refuses them and
    /// argument schemas are used.
    pub(super) fn refused_by_argument_schema<'i, N: Node<'i>>(
        &self,
        tool: &Arc<ToolContract>,
        arguments: N,
    ) -> Option<Decision> {
        if !self.argument_schemas {
            return None;
        }
        let name = tool.name();
        let schema = match tool.argument_schema()? {
            Ok(schema) => schema,
            Err(error) => {
                let why = error.to_string();
                let text = refusal_text::about(
                    name,
                    format_args!("has an invalid argument schema: {why}"),
                );
                return Some(Decision::refuse(
                    Fault::ArgumentSchema(why),
                    Some(name),
                    text,
                ));
            }
        };
        match schema.check(arguments) {
            Answer::Accepted => None,
            Answer::Refused(why) => Some(Decision::refuse(
                Fault::InvalidArguments,
                Some(name),
                why.to_string(),
            )),
            Answer::Undecided => {
                let why = Exhausted::Fuel {
                    allowed: schema.limits().fuel,
                };
                match self.on_undecided {
                    OnUndecided::Pass => None,
                    OnUndecided::Refuse => {
                        let text = refusal_text::about(
                            name,
                            format_args!(
                                "was not called: its arguments are too costly to check ({why})"
                            ),
                        );
                        let fault = Fault::UndecidedArguments(why);
                        Some(Decision::refuse(fault, Some(name), text))
                    }
                }
            }
        }
    }

    /// Checks arguments or structured content with a host's engine.
    pub(super) fn host_verdict<'i, N: Node<'i>>(
        &self,
        engine: &Engine,
        tool: &Arc<ToolContract>,
        part: SchemaPart,
        value: N,
    ) -> Decision {
        let name = tool.name();
        let (schema, invalid, undecided, what): (_, _, fn(String) -> Fault, _) = match part {
            SchemaPart::Input => (
                Some(tool.input_text()),
                Fault::InvalidArguments,
                Fault::HostUndecidedArguments,
                "was not called: its arguments",
            ),
            SchemaPart::Output => (
                tool.output_text(),
                Fault::InvalidResult,
                Fault::HostUndecidedResult,
                "was called, but its result",
            ),
        };
        let Some(schema) = schema else {
            return uncompilable(name, part, "it is not there");
        };
        match verdict(engine, part, schema, value) {
            Err(why) => uncompilable(name, part, &why),
            Ok(HostVerdict::Valid) => Decision::pass(Some(tool), Checked::Valid),
            Ok(HostVerdict::Invalid(why)) => {
                let text = refusal_text::invalid_for_host(name, part, &why);
                Decision::refuse(invalid, Some(name), text)
            }
            Ok(HostVerdict::Undecided(why)) => match self.on_undecided {
                OnUndecided::Pass => Decision::pass(Some(tool), Checked::HostUndecided),
                OnUndecided::Refuse => {
                    let said = toolsure_json::quote(&why, SHOWN);
                    let text = refusal_text::about(
                        name,
                        format_args!("{what} could not be checked ({said})"),
                    );
                    Decision::refuse(undecided(why), Some(name), text)
                }
            },
        }
    }
}

fn verdict<'i, N: Node<'i>>(
    engine: &Engine,
    part: SchemaPart,
    schema: &str,
    value: N,
) -> Result<HostVerdict, String> {
    let schema = engine.schema(schema).map_err(|why| why.to_string())?;
    let mut text = String::new();
    if write(&mut text, value, DEPTH).is_none() {
        let what = match part {
            SchemaPart::Input => "arguments",
            SchemaPart::Output => "the result",
        };
        let why = format!("{what} with more than {DEPTH} levels");
        return Ok(HostVerdict::Undecided(why));
    }
    Ok(schema.check(&text))
}

fn uncompilable(name: &str, part: SchemaPart, why: &str) -> Decision {
    let said = toolsure_json::quote(why, SHOWN);
    let text = refusal_text::about(
        name,
        format_args!("has an invalid {}: {said}", part.member()),
    );
    Decision::refuse(Fault::HostUncompilable(why.to_owned()), Some(name), text)
}

/// Writes a value as JSON text; `None` if it is deeper than `levels`.
fn write<'i, N: Node<'i>>(out: &mut String, value: N, levels: usize) -> Option<()> {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Boolean => out.push_str(if value.boolean() { "true" } else { "false" }),
        Kind::Number => out.push_str(&value.number().to_string()),
        Kind::String => out.push_str(&json_string(value.string())),
        Kind::Array => {
            let levels = levels.checked_sub(1)?;
            out.push('[');
            for (index, item) in value.items().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write(out, item, levels)?;
            }
            out.push(']');
        }
        Kind::Object => {
            let levels = levels.checked_sub(1)?;
            out.push('{');
            for (index, (key, member)) in value.members().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                out.push_str(&json_string(key.text()));
                out.push(':');
                write(out, member, levels)?;
            }
            out.push('}');
        }
    }
    Some(())
}

/// The maximum depth of a value for a host's engine.
const DEPTH: usize = 512;
/// The maximum number of characters of a host's reason in a message.
const SHOWN: usize = 500;
