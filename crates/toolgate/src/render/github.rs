//! Workflow commands, which GitHub Actions shows beside the code.

use toolgate_json::quote;

use super::Severity;

/// A place in a file of the repository.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The path as the operator gave it.
    pub(crate) file: &'a str,
    /// Line and column, from 1.
    pub(crate) at: Option<(usize, usize)>,
}

/// One command, as one line with its line feed. Title and message may be foreign; the message
/// may have several lines.
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

/// Text behind the last `::` of a command, on one line, with nothing that acts on a terminal.
fn data(text: &str) -> String {
    quote(text, MESSAGE_CHARS).to_string().replace('%', "%25")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Characters of one line of a message.
const MESSAGE_CHARS: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

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
