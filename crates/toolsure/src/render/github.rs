//! Workflow commands, which GitHub Actions shows beside the code.

use toolsure_json::quote;

use super::{Severity, count};

/// A place in a file of the repository.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The path as the operator gave it.
    pub(crate) file: &'a str,
    /// Line and column, from 1.
    pub(crate) at: Option<(usize, usize)>,
}

/// One command on one line, with its line feed. Title and message may be untrusted; the message may
/// have several lines.
pub(crate) fn command(
    severity: Severity,
    place: Option<Place<'_>>,
    title: &str,
    message: &str,
) -> String {
    let level = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some(place) = place {
        properties.push(format!("file={}", property(place.file)));
        if let Some((line, column)) = place.at {
            properties.push(format!("line={line},col={column}"));
        }
    }
    properties.push(format!("title={}", property(title)));
    let lines: Vec<String> = message.split('\n').map(data).collect();
    format!(
        "::{level} {}::{}\n",
        properties.join(","),
        lines.join("%0A")
    )
}

/// The commands of a whole run; only the first of each severity are printed.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    out: String,
    /// Whether every command is printed.
    all: bool,
    printed: [u64; 3],
    left_out: [u64; 3],
}

impl Commands {
    /// Prints `all`, or at most [`MOST`](Self::MOST) of each severity.
    pub(crate) fn new(all: bool) -> Self {
        Self {
            all,
            ..Self::default()
        }
    }

    /// Maximum commands of one severity. GitHub shows ten for each step; the others are in the log.
    pub(crate) const MOST: u64 = 50;

    /// Whether the next command of a severity is printed. Counts the command.
    pub(crate) fn admits(&mut self, severity: Severity) -> bool {
        let printed = of(&mut self.printed, severity);
        if self.all || *printed < Self::MOST {
            *printed = printed.saturating_add(1);
            return true;
        }
        let left_out = of(&mut self.left_out, severity);
        *left_out = left_out.saturating_add(1);
        false
    }

    /// Prints a command, or text that is not a command, as it is.
    pub(crate) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// The output, with a command that counts what was left out, if anything was.
    pub(crate) fn finish(mut self) -> String {
        let words = ["error", "warning", "notice"];
        let parts: Vec<String> = words
            .iter()
            .zip(self.left_out)
            .filter(|(_, number)| *number > 0)
            .map(|(word, number)| count(number, word))
            .collect();
        if !parts.is_empty() {
            let text = format!("{} not printed; `--all` prints them", parts.join(", "));
            self.out
                .push_str(&command(Severity::Note, None, "and more", &text));
        }
        self.out
    }
}

/// The counter of a severity, in the order errors, warnings, notes.
fn of(counts: &mut [u64; 3], severity: Severity) -> &mut u64 {
    let [errors, warnings, notes] = counts;
    match severity {
        Severity::Error => errors,
        Severity::Warning => warnings,
        Severity::Note => notes,
    }
}

/// The text after the last `::` of a command: one line, with nothing that acts on a terminal.
fn data(text: &str) -> String {
    quote(text, MESSAGE_CHARS).to_string().replace('%', "%25")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Maximum characters of one line of a message.
const MESSAGE_CHARS: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_commands_the_first_of_each_severity_are_printed() {
        let printed = |all| {
            let mut commands = Commands::new(all);
            for number in 0..Commands::MOST + 2 {
                for severity in [Severity::Warning, Severity::Error] {
                    if commands.admits(severity) {
                        commands.push(&command(severity, None, "t", &number.to_string()));
                    }
                }
            }
            commands.finish()
        };
        let (few, all) = (printed(false), printed(true));
        assert_eq!(few.lines().count(), 101);
        assert_eq!(few.matches("::error").count(), 50);
        let last = "::notice title=and more::2 errors, 2 warnings not printed; `--all` prints them";
        assert_eq!(few.lines().last(), Some(last));
        assert_eq!(all.lines().count(), 104);
    }

    #[test]
    fn what_means_something_to_the_runner_is_escaped() {
        let place = Place {
            file: "a,b:c%.json",
            at: Some((3, 14)),
        };
        assert_eq!(
            command(Severity::Error, Some(place), "t: x", "50%\nnext\r::error::"),
            "::error file=a%2Cb%3Ac%25.json,line=3,col=14,title=t%3A x::50%25%0Anext\\r::error::\n"
        );
        assert_eq!(
            command(Severity::Warning, None, "t", "m"),
            "::warning title=t::m\n"
        );
    }
}
