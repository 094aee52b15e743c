//! Rules on descriptions that state what a keyword could state.
//!
//! Heuristics: each looks for a phrase and reports nothing unless it is followed by something that the
//! keyword can hold.

use std::ops::Range;

use toolsure_json::{Kind, Node as _, quote};

use crate::lint::out::Out;
use crate::lint::tool::{Side, Subschema, Tool};

/// TL065: a default in words.
pub(crate) fn default<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.has("default") {
        return;
    }
    let Some((name, text)) = described(sub).filter(|(_, text)| text.contains("default")) else {
        return;
    };
    if required(tool, sub, name) {
        return;
    }
    let value = DEFAULTS
        .iter()
        .filter(|phrase| !is_conditional(&text, phrase))
        .find_map(|phrase| literal_after(&text, phrase))
        .and_then(|place| Some((place.clone(), sub.text("description")?.get(place)?)));
    if let Some((place, value)) = value {
        let message = format!(
            "the description of `{}` gives a default, `{}`, and there is no `default`",
            quote(name, 64),
            quote(value, 30)
        );
        out.find(tool.within(sub, "description", place), message);
    }
}

/// TL066: allowed values in words.
pub(crate) fn values<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some((name, text)) = is_open_string(sub).then(|| described(sub)).flatten() else {
        return;
    };
    let listed = VALUES.iter().find_map(|phrase| {
        let rest = after(&text, phrase)?;
        let sentence = rest.split(['.', '\n', ';', ')']).next()?;
        // Quotes further on are about something else: "one of the files in 'src' or 'lib'".
        let mut head = sentence.trim_start_matches([' ', ':', '(']);
        for word in ["the following", "these", "values", "options"] {
            let rest = head.strip_prefix(word);
            head = rest.map_or(head, |rest| rest.trim_start_matches([' ', ':']));
        }
        let quotes = ['"', '\'', '`'];
        let quoted = match head.starts_with(quotes) {
            true => head.matches(quotes).count() / 2,
            false => 0,
        };
        let parts = || sentence.split([',', '|']);
        // Values in prose are words that a program takes, each alone; more words are a description.
        let plain = phrase.ends_with(':') && parts().count() >= 3;
        let words = parts().all(|part| {
            let part = part.trim().trim_start_matches("or ");
            !part.is_empty() && !part.contains(char::is_whitespace)
        });
        let open = OPEN_LISTS.iter().any(|word| sentence.contains(word));
        let lists = !open && (quoted >= 2 || (plain && words));
        let start = text
            .len()
            .saturating_sub(rest.len().saturating_add(phrase.len()));
        let end = text
            .len()
            .saturating_sub(rest.len())
            .saturating_add(sentence.len());
        lists.then_some(start..end)
    });
    if let Some(place) = listed {
        let message = format!(
            "the description of `{}` lists its values, and there is no `enum`",
            quote(name, 64)
        );
        out.find(tool.within(sub, "description", place), message);
    }
}

/// TL067: a range in words.
pub(crate) fn range<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let bounds = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "enum",
    ];
    let number = sub.is("number") || sub.is("integer");
    if !number || bounds.iter().any(|one| sub.has(one)) {
        return;
    }
    let Some((name, text)) = described(sub) else {
        return;
    };
    let said = RANGES.iter().find_map(|phrase| {
        let rest = after(&text, phrase).filter(|rest| starts_with_digit(rest))?;
        let end = text.len().saturating_sub(rest.len());
        Some(end.saturating_sub(phrase.len())..end)
    });
    if let Some(place) = said {
        let message = format!(
            "the description of `{}` gives a range, and there is no `minimum` or `maximum`",
            quote(name, 64)
        );
        out.find(tool.within(sub, "description", place), message);
    }
}

