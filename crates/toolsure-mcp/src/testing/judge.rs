//! What is wrong with an answer.

use std::sync::Arc;

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, equal_values, quote};

use super::edges::UNDECLARED;
use super::finding::{Code, TestFinding};
use super::plan::{Call, CallKind};
use super::words::{is_about_arguments, is_about_result, is_about_tool, is_exception};
use crate::check::{Checker, Fault, Refusal};
use crate::clients::repair_tool_result;
use crate::contract::ToolContract;
use crate::era::Era;
use crate::message::{INVALID_PARAMS, ResultKind, ToolResult};

/// How a call ended.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// With this `result`.
    Result(View<'a>),
    /// With a JSON-RPC error: its code and message.
    Error(i64, &'a str),
    /// With an answer that cannot be read: why.
    Unreadable(&'a str),
    /// With an answer over a limit of whoever called, which is not judged.
    TooLarge,
    /// Without an answer in time.
    Silence,
    /// With the end of the process or of the connection: how it ended.
    Ended(&'a str),
}

/// Judges the answers of one server.
#[derive(Debug)]
pub struct Judge {
    checker: Checker,
    era: Era,
}

impl Judge {
    /// A judge of results in the protocol version that was agreed on.
    #[must_use]
    pub fn new(era: Era) -> Self {
        Self {
            checker: Checker::new(),
            era,
        }
    }

    /// What is wrong with the answer to a call.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::testing::{Call, Code, Judge, Outcome};
    ///
    /// let tool = ToolContract::read(br#"{"name": "find", "inputSchema": {"type": "object"}}"#, &SchemaStore::new())?;
    /// let call = Call::valid("{}", "nothing");
    /// let mut judge = Judge::new(Era::V2025_11_25);
    /// let findings = judge.judge(&Arc::new(tool), &call, &Outcome::Ended("exited with status 1"));
    /// assert_eq!(findings[0].code, Code::Crash);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn judge(
        &mut self,
        tool: &Arc<ToolContract>,
        call: &Call,
        outcome: &Outcome<'_>,
    ) -> Vec<TestFinding> {
        match *outcome {
            Outcome::Silence => {
                vec![TestFinding::new(Code::Hang, "no answer in time")]
            }
            Outcome::Ended(how) => vec![TestFinding::new(Code::Crash, how)],
            Outcome::TooLarge => Vec::new(),
            // Who sends no Unicode may get none.
            Outcome::Unreadable(_) if matches!(call.kind, CallKind::Any(_)) => Vec::new(),
            Outcome::Unreadable(why) => {
                let message = format!("the answer cannot be read: {why}");
                vec![TestFinding::new(Code::ResultShape, message)]
            }
            Outcome::Error(code, message) => error(tool, call, code, message),
            Outcome::Result(result) => self.result(tool, call, result),
        }
    }

    /// Whether an answer is a success.
    #[must_use]
    pub fn is_success(&self, outcome: &Outcome<'_>) -> bool {
        match *outcome {
            Outcome::Result(result) => {
                let read = self.era.read_result(result);
                read.is_ok_and(|read| !read.is_error && read.kind == ResultKind::Complete)
            }
            _ => false,
        }
    }

    fn result(
        &mut self,
        tool: &Arc<ToolContract>,
        call: &Call,
        result: View<'_>,
    ) -> Vec<TestFinding> {
        let Ok(read) = self.era.read_result(result) else {
            // The check says why it cannot be read.
            let decision = self.checker.check_result(tool, self.era, result);
            return decision.refusal().map(refused).into_iter().collect();
        };
        let mut findings = self.form(result);
        if read.is_error {
            findings.extend(failed(tool, call, &read));
            return findings;
        }
        if read.kind != ResultKind::Complete {
            return findings;
        }
        if let CallKind::Invalid { message, .. } = &call.kind {
            let message = format!("answered with a result, although {message}");
            findings.push(TestFinding::new(Code::AcceptsInvalid, message));
            return findings;
        }
        if matches!(call.kind, CallKind::Any(_)) {
            return findings;
        }
        let decision = self.checker.check_result(tool, self.era, result);
        findings.extend(decision.refusal().map(refused));
        findings.extend(without_text(&read));
        findings
    }

    /// What the protocol does not allow in a result.
    fn form(&self, result: View<'_>) -> Vec<TestFinding> {
        let mut findings = Vec::new();
        let is_object = result.kind() == Kind::Object;
        if is_object && result.member("content").is_none() {
            findings.push(TestFinding::new(
                Code::ResultShape,
                "the result has no `content`",
            ));
        }
        let repaired = repair_tool_result(self.era, result);
        if let Some(repaired) = repaired {
            let first = repaired.changes.first().map(ToString::to_string);
            let more = repaired
                .changes
                .len()
                .saturating_sub(1)
                .saturating_add(repaired.further);
            let more = match more {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let first = first.unwrap_or_default();
            let message = format!("clients can read it only if {first}{more}");
            findings.push(TestFinding::new(Code::ResultShape, message));
        }
        findings
    }
}

/// What is wrong with a JSON-RPC error.
fn error(tool: &ToolContract, call: &Call, code: i64, message: &str) -> Vec<TestFinding> {
    let said = quote(message, SHOWN);
    if is_about_tool(message, tool.name()) {
        let message = format!("the listed tool cannot be called: error {code} `{said}`");
        return vec![TestFinding::new(Code::StaleList, message)];
    }
    if is_about_result(message) {
        return own_result(call, &said).into_iter().collect();
    }
    // Whatever a reader says of a message that it cannot take is right.
    let is_reader = matches!(call.kind, CallKind::Any(_)) && !is_exception(message);
    if !is_reader && (is_exception(message) || code != INVALID_PARAMS) {
        let message = format!("answered with error {code} `{said}`");
        return vec![TestFinding::new(Code::InternalError, message)];
    }
    if call.is_valid() && is_about_arguments(message) {
        let message = format!("refused with error {code} `{said}`");
        return vec![refusal(call, &message)];
    }
    Vec::new()
}

/// A refusal of the contract, as a finding.
fn refused(refusal: &Refusal) -> TestFinding {
    let code = match refusal.fault {
        Fault::InvalidResult | Fault::MissingStructured => Code::ResultSchema,
        _ => Code::ResultShape,
    };
    let first = refusal
        .report
        .as_ref()
        .and_then(|report| report.findings.first());
    let text = refusal.to_string();
    let mut lines = text.lines();
    let mut message = lines.next().unwrap_or_default().to_owned();
    let details: Vec<&str> = lines.map(|line| line.trim_start_matches("- ")).collect();
    if !details.is_empty() {
        message = format!("{message} {}", details.join("; "));
    }
    let mut finding = TestFinding::new(code, message);
    if let Some(first) = first {
        finding.pointer = first.instance_location().to_owned();
    }
    finding
}

/// What is wrong with an error result.
fn failed(tool: &ToolContract, call: &Call, read: &ToolResult<'_>) -> Option<TestFinding> {
    let blocks = read.content.into_iter().flat_map(View::items);
    let texts: Vec<&str> = blocks
        .filter_map(|block| block.member("text"))
        .map(|text| text.string())
        .filter(|text| !text.trim().is_empty())
        .collect();
    let text = texts.join("\n");
    let said = quote(&text, SHOWN);
    if texts.is_empty() {
        let message = "an error result without a text that says what is wrong";
        return Some(TestFinding::new(Code::ErrorWithoutText, message));
    }
    if is_about_tool(&text, tool.name()) {
        let message = format!("the listed tool cannot be called: `{said}`");
        return Some(TestFinding::new(Code::StaleList, message));
    }
    if is_about_result(&text) {
        return own_result(call, &said);
    }
    if is_exception(&text) {
        return Some(TestFinding::new(
            Code::UncaughtException,
            format!("the error is that of an uncaught exception: `{said}`"),
        ));
    }
    if !call.is_valid() {
        return None;
    }
    is_about_arguments(&text).then(|| refusal(call, &format!("refused: `{said}`")))
}

/// The finding that the SDK of the server has refused the tool's own result.
fn own_result(call: &Call, said: &impl std::fmt::Display) -> Option<TestFinding> {
    let message = format!("the server refuses the result of its tool: `{said}`");
    let is_judged = !matches!(call.kind, CallKind::Invalid { .. } | CallKind::Any(_));
    is_judged.then(|| TestFinding::new(Code::ResultSchema, message))
}

/// The finding that a valid call was refused.
fn refusal(call: &Call, message: &str) -> TestFinding {
    match &call.kind {
        CallKind::Valid(covers) if covers == UNDECLARED => {
            let message =
                format!("{message}; if that is meant, publish `additionalProperties: false`");
            TestFinding::new(Code::UndeclaredMember, message)
        }
        _ => TestFinding::new(Code::RefusesValid, message),
    }
}

/// Whether structured content has no text block with the same JSON (2025-06-18 and later, server/tools: SHOULD).
fn without_text(read: &ToolResult<'_>) -> Option<TestFinding> {
    let value = read.structured?;
    let blocks = read.content.into_iter().flat_map(View::items);
    let mut texts = blocks
        .filter_map(|block| block.member("text"))
        .map(|text| text.string());
    let is_same = |text: &str| {
        let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default());
        document.is_ok_and(|document| equal_values(document.document().root(), value))
    };
    (!texts.any(is_same)).then(|| {
        TestFinding::new(
            Code::TextBlock,
            "no text block has the JSON of `structuredContent`, which clients of older versions read",
        )
    })
}

/// Characters of a server's text in a message.
const SHOWN: usize = 200;
