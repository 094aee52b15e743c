//! Scans a page of tools in one pass: finds each tool and its schemas, and keeps nothing of their
//! content.
//!
//! Only handles pages that follow the protocol in everything. Any other page is read as a
//! [`Listing`](super::Listing), which says what is wrong with which tool.

use toolsure_analysis::argument::may_be_in;
use toolsure_json::{Key as _, Kind, Node as _, Reader, Span, Stream};

use crate::contract::{ToolSpans, definition_limits, member};

/// The tools of a page.
pub(super) struct Page<'p> {
    pub(super) text: &'p str,
    pub(super) tools: Vec<ToolSpans<'p>>,
}

impl<'p> Page<'p> {
    /// Reads a page, a JSON-RPC response to `tools/list` or only its result; `None` if anything
    /// about it is unusual.
    pub(super) fn read(page: &'p [u8]) -> Option<Self> {
        let limits = definition_limits();
        let mut reader = Reader::new();
        let mut stream = reader.stream(page, &limits).ok()??;
        let text = stream.source();
        if may_be_in(text) {
            return None;
        }
        let root = holder(&mut stream, true)?;
        stream.finish()?;
        let tools = if root.envelope {
            root.result
        } else {
            root.tools
        };
        Some(Self {
            text,
            tools: tools?,
        })
    }
}

/// An object that may hold the tools.
#[derive(Default)]
struct Holder<'p> {
    tools: Option<Vec<ToolSpans<'p>>>,
    /// The tools of its member `result`.
    result: Option<Vec<ToolSpans<'p>>>,
    /// Whether it is a JSON-RPC message.
    envelope: bool,
}

fn holder<'p>(stream: &mut Stream<'_, 'p>, is_root: bool) -> Option<Holder<'p>> {
    let mut found = Holder::default();
    let floor = stream.names();
    let mut more = stream.open(Kind::Object)?;
    while more {
        let key = stream.key()?;
        stream.note(key.bytes());
        match (key.bytes(), stream.kind()?) {
            (b"tools", Kind::Array) => found.tools = Some(tools(stream)?),
            (b"result", Kind::Object) if is_root => found.result = holder(stream, false)?.tools,
            (name, _) => {
                found.envelope |= name == b"jsonrpc";
                stream.skip()?;
            }
        }
        more = stream.after(Kind::Object)?;
    }
    stream.distinct(floor)?;
    Some(found)
}

fn tools<'p>(stream: &mut Stream<'_, 'p>) -> Option<Vec<ToolSpans<'p>>> {
    let mut found = Vec::new();
    let mut more = stream.open(Kind::Array)?;
    while more {
        found.push(tool(stream)?);
        more = stream.after(Kind::Array)?;
    }
    Some(found)
}

/// Checks what [`Definition::read`](crate::contract::Definition::read) requires of a tool.
fn tool<'p>(stream: &mut Stream<'_, 'p>) -> Option<ToolSpans<'p>> {
    let start = stream.at();
    let (mut name, mut input, mut output) = (None, None, None);
    let floor = stream.names();
    let mut more = stream.open(Kind::Object)?;
    while more {
        let key = stream.key()?;
        stream.note(key.bytes());
        if let Some((_, _, wanted)) = member(key.text())
            && stream.kind()? != wanted
        {
            return None;
        }
        match key.bytes() {
            b"name" => name = Some(stream.scalar()?.string()),
            b"inputSchema" => input = Some(schema(stream, true)?),
            b"outputSchema" => output = Some(schema(stream, false)?),
            _ => stream.skip()?,
        }
        more = stream.after(Kind::Object)?;
    }
    stream.distinct(floor)?;
    Some(ToolSpans {
        name: name?,
        span: since(start, stream),
        input: input?,
        output,
    })
}

/// The span of a schema whose root follows the protocol: that of an input schema has
/// `"type": "object"`.
fn schema(stream: &mut Stream<'_, '_>, is_input: bool) -> Option<Span> {
    let start = stream.at();
    let mut typed = !is_input;
    let floor = stream.names();
    let mut more = stream.open(Kind::Object)?;
    while more {
        let key = stream.key()?;
        stream.note(key.bytes());
        match key.bytes() {
            b"type" if is_input => {
                typed = stream.scalar()?.string() == "object";
                if !typed {
                    return None;
                }
            }
            b"$schema" if stream.kind()? != Kind::String => return None,
            _ => stream.skip()?,
        }
        more = stream.after(Kind::Object)?;
    }
    stream.distinct(floor)?;
    typed.then(|| since(start, stream))
}

