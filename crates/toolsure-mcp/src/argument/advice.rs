//! What the notation recommends: a description in full sentences, typed elements, and one way to
//! write arrays in each shape.

use toolsure_json::{Kind, Node as _, View};

use super::diagnosis::Severity;
use super::error::SchemaErrorKind;
use super::field::{ArgumentType, Rule};
use super::read::Reading;

impl Reading<'_> {
    /// Notes which recommendations a property does not follow.
    pub(super) fn advise(&mut self, schema: View<'_>, rule: &Rule) {
        let description = schema.member("description");
        match description.filter(|text| text.kind() == Kind::String) {
            Some(text) => {
                if let Some(advice) = on_description(text.string()) {
                    self.advise_on(text, advice);
                }
            }
            None if description.is_none() => self.advise_on(schema, UNDESCRIBED),
            None => {}
        }
        let mut list = rule.list.as_deref();
        while let Some(inner) = list {
            if inner.element.kind.is_none() {
                self.advise_on(schema, UNTYPED);
            }
            list = inner.element.list.as_deref();
        }
        // An array of a type that is not itself `array` is written with `isArray`.
        if let Some(flag) = schema.member("isArray").filter(|flag| flag.boolean())
            && self.schema_like
            && rule.kind == Some(ArgumentType::Array)
        {
            self.advise_on(flag, IS_ARRAY);
        }
    }

    fn advise_on(&mut self, at: View<'_>, advice: &'static str) {
        self.tell(Severity::Note, at, || SchemaErrorKind::Advice(advice));
    }
}

fn on_description(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let Some(last) = text.chars().next_back() else {
        return Some(UNDESCRIBED);
    };
    if first_sentence(text).chars().count() > SUMMARY_CHARS {
        return Some(LONG);
    }
    last.is_alphanumeric().then_some(NO_SENTENCE)
}

/// The text up to the first full stop that is followed by a space, or is wide.
fn first_sentence(text: &str) -> &str {
    let mut ends = text.char_indices().filter(|(at, end)| {
        let after = text.get(at + end.len_utf8()..).unwrap_or_default();
        match end {
            '.' | '!' | '?' => after.is_empty() || after.starts_with(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => false,
        }
    });
    let end = ends
        .next()
        .map_or(text.len(), |(at, end)| at + end.len_utf8());
    text.get(..end).unwrap_or(text)
}

/// The recommended maximum length of the first sentence of a description, in characters.
const SUMMARY_CHARS: usize = 80;

const UNDESCRIBED: &str = "a `description` is recommended";
const LONG: &str =
    "the first sentence of a description should say the purpose in at most 80 characters";
const NO_SENTENCE: &str = "a description should be in full sentences, each with its full stop";
const UNTYPED: &str =
    "without `items.type`, or a `type` beside `isArray`, elements may be anything";
const IS_ARRAY: &str = "beside `properties`, `\"type\": \"array\"` with `items` is recommended over `isArray`; \
     then the schema is also JSON Schema";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_held_to_the_style_at_its_bound() {
        let purpose = |letters: usize| format!("{}. {}", "p".repeat(letters), "d".repeat(200));
        for (text, advice) in [
            (
                "Primary search query string. Minimum length 3 characters.".to_owned(),
                None,
            ),
            (
                "Confidence thresholds applied per model stage (0.0 – 1.0).".to_owned(),
                None,
            ),
            ("検索語。".to_owned(), None),
            (format!("{}.", purpose(79)), None),
            (format!("{}.", purpose(80)), Some(LONG)),
            ("search words".to_owned(), Some(NO_SENTENCE)),
            ("  ".to_owned(), Some(UNDESCRIBED)),
        ] {
            assert_eq!(on_description(&text), advice, "{text}");
        }
    }
}
