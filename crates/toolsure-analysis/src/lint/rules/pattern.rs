//! Rules on regular expressions and formats.

use toolsure_json::{Key as _, Kind, Node as _, View, quote};
use toolsure_pattern::Hazard;
use toolsure_syntax::format::{Format, NumberFormat};

use crate::lint::finding::{Edit, Safety};
use crate::lint::out::Out;
use crate::lint::tool::{Place, Side, Subschema, Tool, span};
use crate::readers::{Fact, Part};

/// TL053: a pattern that no string can match, if that is easy to see.
pub(crate) fn never<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for Found { text, key } in patterns(sub) {
        if is_dead(text) && tool.pattern(text).is_some() {
            let message = format!("no string matches the pattern `{}`", quote(text, 80));
            out.find(place(tool, sub, key), message)
                .help("`^` holds at the start only and `$` at the end only; escape them to mean themselves");
        }
    }
}

/// TL054: a pattern that every string matches.
pub(crate) fn always<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for Found { text, key } in patterns(sub) {
        if matches_all(tool, text) {
            let message = format!("every string matches the pattern `{}`", quote(text, 80));
            out.find(place(tool, sub, key), message)
                .help("patterns search; write `^…$` to make it hold for the whole string");
        }
    }
}

/// TL055: a pattern that may match anywhere in the string, which is seldom intended.
pub(crate) fn unanchored<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(text) = sub.text("pattern") else {
        return;
    };
    let whole = |text: &str| text.ends_with(".*") || text.ends_with(".+");
    let anchored =
        (text.contains('^') || text.starts_with(".*")) && (text.contains('$') || whole(text));
    let looks = text.contains("(?=") || text.contains("(?!") || text.contains("\\b");
    let literal = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !anchored && !looks && !literal && tool.pattern(text).is_some() && !matches_all(tool, text) {
        let message = format!(
            "the pattern `{}` may match a part of the string",
            quote(text, 80)
        );
        out.find(tool.at(sub, "pattern"), message)
            .help("write `^…$` to make it hold for the whole string");
    }
}

/// TL056: a character class that was escaped twice, so that it matches a backslash and a letter.
pub(crate) fn double_escape<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for Found { text, key } in patterns(sub) {
        let doubled = text
            .match_indices("\\\\")
            .filter_map(|(at, _)| text.get(at.saturating_add(2)..)?.chars().next())
            .find(|c| "sSdDwWbB.".contains(*c));
        if let Some(letter) = doubled {
            let message =
                format!("`\\\\{letter}` in the pattern means a backslash and then `{letter}`");
            out.find(place(tool, sub, key), message)
                .help(format!("in JSON the class `\\{letter}` is written `\"\\\\{letter}\"`, with two backslashes and not four"));
        }
    }
}

/// TL057: syntax that ECMA-262 allows only for old web pages.
pub(crate) fn not_ecma<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for Found { text, key } in patterns(sub) {
        let Some(pattern) = tool.pattern(text) else {
            continue;
        };
        let Some(odd) = pattern.legacy() else {
            continue;
        };
        let odd = text.get(odd).unwrap_or_default();
        let message = format!(
            "`{}` in the pattern is not syntax of ECMA-262 under the `u` flag",
            quote(odd, 20)
        );
        let found = out.find(place(tool, sub, key), message);
        match odd.strip_prefix('\\') {
            Some(bare) if !bare.is_empty() => found.help(format!(
                "validators that set the flag refuse the whole schema; `{}` needs no escape",
                quote(bare, 20)
            )),
            _ => found.help("validators that set the flag refuse the whole schema; escape it"),
        };
    }
}

/// TL058: formats that are not registered.
pub(crate) fn unknown_format<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(name) = sub.text("format") else {
        return;
    };
    if !known(name) && meant(tool, name).is_none() {
        let message = format!(
            "the format `{}` is registered nowhere; validators ignore it",
            quote(name, 64)
        );
        out.find(tool.at(sub, "format"), message)
            .help("say it with a `pattern` or in the description");
    }
}

/// TL059: misspelt formats.
pub(crate) fn misspelt_format<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(value) = sub.get("format") else {
        return;
    };
    let name = value.string();
    if known(name) {
        return;
    }
    let Some(meant) = meant(tool, name) else {
        return;
    };
    let edit = Edit {
        span: span(value),
        text: format!("\"{meant}\""),
    };
    let message = format!(
        "there is no format `{}`; validators ignore it",
        quote(name, 64)
    );
    out.find(tool.at(sub, "format"), message)
        .help(format!("did you mean `{meant}`?"))
        .fix(Safety::Unsafe, Some(vec![edit]));
}

