//! Judges one instance, and returns the outcome.

use std::io;

use serde_json::json;
use toolsure_json::{ReadError, ReadLimits, Reader};
use toolsure_schema::{Exhausted, OutputFormat, Report, Schema, Verdict, Workspace};

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
    limits: ReadLimits,
    reader: Reader,
    workspace: Workspace,
}

impl<'s> Judge<'s> {
    pub(super) fn new(schema: &'s Schema, limits: ReadLimits) -> Self {
        Self {
            schema,
            limits,
            reader: Reader::new(),
            workspace: Workspace::new(),
        }
    }

    /// Judges a text; gives the reasons if it is invalid.
    pub(super) fn explain(&mut self, text: &[u8]) -> Outcome {
        let document = match self.reader.read(text, &self.limits) {
            Ok(document) => document,
            Err(error) => return Outcome::Unreadable(error),
        };
        match self.schema.check(&mut self.workspace, document.root()) {
            Verdict::Valid => Outcome::Valid,
            Verdict::Undecided(why) => Outcome::Undecided(why),
            Verdict::Invalid => {
                let workspace = &mut self.workspace;
                Outcome::Invalid(Some(self.schema.explain(workspace, document.root())))
            }
        }
    }

    /// Judges a text, without the reasons.
    pub(super) fn verdict(&mut self, text: &[u8]) -> Outcome {
        let document = match self.reader.read(text, &self.limits) {
            Ok(document) => document,
            Err(error) => return Outcome::Unreadable(error),
        };
        match self.schema.check(&mut self.workspace, document.root()) {
            Verdict::Valid => Outcome::Valid,
            Verdict::Invalid => Outcome::Invalid(None),
            Verdict::Undecided(why) => Outcome::Undecided(why),
        }
    }

    /// Judges a text; also returns the output in a format of the specification, as JSON text.
    pub(super) fn output(
        &mut self,
        text: &[u8],
        format: OutputFormat,
    ) -> (Outcome, Option<String>) {
        let document = match self.reader.read(text, &self.limits) {
            Ok(document) => document,
            Err(error) => return (Outcome::Unreadable(error), None),
        };
        let root = document.root();
        let outcome = match self.schema.check(&mut self.workspace, root) {
            Verdict::Valid => Outcome::Valid,
            Verdict::Invalid => Outcome::Invalid(None),
            Verdict::Undecided(why) => Outcome::Undecided(why),
        };
        let output = match &outcome {
            // The engine writes the same, but only after another check.
            Outcome::Undecided(why) => {
                json!({"valid": false, "error": why.to_string()}).to_string()
            }
            Outcome::Valid if format == OutputFormat::Flag => r#"{"valid":true}"#.to_owned(),
            _ if format == OutputFormat::Flag => r#"{"valid":false}"#.to_owned(),
            _ => self.schema.output(&mut self.workspace, root, format),
        };
        (outcome, Some(output))
    }
}
