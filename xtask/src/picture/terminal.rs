//! `docs/check.svg`: a terminal with the output of a command, as the README shows it.
//!
//! The background is dark whatever the page's is. Each run of characters has its place and its length
//! in the picture, so columns stay aligned in every font.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The file of the picture.
pub(crate) const FILE: &str = "docs/check.svg";
/// The command in the picture, after the program's name.
pub(crate) const COMMAND: [&str; 2] = ["check", "--demo"];
/// Its exit code: the demo has bad tools.
const EXIT: i32 = 6;

/// Runs the command, and draws what it prints.
///
/// # Errors
///
/// One line if it cannot be run, ends otherwise than it should, or prints what cannot be drawn.
pub(crate) fn picture(toolsure: &Path) -> Result<String, String> {
    let shown = COMMAND.join(" ");
    let output = Command::new(toolsure)
        .args(["--color", "always"])
        .args(COMMAND)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", toolsure.display()))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(EXIT) || !errors.is_empty() {
        return Err(format!("{shown}: {}: {errors}", output.status));
    }
    let printed = String::from_utf8(output.stdout).map_err(|e| format!("{shown}: {e}"))?;
    draw(&format!("toolsure {shown}"), printed.trim_end())
}

/// Draws a terminal in which the command was run and printed the text.
fn draw(command: &str, printed: &str) -> Result<String, String> {
    let mut style = Style::default();
    let mut body = String::new();
    let mut columns = command.chars().count() + PROMPT.len();
    let mut line = 1;
    let prompt = Style {
        is_bold: true,
        ..Style::default()
    };
    text(&mut body, line, PROMPT.len(), command, prompt);
    text(&mut body, line, 0, PROMPT, Style::dim());
    for printed in printed.lines() {
        line += 1;
        let mut column = 0;
        for (index, piece) in printed.split("\u{1b}[").enumerate() {
            let written = match (index, piece.split_once('m')) {
                (0, _) => piece,
                (_, Some((codes, written))) => {
                    style = codes.split(';').try_fold(style, Style::with)?;
                    written
                }
                (_, None) => return Err(format!("not a style: {piece}")),
            };
            text(&mut body, line, column, written, style);
            column += written.chars().count();
        }
        columns = columns.max(column);
    }
    let (width, height) = (2 * MARGIN + columns * COLUMN / 10, 2 * MARGIN + line * LINE);
    let (inner_width, inner_height) = (width - 1, height - 1);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"{FONT}\" \
         xml:space=\"preserve\" role=\"img\">\n\
         <title>{}</title>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{inner_width}\" height=\"{inner_height}\" rx=\"8\" fill=\"{BACKGROUND}\" stroke=\"#3d444d\"/>\n\
         {body}</svg>\n",
        escaped(&format!("The output of {command}"))
    ))
}

/// Adds a run of characters. Blanks at its ends are not drawn.
fn text(body: &mut String, line: usize, column: usize, written: &str, style: Style) {
    let shown = written.trim();
    if shown.is_empty() {
        return;
    }
    let column = column + written.chars().take_while(|c| c.is_whitespace()).count();
    let tenths = MARGIN * 10 + column * COLUMN;
    let length = shown.chars().count() * COLUMN;
    // Writing to a string cannot fail.
    let _written = writeln!(
        body,
        "<text x=\"{}.{}\" y=\"{}\" textLength=\"{}.{}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{}>{}</text>",
        tenths / 10,
        tenths % 10,
        MARGIN + line * LINE - (LINE - FONT),
        length / 10,
        length % 10,
        style.colour,
        if style.is_bold {
            " font-weight=\"bold\""
        } else {
            ""
        },
        escaped(shown)
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// How characters look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Style {
    colour: &'static str,
    is_bold: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            colour: "#e6edf3",
            is_bold: false,
        }
    }
}

impl Style {
    fn dim() -> Self {
        Self {
            colour: "#9198a1",
            is_bold: false,
        }
    }

    /// The style after a code of ECMA-48, section 8.3.117.
    fn with(self, code: &str) -> Result<Self, String> {
        let colour = match code {
            "" | "0" => return Ok(Self::default()),
            "1" => {
                return Ok(Self {
                    is_bold: true,
                    ..self
                });
            }
            "2" => Self::dim().colour,
            "31" | "91" => "#ff7b72",
            "32" | "92" => "#56d364",
            "33" | "93" => "#e3b341",
            "34" | "94" => "#79c0ff",
            "35" | "95" => "#d2a8ff",
            "36" | "96" => "#56d4dd",
            _ => return Err(format!("no colour for the style `{code}`")),
        };
        Ok(Self { colour, ..self })
    }
}

const PROMPT: &str = "$ ";
const BACKGROUND: &str = "#0d1117";
/// The size of the font, and the distance of lines, in pixels.
const FONT: usize = 13;
const LINE: usize = 17;
/// The width of a character, in tenths of a pixel: six tenths of the font's size, as in most fonts.
const COLUMN: usize = 78;
const MARGIN: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_their_place_their_length_and_their_style() {
        let drawn = draw("check", "\u{1b}[1m\u{1b}[31mbad\u{1b}[0m  <a>\n\n    x").unwrap();
        let runs: Vec<&str> = drawn
            .lines()
            .filter(|line| line.starts_with("<text"))
            .collect();
        let rest = " lengthAdjust=\"spacingAndGlyphs\"";
        assert_eq!(
            runs,
            [
                &format!(
                    "<text x=\"31.6\" y=\"29\" textLength=\"39.0\"{rest} fill=\"#e6edf3\" font-weight=\"bold\">check</text>"
                ),
                &format!(
                    "<text x=\"16.0\" y=\"29\" textLength=\"7.8\"{rest} fill=\"#9198a1\">$</text>"
                ),
                &format!(
                    "<text x=\"16.0\" y=\"46\" textLength=\"23.4\"{rest} fill=\"#ff7b72\" font-weight=\"bold\">bad</text>"
                ),
                &format!(
                    "<text x=\"55.0\" y=\"46\" textLength=\"23.4\"{rest} fill=\"#e6edf3\">&lt;a&gt;</text>"
                ),
                &format!(
                    "<text x=\"47.2\" y=\"80\" textLength=\"7.8\"{rest} fill=\"#e6edf3\">x</text>"
                ),
            ]
        );
        for unknown in ["\u{1b}[38;5;3mx", "\u{1b}[2K"] {
            assert!(draw("check", unknown).is_err(), "{unknown:?}");
        }
    }
}
