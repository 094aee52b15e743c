//! For tests: different strings with one hash, as hostile input would have them.

use crate::hash::{colliding_second_word, hash_bytes};

/// Makes `count` different strings of 24 ASCII characters with the same 64-bit hash.
pub(crate) fn texts(count: usize) -> Vec<String> {
    let texts: Vec<String> = (0_u64..)
        .filter_map(|number| {
            let first = format!("{number:08}");
            let second = colliding_second_word(first.as_bytes().try_into().unwrap());
            let second = String::from_utf8(second.to_vec()).ok()?;
            second.is_ascii().then(|| first + &second + "the same")
        })
        .take(count)
        .collect();
    let first = hash_bytes(texts[0].as_bytes());
    assert!(
        texts
            .iter()
            .all(|text| hash_bytes(text.as_bytes()) == first)
    );
    texts
}

/// A JSON string with this value, escaped as far as necessary.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' | '\0'..='\u{1f}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
