//! Words: wrapped on lines of a bounded width, and counted.

/// Wraps a text at spaces; a word that is longer than a line is left whole.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::new();
    let mut width = 0_usize;
    for word in text.split(' ') {
        let length = console::measure_text_width(word);
        if !current.is_empty() && width.saturating_add(length).saturating_add(1) > room {
            lines.push(std::mem::take(&mut current));
            width = 0;
        }
        if !current.is_empty() {
            current.push(' ');
            width = width.saturating_add(1);
        }
        current.push_str(word);
        width = width.saturating_add(length);
    }
    lines.push(current);
    lines
}

/// `1 line`, `2 lines`.
pub(crate) fn count(number: impl Into<u64>, what: &str) -> String {
    match number.into() {
        1 => format!("1 {what}"),
        many => format!("{many} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_wrapped_and_long_words_left_whole() {
        assert_eq!(wrap("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrap("aaaaaaaa b", 4), ["aaaaaaaa", "b"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
