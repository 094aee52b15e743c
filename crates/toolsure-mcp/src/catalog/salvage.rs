//! Recovers the rest of a page that cannot be parsed because of some of its tools.
//!
//! Finds the elements of the array `tools` by counting brackets outside strings, parses each alone,
//! and cuts out those that cannot be parsed. The rest is parsed again as a whole, so nothing relies
//! on this scan.

use std::ops::Range;

use toolsure_json::{OwnedDocument, ReadLimits};

use crate::contract::{Isolated, MalformedTool};

/// The page without the tools that cannot be parsed, and these tools with reasons. `None` if the
/// error is elsewhere.
pub(super) fn readable(page: &[u8], limits: &ReadLimits) -> Option<(OwnedDocument, Vec<Isolated>)> {
    if page.len() > limits.bytes {
        return None;
    }
    let tools = elements(page, array(page)?)?;
    let mut kept = Vec::with_capacity(page.len());
    let mut unreadable = Vec::new();
    kept.extend_from_slice(page.get(..tools.first()?.start)?);
    let mut first = true;
    for (index, span) in tools.iter().enumerate() {
        let tool = page.get(span.clone())?;
        match OwnedDocument::read(tool, limits) {
            Ok(_) => {
                if !first {
                    kept.push(b',');
                }
                first = false;
                kept.extend_from_slice(tool);
            }
            Err(error) => unreadable.push(Isolated {
                name: name(tool, limits),
                index,
                reason: MalformedTool::Json(error),
            }),
        }
    }
    kept.extend_from_slice(page.get(tools.last()?.end..)?);
    if unreadable.is_empty() {
        return None;
    }
    let document = OwnedDocument::read(kept, limits).ok()?;
    Some((document, unreadable))
}

/// The ranges of the elements of the array that opens at `open`.
fn elements(page: &[u8], open: usize) -> Option<Vec<Range<usize>>> {
    let mut spans = Vec::new();
    let mut scan = Scan::new(page, open + 1);
    let mut start = None;
    let mut end = open + 1;
    while let Some((at, byte, depth)) = scan.next() {
        match byte {
            b',' | b']' if depth == 0 => {
                if let Some(start) = start.take() {
                    spans.push(start..end);
                }
                if byte == b']' {
                    return Some(spans);
                }
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                start = start.or(Some(at));
                end = scan.at;
            }
        }
    }
    None
}

/// The start of the array that is the member `tools` of the root or of its member `result`.
fn array(page: &[u8]) -> Option<usize> {
    let root = page.iter().position(|byte| *byte == b'{')?;
    let holder = match member(page, root, b"\"result\"") {
        Some(at) if page.get(at) == Some(&b'{') => at,
        _ => root,
    };
    let at = member(page, holder, b"\"tools\"")?;
    (page.get(at) == Some(&b'[')).then_some(at)
}

/// The start of the value of a member of the object that opens at `open`.
fn member(page: &[u8], open: usize, quoted: &[u8]) -> Option<usize> {
    let mut scan = Scan::new(page, open + 1);
    let mut after_key = false;
    while let Some((at, byte, depth)) = scan.next() {
        match byte {
            b'}' if depth == 0 => return None,
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b':' if depth == 0 && after_key => {
                let rest = page.get(scan.at..)?;
                return Some(scan.at + rest.iter().position(|b| !b.is_ascii_whitespace())?);
            }
            _ => after_key = depth == 0 && byte == b'"' && page.get(at..scan.at) == Some(quoted),
        }
    }
    None
}

/// The name of a tool that cannot be parsed, if the name itself can be found.
fn name(tool: &[u8], limits: &ReadLimits) -> Option<String> {
    let open = tool.iter().position(|byte| *byte == b'{')?;
    let at = member(tool, open, b"\"name\"")?;
    let (start, byte, _) = Scan::new(tool, at).next()?;
    if byte != b'"' {
        return None;
    }
    let mut scan = Scan::new(tool, start);
    scan.next()?;
    let name = OwnedDocument::read(tool.get(start..scan.at)?, limits).ok()?;
    Some(toolsure_json::Node::string(name.document().root()).to_owned())
}

/// Iterates over JSON text in tokens of one byte; a string counts as one token.
struct Scan<'p> {
    page: &'p [u8],
    at: usize,
    depth: usize,
}

impl<'p> Scan<'p> {
    fn new(page: &'p [u8], at: usize) -> Self {
        Self { page, at, depth: 0 }
    }

    /// The start of the next token, its first byte, and the number of open brackets around it (a
    /// closing bracket's own opening bracket counts, if it was seen).
    fn next(&mut self) -> Option<(usize, u8, usize)> {
        let start = self.at;
        let byte = *self.page.get(start)?;
        self.at += 1;
        let depth = self.depth;
        match byte {
            b'"' => self.string()?,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = depth.saturating_sub(1),
            _ => {}
        }
        Some((start, byte, depth))
    }

    fn string(&mut self) -> Option<()> {
        loop {
            match self.page.get(self.at)? {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                _ => self.at += 1,
            }
        }
    }
}
