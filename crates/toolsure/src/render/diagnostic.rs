//! One diagnostic: what is wrong, where, and how to fix it.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use toolsure_json::{LineColumn, quote};

use super::source::Source;
use super::window::{self, Window};
use super::wrap;
use crate::term::Canvas;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Error,
    Warning,
    Note,
}

/// A problem, with its locations.
#[derive(Debug)]
pub(crate) struct Diagnostic<'s> {
    severity: Severity,
    code: String,
    message: String,
    marks: Vec<Mark<'s>>,
    remarks: Vec<(Level<'static>, String)>,
}

/// A location that is shown with its line.
#[derive(Debug)]
pub(crate) struct Mark<'s> {
    pub(crate) source: &'s Source<'s>,
    /// The bytes of the source that are marked.
    pub(crate) span: Range<usize>,
    /// The text beside the mark; escaped and cut when it is drawn.
    pub(crate) label: String,
}

impl<'s> Diagnostic<'s> {
    /// `code` is a keyword or a stable code; `message` is one line. Both are escaped and cut
    /// when they are drawn.
    pub(crate) fn new(severity: Severity, code: &str, message: impl Into<String>) -> Self {
        Self {
            severity,
            code: code.to_owned(),
            message: message.into(),
            marks: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Adds a location; the first is the one that the diagnostic is about.
    pub(crate) fn mark(mut self, mark: Mark<'s>) -> Self {
        self.marks.push(mark);
        self
    }

    /// Adds a `note:`.
    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.remarks.push((Level::NOTE, text.into()));
        self
    }

    /// Adds a `help:`.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.remarks.push((Level::HELP, text.into()));
        self
    }

    /// Columns of the line numbers and of ` | ` beside them.
    fn gutter(&self) -> usize {
        let lines = self
            .marks
            .iter()
            .map(|mark| mark.source.line_column(mark.span.start).line);
        let digits = lines.max().unwrap_or(1).to_string().len();
        digits.saturating_add(3)
    }

    /// The diagnostic in cargo's style, with a line feed at the end.
    pub(crate) fn draw(&self, canvas: Canvas) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let code = quote(&self.code, CODE_CHARS).to_string();
        // `error[code]: ` precedes the message.
        let lead = code.chars().count().saturating_add(LEAD);
        let title = level
            .primary_title(fitted(&self.message, canvas, lead))
            .id(code);
        let mut group = Group::with_title(title);
        let gutter = self.gutter();
        let room = canvas
            .columns
            .map(|columns| columns.saturating_sub(gutter.saturating_add(CUTS)));
        let placed = |mark| Placed::new(mark, room.unwrap_or(window::COLUMNS));
        let places: Vec<Placed<'_>> = self.marks.iter().map(placed).collect();
        group = group.elements(snippets(&places));
        for (level, text) in &self.remarks {
            // `= note: ` precedes the text.
            let text = fitted(text, canvas, gutter.saturating_add(LEAD));
            group = group.element(level.clone().message(text));
        }
        let renderer = if canvas.styled {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let drawn = renderer.term_width(WIDTH).render(&[group]);
        let mut text = name_places(&places, &drawn, gutter, canvas.columns);
        text.push('\n');
        text
    }
}

/// Escapes and cuts untrusted text; wraps it to the canvas's columns, less `beside`.
fn fitted(text: &str, canvas: Canvas, beside: usize) -> String {
    let text = quote(text, MESSAGE_CHARS).to_string();
    match canvas.columns {
        Some(columns) => {
            let room = columns.saturating_sub(beside).max(NARROWEST);
            let lines = wrap(&text, room);
            // A single word may be longer than a line, usually a pointer.
            let pieces = lines.iter().flat_map(|line| pieces(line, room));
            pieces.collect::<Vec<_>>().join("\n")
        }
        None => text,
    }
}

/// Splits a line into pieces of `room` characters.
fn pieces(line: &str, room: usize) -> Vec<String> {
    let characters: Vec<char> = line.chars().collect();
    match characters.len() <= room {
        true => vec![line.to_owned()],
        false => characters
            .chunks(room)
            .map(|piece| piece.iter().collect())
            .collect(),
    }
}

/// A mark with the shown part of its line.
struct Placed<'m> {
    mark: &'m Mark<'m>,
    window: Window,
    /// The maximum columns of the window.
    room: usize,
    place: LineColumn,
    /// The label, escaped and cut.
    label: String,
}