/// TL068: a date in words.
pub(crate) fn date<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some((name, text)) = is_open_string(sub).then(|| described(sub)).flatten() else {
        return;
    };
    let standards = ["iso 8601", "iso8601", "iso-8601", "rfc 3339", "rfc3339"];
    let Some(said) = first_of(&text, &["yyyy-mm-dd"]).or_else(|| first_of(&text, &standards))
    else {
        return;
    };
    let format = match text.get(said.clone()) {
        _ if text.contains("yyyy-mm-ddt") => "date-time",
        // Neither format allows a space between date and time.
        _ if text.contains("yyyy-mm-dd hh") => return,
        Some("yyyy-mm-dd") => "date",
        _ if text.contains("time") => "date-time",
        _ => "date\"` or `\"date-time",
    };
    // `date-time` is RFC 3339, which requires seconds and an offset.
    if format != "date" && shows_local_time(&text) {
        return;
    }
    let takes_nothing = sub.text("default") == Some("");
    // No format fits if a relative date, a number or an empty string is accepted too.
    if !takes_nothing && !RELATIVE.iter().any(|other| after(&text, other).is_some()) {
        let message = format!(
            "the description of `{}` asks for a date, and there is no `format`",
            quote(name, 64)
        );
        let place = tool.within(sub, "description", said);
        out.find(place, message).help(format!(
            "write `\"format\": \"{format}\"` if nothing else is taken"
        ));
    }
}

/// TL069: a list in a string.
pub(crate) fn list<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some((name, text)) = sub.is("string").then(|| described(sub)).flatten() else {
        return;
    };
    let phrases = [
        "comma-separated",
        "comma separated",
        "comma-delimited",
        "separated by commas",
    ];
    if !text.contains("comma") {
        return;
    }
    if let Some(place) = first_of(&text, &phrases).filter(|_| !sub.has("pattern")) {
        let message = format!("`{}` is a list with commas in a string", quote(name, 64));
        out.find(tool.within(sub, "description", place), message)
            .help("take an array of strings; models and validators know what that is");
    }
}

/// TL070: JSON in a string.
pub(crate) fn json<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some((name, text)) = sub.is("string").then(|| described(sub)).flatten() else {
        return;
    };
    let phrases = [
        "json string",
        "json-encoded",
        "json encoded",
        "stringified json",
        "json object",
        "json array",
        "as json",
        "valid json",
    ];
    if !text.contains("json") {
        return;
    }
    // One of several formats of the result.
    let chooses = name.to_ascii_lowercase().ends_with("format");
    let is_said = first_of(&text, &phrases);
    let is_said = is_said.filter(|_| !sub.has("contentMediaType") && !sub.has("enum"));
    if let Some(place) = is_said.filter(|_| !chooses) {
        let message = format!("`{}` is JSON in a string", quote(name, 64));
        out.find(tool.within(sub, "description", place), message)
            .help("take the object or array itself, so that it can be checked");
    }
}

/// The location of the first of some phrases that the text has.
fn first_of(text: &str, phrases: &[&str]) -> Option<Range<usize>> {
    phrases.iter().find_map(|phrase| {
        let at = text.find(phrase)?;
        Some(at..at.saturating_add(phrase.len()))
    })
}

/// Whether the string shows a date and time without an offset from UTC, or without seconds:
/// `2026-01-31T12:00:00`.
fn shows_local_time(text: &str) -> bool {
    text.match_indices('t').any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let rest = text.get(at.saturating_add(1)..).unwrap_or_default();
        let two = |text: &str, letter: char| {
            let mut digits = text.chars();
            let mut digit = || {
                digits
                    .next()
                    .is_some_and(|c| c.is_ascii_digit() || c == letter)
            };
            digit() && digit()
        };
        let is_time = before.is_some_and(|c| c.is_ascii_digit() || c == 'd')
            && two(rest, 'h')
            && rest.get(2..3) == Some(":")
            && two(rest.get(3..).unwrap_or_default(), 'm');
        let seconds = rest.get(5..6) == Some(":") && two(rest.get(6..).unwrap_or_default(), 's');
        let behind = rest.get(8..).unwrap_or_default();
        let behind =
            behind.trim_start_matches(|c: char| c == '.' || c == 's' || c.is_ascii_digit());
        is_time && !(seconds && behind.starts_with(['z', '+', '-', '±', 't']))
    })
}

