//! JSON text that is safe to show on a terminal.

use std::fmt::Write as _;

/// Escapes the characters in JSON text, DEL and above, that act on a terminal or are invisible.
pub(crate) fn harmless(json: &str) -> String {
    if json.bytes().all(|byte| byte < 0x7f) {
        return json.to_owned();
    }
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        let acts = matches!(c, '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
        if acts {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _infallible = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn what_acts_on_a_terminal_is_escaped_and_reads_back() {
        for value in [
            "\u{1b}[31m\u{9b}1m\u{202e}ü漢\u{e0041}",
            "\u{7f}",
            "\u{1b}plain",
        ] {
            let text = harmless(&serde_json::Value::from(value).to_string());
            assert!(
                text.chars().all(|c| !c.is_control() && c != '\u{202e}'),
                "{text}"
            );
            assert_eq!(text.contains('漢'), value.contains('漢'));
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), value);
        }
    }
}