impl<'m> Placed<'m> {
    fn new(mark: &'m Mark<'m>, room: usize) -> Self {
        let room = room.clamp(NARROWEST, window::MOST_COLUMNS);
        let (text, span) = mark.source.shown(&mark.span);
        Self {
            mark,
            room,
            window: window::around(text, &span, room),
            place: mark.source.line_column(mark.span.start),
            label: quote(&mark.label, LABEL_CHARS).to_string(),
        }
    }

    /// Whether the label has room beside the mark; otherwise it is shown beside the file's name.
    fn fits(&self) -> bool {
        let until = self.window.text.get(..self.window.mark.end);
        let width = until.unwrap_or_default().chars().count();
        width.saturating_add(self.label.chars().count()) <= self.room
    }
}

/// The lines with their marks; marks on one line share it if their windows are the same.
///
/// For the renderer, a line is a window without the file's name and without its location in the
/// file: [`name_places`] fills in both.
fn snippets<'a>(places: &[Placed<'_>]) -> Vec<Snippet<'a, Annotation<'a>>> {
    let mut snippets = Vec::new();
    let mut last: Option<&Placed<'_>> = None;
    for (index, here) in places.iter().enumerate() {
        let kind = match index {
            0 => AnnotationKind::Primary,
            _ => AnnotationKind::Context,
        };
        let mut annotation = kind.span(here.window.mark.clone());
        if !here.label.is_empty() && here.fits() {
            annotation = annotation.label(here.label.clone());
        }
        let shared = last.is_some_and(|last| {
            std::ptr::eq(last.mark.source, here.mark.source)
                && last.place.line == here.place.line
                && last.window.text == here.window.text
        });
        let snippet = match snippets.pop() {
            Some(snippet) if shared => snippet,
            other => {
                snippets.extend(other);
                Snippet::source(here.window.text.clone())
                    .line_start(here.place.line)
                    .path(format!("{BLANK}{index}{BLANK}"))
            }
        };
        snippets.push(snippet.annotation(annotation));
        last = Some(here);
    }
    snippets
}

