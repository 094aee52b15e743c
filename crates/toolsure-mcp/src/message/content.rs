//! Content blocks of a result: what the protocol's schema requires of each type.

use std::fmt;

use toolsure_analysis::tool::{BLOCKS, Form};
use toolsure_json::{Kind, Node as _, View, json_string};

use super::write::compact;

/// A content block that the protocol does not allow. Typed readers reject the whole result for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContentFault {
    index: usize,
    why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    NotAnObject,
    UnknownType,
    /// A member that blocks of this type require is missing or not a string.
    Member(&'static str, &'static str),
    Resource,
    Contents,
}

impl ContentFault {
    /// The first malformed block.
    pub(super) fn find(content: View<'_>) -> Option<Self> {
        let mut blocks = content.items().enumerate();
        blocks.find_map(|(index, block)| {
            Some(Self {
                index,
                why: wrong(block)?,
            })
        })
    }
}

fn wrong(block: View<'_>) -> Option<Why> {
    if block.kind() != Kind::Object {
        return Some(Why::NotAnObject);
    }
    let tag = block
        .member("type")
        .filter(|tag| tag.kind() == Kind::String);
    let tag = tag.map_or("", View::string);
    let Some((tag, form)) = BLOCKS.iter().find(|(known, _)| *known == tag) else {
        return Some(Why::UnknownType);
    };
    if *tag != RESOURCE {
        let Form::Object(members) = form else {
            return None;
        };
        let mut required = members.required.iter().map(|(name, _)| *name);
        return required
            .find(|name| !has_string(block, name))
            .map(|absent| Why::Member(tag, absent));
    }
    let Some(resource) = block.member(RESOURCE).filter(|it| has_string(*it, "uri")) else {
        return Some(Why::Resource);
    };
    let known = has_string(resource, "text") || has_string(resource, "blob");
    (!known).then_some(Why::Contents)
}

fn has_string(object: View<'_>, name: &str) -> bool {
    object.kind() == Kind::Object
        && object
            .member(name)
            .is_some_and(|value| value.kind() == Kind::String)
}

impl fmt::Display for ContentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`content[{}]` ", self.index)?;
        match self.why {
            Why::NotAnObject => f.write_str("must be an object"),
            Why::UnknownType => {
                f.write_str("must have a `type` of ")?;
                for (at, (tag, _)) in BLOCKS.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}`{tag}`")?;
                }
                Ok(())
            }
            Why::Member(tag, name) => {
                write!(f, "is of the type `{tag}` and must have a string `{name}`")
            }
            Why::Resource => f.write_str("must have a `resource` with a string `uri`"),
            Why::Contents => f.write_str("must have a `resource` with a string `text` or `blob`"),
        }
    }
}

/// A text block with the JSON of a value, as written except for spaces between its tokens.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::text_block;
///
/// let value = OwnedDocument::read("[1, 2]", &ReadLimits::default())?;
/// assert_eq!(text_block(value.document().root()), r#"{"type":"text","text":"[1,2]"}"#);
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[must_use]
pub fn text_block(value: View<'_>) -> String {
    let text = json_string(&compact(value.raw()));
    format!(r#"{{"type":"text","text":{text}}}"#)
}

const RESOURCE: &str = "resource";

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    #[test]
    fn blocks_are_what_the_protocol_says() {
        for (block, expected) in [
            (r#"{"type":"text","text":"a","annotations":{}}"#, None),
            (r#"{"type":"image","data":"","mimeType":"image/png"}"#, None),
            (r#"{"type":"resource_link","uri":"a:b","name":"n"}"#, None),
            (
                r#"{"type":"resource","resource":{"uri":"a:b","text":""}}"#,
                None,
            ),
            (
                r#"{"type":"resource","resource":{"uri":"a:b","blob":""}}"#,
                None,
            ),
            ("5", Some("`content[1]` must be an object")),
            (
                r#"{"text":"a"}"#,
                Some(
                    "`content[1]` must have a `type` of `text`, `image`, `audio`, `resource_link`, `resource`",
                ),
            ),
            (
                r#"{"type":"Text","text":"a"}"#,
                Some(
                    "`content[1]` must have a `type` of `text`, `image`, `audio`, `resource_link`, `resource`",
                ),
            ),
            (
                r#"{"type":"text","text":5}"#,
                Some("`content[1]` is of the type `text` and must have a string `text`"),
            ),
            (
                r#"{"type":"image","data":""}"#,
                Some("`content[1]` is of the type `image` and must have a string `mimeType`"),
            ),
            (
                r#"{"type":"resource","resource":5}"#,
                Some("`content[1]` must have a `resource` with a string `uri`"),
            ),
            (
                r#"{"type":"resource","resource":{"uri":"a:b"}}"#,
                Some("`content[1]` must have a `resource` with a string `text` or `blob`"),
            ),
        ] {
            let text = format!(r#"[{{"type":"text","text":""}},{block}]"#);
            let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
            let found = ContentFault::find(document.document().root());
            assert_eq!(
                found.map(|found| found.to_string()).as_deref(),
                expected,
                "{block}"
            );
        }
    }
}
