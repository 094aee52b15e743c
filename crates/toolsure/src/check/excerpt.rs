//! The few lines around a place, escaped, with the place marked. They are lines of the file or, if
//! the text is on one line, lines of the pretty-printed schema.
//!
//! Pretty-printing streams over the text, so the lines shown bound the memory, whatever its size.

use std::collections::VecDeque;
use std::ops::Range;

use toolsure_json::quote;

/// Lines around a place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The line number in the file of the first line, from 1; `None` for pretty-printed lines.
    pub(crate) first: Option<usize>,
    /// The lines, escaped and cut.
    pub(crate) lines: Vec<String>,
    /// The index in `lines` of the line with the place.
    pub(crate) marked: usize,
    /// Characters before the place in its line.
    pub(crate) column: usize,
    /// Length of the place in characters.
    pub(crate) width: usize,
}

/// The lines of a file around `place` (bytes of `text`), without their common indentation. `line`
/// is the line number of the place. `None` if the lines are too long to be shown.
pub(crate) fn of_file(text: &[u8], place: &Range<usize>, line: usize) -> Option<Excerpt> {
    let start = place.start.min(text.len());
    let feed = |byte: &u8| *byte == b'\n';
    // Searches backwards for the lines before, so that a long file costs nothing.
    let before = text.get(start.saturating_sub(REACH)..start)?;
    if before.len() == REACH && !before.contains(&b'\n') {
        return None;
    }
    let mut begins =
        start.saturating_sub(before.iter().rev().position(feed).unwrap_or(before.len()));
    let own = begins;
    let mut first = line;
    while first > 1 && line.saturating_sub(first) < CONTEXT && begins > 0 {
        let above = text.get(begins.saturating_sub(REACH)..begins.saturating_sub(1))?;
        let length = above.iter().rev().position(feed).unwrap_or(above.len());
        begins = begins.saturating_sub(1).saturating_sub(length);
        first = first.saturating_sub(1);
    }
    let rest = text.get(begins..)?;
    let wanted = line
        .saturating_sub(first)
        .saturating_add(CONTEXT)
        .saturating_add(1);
    let lines: Vec<&str> = rest
        .get(..rest.len().min(REACH.saturating_mul(2)))?
        .split(feed)
        .take(wanted)
        .map(|line| std::str::from_utf8(line).map(str::trim_end))
        .collect::<Result<_, _>>()
        .ok()?;
    let marked = line.saturating_sub(first);
    // No line follows the last line feed.
    let behind = lines
        .iter()
        .rev()
        .take_while(|line| line.is_empty())
        .count();
    let kept = lines.len().saturating_sub(behind);
    let lines = lines.get(..kept.max(marked.saturating_add(1)).min(lines.len()))?;
    let indent = |line: &&str| {
        line.len()
            .saturating_sub(line.trim_start_matches(' ').len())
    };
    let common = lines.iter().filter(|line| !line.is_empty()).map(indent);
    let common = common.min().unwrap_or(0);
    let own_line = text.get(own..start)?;
    let own_line = std::str::from_utf8(own_line).ok()?.get(common..)?;
    let column = quote(own_line, usize::MAX).to_string().chars().count();
    let marks = lines
        .get(marked)?
        .get(common.saturating_add(own_line.len())..)?;
    let length = place.len().min(marks.len());
    let mark = marks.get(..length).unwrap_or(marks);
    let width = quote(mark, usize::MAX).to_string().chars().count().max(1);
    if column >= LINE_CHARS.saturating_sub(1) {
        return None;
    }
    let lines = lines.iter().map(|line| {
        let line = line.get(common..).unwrap_or_default();
        cut(quote(line, usize::MAX).to_string())
    });
    Some(Excerpt {
        first: Some(first),
        lines: lines.collect(),
        marked,
        column,
        width: width.min(LINE_CHARS.saturating_sub(column)).max(1),
    })
}

