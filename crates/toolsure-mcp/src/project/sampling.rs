//! Projects `sampling/createMessage` for one reader: the tool results in its messages.

use toolsure_json::{Kind, Node as _, View};

use super::{Lost, ProjectedResult, Projection, StructuredForm};
use crate::message::{Edits, text_block};

impl Projection {
    /// Rewrites the parameters of a `sampling/createMessage` request: in each block of the type
    /// `tool_result`, structured content that the reader's version cannot express is rewritten as
    /// in the result of a call. The text is that of the whole document that contains `params`, so
    /// that an envelope is kept.
    ///
    /// Such a message does not say which tool a result belongs to, so only the value decides.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::Projection;
    ///
    /// let params = r#"{"messages": [{"role": "user", "content": {"type": "tool_result", "toolUseId": "1",
    ///     "content": [{"type": "text", "text": "5"}], "structuredContent": 5}}]}"#;
    /// let params = OwnedDocument::read(params, &ReadLimits::default())?;
    /// let shown = Projection::to(Era::V2025_11_25).sampling(params.document().root());
    /// assert!(shown.text.contains(r#""structuredContent": {"result":5}"#));
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn sampling(&self, params: View<'_>) -> ProjectedResult {
        let (mut edits, mut lost) = (Edits::new(), Vec::new());
        let messages = params.member("messages");
        for message in messages.into_iter().flat_map(|messages| messages.items()) {
            let Some(content) = message.member("content") else {
                continue;
            };
            if content.kind() == Kind::Array {
                for block in content.items() {
                    self.tool_result(block, &mut edits, &mut lost);
                }
            } else {
                self.tool_result(content, &mut edits, &mut lost);
            }
        }
        ProjectedResult {
            text: edits.apply(params.document().source()),
            lost,
        }
    }

    fn tool_result(&self, block: View<'_>, edits: &mut Edits, lost: &mut Vec<Lost>) {
        let is_result = block
            .member("type")
            .is_some_and(|kind| kind.string() == "tool_result");
        let Some(value) = block.member("structuredContent").filter(|_| is_result) else {
            return;
        };
        let content = block.member("content");
        let has_text = content.is_some_and(|content| content.items().any(is_text));
        let mut form = self.content_form(None, value.kind() == Kind::Object, has_text);
        if block
            .member("isError")
            .is_some_and(|flag| flag.kind() == Kind::Boolean && flag.boolean())
        {
            form = form.of_error(has_text);
        }
        // A block whose value is sent unchanged stays as it is: its author chose its text, and the
        // reader gets the value.
        if form.content == StructuredForm::Natural {
            return;
        }
        // Before the appended members: both may be at the end of the value.
        if form.content == StructuredForm::Wrapped {
            edits.surround(value, "{\"result\":", "}");
        }
        let mut appended = Vec::new();
        if form.text {
            let text = text_block(value);
            match content.filter(|content| content.kind() == Kind::Array) {
                Some(content) => edits.reshape(content, |_, _| false, &[text]),
                None if content.is_none() => appended.push(format!("\"content\":[{text}]")),
                None => {}
            }
        }
        let is_left_out = form.content == StructuredForm::LeftOut;
        if is_left_out || !appended.is_empty() {
            let gone = |_, member: View<'_>| {
                let name = member.name().map_or("", |name| name.string());
                is_left_out && name == "structuredContent"
            };
            edits.reshape(block, gone, &appended);
        }
        lost.extend(form.content.lost());
    }
}

fn is_text(block: View<'_>) -> bool {
    block
        .member("type")
        .is_some_and(|kind| kind.string() == "text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::era::Era;
    use toolsure_json::{OwnedDocument, ReadLimits};

    fn projected(reader: Era, blocks: &str) -> (String, usize) {
        let text = format!(
            r#"{{"id":1,"params":{{"messages":[{{"role":"user","content":{blocks}}}],"maxTokens":9}}}}"#
        );
        let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        let params = document.document().at_pointer("/params").unwrap();
        let projected = Projection::to(reader).sampling(params);
        let read = OwnedDocument::read(projected.text.as_str(), &ReadLimits::default()).unwrap();
        let content = read.document().at_pointer("/params/messages/0/content");
        (content.unwrap().raw().to_owned(), projected.lost.len())
    }

    #[test]
    fn results_of_tools_inside_sampling_messages_are_projected() {
        let array =
            r#"{"type":"tool_result","toolUseId":"1","content":[],"structuredContent":[1, 2]}"#;
        let wrapped = r#"{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"[1,2]"}],"structuredContent":{"result":[1, 2]}}"#;
        let dropped =
            r#"{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"[1,2]"}]}"#;
        assert_eq!(projected(Era::V2026_07_28, array), (array.to_owned(), 0));
        assert_eq!(projected(Era::V2025_11_25, array), (wrapped.to_owned(), 1));
        assert_eq!(projected(Era::V2025_03_26, array), (dropped.to_owned(), 1));
        let several = format!(r#"[{{"type":"text","text":"x"}},{array},{array}]"#);
        let expected = format!(r#"[{{"type":"text","text":"x"}},{wrapped},{wrapped}]"#);
        assert_eq!(projected(Era::V2025_11_25, &several), (expected, 2));
        for same in [
            r#"{"type":"tool_result","toolUseId":"1","content":[],"structuredContent":{"a":1}}"#,
            r#"{"type":"text","text":"x","structuredContent":[1]}"#,
            r#""text""#,
            "[1,null]",
        ] {
            assert_eq!(projected(Era::V2025_11_25, same), (same.to_owned(), 0));
        }
        let without = r#"{"type":"tool_result","structuredContent":null}"#;
        let expected = r#"{"type":"tool_result","structuredContent":{"result":null},"content":[{"type":"text","text":"null"}]}"#;
        assert_eq!(
            projected(Era::V2025_11_25, without),
            (expected.to_owned(), 1)
        );
    }
}
