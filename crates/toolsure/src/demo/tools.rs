//! The demo's tools: three from the specification's proposal 2106, two whose schemas are refused.

use serde_json::{Value, json};
use toolsure_json::{OwnedDocument, ReadLimits, json_string};
use toolsure_mcp::era::{Era, Structured};
use toolsure_schema::{CompileError, Compiler, Formats};

use super::contract::Contract;

/// A tool with its contract.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    description: &'static str,
    /// JSON text, published as written.
    input: String,
    output: Option<&'static str>,
    input_contract: Result<Contract, CompileError>,
    output_contract: Option<Contract>,
    work: fn(&Value) -> Value,
}

/// The result of a call.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A value, as JSON text.
    Value(String),
    /// The arguments or our own result break the contract; a text that a model can act on.
    Refused(String),
    /// The tool's schema does not compile, so no call can be valid.
    Unusable(String),
}

/// All tools, in the order they are listed.
pub(super) fn all() -> Vec<Tool> {
    vec![
        Tool::new(
            "get-weather-forecast",
            "Hourly forecasts for a city, as an array",
            FORECAST_INPUT.to_owned(),
            Some(FORECAST_OUTPUT),
            forecast,
        ),
        Tool::new(
            "get-count",
            "How many records a collection holds, as an integer",
            COUNT_INPUT.to_owned(),
            Some(COUNT_OUTPUT),
            count,
        ),
        Tool::new(
            "find-by-id-or-name",
            "Find a record by its id or by its name, never both",
            FIND_INPUT.to_owned(),
            Some(FIND_OUTPUT),
            find,
        ),
        Tool::new(
            "hostile-schema",
            "A schema with subschemas in each other, deeper than the bound on composition",
            hostile_input(),
            None,
            |_| Value::Null,
        ),
        Tool::new(
            "dangling-reference",
            "A schema with a reference to nothing",
            DANGLING_INPUT.to_owned(),
            None,
            |_| Value::Null,
        ),
    ]
}

impl Tool {
    fn new(
        name: &'static str,
        description: &'static str,
        input: String,
        output: Option<&'static str>,
        work: fn(&Value) -> Value,
    ) -> Self {
        // The demo's contracts assert formats too.
        let compiler = Compiler::new().formats(Formats::Assert);
        let input_contract = Contract::new(&compiler, &input);
        let output_contract = output.and_then(|schema| Contract::new(&compiler, schema).ok());
        Self {
            name,
            description,
            input,
            output,
            input_contract,
            output_contract,
            work,
        }
    }

