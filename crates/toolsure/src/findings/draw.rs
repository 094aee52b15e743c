//! One finding for people, with its source line.

use toolsure_analysis::lint::Finding;
use toolsure_json::quote;

use super::{NO_NAME, Page, shown};
use crate::listing::SourceFile;
use crate::render::{Diagnostic, Mark, Source};
use crate::term::Canvas;

/// The texts in which findings are located.
pub(crate) struct Sources<'p> {
    /// The file, if the listing comes from one.
    pub(crate) whole: Option<Source<'p>>,
    /// The tools, each as the server sent it.
    tools: Vec<Source<'p>>,
    /// The pages of lists.
    pages: Vec<Source<'p>>,
}

impl<'p> Sources<'p> {
    pub(crate) fn of(page: &'p Page) -> Self {
        let tools = page.listing.tools.iter().map(|tool| {
            let name = tool.name.as_deref().unwrap_or(NO_NAME);
            Source::new(&format!("tools/{name}"), tool.text.as_bytes())
        });
        Self {
            whole: page.listing.file.as_ref().map(SourceFile::source),
            tools: tools.collect(),
            pages: (page.listing.pages().iter())
                .map(|page| Source::new(page.method, page.text.as_bytes()))
                .collect(),
        }
    }
}

/// Draws a finding. The place names its tool, unless the tool stands above it.
pub(crate) fn draw(
    page: &Page,
    finding: &Finding,
    sources: &Sources<'_>,
    names_tool: bool,
    canvas: Canvas,
) -> String {
    let severity = shown(finding.severity);
    let page_of = |at: usize| sources.pages.get(at);
    let tool = finding.tool.and_then(|tool| sources.tools.get(tool));
    let own = tool.or_else(|| finding.page.and_then(page_of));
    let mut diagnostic = Diagnostic::new(severity, finding.rule.code, finding.message.as_str());
    if let (Some(span), Some(own)) = (&finding.span, own) {
        let (source, start, end) = match &sources.whole {
            Some(whole) => (
                whole,
                page.byte(finding, span.start).unwrap_or(0),
                page.byte(finding, span.end).unwrap_or(0),
            ),
            None => (own, span.start, span.end),
        };
        let name = quote(page.subject(finding).unwrap_or_default(), 64);
        diagnostic = diagnostic
            .mark(Mark {
                source,
                span: start..end,
                label: String::new(),
            })
            .note(match names_tool {
                true if finding.page.is_some() => format!("`{name}`, at {}", place(finding)),
                true => format!("tool `{name}`, at {}", place(finding)),
                false => format!("at {}", place(finding)),
            });
    }
    if let Some(help) = &finding.help {
        diagnostic = diagnostic.help(help.as_str());
    }
    diagnostic.draw(canvas)
}

/// The location in the tool or the page, in words or as a JSON Pointer.
pub(crate) fn place(finding: &Finding) -> String {
    match finding.pointer.as_str() {
        "" if finding.page.is_some() => "the result itself".to_owned(),
        "" => "the tool itself".to_owned(),
        pointer => quote(pointer, PLACE_CHARS).to_string(),
    }
}

const PLACE_CHARS: usize = 120;