/// A described argument: its name and its description with ASCII letters in lower case, so that offsets in
/// it are offsets in the description.
fn described<'a>(sub: &Subschema<'a>) -> Option<(&'a str, String)> {
    let name = sub.property().filter(|_| sub.side == Side::Input)?;
    let text = sub.text("description")?;
    let end = (0..=LOOKED_AT.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    Some((name, text.get(..end?)?.to_ascii_lowercase()))
}

/// Whether a schema is a string that no other keyword restricts.
fn is_open_string(sub: &Subschema<'_>) -> bool {
    let keywords = ["enum", "const", "pattern", "format"];
    sub.is("string") && !keywords.iter().any(|one| sub.has(one))
}

fn required<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, name: &str) -> bool {
    let names = tool.parent(sub).and_then(|parent| parent.get("required"));
    names.is_some_and(|names| {
        names
            .items()
            .any(|one| one.kind() == Kind::String && one.string() == name)
    })
}

/// The text after a phrase that is at the start of a word.
fn after<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    text.match_indices(phrase).find_map(|(at, _)| {
        let before = text.get(..at)?.chars().next_back();
        let word = before.is_none_or(|c| !c.is_alphanumeric());
        word.then(|| text.get(at.saturating_add(phrase.len())..))
            .flatten()
    })
}

/// The location of a number, boolean or quoted word after a phrase.
fn literal_after(text: &str, phrase: &str) -> Option<Range<usize>> {
    let rest = after(text, phrase)?.trim_start();
    let quote = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'));
    let inner = quote.map_or(Some(rest), |quote| rest.strip_prefix(quote))?;
    let word = match quote {
        Some(quote) => inner
            .split(quote)
            .next()
            .filter(|word| word.len() < 40 && inner.len() > word.len())?,
        None => {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_')));
            let word = rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches('.');
            let number = word.parse::<f64>().is_ok() && starts_with_digit(word);
            (number || word == "true" || word == "false").then_some(word)?
        }
    };
    let start = text.len().saturating_sub(inner.len());
    Some(start..start.saturating_add(word.len()))
}

/// Whether a condition follows the value in the sentence, so that no single `default` holds.
fn is_conditional(text: &str, phrase: &str) -> bool {
    let sentence = after(text, phrase).and_then(|rest| rest.split([';', '\n']).next());
    let sentence = sentence.and_then(|rest| rest.split(". ").next());
    let sentence = sentence.unwrap_or_default();
    let mut words = sentence.split(|c: char| !c.is_alphanumeric());
    // "For get: <=0 defaults to 200": a comparison just before it.
    let before = text
        .len()
        .saturating_sub(after(text, phrase).map_or(0, str::len));
    let before = before.saturating_sub(phrase.len());
    let before = text.get(..before).unwrap_or_default().trim_end();
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    words.any(|word| CONDITIONS.contains(&word)) || word.starts_with(['<', '>', '='])
}

fn starts_with_digit(text: &str) -> bool {
    text.trim_start()
        .trim_start_matches('-')
        .starts_with(|c: char| c.is_ascii_digit())
}

/// Bytes of a description that are searched.
const LOOKED_AT: usize = 2_000;
/// Words for a time that is not a date.
const RELATIVE: [&str; 19] = [
    "without an offset",
    "date-only",
    "all-day",
    "relative",
    "today",
    "yesterday",
    "tomorrow",
    "now",
    "now-",
    "ago",
    "last",
    "natural language",
    "epoch",
    "unix",
    "timestamp in",
    "duration",
    "1h",
    "7d",
    "24h",
];
const CONDITIONS: [&str; 6] = ["when", "if", "unless", "otherwise", "where", "depending"];
const DEFAULTS: [&str; 8] = [
    "default:",
    "defaults to",
    "default is",
    "default =",
    "default=",
    "(default",
    "default to",
    "by default,",
];
const VALUES: [&str; 8] = [
    "one of:",
    "one of",
    "allowed values:",
    "valid values:",
    "possible values:",
    "options:",
    "allowed:",
    "valid options:",
];
/// Words that show that a list is not complete.
const OPEN_LISTS: [&str; 9] = [
    "e.g",
    "such as",
    "etc",
    "for example",
    "...",
    " or a ",
    " or an ",
    " or any ",
    " list of ",
];
const RANGES: [&str; 16] = [
    "between", "max:", "max=", "max ", "maximum:", "maximum ", "min:", "min=", "min ", "minimum:",
    "minimum ", "at most", "at least", "up to", "range:", "range ",
];