/// TL060: a format beside a long pattern with the same meaning.
pub(crate) fn format_and_pattern<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let (Some(format), Some(pattern)) = (sub.text("format"), sub.text("pattern")) else {
        return;
    };
    if Format::from_name(format).is_some() && pattern.len() > 30 {
        let message = format!(
            "the format `{}` and a pattern of {} bytes say the same",
            quote(format, 30),
            pattern.len()
        );
        out.find(tool.at(sub, "pattern"), message)
            .help("leave the pattern out; a model pays for it and cannot use it");
    }
}

/// TL112: a pattern that may take exponential time in a backtracking engine.
pub(crate) fn backtracking<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let short = sub
        .get("maxLength")
        .filter(|most| most.kind() == Kind::Number)
        .and_then(|most| most.number().as_i64())
        .is_some_and(|most| most <= SHORT);
    for Found { text, key } in patterns(sub) {
        if !short
            && may_be_exponential(text)
            && out.hazard(text, || tool.pattern(text)) == Hazard::Exponential
        {
            let message = format!(
                "validators that backtrack may hang on the pattern `{}`",
                quote(text, 80)
            );
            out.find(place(tool, sub, key), message)
                .help("let no loop begin with what the loop around it or before it may end with, or set a small `maxLength`");
        }
    }
}

/// TL093: patterns that a reader's engine does not take.
pub(crate) fn provider<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input {
        return;
    }
    for Found { text, key } in patterns(sub) {
        let refusal = |fact: &Fact| match fact {
            Fact::Patterns(Part::Input, rule) => rule.refusal(text),
            _ => None,
        };
        let broken = out.broken(|fact| refusal(fact).is_some());
        // Of several causes, the one of the first reader.
        let Some(cause) = broken.first().and_then(|(_, fact)| refusal(&fact.fact)) else {
            continue;
        };
        let message = format!("the pattern has {cause}");
        let advice = "write what the whole string may be, or say it in the description";
        out.find_broken(place(tool, sub, key), message, &broken, advice);
    }
}

/// Whether a backtracking engine may take exponential time. That requires a loop over a group, a
/// backreference, many quantifiers in a row, or counted repetitions that multiply. Most patterns have a few
/// loops, each over one character or class, and need no closer look. Escaped characters, and characters in
/// a class, count too.
fn may_be_exponential(text: &str) -> bool {
    let (mut quantifiers, mut counted, mut before) = (0_usize, 0_usize, b' ');
    for byte in text.bytes() {
        match (before, byte) {
            (b')', b'*' | b'+' | b'?' | b'{') | (b'\\', b'1'..=b'9' | b'k') => return true,
            (_, b'*' | b'+' | b'?') => quantifiers = quantifiers.saturating_add(1),
            (_, b'{') => counted = counted.saturating_add(1),
            _ => {}
        }
        before = byte;
    }
    counted > 1 || quantifiers.saturating_add(counted) > FEW_QUANTIFIERS
}

/// A pattern of a subschema.
struct Found<'a> {
    text: &'a str,
    /// The key in `patternProperties`; `None` for the value of `pattern`.
    key: Option<View<'a>>,
}

/// The patterns of a subschema.
fn patterns<'a>(sub: &Subschema<'a>) -> impl Iterator<Item = Found<'a>> {
    let own = sub.text("pattern").map(|text| Found { text, key: None });
    let names = sub.get("patternProperties").into_iter();
    let names = names.flat_map(View::members).map(|(key, _)| Found {
        text: key.text(),
        key: Some(key.view()),
    });
    own.into_iter().chain(names)
}

/// The location of a pattern.
fn place<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, key: Option<View<'a>>) -> Place {
    let Some(key) = key else {
        return tool.at(sub, "pattern");
    };
    let mut place = tool.at(sub, "patternProperties");
    place.span = span(key);
    place
}

fn matches_all<'a>(tool: &Tool<'a>, text: &'a str) -> bool {
    let asserts = ["^", "$", "(?=", "(?!", "(?<", "\\b", "\\B"]
        .iter()
        .any(|one| text.contains(one));
    let mut fuel = 10_000;
    !asserts
        && tool
            .pattern(text)
            .and_then(|pattern| pattern.matches("", &mut fuel))
            == Some(true)
}

