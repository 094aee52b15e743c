//! Judges one instance, and returns the outcome.

use std::io;

use serde_json::json;
use toolsure_json::ReadError;
use toolsure_schema::{Exhausted, OutputFormat, Report, Schema, Verdict, Workspace};

use crate::local::Fuel;

/// The result for one instance.
#[derive(Debug)]
pub(super) enum Outcome {
    Valid,
    /// With the reasons, if they were asked for.
    Invalid(Option<Report>),
    Undecided(Exhausted),
    /// It is not JSON, or exceeds a limit.
    Unreadable(ReadError),
    /// The text could not be read.
    Missing(io::Error),
}

impl Outcome {
    /// The verdict as the formats for machines write it.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid(_) => "invalid",
            Self::Undecided(_) => "undecided",
            Self::Unreadable(_) | Self::Missing(_) => "unreadable",
        }
    }
}

/// Judges instances one after the other, and reuses its memory.
pub(super) struct Judge<'s> {
    schema: &'s Schema,
    fuel: Fuel,
    workspace: Workspace,
}

impl<'s> Judge<'s> {
    pub(super) fn new(schema: &'s Schema, fuel: Fuel) -> Self {
        Self {
            schema,
            fuel,
            workspace: Workspace::new(),
        }
    }

    /// Judges a text; gives the reasons if it is invalid.
    pub(super) fn explain(&mut self, text: &[u8]) -> Outcome {
        let schema = self.schema;
        match schema.explain(self.workspace_for(text), text) {
            Err(error) => Outcome::Unreadable(error),
            Ok(report) => match report.verdict {
                Verdict::Valid => Outcome::Valid,
                Verdict::Invalid => Outcome::Invalid(Some(report)),
                Verdict::Undecided(why) => Outcome::Undecided(why),
            },
        }
    }

    /// Judges a text, without the reasons.
    pub(super) fn verdict(&mut self, text: &[u8]) -> Outcome {
        let schema = self.schema;
        match schema.check(self.workspace_for(text), text) {
            Err(error) => Outcome::Unreadable(error),
            Ok(Verdict::Valid) => Outcome::Valid,
            Ok(Verdict::Invalid) => Outcome::Invalid(None),
            Ok(Verdict::Undecided(why)) => Outcome::Undecided(why),
        }
    }

    /// Judges a text; also returns the output in a format of the specification, as JSON text.
    pub(super) fn output(
        &mut self,
        text: &[u8],
        format: OutputFormat,
    ) -> (Outcome, Option<String>) {
        let outcome = self.verdict(text);
        let output = match &outcome {
            Outcome::Unreadable(_) | Outcome::Missing(_) => return (outcome, None),
            // The engine writes the same, but only after another check.
            Outcome::Undecided(why) => {
                json!({"valid": false, "error": why.to_string()}).to_string()
            }
            Outcome::Valid if format == OutputFormat::Flag => r#"{"valid":true}"#.to_owned(),
            _ if format == OutputFormat::Flag => r#"{"valid":false}"#.to_owned(),
            _ => {
                let schema = self.schema;
                match schema.output(self.workspace_for(text), text, format) {
                    Ok(output) => output,
                    Err(error) => return (Outcome::Unreadable(error), None),
                }
            }
        };
        (outcome, Some(output))
    }

    fn workspace_for(&mut self, text: &[u8]) -> &mut Workspace {
        let workspace = std::mem::take(&mut self.workspace);
        self.workspace = self.fuel.give(workspace, text.len());
        &mut self.workspace
    }
}
