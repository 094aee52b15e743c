//! Results that are longer than the policy allows: cut at the end of a block, or refused.

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, json_string};
use toolsure_mcp::message::Edits;

use super::result::ToolAnswer;
use super::turn::Turn;
use crate::fault::Act;
use crate::filter::{Reply, Violation};
use crate::policy::{LongResults, Mode};
use crate::record::Filter;

impl ToolAnswer<'_> {
    /// The violation of a result that is too long.
    pub(super) fn too_long(&self) -> Option<Violation> {
        let is_over = |most: usize| self.result.raw().len() > most;
        if !self.most_bytes.is_some_and(is_over) || self.may_be_longer() {
            return None;
        }
        let mut violation = self.of_length(self.result.raw().len());
        if self.mode == Mode::Audit {
            violation.mode = Mode::Audit;
        }
        Some(violation)
    }

    fn of_length(&self, bytes: usize) -> Violation {
        let most = self.most_bytes.unwrap_or_default();
        let text = format!(
            "{} answered with a result of {bytes} bytes, and at most {most} are passed on: ask for less",
            self.subject()
        );
        let act = Act::ResultTooLong;
        let mut violation = Violation::act(Filter::Results, Mode::Enforce, act, Reply::Tool(text));
        violation.detail = Some(format!("{bytes} bytes, at most {most}"));
        violation
    }

    /// The violation of a text that was made of the message, and in which the result is too long.
    pub(super) fn grew_too_long(&self, turn: &Turn<'_>, text: &str) -> Option<Violation> {
        let around = turn
            .message
            .text()
            .len()
            .saturating_sub(self.result.raw().len());
        let most = self.most_bytes?.saturating_add(around);
        if text.len() <= most || self.may_be_longer() {
            return None;
        }
        let mut violation = self
            .too_long()
            .unwrap_or_else(|| self.of_length(text.len()));
        violation.mode = Mode::Enforce;
        Some(violation)
    }

    /// Whether the tool's author has said that its results may be so long, and no rule says otherwise.
    fn may_be_longer(&self) -> bool {
        let Some(tool) = self.tool.as_ref().filter(|_| !self.is_own_bound) else {
            return false;
        };
        if !tool.text().contains("maxResultSizeChars") {
            return false;
        }
        let Ok(document) = OwnedDocument::read(tool.text(), &ReadLimits::default()) else {
            return false;
        };
        let meta = document.document().root().member("_meta");
        let most = meta.and_then(|meta| meta.member(DECLARED));
        let most = most.filter(|most| most.kind() == Kind::Number);
        let most = most.and_then(|most| most.number().as_u64());
        let most = most.and_then(|most| usize::try_from(most).ok());
        most.is_some_and(|most| self.result.raw().chars().count() <= most)
    }

    /// The message with as many blocks of the result as fit; `None` if nothing of it would be left.
    pub(super) fn cut(&self, turn: &Turn<'_>) -> Option<String> {
        let most = self.most_bytes.filter(|_| self.long == LongResults::Cut)?;
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

/// The member of a tool's `_meta` with which its author tells Claude Code how long its results may be.
const DECLARED: &str = "anthropic/maxResultSizeChars";
/// Bytes of the note on what is left out.
const NOTE_BYTES: usize = 192;