fn cut(line: String) -> String {
    match line.chars().count() > LINE_CHARS {
        true => line
            .chars()
            .take(LINE_CHARS.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => line,
    }
}

/// Pretty-prints the lines around `place` (bytes of `json`, which is valid JSON).
pub(crate) fn around(json: &str, place: &Range<usize>) -> Option<Excerpt> {
    let mut printer = Printer {
        place: place.clone(),
        ..Printer::default()
    };
    let mut rest = json;
    let mut at = 0_usize;
    while let Some(token) = next_token(rest) {
        if printer.put(token, at) {
            return printer.finish();
        }
        rest = rest.get(token.len()..)?;
        at = at.saturating_add(token.len());
    }
    printer.end_line();
    printer.finish()
}

#[derive(Default)]
struct Printer {
    place: Range<usize>,
    lines: VecDeque<String>,
    /// The number of the line being written, from 0.
    number: usize,
    line: String,
    depth: usize,
    /// Whether an opening bracket was just written; a closing one may follow on the same line.
    opened: bool,
    mark: Option<Mark>,
}

#[derive(Clone, Copy)]
struct Mark {
    line: usize,
    column: usize,
    width: usize,
}

impl Printer {
    /// Writes one token. Returns `true` once enough is shown.
    fn put(&mut self, token: &str, at: usize) -> bool {
        let first = token.chars().next().unwrap_or(' ');
        if first.is_ascii_whitespace() {
            return false;
        }
        match first {
            '}' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                if !self.opened {
                    self.end_line();
                }
            }
            _ if self.opened => self.end_line(),
            _ => {}
        }
        self.opened = matches!(first, '{' | '[');
        if self.line.is_empty() {
            self.line = " ".repeat(self.depth.min(DEEPEST_INDENT).saturating_mul(2));
        }
        let shown = quote(token, TOKEN_CHARS).to_string();
        // A place inside a token (in a pattern, say) marks the whole token.
        let end = at.saturating_add(token.len());
        if self.mark.is_none() && self.place.start < end && !matches!(first, ',' | ':') {
            let column = self.line.chars().count();
            self.mark = Some(Mark {
                line: self.number,
                column,
                width: shown.chars().count().max(1),
            });
        }
        self.line.push_str(&shown);
        match first {
            ',' => self.end_line(),
            ':' => self.line.push(' '),
            '{' | '[' => self.depth = self.depth.saturating_add(1),
            _ => {}
        }
        self.mark
            .is_some_and(|mark| self.number > mark.line.saturating_add(CONTEXT))
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.lines.push_back(line);
        self.number = self.number.saturating_add(1);
        if self.mark.is_none() && self.lines.len() > CONTEXT {
            self.lines.pop_front();
        }
    }

    fn finish(self) -> Option<Excerpt> {
        let mark = self.mark?;
        let mut lines: Vec<String> = self.lines.into();
        let first = self.number.saturating_sub(lines.len());
        let marked = mark.line.saturating_sub(first);
        lines.truncate(marked.saturating_add(CONTEXT).saturating_add(1));
        for line in &mut lines {
            *line = cut(std::mem::take(line));
        }
        let column = mark.column.min(LINE_CHARS.saturating_sub(1));
        let width = mark.width.min(LINE_CHARS.saturating_sub(column)).max(1);
        Some(Excerpt {
            first: None,
            lines,
            marked,
            column,
            width,
        })
    }
}

/// The next token; a run of white space is a token too.
fn next_token(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let length = match first {
        '{' | '}' | '[' | ']' | ',' | ':' => 1,
        '"' => string_length(text),
        c if c.is_ascii_whitespace() => text
            .find(|c: char| !c.is_ascii_whitespace())
            .unwrap_or(text.len()),
        _ => text
            .find(|c: char| {
                c.is_ascii_whitespace() || matches!(c, '{' | '}' | '[' | ']' | ',' | ':' | '"')
            })
            .unwrap_or(text.len()),
    };
    text.get(..length)
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at.saturating_add(1),
            _ => {}
        }
    }
    text.len()
}