/// Replaces each number between [`BLANK`]s, and the location in the window that the renderer wrote
/// behind it, by the location in the file.
///
/// A label that has no room there either is below the name.
fn name_places(
    places: &[Placed<'_>],
    drawn: &str,
    gutter: usize,
    columns: Option<usize>,
) -> String {
    let mut text = String::with_capacity(drawn.len());
    let mut parts = drawn.split(BLANK);
    text.push_str(parts.next().unwrap_or_default());
    while let (Some(number), Some(rest)) = (parts.next(), parts.next()) {
        let index = number.parse().ok();
        if let Some(here) = index.and_then(|index: usize| places.get(index)) {
            let LineColumn { line, column } = here.place;
            let name = format!("{}:{line}:{column}", here.mark.source.name);
            text.push_str(&name);
            if !here.label.is_empty() && !here.fits() {
                // ` --> ` precedes the name.
                let label = format!(", {}", here.label);
                let width = [&name, &label].map(|part| part.chars().count());
                let width = width
                    .into_iter()
                    .fold(gutter.saturating_add(3), usize::saturating_add);
                text.push_str(&match columns {
                    Some(columns) if width > columns => {
                        let before = " ".repeat(gutter.saturating_add(2));
                        let lines = wrap(&here.label, columns.saturating_sub(before.len()));
                        let between = format!("\n{before}");
                        format!(",{between}{}", lines.join(&between))
                    }
                    _ => label,
                });
            }
        }
        let place_in_window = |c: char| c == ':' || c.is_ascii_digit();
        text.push_str(rest.trim_start_matches(place_in_window));
    }
    text
}

/// Surrounds the number of a location whose name is filled in later. It occurs nowhere else,
/// because escaped text has no control characters.
const BLANK: char = '\u{1}';
const MESSAGE_CHARS: usize = 1_000;
const CODE_CHARS: usize = 40;
const LABEL_CHARS: usize = 64;
/// Columns of `warning[]: `, which is at least as wide as any other lead.
const LEAD: usize = 11;
/// Columns of two cut marks.
const CUTS: usize = 2;
/// Minimum columns for wrapping and cutting, however narrow the terminal is.
const NARROWEST: usize = 16;
/// Wider than any [`window`] with its line number and label, which are cut before.
const WIDTH: usize = 250;

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Canvas = Canvas {
        styled: false,
        columns: None,
    };

    fn mark<'s>(source: &'s Source<'s>, part: &str, label: &str) -> Mark<'s> {
        let text = std::str::from_utf8(source.bytes).unwrap();
        let start = text.find(part).unwrap();
        Mark {
            source,
            span: start..start + part.len(),
            label: label.to_owned(),
        }
    }

    #[test]
    fn two_files_with_remarks() {
        let instance = Source::new("a.json", b"{\n  \"name\": 5\n}");
        let schema = Source::line("s.json", b"{\"type\": \"string\"}", 120, 9_000);
        let drawn = Diagnostic::new(Severity::Error, "type", "expected string, found 5")
            .mark(mark(&instance, "5", "at /name"))
            .mark(mark(&schema, "\"string\"", "at /type"))
            .note("a note")
            .help("a help")
            .draw(PLAIN);
        let expected = r#"
error[type]: expected string, found 5
   --> a.json:2:11
    |
  2 |   "name": 5
    |           ^ at /name
    |
   ::: s.json:120:10
    |
120 | {"type": "string"}
    |          -------- at /type
    |
    = note: a note
    = help: a help
"#;
        assert_eq!(drawn, expected.trim_start());
    }

    #[test]
    fn marks_share_a_line_that_is_shown_whole() {
        let source = Source::new("a.json", b"{\"a\":1,\"b\":2}\n");
        let short = Diagnostic::new(Severity::Warning, "json", "duplicate")
            .mark(mark(&source, "\"b\"", "again"))
            .mark(mark(&source, "\"a\"", "first"))
            .draw(PLAIN);
        let expected = r#"
warning[json]: duplicate
 --> a.json:1:8
  |
1 | {"a":1,"b":2}
  |  ---   ^^^ again
  |  |
  |  first
"#;
        assert_eq!(short, expected.trim_start());
        let long = format!("{{\"a\":1,{}\"b\":2}}", " ".repeat(200));
        let source = Source::new("a.json", long.as_bytes());
        let long = Diagnostic::new(Severity::Warning, "json", "duplicate")
            .mark(mark(&source, "\"b\"", "again"))
            .mark(mark(&source, "\"a\"", "first"))
            .draw(PLAIN);
        assert!(long.contains("--> a.json:1:208, again\n") && long.contains("::: a.json:1:2\n"));
    }

    #[test]
    fn a_label_without_room_stands_beside_the_name() {
        let text = format!("[{}7]", "1, ".repeat(30));
        let source = Source::new("a.json", text.as_bytes());
        let label = format!("at /{}", "x".repeat(60));
        let drawn = Diagnostic::new(Severity::Error, "type", "no")
            .mark(mark(&source, "7", &label))
            .draw(PLAIN);
        assert!(
            drawn.contains(&format!("--> a.json:1:92, {label}\n")),
            "{drawn}"
        );
        assert!(
            drawn.lines().all(|line| line.chars().count() <= 90),
            "{drawn}"
        );
    }

    #[test]
    fn foreign_text_stays_text() {
        let source = Source::new("a\u{1b}[2J", "{\"\u{202e}\u{1}0\u{1}:1:2\": 5}".as_bytes());
        let foreign = "\u{1}0\u{1}:1:2 \u{1b}[31m\u{9b}";
        let diagnostic = Diagnostic::new(Severity::Error, foreign, foreign)
            .mark(mark(&source, "5", foreign))
            .note(foreign);
        let plain = diagnostic.draw(PLAIN);
        let hidden = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!plain.contains(hidden), "{plain:?}");
        assert_eq!(plain.matches("a\\u{1b}[2J:1:").count(), 1, "{plain}");
        // Styling adds only styles.
        let styled = diagnostic.draw(Canvas {
            styled: true,
            ..PLAIN
        });
        assert_eq!(anstream::adapter::strip_str(&styled).to_string(), plain);
    }

    #[test]
    fn nothing_is_wider_than_the_terminal() {
        let text = format!("{{\"a\": [{}7]}}", "1, ".repeat(90));
        let source = Source::line("a.json", text.as_bytes(), 99_998, 0);
        let diagnostic = Diagnostic::new(
            Severity::Warning,
            "additionalProperties",
            "so many words ".repeat(20),
        )
        .mark(mark(&source, "7", "at /a"))
        .note("more words ".repeat(20))
        .help("other words ".repeat(20));
        for columns in [70, 80, 140] {
            let canvas = Canvas {
                styled: false,
                columns: Some(columns),
            };
            let drawn = diagnostic.draw(canvas);
            assert!(
                drawn.lines().all(|line| line.chars().count() <= columns),
                "{columns}:\n{drawn}"
            );
        }
        assert!(diagnostic.draw(PLAIN).lines().any(|line| line.len() > 250));
    }
}
