//! The texts that clients get instead of the results that servers sent.

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, View, json_string};
use toolsure_mcp::message::{Edits, TaskAnswer};

use super::result::ToolAnswer;
use super::turn::Turn;
use crate::fault::Act;
use crate::filter::{Violation, results};
use crate::policy::{LongResults, Project, TextBlocks};

impl ToolAnswer<'_> {
    /// The result with the missing text added, if nothing else is wrong with it.
    pub(super) fn mended(&self, turn: &Turn<'_>, violation: &Violation) -> Option<String> {
        if violation.code == Act::ResultValueLeftOut.code() {
            return self.projected(turn);
        }
        if violation.code == Act::ErrorValueLeftOut.code() {
            return Some(results::without_value(self.result, turn.message.text()));
        }
        if violation.code == Act::ResultTooLong.code() {
            return self.cut(turn);
        }
        let texts = [Act::ResultWithoutText, Act::ResultWithoutContent];
        let is_text = texts.iter().any(|act| act.code() == violation.code);
        if !is_text || turn.policy().text_blocks != TextBlocks::Repair {
            return None;
        }
        Some(results::with_text(self.result, turn.message.text()))
    }

    /// The replacement for a bad result, and whether nothing of the original is left in it.
    pub(super) fn replaced(&self, turn: &Turn<'_>, violation: &Violation) -> (String, bool) {
        let source = turn.message.text();
        // Nothing is kept of a result that no reader could read.
        let era = self.open.era;
        let readable = self.malformed.is_none() && era.read_result(self.result).is_ok();
        // What is too long is not kept and marked.
        let may_keep = readable && violation.code != Act::ResultTooLong.code();
        if let Some(text) = results::marked(self.terms.bad_result, violation, self.result, source)
            && may_keep
        {
            return (text, false);
        }
        self.replaced_whole(turn, violation)
    }

    /// The same, of which nothing is left in any case.
    pub(super) fn replaced_whole(&self, turn: &Turn<'_>, violation: &Violation) -> (String, bool) {
        let source = turn.message.text();
        let era = self.open.era;
        let id = self.raw_id();
        let (answer, _) = violation.answer(era, &id);
        let Some(task) = self.task else {
            return (answer, true);
        };
        // Only the tool's result is replaced, in place.
        let limits = toolsure_json::ReadLimits::default();
        let inner = OwnedDocument::read(answer, &limits).ok();
        let inner = inner
            .as_ref()
            .and_then(|answer| answer.document().root().member("result"));
        let inner = inner.map_or("null", |result| result.raw());
        let mut edits = Edits::new();
        // Members that stand there twice are the other reason why readers may see different results.
        let is_ambiguous = violation.code == Act::ServerAnsweredNoJson.code();
        match self.malformed.is_some() || is_ambiguous {
            false => edits.replace(self.result, inner),
            true => edits.replace(task, with_result(task, inner, source)),
        }
        (edits.apply(source), true)
    }

    /// A result rewritten for a reader whose protocol version cannot express it.
    pub(super) fn projected(&self, turn: &Turn<'_>) -> Option<String> {
        let tool = self.tool.as_ref().filter(|_| self.malformed.is_none())?;
        let era = self.open.era;
        if !results::needs_projection(turn.policy(), era, tool, self.result) {
            return None;
        }
        let projection = results::projection(turn.policy(), era);
        match projection.result(Some(tool), era, self.result) {
            Ok(projected) => (projected.text != turn.message.text()).then_some(projected.text),
            // It passed the filter, or no filter applies: it stays unchanged.
            Err(_) => None,
        }
    }

    /// Projects a text that the guard has altered.
    pub(super) fn projected_again(&self, turn: &Turn<'_>, text: &str) -> Option<String> {
        if turn.policy().project == Project::Off || self.task.is_some() {
            return None;
        }
        let limits = turn.policy().limits.read();
        let document = OwnedDocument::read(text, &limits).ok()?;
        let result = document.document().root().member("result")?;
        let tool = self.tool.as_ref()?;
        let era = self.open.era;
        let projection = results::projection(turn.policy(), era);
        if !results::needs_projection(turn.policy(), era, tool, result) {
            return None;
        }
        let projected = projection.result(Some(tool), era, result).ok()?;
        Some(projected.text)
    }

    /// The message with as many blocks of the result as fit; `None` if nothing of it would be left.
    fn cut(&self, turn: &Turn<'_>) -> Option<String> {
        let most = self
            .most_bytes()
            .filter(|_| self.terms.long_results == LongResults::Cut)?;
        let content = self.result.member("content")?;
        if content.kind() != Kind::Array {
            return None;
        }
        let whole = self.result.raw().len();
        // What is not content stays, and there must be room for the note.
        let others = whole
            .saturating_sub(content.raw().len())
            .saturating_add(NOTE_BYTES);
        let mut left = most.checked_sub(others)?;
        let fits = |block: &View<'_>| match left.checked_sub(block.raw().len().saturating_add(1)) {
            Some(less) => {
                left = less;
                true
            }
            None => false,
        };
        let kept = content.items().take_while(fits).count();
        let has_value = self.result.member("structuredContent").is_some();
        if kept == 0 && !has_value {
            return None;
        }
        let all = content.len();
        let out = all.saturating_sub(kept);
        let note = format!(
            "[{out} of {all} blocks are left out: the result has {whole} bytes, and at most {most} are passed on; ask for less]"
        );
        let note = format!(r#"{{"type":"text","text":{}}}"#, json_string(&note));
        let mut edits = Edits::new();
        edits.reshape(content, |index, _| index >= kept, &[note]);
        Some(edits.apply(turn.message.text()))
    }
}

/// The text of a task with this result, without members that some readers take for another result or for
/// another task.
fn with_result(task: View<'_>, result: &str, source: &str) -> String {
    let mut members = Vec::new();
    for (name, value) in task.members() {
        if name.text() != "result" && !TaskAnswer::is_lookalike(name.text()) {
            let (start, end) = (name.view().span().start, value.span().end);
            members.extend(source.get(start..end));
        }
    }
    let result = format!("\"result\":{result}");
    members.push(&result);
    format!("{{{}}}", members.join(","))
}

/// Bytes of the note on what is left out.
const NOTE_BYTES: usize = 192;