fn since(start: usize, stream: &Stream<'_, '_>) -> Span {
    Span {
        start,
        end: stream.at(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Listing;

    /// Whether the scan handles a page; if it does, a listing must give the same tools.
    fn is_read(page: &[u8]) -> bool {
        let Some(read) = Page::read(page) else {
            return false;
        };
        let shown = String::from_utf8_lossy(page);
        let listing = Listing::read(page).unwrap_or_else(|e| panic!("{e}: {shown}"));
        let tools = listing.definitions().map(|(_, tool)| tool.unwrap().spans());
        assert_eq!(read.tools, tools.collect::<Vec<_>>(), "{shown}");
        assert_eq!(read.text, listing.text());
        assert!(listing.unreadable().is_empty(), "{shown}");
        true
    }

    const TOOL: &str = r#"{"name":"a","title":"A","description":"é \"x\"","inputSchema":{"$schema":"s","type":"object",
        "properties":{"type":{"type":"string"},"n":{"minimum":1.5e3}}},"outputSchema":{"type":["object"],"$id":3},
        "annotations":{},"_meta":{"k":[]},"execution":{},"icons":[{}],"other":null}"#;

    #[test]
    fn pages_as_the_protocol_has_them_are_read() {
        let list = format!(r#"{{"tools":[{TOOL},{TOOL}],"nextCursor":"c"}}"#);
        let answer = format!(r#"{{"id":1,"result":{list},"jsonrpc":"2.0"}}"#);
        let padded = format!(" {} ", list.replace(',', " , "));
        for page in [
            &list,
            &answer,
            &padded,
            r#"{"tools":[]}"#,
            r#"{"tools":[],"result":3}"#,
        ] {
            assert!(is_read(page.as_bytes()), "{page}");
        }
    }

    #[test]
    fn odd_pages_are_left_to_a_listing() {
        let odd = [
            r#"{"tools":{}}"#.to_owned(),
            r#"{"tools":[],"jsonrpc":"2.0"}"#.to_owned(),
            r#"{"tools":[],"jsonrpc":"2.0","result":[]}"#.to_owned(),
            r#"{"tools":[],"tools":[]}"#.to_owned(),
            r#"[]"#.to_owned(),
            format!(
                r#"{{"tools":[{}]}}"#,
                TOOL.replace("\"k\"", "\"k\":1,\"k\"")
            ),
            format!(
                r#"{{"tools":[{}]}}"#,
                TOOL.replace(r#""type":"object","#, "")
            ),
            format!(
                r#"{{"tools":[{}]}}"#,
                TOOL.replace(r#""object","#, r#"["object"],"#)
            ),
            format!(r#"{{"tools":[{}]}}"#, TOOL.replace(r#""s""#, "7")),
            format!(
                r#"{{"tools":[{}]}}"#,
                TOOL.replace(r#""icons":["#, r#""icons":{"a":["#)
            ),
            format!(r#"{{"tools":[{}]}}"#, TOOL.replace(r#""name":"a","#, "")),
            format!(r#"{{"tools":[{}]}}"#, TOOL.replace("\\\"x", "\\ud800")),
        ];
        for page in odd {
            assert!(!is_read(page.as_bytes()), "{page}");
        }
    }

    /// Replaces and removes every byte of a page in turn.
    #[test]
    fn broken_pages_are_never_read_otherwise() {
        let page = format!(r#"{{"id":1,"result":{{"tools":[{TOOL}]}},"jsonrpc":"2.0"}}"#);
        for at in 0..page.len() {
            let (before, after) = page.as_bytes().split_at(at);
            let (byte, after) = after.split_first().unwrap();
            for other in [
                b'"',
                b'{',
                b']',
                b',',
                b':',
                b'\\',
                b' ',
                b'0',
                0,
                0xff,
                byte ^ 1,
            ] {
                is_read(&[before, &[other], after].concat());
            }
            is_read(&[before, after].concat());
        }
    }
}
