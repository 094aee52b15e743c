//! Edits a message by replacing bytes of its text.

use toolsure_json::{Kind, Node as _, Parsed, ReadError, Reader, Span, View};

/// Replacements in one source text. Everything else stays as written, byte for byte: whitespace,
/// key order, numbers, unknown members.
///
/// ```
/// use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::Edits;
///
/// let text = r#"{"a": 1, "b": [2, 3], "c": 4}"#;
/// let document = OwnedDocument::read(text, &ReadLimits::default())?;
/// let root = document.document().root();
/// let [a, b] = ["a", "b"].map(|name| root.member(name).unwrap());
///
/// let mut edits = Edits::new();
/// assert!(edits.is_empty());
/// edits.replace(a, "10");
/// edits.surround(b, "[", "]");
/// edits.reshape(b, |index, _| index == 0, &["5".to_owned()]);
/// edits.remove_member(root, "c");
/// let end = a.span().end;
/// assert_eq!(edits.apply_within(text, 0, end), r#"{"a": 10"#);
/// let edited = OwnedDocument::read(edits.apply(text), &ReadLimits::default())?;
/// assert_eq!(edited.document().root().len(), 2);
/// assert!(edited.document().at_pointer("/b/0/1").is_some_and(|five| five.raw() == "5"));
///
/// let mut edits = Edits::new();
/// edits.prepend_member(root, r#""z":0"#);
/// assert!(edits.apply(text).starts_with(r#"{"z":0,"a": 1"#));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Edits {
    edits: Vec<Edit>,
    /// Whether a replacement was added after one that comes later in the text.
    unordered: bool,
}

#[derive(Debug, Clone)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

impl Edits {
    /// No replacements.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is nothing to replace.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The number of replacements.
    pub(crate) fn len(&self) -> usize {
        self.edits.len()
    }

    /// Replaces a value or key with JSON text.
    pub fn replace(&mut self, view: View<'_>, text: impl Into<String>) {
        let span = view.span();
        self.push(span.start, span.end, text.into());
    }

    /// Inserts text before and after a value.
    pub fn surround(
        &mut self,
        view: View<'_>,
        before: impl Into<String>,
        after: impl Into<String>,
    ) {
        let span = view.span();
        self.push(span.start, span.start, before.into());
        self.push(span.end, span.end, after.into());
    }

    /// Removes and appends elements of an array or members of an object; an appended member is
    /// `"name":value`. Call it at most once per container.
    pub fn reshape(
        &mut self,
        container: View<'_>,
        removed: impl Fn(usize, View<'_>) -> bool,
        appended: &[String],
    ) {
        let mut shape = Shape::default();
        if container.kind() == Kind::Object {
            for (index, (key, value)) in container.members().enumerate() {
                let (start, end) = (key.view().span().start, value.span().end);
                shape.element(start, end, removed(index, value), self);
            }
        } else {
            for (index, item) in container.items().enumerate() {
                let span = item.span();
                shape.element(span.start, span.end, removed(index, item), self);
            }
        }
        shape.end(container, appended, self);
    }

    /// Removes a member of an object, if present. Call it at most once per object, and not together
    /// with [`reshape`](Self::reshape).
    pub fn remove_member(&mut self, object: View<'_>, name: &str) {
        let named = |_, value: View<'_>| value.name().is_some_and(|key| key.string() == name);
        self.reshape(object, named, &[]);
    }

    /// Inserts a member before all others of an object.
    pub fn prepend_member(&mut self, object: View<'_>, member: &str) {
        let open = object.span().start + 1;
        let comma = if object.is_empty() { "" } else { "," };
        self.push(open, open, format!("{member}{comma}"));
    }

    /// Adds the replacements of `others`. Of two for the same place, only the one that was there before is
    /// made.
    pub fn extend(&mut self, others: &Self) {
        for edit in &others.edits {
            self.push(edit.start, edit.end, edit.text.clone());
        }
    }

    /// The text with all replacements made. If two overlap, only the one that begins first is made.
    #[must_use]
    pub fn apply(&self, source: &str) -> String {
        self.apply_within(source, 0, source.len())
    }

    /// The text with all replacements made, and read into the memory of `reader`. Values that are not
    /// replaced are not parsed again ([`Parsed::edited`]).
    ///
    /// ```
    /// use toolsure_json::{Node as _, ReadLimits, Reader};
    /// use toolsure_mcp::message::Edits;
    ///
    /// let parsed = Box::new(Reader::new()).parse(br#"{"a": 1}"#.to_vec(), &ReadLimits::default());
    /// let Ok(parsed) = parsed else { panic!("it is JSON") };
    /// let mut edits = Edits::new();
    /// edits.replace(parsed.document().root().member("a").unwrap(), "[2]");
    /// let Ok(edited) = edits.apply_to(&parsed, Box::default()) else { panic!("it is JSON") };
    /// assert_eq!(edited.document().root().raw(), r#"{"a": [2]}"#);
    /// ```
    ///
    /// # Errors
    ///
    /// The new text and the reader's error, if it is not JSON.
    pub fn apply_to(
        &self,
        parsed: &Parsed,
        reader: Box<Reader>,
    ) -> Result<Parsed, (Vec<u8>, ReadError)> {
        let mut edits: Vec<(Span, &str)> = self.edits.iter().map(Edit::parts).collect();
        if self.unordered {
            edits.sort_by_key(|(span, _)| (span.start, span.end));
        }
        parsed.edited(reader, &edits)
    }

    /// The part of the text from `start` to `end`, with its replacements made.
    #[must_use]
    pub fn apply_within(&self, source: &str, start: usize, end: usize) -> String {
        if !self.unordered {
            return self.written(self.edits.iter(), source, start, end);
        }
        let mut ordered: Vec<&Edit> = self.edits.iter().collect();
        ordered.sort_by_key(|edit| edit.place());
        self.written(ordered.into_iter(), source, start, end)
    }

    /// The part of the text with the replacements made, given in order.
    fn written<'e>(
        &self,
        ordered: impl Iterator<Item = &'e Edit>,
        source: &str,
        start: usize,
        end: usize,
    ) -> String {
        let added: usize = self.edits.iter().map(|edit| edit.text.len()).sum();
        let mut out = String::with_capacity(end.saturating_sub(start) + added);
        let mut at = start;
        for edit in ordered {
            if edit.start < at || edit.end > end {
                continue;
            }
            out.push_str(source.get(at..edit.start).unwrap_or_default());
            out.push_str(&edit.text);
            at = edit.end;
        }
        out.push_str(source.get(at..end).unwrap_or_default());
        out
    }

