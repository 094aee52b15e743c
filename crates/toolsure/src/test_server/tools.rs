//! Tests each tool.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::time::Instant;
use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View};
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::testing::{Call, CallKind, Code, Plan, PlanOptions, TestFinding, smaller};
use toolsure_proxy::Listing;
use toolsure_schema::{Verdict, Workspace};

use super::found::{Found, Tested};
use super::run::{Run, Spent, shown};
use crate::listing::ListedTool;
use crate::recording::CallEnd;

/// A tool that is called, and what the calls gave.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) contract: Arc<ToolContract>,
    /// Valid calls with different successful results: the arguments, and the text of each result.
    pub(super) successes: Vec<(String, String)>,
    /// A call with a string that is not Unicode.
    pub(super) malformed: Option<Call>,
}

impl Run<'_> {
    /// Tests the tools of a listing, then the server as a whole.
    pub(super) async fn test(&mut self, listing: Option<Listing>) {
        let Some(listing) = listing else { return };
        self.report.recording.list(&listing.tools);
        let mut subjects = self.subjects(&listing);
        if let Some(recording) = &self.settings.against {
            return self.compare(recording, &subjects).await;
        }
        if !self.settings.only.is_empty() {
            return self.repeat(&subjects).await;
        }
        // Tools that need no arguments come first: their results have values for the others.
        subjects.sort_by_key(|subject| needed(&subject.contract));
        let count = subjects.len();
        self.is_reserving = true;
        for (number, subject) in subjects.iter_mut().enumerate() {
            self.term.progress(&format!(
                "{}: tool {} of {count}, `{}` …",
                self.report.target,
                number.saturating_add(1),
                shown(subject.contract.name())
            ));
            let rest = self.settings.calls.saturating_sub(self.calls);
            let tools_left = count.saturating_sub(number).max(1);
            let share = rest.checked_div(tools_left).unwrap_or(0).max(1);
            let mut tested = Tested {
                name: subject.contract.name().to_owned(),
                ..Tested::default()
            };
            // Twice its share of the time: most tools need less.
            let time = self.left().saturating_sub(self.reserved());
            let tools = u32::try_from(tools_left).unwrap_or(u32::MAX);
            let until = Instant::now() + time.min(2 * (time / tools));
            let share = (share, until);
            if self.tool(subject, &mut tested, share).await.is_err() && tested.calls.made == 0 {
                tested.skipped = Some("the limits of the run were reached".to_owned());
            }
            self.report.tools.push(tested);
        }
        self.is_reserving = false;
        let left = self.left();
        if let Some(session) = &mut self.session {
            session.set_time_left(left);
        }
        self.server(&listing, &subjects).await;
        self.report.sort_tools(&listing);
    }

    /// The tools that may be called; the others are noted.
    fn subjects(&mut self, listing: &Listing) -> Vec<Subject> {
        let mut subjects: Vec<Subject> = Vec::new();
        for text in &listing.tools {
            let contract = match ToolContract::read(text.as_bytes(), &self.store) {
                Ok(contract) => Arc::new(contract),
                Err(malformed) => {
                    let message = format!("a tool of the list breaks the protocol: {malformed}");
                    let found = Found::of_server(Code::ResultShape, message);
                    self.report.server_findings.push(found);
                    self.skip(name_of(text), format!("cannot be read: {malformed}"));
                    continue;
                }
            };
            let name = contract.name().to_owned();
            if subjects.iter().any(|one| one.contract.name() == name) {
                let message = format!("the list has the tool `{}` twice", shown(&name));
                let found = Found::of_server(Code::Pagination, message);
                self.report.server_findings.push(found);
                continue;
            }
            let named = &self.settings.tools;
            let is_asked_for = self.settings.only.iter().any(|(tool, _)| *tool == name);
            let is_named = named.contains(&name) || is_asked_for;
            if !named.is_empty() && !is_named {
                continue;
            }
            if !is_named && !self.settings.allow_writes && !is_read_only(text) {
                let why = "does not say that it is read-only (`annotations.readOnlyHint`)";
                self.skip(name, why.to_owned());
                continue;
            }
            if let Err(uncompilable) = contract.input() {
                self.skip(
                    name,
                    format!("its schema is refused: {}", uncompilable.error),
                );
                continue;
            }
            subjects.push(Subject {
                contract,
                successes: Vec::new(),
                malformed: None,
            });
        }
        for wanted in &self.settings.tools {
            let is_there = |name: &str| name == wanted;
            let is_known = subjects.iter().any(|one| is_there(one.contract.name()))
                || self.report.tools.iter().any(|one| is_there(&one.name));
            if !is_known {
                let note = format!("there is no tool `{}`", shown(wanted));
                self.report.notes.push(note);
                self.report.is_misnamed = true;
            }
        }
        for (_, pinned) in &self.settings.values {
            if !subjects.iter().any(|one| pinned.is_declared(&one.contract)) {
                let member = shown(&pinned.member);
                let note = format!(
                    "no tool that is called declares `{member}`, for which there is a value"
                );
                self.report.notes.push(note);
            }
        }
        subjects
    }

    fn skip(&mut self, name: String, why: String) {
        self.report.tools.push(Tested {
            name,
            skipped: Some(why),
            ..Tested::default()
        });
    }

    /// Makes the calls of one tool.
    async fn tool(
        &mut self,
        subject: &mut Subject,
        tested: &mut Tested,
        (share, until): (usize, Instant),
    ) -> Result<(), Spent> {
        let name = subject.contract.name().to_owned();
        let values = self.settings.values.iter();
        let pinned = values
            .filter(|(tool, _)| tool.as_ref().is_none_or(|tool| *tool == name))
            .map(|(_, pinned)| pinned.clone());
        let options = PlanOptions {
            calls: share,
            seed: self.settings.seed,
            pinned: pinned.collect(),
        };
        if self.left().is_zero() {
            return Err(Spent);
        }
        let plan = match Plan::of(&subject.contract, &self.store, &options) {
            Ok(plan) => plan,
            Err(uncompilable) => {
                tested.skipped = Some(format!("its schema is refused: {}", uncompilable.error));
                return Ok(());
            }
        };
        if plan.calls.is_empty() {
            let given = match plan.has_pinned() {
                true => " with the given values (`--value`, `[values]`)",
                false => "",
            };
            let why = format!("no arguments{given} were found that its schema accepts");
            tested.skipped = Some(why);
        }
        subject.malformed.clone_from(&plan.malformed);
        let mut calls = plan.calls.clone();
        if let Some(first) = calls.first().filter(|call| call.is_valid()) {
            for linked in self.links.calls(&plan, first) {
                calls.push(linked);
            }
        }
        // The answer to the call that is repeated in another order.
        let mut answers: HashMap<usize, CallEnd> = HashMap::new();
        let mut lost = 0_usize;
        for (number, call) in calls.iter().enumerate() {
            if number > 0 && Instant::now() >= until {
                let note = format!(
                    "`{}` was not called any more after {number} of {} calls: its share of the time (`--seconds`) was over",
                    shown(&name),
                    calls.len()
                );
                self.report.notes.push(note);
                return Ok(());
            }
            let kept = self.call(&subject.contract, &call.arguments).await?;
            tested.count(&kept);
            let judge = &mut self.judge;
            let (mut findings, is_success) = kept.with(|outcome| {
                let findings = judge.judge(&subject.contract, call, outcome);
                (findings, judge.is_success(outcome))
            });
            let is_repeated =
                |one: &Call| matches!(one.kind, CallKind::Reordered(at) if at == number);
            if calls.iter().any(is_repeated) {
                answers.insert(number, kept.clone());
            }
            if let CallKind::Reordered(before) = &call.kind
                && let Some(before_call) = calls.get(*before)
                && let Some(known) = answers.get(before)
            {
                let tool = &subject.contract;
                let now = kept.clone();
                let found = self.reordered(tool, (before_call, call), (known, &now));
                findings.extend(found.await?);
            }
            if let CallEnd::Result(text) = &kept
                && call.is_valid()
                && is_success
            {
                self.keep_success(subject, &call.arguments, text);
            }
            lost = lost.saturating_add(match kept {
                CallEnd::Silence => 2,
                CallEnd::Lost(_) => 1,
                _ => 0,
            });
            for finding in findings {
                if !tested.is_known(&finding, call) {
                    let smallest = self.smallest(&subject.contract, call, &finding).await;
                    tested.add(finding, &smallest);
                }
            }
            if lost >= MOST_LOST {
                let name = shown(&name);
                let note = format!(
                    "`{name}` was not called any more: {} calls got no answer",
                    tested
                        .calls
                        .made
                        .saturating_sub(tested.calls.results)
                        .saturating_sub(tested.calls.errors)
                );
                self.report.notes.push(note);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether the order of the members changed the answer: the same call with its first order must give the first answer again.
    async fn reordered(
        &mut self,
        tool: &Arc<ToolContract>,
        (before, after): (&Call, &Call),
        (known, now): (&CallEnd, &CallEnd),
    ) -> Result<Option<TestFinding>, Spent> {
        let is_answer = |end: &CallEnd| matches!(end, CallEnd::Result(_) | CallEnd::Error(..));
        if known == now || !is_answer(known) || !is_answer(now) {
            return Ok(None);
        }
        // Both orders must give their answers again: other answers may change from call to call.
        let (first, other) = ((before, known), (after, now));
        for (arguments, expected) in [first, first, other, other] {
            let again = self.call(tool, &arguments.arguments).await?;
            if again != *expected {
                return Ok(None);
            }
        }
        Ok(Some({
            let message = "the answer is another one with the members in another order";
            TestFinding::new(Code::MemberOrder, message)
        }))
    }

    fn keep_success(&mut self, subject: &mut Subject, arguments: &str, text: &str) {
        if let Ok(document) = OwnedDocument::read(text.as_bytes(), &ReadLimits::default()) {
            let result = document.document().root();
            self.links.add(subject.contract.name(), result);
            // A text block may be the JSON of the result.
            let blocks = result.member("content").into_iter().flat_map(View::items);
            for block in blocks.take(4) {
                let text = block.member("text").map_or("", |text| text.string());
                if let Ok(inner) = OwnedDocument::read(text.as_bytes(), &ReadLimits::default()) {
                    self.links
                        .add(subject.contract.name(), inner.document().root());
                }
            }
        }
        let known = &mut subject.successes;
        if known.len() < 2 && known.iter().all(|(_, one)| one != text) {
            known.push((arguments.to_owned(), text.to_owned()));
        }
    }

    /// The smallest call with the same finding.
    async fn smallest(
        &mut self,
        tool: &Arc<ToolContract>,
        call: &Call,
        finding: &TestFinding,
    ) -> Call {
        let mut best = call.clone();
        if matches!(finding.code, Code::Hang | Code::MemberOrder) {
            // A smaller one that answers would say nothing, and each that does not takes the whole time.
            return best;
        }
        let mut tries = SHRINKS;
        'again: loop {
            for candidate in smaller(tool, &best) {
                if !self.keeps_values(tool, &candidate) {
                    continue;
                }
                tries = match tries.checked_sub(1) {
                    Some(left) => left,
                    None => return best,
                };
                let Ok(kept) = self.call(tool, &candidate.arguments).await else {
                    return best;
                };
                let judge = &mut self.judge;
                let found = kept.with(|outcome| judge.judge(tool, &candidate, outcome));
                if found.iter().any(|one| one.code == finding.code) {
                    best = candidate;
                    continue 'again;
                }
            }
            return best;
        }
    }

    /// Whether a call has all values of the operator's that its tool declares.
    fn keeps_values(&self, tool: &ToolContract, call: &Call) -> bool {
        let document = OwnedDocument::read(call.arguments.as_bytes(), &ReadLimits::default());
        document.is_ok_and(|document| {
            let root = document.document().root();
            let own = self.settings.values.iter().filter(|(name, pinned)| {
                let is_own = name.as_ref().is_none_or(|name| name == tool.name());
                is_own && pinned.is_declared(tool)
            });
            own.map(|(_, pinned)| &pinned.member)
                .all(|member| root.member(member).is_some())
        })
    }

    /// Makes only the calls that the flags name.
    async fn repeat(&mut self, subjects: &[Subject]) {
        for (name, arguments) in &self.settings.only {
            let subject = subjects.iter().find(|one| one.contract.name() == name);
            let Some(subject) = subject else {
                let note = format!("`{}` is not called: see above", shown(name));
                self.report.notes.push(note);
                continue;
            };
            let call = judged(&subject.contract, arguments);
            let mut tested = Tested {
                name: name.clone(),
                ..Tested::default()
            };
            if let Ok(kept) = self.call(&subject.contract, arguments).await {
                tested.count(&kept);
                let judge = &mut self.judge;
                let findings = kept.with(|outcome| judge.judge(&subject.contract, &call, outcome));
                for finding in findings {
                    tested.add(finding, &call);
                }
            }
            self.report.tools.push(tested);
        }
    }
}

/// A call that the operator names: valid or not, as the schema says.
fn judged(tool: &ToolContract, arguments: &str) -> Call {
    let mut call = Call::valid(arguments, "the call that was asked for");
    let Ok(schema) = tool.input() else {
        return call;
    };
    let mut workspace = Workspace::new();
    if schema.check(&mut workspace, arguments.as_bytes()) == Ok(Verdict::Invalid) {
        let report = schema.explain(&mut workspace, arguments.as_bytes());
        let first = report
            .ok()
            .and_then(|report| report.findings.into_iter().next());
        if let Some(first) = first {
            call.kind = CallKind::Invalid {
                keyword_location: first.source().pointer.to_owned(),
                instance_location: first.instance_location().to_owned(),
                message: first.to_string(),
            };
        }
    }
    call
}

impl Tested {
    pub(super) fn count(&mut self, kept: &CallEnd) {
        self.calls.made = self.calls.made.saturating_add(1);
        if kept.is_error() {
            self.calls.errors = self.calls.errors.saturating_add(1);
        } else if matches!(kept, CallEnd::Result(_)) {
            self.calls.results = self.calls.results.saturating_add(1);
        }
    }

    /// Whether the same was found by another call: the same place of results, the same keyword of arguments.
    fn is_known(&self, finding: &TestFinding, call: &Call) -> bool {
        self.findings.iter().any(|known| {
            let same = known.finding.code == finding.code;
            same && match finding.code {
                Code::AcceptsInvalid => known.purpose == purpose(call),
                Code::ResultSchema | Code::ResultShape => {
                    known.finding.pointer == finding.pointer
                        && known.finding.message == finding.message
                }
                _ => true,
            }
        })
    }

    pub(super) fn add(&mut self, finding: TestFinding, call: &Call) {
        self.findings.push(Found {
            finding,
            arguments: Some(call.arguments.clone()),
            purpose: purpose(call),
        });
    }
}

/// What a call is for, in words.
fn purpose(call: &Call) -> String {
    match &call.kind {
        CallKind::Valid(covers) => format!("a valid call: {covers}"),
        CallKind::Any(covers) => format!("a call with {covers}"),
        CallKind::Reordered(_) => "a valid call with its members in reverse order".to_owned(),
        CallKind::Invalid {
            keyword_location, ..
        } => format!("a call that breaks `{keyword_location}`"),
        _ => "a call".to_owned(),
    }
}

/// How many arguments a tool needs.
fn needed(tool: &ToolContract) -> usize {
    let text = tool.input_text();
    let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default()).ok();
    let required = document
        .as_ref()
        .and_then(|document| document.document().root().member("required"));
    required.map_or(0, |required| required.len())
}

/// Whether a tool says that it changes nothing.
fn is_read_only(text: &str) -> bool {
    let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default()).ok();
    let hint = document.as_ref().and_then(|document| {
        let annotations = document.document().root().member("annotations")?;
        annotations.member("readOnlyHint")
    });
    hint.is_some_and(|hint| hint.kind() == Kind::Boolean && hint.boolean())
}

fn name_of(text: &str) -> String {
    let name = ListedTool::new(text.to_owned()).name;
    name.unwrap_or_else(|| "a tool without a name".to_owned())
}

/// Lost connections after which a tool is called no more. A call without an answer counts twice, because each takes the whole
/// time.
const MOST_LOST: usize = 4;
/// Calls that may be made to find a smaller one.
const SHRINKS: usize = 24;
