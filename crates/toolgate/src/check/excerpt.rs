//! The few lines around a place in a schema, pretty-printed, escaped, with the place marked.
//!
//! Streams over the schema's text: memory is bounded by the lines shown, whatever the size.

use std::collections::VecDeque;
use std::ops::Range;

use toolgate_json::quote;

/// Lines of a pretty-printed schema around a place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The number of the first line shown, from 1.
    pub(crate) first: usize,
    /// The lines, escaped and cut.
    pub(crate) lines: Vec<String>,
    /// Which of `lines` has the place.
    pub(crate) marked: usize,
    /// Characters before the place in its line.
    pub(crate) column: usize,
    /// Characters of the place.
    pub(crate) width: usize,
}

/// Prints the surroundings of `place` (bytes of `json`, which is valid JSON).
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
    /// An opening bracket was just written; a closing one may follow on the same line.
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
    /// Writes one token; `true` once enough is shown.
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
            if line.chars().count() > LINE_CHARS {
                *line = line
                    .chars()
                    .take(LINE_CHARS.saturating_sub(1))
                    .chain(['…'])
                    .collect();
            }
        }
        let column = mark.column.min(LINE_CHARS.saturating_sub(1));
        let width = mark.width.min(LINE_CHARS.saturating_sub(column)).max(1);
        Some(Excerpt {
            first: first.saturating_add(1),
            lines,
            marked,
            column,
            width,
        })
    }
}

/// The next token, white space included as tokens of its own.
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
/// Levels that are indented; what is deeper stands under them.
const DEEPEST_INDENT: usize = 12;
const TOKEN_CHARS: usize = 40;
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
            .map(|(index, line)| format!("{} {line}", excerpt.first + index))
            .collect();
        lines.insert(
            excerpt.marked + 1,
            format!(
                "  {}{}",
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
                "4     \"a\": {},",
                "5     \"b\": {",
                "6       \"$ref\": \"#/x\"",
                "                ^^^^^",
                "7     },",
                "8     \"c\": []"
            ]
        );
    }

    #[test]
    fn the_first_and_the_last_line_can_be_marked() {
        assert_eq!(
            shown(r#"{"type":"x"}"#, r#"{"#),
            ["1 {", "  ^", "2   \"type\": \"x\"", "3 }"]
        );
        assert_eq!(
            shown(r#"{"a":1,"type":"x"}"#, r#""x""#),
            [
                "1 {",
                "2   \"a\": 1,",
                "3   \"type\": \"x\"",
                "            ^^^",
                "4 }"
            ]
        );
        assert_eq!(shown("true", "true"), ["1 true", "  ^^^^"]);
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