    /// The tool as listed for a client of this era.
    pub(super) fn listed(&self, era: Era) -> String {
        let output = match self.output {
            Some(schema) if era.structured() != Structured::None => match self.wraps(era) {
                // No output schema has a reference or a dialect, which would have to be adjusted.
                true => format!(
                    r#","outputSchema":{{"type":"object","properties":{{"result":{schema}}},"required":["result"]}}"#
                ),
                false => format!(r#","outputSchema":{schema}"#),
            },
            _ => String::new(),
        };
        format!(
            r#"{{"name":{},"description":{},"inputSchema":{}{output},"annotations":{{"readOnlyHint":true}}}}"#,
            json_string(self.name),
            json_string(self.description),
            self.input
        )
    }

    /// Checks the arguments, calls the tool, checks the result.
    pub(super) fn call(&self, arguments: &str) -> Outcome {
        let contract = match &self.input_contract {
            Ok(contract) => contract,
            Err(refusal) => {
                return Outcome::Unusable(format!(
                    "the input schema of `{}` is refused: {refusal}",
                    self.name
                ));
            }
        };
        if let Err(reason) = check(contract, arguments) {
            return Outcome::Refused(format!("invalid arguments for `{}`: {reason}", self.name));
        }
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let value = (self.work)(&arguments).to_string();
        match self
            .output_contract
            .as_ref()
            .map_or(Ok(()), |contract| check(contract, &value))
        {
            Ok(()) => Outcome::Value(value),
            Err(reason) => Outcome::Refused(format!(
                "the result of `{}` breaks its output schema: {reason}",
                self.name
            )),
        }
    }

    /// `structuredContent` for a client of this era: absent before 2025-06-18, wrapped where a
    /// legacy client expects an object.
    pub(super) fn structured(&self, value: &str, era: Era) -> Option<String> {
        (self.output.is_some() && era.structured() != Structured::None).then(|| {
            if self.wraps(era) {
                format!(r#"{{"result":{value}}}"#)
            } else {
                value.to_owned()
            }
        })
    }

    /// Whether results are wrapped: the schema decides, never the value.
    fn wraps(&self, era: Era) -> bool {
        era.structured() != Structured::Any
            && self
                .output
                .is_some_and(|schema| !schema.starts_with(r#"{"type":"object""#))
    }
}

fn check(contract: &Contract, value: &str) -> Result<(), String> {
    let document = OwnedDocument::read(value.as_bytes(), &ReadLimits::default())
        .map_err(|error| error.to_string())?;
    contract.check(document.document().root())
}

fn forecast(arguments: &Value) -> Value {
    let hours = arguments
        .get("hours")
        .and_then(Value::as_f64)
        .unwrap_or(3.0);
    let sky = ["sunny", "partly cloudy", "cloudy", "rainy"];
    let forecasts = sky
        .iter()
        .cycle()
        .zip(0_u32..24)
        .take_while(|(_, hour)| f64::from(*hour) < hours);
    forecasts
        .map(|(conditions, hour)| json!({"hour": format!("{:02}:00", (hour + 9) % 24), "temp": 64 + hour % 12, "conditions": conditions}))
        .collect()
}

fn count(arguments: &Value) -> Value {
    let records = [("users", 3), ("orders", 42), ("sessions", 0)];
    let wanted = arguments.get("collection").and_then(Value::as_str);
    json!(
        records
            .iter()
            .find(|(name, _)| Some(*name) == wanted)
            .map_or(0, |(_, count)| *count)
    )
}

fn find(arguments: &Value) -> Value {
    let records = [("u-1", "Ada"), ("u-2", "Grace"), ("u-3", "Barbara")];
    let (key, by) = match (arguments.get("id"), arguments.get("name")) {
        (Some(id), _) => (id.as_str(), "id"),
        (None, name) => (name.and_then(Value::as_str), "name"),
    };
    let found = records
        .iter()
        .find(|(id, name)| key == Some(if by == "id" { *id } else { *name }));
    json!({"searchedBy": by, "record": found.map(|(id, name)| json!({"id": id, "name": name}))})
}

/// Nested subschemas, deeper than any client has to follow (the limit of proposal 2106), but not
/// too deep for a JSON parser.
fn hostile_input() -> String {
    let (open, close) = (
        "{\"not\":".repeat(HOSTILE_LEVELS),
        "}".repeat(HOSTILE_LEVELS),
    );
    format!(r#"{{"type":"object","properties":{{"start":{open}{{}}{close}}}}}"#)
}

const HOSTILE_LEVELS: usize = 70;

const DANGLING_INPUT: &str = r##"{"type":"object","properties":{"start":{"$ref":"#/$defs/strat"}},"$defs":{"start":{"type":"string"}}}"##;

const FORECAST_INPUT: &str = r#"{"type":"object","properties":{"city":{"type":"string","minLength":1,"description":"City to forecast for"},"hours":{"type":"integer","minimum":1,"maximum":24,"description":"How many hours ahead","default":3}},"required":["city"],"additionalProperties":false}"#;

const FORECAST_OUTPUT: &str = r#"{"type":"array","items":{"type":"object","properties":{"hour":{"type":"string","pattern":"^[0-2][0-9]:00$"},"temp":{"type":"number","description":"Degrees Fahrenheit"},"conditions":{"type":"string"}},"required":["hour","temp","conditions"],"additionalProperties":false}}"#;

const COUNT_INPUT: &str = r#"{"type":"object","properties":{"collection":{"enum":["users","orders","sessions"],"description":"Which collection to count"}},"required":["collection"],"additionalProperties":false}"#;

const COUNT_OUTPUT: &str = r#"{"type":"integer","minimum":0}"#;

const FIND_INPUT: &str = r#"{"type":"object","properties":{"id":{"type":"string","pattern":"^u-[0-9]+$","description":"Record id, such as u-1"},"name":{"type":"string","minLength":1,"description":"Exact name"}},"oneOf":[{"required":["id"]},{"required":["name"]}],"additionalProperties":false}"#;

const FIND_OUTPUT: &str = r#"{"type":"object","properties":{"searchedBy":{"enum":["id","name"]},"record":{"anyOf":[{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}},"required":["id","name"]},{"type":"null"}]}},"required":["searchedBy","record"]}"#;
