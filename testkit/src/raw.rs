//! Splits JSON text into its parts without parsing the parts.
//!
//! Test material must reach every engine as it was written (`1.0` is not `1`, and a number of 400
//! digits is a number), so the loaders keep slices of the file instead of parsed values. The text
//! is assumed to be JSON; otherwise the functions stop early.

/// The items of a JSON array, each as its source text.
///
/// # Example
///
/// ```
/// use toolsure_testkit::raw;
///
/// assert_eq!(raw::items("[1.0, [2, {}], \"a]\"]"), ["1.0", "[2, {}]", "\"a]\""]);
/// ```
#[must_use]
pub fn items(array: &str) -> Vec<&str> {
    let Some(mut rest) = array.trim_start().strip_prefix('[') else {
        return Vec::new();
    };
    let mut found = Vec::new();
    while let Some((value, after)) = value(rest) {
        found.push(value);
        let Some(next) = after.trim_start().strip_prefix(',') else {
            break;
        };
        rest = next;
    }
    found
}

/// The members of a JSON object: the name (unescaped) and the value's source text.
///
/// # Example
///
/// ```
/// use toolsure_testkit::raw;
///
/// let members = raw::members("{\"a\\u0062\": 1e2, \"c\": {}}");
/// assert_eq!(members, [("ab".to_owned(), "1e2"), ("c".to_owned(), "{}")]);
/// ```
#[must_use]
pub fn members(object: &str) -> Vec<(String, &str)> {
    let Some(mut rest) = object.trim_start().strip_prefix('{') else {
        return Vec::new();
    };
    let mut found = Vec::new();
    while let Some((name, after)) = value(rest) {
        let Some(after) = after.trim_start().strip_prefix(':') else {
            break;
        };
        let Some((value, after)) = value(after) else {
            break;
        };
        found.push((string(name), value));
        let Some(next) = after.trim_start().strip_prefix(',') else {
            break;
        };
        rest = next;
    }
    found
}

/// The source text of the member with this name.
#[must_use]
pub fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    members(object)
        .into_iter()
        .find_map(|(found, value)| (found == name).then_some(value))
}

/// The value of a JSON string; `""` for anything else.
#[must_use]
pub fn string(text: &str) -> String {
    serde_json::from_str(text).unwrap_or_default()
}

/// Splits the first value from the rest of `text`.
fn value(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    in_string = false;
                    if depth == 0 {
                        return text.split_at_checked(at + 1);
                    }
                }
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => return end_of_scalar(text, at),
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return text.split_at_checked(at + 1);
                }
            }
            b',' | b':' if depth == 0 => return end_of_scalar(text, at),
            _ => {}
        }
    }
    let end = text.trim_end().len();
    end_of_scalar(text, end)
}

fn end_of_scalar(text: &str, at: usize) -> Option<(&str, &str)> {
    let (value, rest) = text.split_at_checked(at)?;
    let value = value.trim_end();
    (!value.is_empty()).then_some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_containers_have_no_parts() {
        assert!(items(" [ ] ").is_empty());
        assert!(members("{ }").is_empty());
        assert!(items("").is_empty());
    }

    #[test]
    fn strings_hide_what_they_hold() {
        assert_eq!(items(r#"["\"],", 1 ]"#), [r#""\"],""#, "1"]);
        assert_eq!(member(r#"{"a":"}","b": [1 ,2] }"#, "b"), Some("[1 ,2]"));
    }
}
