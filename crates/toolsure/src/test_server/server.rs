//! Tests the server as a whole.

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{OwnedDocument, ReadLimits, json_string};
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::testing::{Call, Code, Judge, TestFinding};
use toolsure_proxy::{Answer, Listing};

use super::found::{Found, Report};
use super::run::{Run, Spent, list_fault, shown};
use super::shape::difference;
use super::tools::Subject;
use crate::listing::ListedTool;
use crate::recording::{CallEnd, MASK, Recording};

impl Run<'_> {
    /// Makes the checks that are about no single tool. They stop when the budget is spent.
    pub(super) async fn server(&mut self, listing: &Listing, subjects: &[Subject]) {
        let checked = async {
            self.unknown_tool().await?;
            self.wrong_cursor(listing).await?;
            self.two_at_once(subjects).await?;
            self.cancelled(subjects).await?;
            self.not_unicode(subjects).await?;
            self.list_again(listing).await?;
            self.older_version(listing, subjects).await
        };
        if checked.await == Err(Spent) {
            let limit = match self.left().is_zero() {
                true => "time (`--seconds`)",
                false => "number of calls (`--calls`)",
            };
            let note = format!(
                "the {limit} of the run was reached before the checks of the server as a whole were done"
            );
            self.report.notes.push(note);
        }
    }

    fn found(&mut self, code: Code, message: impl Into<String>) {
        let message = message.into();
        let is_known = self
            .report
            .server_findings
            .iter()
            .any(|known| known.finding.code == code);
        if !is_known {
            self.report
                .server_findings
                .push(Found::of_server(code, message));
        }
    }

    /// Reports a connection that a check of the whole server lost.
    fn lost(&mut self, kept: &CallEnd, what: &str) {
        match kept {
            CallEnd::Silence => self.found(Code::Hang, format!("no answer to {what}")),
            CallEnd::Lost(how) => self.found(Code::Crash, format!("at {what}: {how}")),
            _ => {}
        }
    }

    async fn unknown_tool(&mut self) -> Result<(), Spent> {
        let name = "toolsure_no_such_tool";
        let text = format!(
            r#"{{"name":{},"inputSchema":{{"type":"object"}}}}"#,
            json_string(name)
        );
        let Ok(contract) = ToolContract::read(text.as_bytes(), &self.store) else {
            return Ok(());
        };
        self.admit().await?;
        let answer = self.session().await?.call(&contract, "{}").await;
        let kept = self.kept(answer).await;
        if matches!(kept, CallEnd::Result(_)) && !kept.is_error() {
            self.found(
                Code::UnknownTool,
                format!("a call of `{name}`, which does not exist, got a result"),
            );
        }
        self.lost(&kept, "a call of a tool that does not exist");
        Ok(())
    }

    async fn wrong_cursor(&mut self, listing: &Listing) -> Result<(), Spent> {
        self.admit().await?;
        let params = r#"{"cursor":"toolsure-no-such-cursor"}"#;
        let answer = self.session().await?.request("tools/list", params).await;
        let kept = self.kept(answer).await;
        // A server with one page may ignore the cursor.
        if matches!(kept, CallEnd::Result(_)) && listing.pages.len() > 1 {
            let message = "a cursor that the server did not give is answered with a page (2025-11-25, server/utilities/pagination: an error)";
            self.found(Code::Pagination, message);
        }
        if matches!(kept, CallEnd::Silence | CallEnd::Lost(_)) {
            self.found(
                Code::Pagination,
                "a cursor that the server did not give ends it, or is not answered",
            );
        }
        Ok(())
    }

    /// Two calls at once, whose results are known to differ.
    async fn two_at_once(&mut self, subjects: &[Subject]) -> Result<(), Spent> {
        let pairs = subjects
            .iter()
            .filter_map(|subject| match &subject.successes[..] {
                [one, other, ..] => Some((&subject.contract, one, other)),
                _ => None,
            });
        for (contract, (first, first_result), (second, second_result)) in pairs.take(PAIRS) {
            // Results that change from call to call say nothing.
            let mut is_same = true;
            let (one, other) = ((first, first_result), (second, second_result));
            for (arguments, expected) in [one, one, other, other] {
                let now = self.call(contract, arguments).await?;
                is_same &= matches!(&now, CallEnd::Result(text) if text == expected);
            }
            if !is_same {
                continue;
            }
            self.admit().await?;
            self.admit().await?;
            let session = self.session().await?;
            let calls = [
                (&**contract, first.as_str()),
                (&**contract, second.as_str()),
            ];
            let name = shown(contract.name());
            let answers = match session.call_both(calls).await {
                Ok(answers) => answers,
                Err(fault) => {
                    let kept = self.kept(Err(fault)).await;
                    self.lost(&kept, &format!("two calls of `{name}` at once"));
                    continue;
                }
            };
            let texts = answers.map(|answer| match answer {
                Some(Answer::Result(reply)) => Some(reply.raw(reply.result()).to_owned()),
                Some(Answer::Error(error)) => Some(format!("error {}", error.code)),
                None => None,
            });
            let [Some(one), Some(other)] = texts else {
                self.found(
                    Code::MixedAnswers,
                    format!("of two calls of `{name}` at once, one got no answer"),
                );
                self.close().await;
                continue;
            };
            let is_swapped = one == *second_result && other == *first_result;
            let is_shared = one == other && (one == *first_result || one == *second_result);
            if is_swapped || is_shared {
                self.found(
                    Code::MixedAnswers,
                    format!("of two calls of `{name}` at once, one got the result of the other"),
                );
            }
        }
        Ok(())
    }

    async fn cancelled(&mut self, subjects: &[Subject]) -> Result<(), Spent> {
        let subject = subjects
            .iter()
            .find(|subject| !subject.successes.is_empty());
        let Some(subject) = subject else {
            return Ok(());
        };
        let Some((arguments, _)) = subject.successes.first() else {
            return Ok(());
        };
        self.admit().await?;
        let session = self.session().await?;
        let sent = session.call_and_cancel(&subject.contract, arguments).await;
        // The call runs for a moment before it is cancelled; another one must be answered.
        let answer = match sent {
            Ok(()) => session.request("tools/list", "{}").await,
            Err(fault) => Err(fault),
        };
        let answer = match answer {
            Ok(_) => session.call(&subject.contract, arguments).await,
            lost => lost,
        };
        if let CallEnd::Silence | CallEnd::Lost(_) = self.kept(answer).await {
            let name = shown(subject.contract.name());
            self.found(
                Code::AfterCancel,
                format!("after a call of `{name}` was cancelled, the next requests got no answer"),
            );
        }
        Ok(())
    }

    /// A call with half of a surrogate pair (RFC 8259, section 8.2). Readers may refuse it, and must not fall silent.
    async fn not_unicode(&mut self, subjects: &[Subject]) -> Result<(), Spent> {
        let calls = subjects
            .iter()
            .filter_map(|one| Some((one, one.malformed.as_ref()?)));
        for (subject, call) in calls.take(PAIRS) {
            self.admit().await?;
            let session = self.session().await?;
            let answer = session.call(&subject.contract, &call.arguments);
            let kept = match tokio::time::timeout(SOON, answer).await {
                Ok(answer) => self.kept(answer).await,
                Err(_) => {
                    self.close().await;
                    CallEnd::Silence
                }
            };
            let name = shown(subject.contract.name());
            let what = format!("a call of `{name}` with half of a surrogate pair in a string");
            // What falls silent once will do so for each tool.
            match &kept {
                CallEnd::Silence => {
                    self.found(Code::BadUnicode, format!("{what} got no answer"));
                    break;
                }
                CallEnd::Lost(how) => {
                    self.found(Code::BadUnicode, format!("{what}: {how}"));
                    break;
                }
                kept => {
                    let judge = &mut self.judge;
                    let found = kept.with(|outcome| judge.judge(&subject.contract, call, outcome));
                    if let Some(first) = found.first() {
                        self.found(first.code, format!("{what}: {}", first.message));
                    }
                }
            }
        }
        Ok(())
    }

    async fn list_again(&mut self, before: &Listing) -> Result<(), Spent> {
        self.admit().await?;
        let is_first_session = self.is_first_session();
        let session = self.session().await?;
        let notified = session.notes().list_changed;
        let after = match session.list_tools().await {
            Ok(after) => after,
            Err(fault) => {
                let message = format!("the list of tools cannot be read again: {fault}");
                if let Some(code) = list_fault(&fault) {
                    self.found(code, message);
                } else {
                    self.report.notes.push(message);
                }
                self.close().await;
                return Ok(());
            }
        };
        let same = contracts(&before.tools) == contracts(&after.tools);
        if !same && notified == 0 && is_first_session {
            let message =
                "the list of tools changed, and no `notifications/tools/list_changed` said so";
            self.found(Code::StaleList, message);
        }
        Ok(())
    }

    /// Compares the list, and a call of each of the first tools, in the newest version with sessions.
    async fn older_version(
        &mut self,
        listing: &Listing,
        subjects: &[Subject],
    ) -> Result<(), Spent> {
        let is_modern = |facts: &crate::listing::ServerFacts| facts.era() == "modern";
        if !self.report.server.as_ref().is_some_and(is_modern) {
            return Ok(());
        }
        self.admit().await?;
        // A server need not speak an older version.
        let Ok(mut session) = self.open_older().await else {
            return Ok(());
        };
        let mut judge = Judge::new(session.server().era);
        // Each version has its own contracts.
        let mut contracts_then: Vec<Arc<ToolContract>> = Vec::new();
        if let Ok(older) = session.list_tools().await {
            let read = |text: &String| ToolContract::read(text.as_bytes(), &self.store).ok();
            contracts_then.extend(older.tools.iter().filter_map(read).map(Arc::new));
            let names = |tools: &[String]| -> Vec<String> {
                contracts(tools)
                    .into_iter()
                    .map(|(name, ..)| name)
                    .collect()
            };
            let (new, old) = (names(&listing.tools), names(&older.tools));
            let only = |these: &[String], those: &[String]| -> Option<String> {
                these.iter().find(|one| !those.contains(*one)).cloned()
            };
            if let Some(name) = only(&new, &old).or_else(|| only(&old, &new)) {
                let version = session.server().era.version();
                let name = shown(&name);
                self.found(
                    Code::VersionsDiffer,
                    format!("the tool `{name}` is not listed alike to clients of {version}"),
                );
            }
        }
        for subject in subjects.iter().take(OLDER_CALLS) {
            let Some((arguments, _)) = subject.successes.first() else {
                continue;
            };
            if self.admit().await.is_err() {
                break;
            }
            let name = subject.contract.name();
            let Some(contract) = contracts_then.iter().find(|one| one.name() == name) else {
                continue;
            };
            let Ok(answer) = session.call(contract, arguments).await else {
                break;
            };
            let Answer::Result(reply) = answer else {
                continue;
            };
            let call = Call::valid(arguments, "in an older protocol version");
            let outcome = toolsure_mcp::testing::Outcome::Result(reply.result());
            for mut finding in judge.judge(contract, &call, &outcome) {
                let version = session.server().era.version();
                finding.message = format!("in {version}: {}", finding.message);
                let tested = self.report.tools.iter_mut().find(|one| one.name == name);
                if let Some(tested) = tested
                    && !tested
                        .findings
                        .iter()
                        .any(|one| one.finding.code == finding.code)
                {
                    tested.add(finding, &call);
                }
            }
        }
        session.close().await;
        Ok(())
    }

    /// Makes the calls of a recording, and compares the answers with it.
    pub(super) async fn compare(&mut self, recording: &Recording, subjects: &[Subject]) {
        for exchange in &recording.exchanges {
            if exchange.arguments.contains(MASK) {
                // What stands in place of a secret is not the secret.
                continue;
            }
            let subject = subjects
                .iter()
                .find(|one| one.contract.name() == exchange.tool);
            let Some(subject) = subject else {
                let is_skipped = self
                    .report
                    .tools
                    .iter()
                    .any(|one| one.name == exchange.tool);
                if !is_skipped {
                    let name = shown(&exchange.tool);
                    self.found(Code::Changed, format!("the tool `{name}` is gone"));
                }
                continue;
            };
            let kept = match self.call(&subject.contract, &exchange.arguments).await {
                Ok(kept) => kept,
                Err(Spent) => {
                    let note = "the limits of the run were reached before all calls of the recording were made";
                    self.report.notes.push(note.to_owned());
                    return;
                }
            };
            let changed = changed(&exchange.ended, &kept);
            let tested = self.report.tested(&subject.contract);
            tested.count(&kept);
            if let Some((pointer, message)) = changed {
                let mut finding = TestFinding::new(Code::Changed, message);
                finding.pointer = pointer;
                let is_known = |one: &Found| one.finding == finding;
                if !tested.findings.iter().any(is_known) {
                    let call = Call::valid(&exchange.arguments, "a recorded call");
                    tested.add(finding, &call);
                }
            }
        }
    }
}

