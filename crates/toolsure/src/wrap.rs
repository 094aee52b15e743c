//! Wraps text to a width, and writes counts with their nouns.

/// Wraps a text at spaces. A word that is longer than a line, such as a path or a JSON pointer, is
/// broken after slashes only.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::new();
    let mut width = 0_usize;
    for word in text.split(' ') {
        let is_long = console::measure_text_width(word) > room;
        let parts = match is_long {
            true => word.split_inclusive('/').collect(),
            false => vec![word],
        };
        for (index, part) in parts.into_iter().enumerate() {
            let length = console::measure_text_width(part);
            let space = usize::from(index == 0);
            if !current.is_empty() && width.saturating_add(length).saturating_add(space) > room {
                lines.push(std::mem::take(&mut current));
                width = 0;
            }
            if !current.is_empty() && index == 0 {
                current.push(' ');
                width = width.saturating_add(1);
            }
            current.push_str(part);
            width = width.saturating_add(length);
        }
    }
    lines.push(current);
    lines
}

/// Wraps a line for a terminal with this many columns; continuation lines are indented further.
/// Without columns, or if it fits, the line is unchanged.
pub(crate) fn hang(line: &str, columns: Option<usize>) -> String {
    let indent = line.len().saturating_sub(line.trim_start().len());
    match columns {
        Some(columns) if console::measure_text_width(line) > columns => {
            let hang = indent.saturating_add(HANG);
            let lines = wrap(line.trim_start(), columns.saturating_sub(hang));
            let before = " ".repeat(indent);
            let between = format!("\n{}", " ".repeat(hang));
            format!("{before}{}", lines.join(&between))
        }
        _ => line.to_owned(),
    }
}

/// Additional columns of indentation of a continuation line.
const HANG: usize = 2;

/// `1 line`, `2 lines`, `2 fixes`.
pub(crate) fn count(number: impl Into<u64>, what: &str) -> String {
    match number.into() {
        1 => format!("1 {what}"),
        many if what.ends_with('x') => format!("{many} {what}es"),
        many => format!("{many} {what}s"),
    }
}

/// Like [`count`], for a `usize`.
pub(crate) fn count_of(number: usize, what: &str) -> String {
    count(u64::try_from(number).unwrap_or(u64::MAX), what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_goes_on_is_further_in() {
        assert_eq!(hang("  aa bb cc", Some(7)), "  aa\n    bb\n    cc");
        assert_eq!(hang("  aa bb cc", Some(10)), "  aa bb cc");
        assert_eq!(hang("  aa bb cc", None), "  aa bb cc");
    }

    #[test]
    fn long_texts_are_wrapped_and_long_words_left_whole() {
        assert_eq!(wrap("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrap("aaaaaaaa b", 4), ["aaaaaaaa", "b"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("at /a/bbb/c d", 4), ["at /", "a/", "bbb/", "c d"]);
    }
}
