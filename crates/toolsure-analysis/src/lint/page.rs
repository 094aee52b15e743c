//! A page of a list, beside the tools in it: what rules on pages look at.

use toolsure_json::{DuplicateKeys, OwnedDocument, ReadLimits, View};

/// The result of `tools/list`, or of the request for another list, as a server sent it.
///
/// ```
/// use toolsure_analysis::lint::{Linter, ListPage};
///
/// let text = r#"{"tools": [], "nextCursor": null}"#;
/// let page = ListPage { method: "tools/list", text, is_cached: false };
/// let report = Linter::admission().lint_with_pages([], &[page]);
/// assert_eq!(report.findings[0].message, "`nextCursor` must be a string, found null");
/// assert_eq!((report.findings[0].tool, report.findings[0].page), (None, Some(0)));
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a page is a text, and what it answers in which version"
)]
pub struct ListPage<'t> {
    /// The method of the request.
    pub method: &'t str,
    /// The result's text.
    pub text: &'t str,
    /// Whether it is of a protocol version in which each page says what it is and how long it may be cached:
    /// 2026-07-28 or later.
    pub is_cached: bool,
}

/// A page that was read.
pub(super) struct Page<'a> {
    pub(super) method: &'a str,
    pub(super) root: View<'a>,
    pub(super) is_cached: bool,
}

/// Parses a page; `None` for text that is not JSON, which has no tools either.
pub(super) fn read(text: &str) -> Option<OwnedDocument> {
    let limits = ReadLimits {
        bytes: usize::MAX,
        depth: usize::MAX,
        nodes: usize::MAX,
        digits: usize::MAX,
        duplicate_keys: DuplicateKeys::KeepLast,
    };
    OwnedDocument::read(text.as_bytes(), &limits).ok()
}