/// Lines shown before and after the place.
const CONTEXT: usize = 2;
/// Maximum indented levels; deeper ones have the same indentation.
const DEEPEST_INDENT: usize = 12;
const TOKEN_CHARS: usize = 40;
/// Bytes of a file that are searched for the start of a line; lines are shown from twice as many.
const REACH: usize = 4 << 10;
const LINE_CHARS: usize = 66;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str, part: &str) -> Vec<String> {
        let start = json.find(part).unwrap();
        let excerpt = around(json, &(start..start + part.len())).unwrap();
        let mut lines: Vec<String> = excerpt
            .lines
            .iter()
            .enumerate()
            .map(|(index, line)| match excerpt.first {
                Some(first) => format!("{} {line}", first + index),
                None => line.clone(),
            })
            .collect();
        lines.insert(
            excerpt.marked + 1,
            format!(
                "{}{}",
                " ".repeat(excerpt.column),
                "^".repeat(excerpt.width)
            ),
        );
        lines
    }

    #[test]
    fn a_value_is_shown_with_its_surroundings() {
        let json =
            r##"{"type":"object","properties":{"a":{},"b":{"$ref":"#/x"},"c":[]},"required":[]}"##;
        assert_eq!(
            shown(json, "\"#/x\""),
            [
                "    \"a\": {},",
                "    \"b\": {",
                "      \"$ref\": \"#/x\"",
                "              ^^^^^",
                "    },",
                "    \"c\": []"
            ]
        );
    }

    #[test]
    fn the_first_and_the_last_line_can_be_marked() {
        assert_eq!(
            shown(r#"{"type":"x"}"#, r#"{"#),
            ["{", "^", "  \"type\": \"x\"", "}"]
        );
        assert_eq!(
            shown(r#"{"a":1,"type":"x"}"#, r#""x""#),
            [
                "{",
                "  \"a\": 1,",
                "  \"type\": \"x\"",
                "          ^^^",
                "}"
            ]
        );
        assert_eq!(shown("true", "true"), ["true", "^^^^"]);
    }

    #[test]
    fn lines_of_a_file_keep_their_numbers() {
        let text = "{\n    \"a\": {\n      \"b\": \"é\",\n      \"type\": \"x\u{9b}\"\n    },\n    \"c\": 1,\n  \"d\": 2\n}\n";
        let start = text.find("\"x").unwrap();
        let excerpt = of_file(text.as_bytes(), &(start..start + 5), 4).unwrap();
        assert_eq!(
            (excerpt.first, excerpt.marked, excerpt.column),
            (Some(2), 2, 10)
        );
        assert_eq!(
            excerpt.lines,
            [
                "\"a\": {",
                "  \"b\": \"é\",",
                "  \"type\": \"x\\u{9b}\"",
                "},",
                "\"c\": 1,"
            ]
        );
        let first = of_file(text.as_bytes(), &(0..1), 1).unwrap();
        assert_eq!((first.first, first.marked, first.column), (Some(1), 0, 0));
        let last = of_file(text.as_bytes(), &(text.len() - 2..text.len() - 1), 8).unwrap();
        assert_eq!(
            (last.first, last.lines.last().unwrap().as_str()),
            (Some(6), "}")
        );
        let long = format!("[{}1]", " ".repeat(5_000));
        assert_eq!(of_file(long.as_bytes(), &(5_001..5_002), 1), None);
    }

    #[test]
    fn depth_and_length_cannot_make_it_long() {
        let json = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        let excerpt = around(&json, &(100_000..100_001)).unwrap();
        assert_eq!(excerpt.lines.len(), 5);
        let json = format!("\"{}\"", "x".repeat(1 << 20));
        assert!(around(&json, &(9..10)).unwrap().lines.concat().len() < 100);
    }

    #[test]
    fn control_characters_do_not_pass() {
        let json = "{\"a\u{9b}31m\u{202e}\":1}";
        let excerpt = around(json, &(0..1)).unwrap();
        assert!(
            excerpt
                .lines
                .concat()
                .chars()
                .all(|c| !c.is_control() && c != '\u{202e}')
        );
    }
}
