//! Text for people in ASCII, for locales that have no other characters.

use std::borrow::Cow;

/// Whether the locale that the environment names has only ASCII for us: `C`, `POSIX`, or a charset
/// other than UTF-8. Without a locale, as in most containers, it does not say so.
pub(crate) fn is_locale(variable: impl Fn(&str) -> Option<String>) -> bool {
    let mut names = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let locale = names.find_map(|name| variable(name).filter(|value| !value.is_empty()));
    let Some(locale) = locale else { return false };
    let locale = locale.split('@').next().unwrap_or_default();
    match locale.split_once('.') {
        Some((_, charset)) => !charset.replace('-', "").eq_ignore_ascii_case("utf8"),
        None => matches!(locale, "C" | "POSIX"),
    }
}

/// The text with ASCII in place of other characters, mostly one column for each.
pub(crate) fn of(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '…' => shown.push_str("..."),
            '→' => shown.push_str("->"),
            '–' | '—' | '−' | '─' => shown.push('-'),
            '×' => shown.push('x'),
            '·' | '•' => shown.push('*'),
            '≤' => shown.push_str("<="),
            '≥' => shown.push_str(">="),
            '\u{a0}' | '\u{202f}' => shown.push(' '),
            '\u{2018}' | '\u{2019}' => shown.push('\''),
            '\u{201c}' | '\u{201d}' => shown.push('"'),
            c if c.is_ascii() => shown.push(c),
            c => shown.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_names_the_locale() {
        for (all, ctype, lang, ascii) in [
            ("C", "", "en_US.UTF-8", true),
            ("POSIX", "", "", true),
            ("", "C", "en_US.UTF-8", true),
            ("", "", "C", true),
            ("", "", "en_US.ISO-8859-1", true),
            ("", "", "", false),
            ("C.UTF-8", "C", "C", false),
            ("", "", "de_DE.utf8@euro", false),
            ("", "", "de_DE", false),
        ] {
            let variable = |name: &str| {
                let values = [("LC_ALL", all), ("LC_CTYPE", ctype), ("LANG", lang)];
                let value = values.iter().find(|(known, _)| *known == name);
                value.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(is_locale(variable), ascii, "{all} {ctype} {lang}");
        }
    }

    #[test]
    fn other_characters_are_written_in_ascii() {
        assert_eq!(of("a … b → ü\u{1f600}"), "a ... b -> \\u{fc}\\u{1f600}");
        assert!(matches!(of("plain"), Cow::Borrowed(_)));
    }
}