    fn push(&mut self, start: usize, end: usize, text: String) {
        let edit = Edit { start, end, text };
        let last = self.edits.last();
        self.unordered |= last.is_some_and(|last| last.place() > edit.place());
        self.edits.push(edit);
    }
}

impl Edit {
    fn parts(&self) -> (Span, &str) {
        let span = Span {
            start: self.start,
            end: self.end,
        };
        (span, &self.text)
    }

    /// The key that edits are sorted by.
    fn place(&self) -> (usize, usize) {
        (self.start, self.end)
    }
}

/// The elements of a container seen so far.
#[derive(Default)]
struct Shape {
    /// The end of the last element that is kept.
    kept_end: Option<usize>,
    /// The removed elements since then: the start of the first and the end of the last.
    run: Option<(usize, usize)>,
}

impl Shape {
    fn element(&mut self, start: usize, end: usize, removed: bool, edits: &mut Edits) {
        if removed {
            let start = self.run.map_or(start, |(start, _)| start);
            self.run = Some((start, end));
            return;
        }
        if let Some((first, last)) = self.run.take() {
            match self.kept_end {
                // The comma before the run is removed with it.
                Some(kept) => edits.push(kept, last, String::new()),
                None => edits.push(first, start, String::new()),
            }
        }
        self.kept_end = Some(end);
    }

    fn end(self, container: View<'_>, appended: &[String], edits: &mut Edits) {
        if let Some((start, end)) = self.run {
            edits.push(self.kept_end.unwrap_or(start), end, String::new());
        }
        if appended.is_empty() {
            return;
        }
        let last = self.run.map(|(_, end)| end).or(self.kept_end);
        let at = last.unwrap_or_else(|| container.span().start + 1);
        let bytes: usize = appended.iter().map(|one| one.len() + 1).sum();
        let mut text = String::with_capacity(bytes);
        for (index, one) in appended.iter().enumerate() {
            if index > 0 || self.kept_end.is_some() {
                text.push(',');
            }
            text.push_str(one);
        }
        edits.push(at, at, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    #[test]
    fn containers_keep_their_commas() {
        for (text, removed, appended, expected) in [
            ("[1, 2 , 3]", vec![1], vec![], "[1 , 3]"),
            ("[1, 2 , 3]", vec![0], vec![], "[2 , 3]"),
            ("[1, 2 , 3 ]", vec![2], vec![], "[1, 2 ]"),
            ("[1, 2 , 3]", vec![0, 1], vec![], "[3]"),
            ("[1, 2 , 3]", vec![1, 2], vec![], "[1]"),
            ("[1,2,3,4,5]", vec![1, 3], vec![], "[1,3,5]"),
            ("[ 1, 2 ]", vec![0, 1], vec![], "[  ]"),
            ("[ 1 ]", vec![0], vec!["9"], "[ 9 ]"),
            ("[ 1, 2 ]", vec![1], vec!["8", "9"], "[ 1,8,9 ]"),
            ("[ ]", vec![], vec!["9"], "[9 ]"),
            ("[ 1 ]", vec![], vec!["9"], "[ 1,9 ]"),
            (
                r#"{"a": 1, "b":2}"#,
                vec![0],
                vec![r#""c":3"#],
                r#"{"b":2,"c":3}"#,
            ),
            (r#"{"a": 1, "b":2}"#, vec![1], vec![], r#"{"a": 1}"#),
        ] {
            let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
            let mut edits = Edits::new();
            let appended: Vec<String> = appended.into_iter().map(str::to_owned).collect();
            edits.reshape(
                document.document().root(),
                |index, _| removed.contains(&index),
                &appended,
            );
            let edited = edits.apply(text);
            assert_eq!(edited, expected, "{text} {removed:?}");
            OwnedDocument::read(edited, &ReadLimits::default()).unwrap();
        }
    }
}