impl Report {
    /// What is known of a tool.
    fn tested(&mut self, contract: &Arc<ToolContract>) -> &mut super::found::Tested {
        let at = self
            .tools
            .iter()
            .position(|one| one.name == contract.name());
        let at = at.unwrap_or_else(|| {
            self.tools.push(super::found::Tested {
                name: contract.name().to_owned(),
                ..Default::default()
            });
            self.tools.len().saturating_sub(1)
        });
        #[expect(
            clippy::indexing_slicing,
            reason = "the index is that of an element that was found or added"
        )]
        &mut self.tools[at]
    }

    /// Puts the tools in the order of the list.
    pub(super) fn sort_tools(&mut self, listing: &Listing) {
        let names: Vec<String> = contracts(&listing.tools)
            .into_iter()
            .map(|(name, ..)| name)
            .collect();
        let place = |name: &str| names.iter().position(|one| one == name);
        self.tools
            .sort_by_key(|tool| place(&tool.name).unwrap_or(usize::MAX));
    }
}

/// How a live answer differs from the recorded one: where in the result, and in words.
fn changed(recorded: &CallEnd, kept: &CallEnd) -> Option<(String, String)> {
    let whole = |message: String| Some((String::new(), message));
    let text = match (recorded, kept) {
        (CallEnd::Result(old), CallEnd::Result(new)) => {
            let read = |text: &str| OwnedDocument::read(text.as_bytes(), &ReadLimits::default());
            let (Ok(old), Ok(new)) = (read(old), read(new)) else {
                return None;
            };
            return difference(old.document().root(), new.document().root());
        }
        (CallEnd::Error(old, ..), CallEnd::Error(new, ..)) if old == new => return None,
        (CallEnd::Silence, CallEnd::Silence) => return None,
        (old, new) if old.is_lost() && new.is_lost() => return None,
        (old, new) => format!("{}, where {} is recorded", words(new), words(old)),
    };
    whole(text)
}

fn words(end: &CallEnd) -> String {
    match end {
        CallEnd::Result(_) => "a result".to_owned(),
        CallEnd::Error(code, ..) => format!("error {code}"),
        CallEnd::Silence => "no answer".to_owned(),
        CallEnd::Unreadable(_) => "an answer that cannot be read".to_owned(),
        CallEnd::TooLarge(_) => "an answer that is too large".to_owned(),
        CallEnd::Lost(_) => "a lost connection".to_owned(),
    }
}

/// The name and the digest of each tool.
fn contracts(tools: &[String]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = tools
        .iter()
        .map(|text| {
            let tool = ListedTool::new(text.clone());
            // As JSON, whatever the order of members.
            let digest = tool.digest().map(|digest| digest.to_string());
            let digest = digest.unwrap_or_else(|| text.clone());
            (tool.name.unwrap_or_default(), digest)
        })
        .collect();
    all.sort();
    all
}

/// How long a call that is not Unicode may take.
const SOON: Duration = Duration::from_secs(5);
/// Tools whose calls are made two at once, and in an older version.
const PAIRS: usize = 8;
const OLDER_CALLS: usize = 8;
