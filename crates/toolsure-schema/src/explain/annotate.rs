//! Reports annotations of keywords that hold.

use std::ops::ControlFlow;

use toolsure_json::{Kind, Node};

use super::flow::{Flow, or_internal_error};
use super::frame::Frame;
use super::reporter::Reporter;
use super::sink::Sink;
use crate::dialect::Keyword;
use crate::execute::Part;
use crate::model::{Dangling, Entry, Form, Model};

impl<'o, 'i, N: Node<'i>> Reporter<'o, 'i, N> {
    /// Reports the annotation of a keyword that holds.
    pub(super) fn annotate<S: Sink>(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        entry: &'o Entry,
        sink: &mut S,
    ) -> Flow {
        let model: &'o Model = self.context.model;
        let children = self.children.len() - frame.children;
        let value = match (&entry.form, entry.keyword) {
            (Form::Annotation | Form::Format(_) | Form::Content(_) | Form::One(_), keyword)
                if is_annotation(keyword) =>
            {
                let text_only = matches!(
                    keyword,
                    Keyword::ContentEncoding | Keyword::ContentMediaType | Keyword::ContentSchema
                );
                let alone = keyword == Keyword::ContentSchema
                    && Entry::find(frame.entries, Keyword::ContentMediaType).is_none();
                if alone || (text_only && frame.at.kind() != Kind::String) {
                    return ControlFlow::Continue(());
                }
                let value = model.view(frame.doc, entry.value).ok_or(Dangling);
                or_internal_error(value)?.raw()
            }
            _ if children == 0 => return ControlFlow::Continue(()),
            (
                _,
                Keyword::Properties
                | Keyword::PatternProperties
                | Keyword::AdditionalProperties
                | Keyword::UnevaluatedProperties
                | Keyword::Contains,
            ) => {
                let Some(list) = self.list(frame, entry)? else {
                    return ControlFlow::Continue(());
                };
                return self.announce(frame, |spot| sink.annotation(spot, &list));
            }
            (
                Form::One(_),
                Keyword::Items | Keyword::AdditionalItems | Keyword::UnevaluatedItems,
            ) => "true",
            (Form::List(_), Keyword::PrefixItems | Keyword::Items) => {
                let value = match children == frame.at.len() {
                    true => "true".to_owned(),
                    false => (children - 1).to_string(),
                };
                return self.announce(frame, |spot| sink.annotation(spot, &value));
            }
            _ => return ControlFlow::Continue(()),
        };
        self.announce(frame, |spot| sink.annotation(spot, value))
    }

    /// The names or indexes that a keyword's subschemas match, as far as there is room; `None` if
    /// there are none.
    fn list(&mut self, frame: &Frame<'o, 'i, N>, entry: &Entry) -> Flow<Option<String>> {
        let mut list = String::new();
        for child in self.children.iter().skip(frame.children) {
            let text = match child.to {
                Part::Member(name, _) => toolsure_json::json_string(name),
                Part::Item(index, _) => {
                    let at = frame.at.part(child.to);
                    let matches = self.context.subschema(child.node, at)?;
                    if entry.keyword != Keyword::Contains || matches != Some(true) {
                        continue;
                    }
                    index.to_string()
                }
                Part::Whole | Part::Name(_) => continue,
            };
            if list.len() <= NOTED_BYTES {
                list.push(if list.is_empty() { '[' } else { ',' });
                list.push_str(&text);
            }
        }
        list.push(']');
        ControlFlow::Continue((list.len() > 1).then_some(list))
    }
}

/// Whether a keyword's value annotates the instance.
fn is_annotation(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Unknown
            | Keyword::Title
            | Keyword::Description
            | Keyword::Default
            | Keyword::Examples
            | Keyword::Deprecated
            | Keyword::ReadOnly
            | Keyword::WriteOnly
            | Keyword::Format
            | Keyword::ContentEncoding
            | Keyword::ContentMediaType
            | Keyword::ContentSchema
    )
}

/// Maximum number of bytes of names in one annotation.
const NOTED_BYTES: usize = 16 << 10;