/// Whether a literal must come before a `^` or after a `$`, or a class is empty.
fn is_dead(text: &str) -> bool {
    let inner = |range| text.as_bytes().get(range).unwrap_or_default();
    let (begins, ends) = (inner(1..text.len()), inner(0..text.len().saturating_sub(1)));
    let has_empty_class = || text.as_bytes().windows(2).any(|pair| pair == b"[]");
    if !begins.contains(&b'^') && !ends.contains(&b'$') && !has_empty_class() {
        return false;
    }
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied();
    let optional = |index: usize| matches!(at(index), Some('?' | '*' | '{'));
    if chars.contains(&'|') || text.contains("(?") {
        return false;
    }
    let mut index = 0;
    let mut literal_before = false;
    let mut depth = 0_usize;
    while let Some(c) = at(index) {
        match c {
            '\\' => {
                index = index.saturating_add(1);
                literal_before =
                    !matches!(at(index), Some('b' | 'B')) && !optional(index.saturating_add(1));
            }
            '[' => {
                let empty = at(index.saturating_add(1)) == Some(']');
                while at(index).is_some_and(|c| c != ']') {
                    index = index.saturating_add(if at(index) == Some('\\') { 2 } else { 1 });
                }
                let required = !optional(index.saturating_add(1));
                if empty && required && depth == 0 {
                    return true;
                }
                literal_before = required;
            }
            '(' => {
                depth = depth.saturating_add(1);
                literal_before = false;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                literal_before = false;
            }
            '^' if literal_before && depth == 0 => return true,
            '$' if depth == 0 => {
                let next = index.saturating_add(1);
                let literal = at(next).is_some_and(|c| c.is_alphanumeric() || "-_/@ ".contains(c));
                if literal && !optional(index.saturating_add(2)) {
                    return true;
                }
                literal_before = false;
            }
            '^' | '$' | '*' | '?' | '{' | '+' | '}' => {}
            _ => literal_before = depth == 0 && !optional(index.saturating_add(1)),
        }
        index = index.saturating_add(1);
    }
    false
}

fn known(name: &str) -> bool {
    Format::from_name(name).is_some()
        || NumberFormat::from_name(name).is_some()
        || OPENAPI.contains(&name)
}

fn meant(tool: &Tool<'_>, name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "datetime" | "date_time" | "timestamp" | "iso8601" | "iso-8601" | "rfc3339" => {
            Some("date-time")
        }
        "url" | "http-url" | "uri_reference" => Some("uri"),
        "guid" | "uuid4" | "uuidv4" => Some("uuid"),
        "e-mail" | "mail" => Some("email"),
        "ip" | "ip4" => Some("ipv4"),
        "ip6" => Some("ipv6"),
        "host" => Some("hostname"),
        "regexp" => Some("regex"),
        _ => tool.closest(name, Format::ALL.map(Format::name)),
    }
}

/// Quantifiers that together multiply the number of ways to match only a little.
const FEW_QUANTIFIERS: usize = 4;
/// The length of a string, in characters, for which exponential time is not long.
const SHORT: i64 = 20;

/// Formats of the OpenAPI registry that are not checked.
const OPENAPI: [&str; 8] = [
    "binary",
    "byte",
    "password",
    "decimal",
    "char",
    "html",
    "markdown",
    "media-range",
];

#[cfg(test)]
mod tests {
    use toolsure_pattern::{Limits, Pattern};

    use super::*;

    /// All patterns with a few elements: no exponential one is missed.
    #[test]
    fn a_pattern_that_needs_no_closer_look_is_not_exponential() {
        const PIECES: [&str; 14] = [
            "a", "[ab]", "a*", "[^b]+", "a?", "(?:a|b)", "(a+)", "|", "(?=.*a)", "a{2,9}", "^",
            "$", r"\w+", "a{0,400}",
        ];
        let mut simple = 0;
        for number in 0..PIECES.len().pow(4) {
            let pieces =
                (0..4).map(|place| PIECES[number / PIECES.len().pow(place) % PIECES.len()]);
            let text: String = pieces.collect();
            if may_be_exponential(&text) {
                continue;
            }
            simple += 1;
            if let Ok(pattern) = Pattern::new(&text, &Limits::default()) {
                assert_ne!(pattern.hazard(), Hazard::Exponential, "{text}");
            }
        }
        assert!(simple > 10_000, "{simple}");
        for text in [
            "(a+)+",
            "(?:a|a)*",
            "(a?){9}",
            "a?a?a?a?a?aaaaa",
            r"(.)\1",
            r"(?<x>a*)\k<x>",
        ] {
            assert!(may_be_exponential(text), "{text}");
        }
    }
}
