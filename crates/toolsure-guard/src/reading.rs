//! Parses JSON text that is passed on as received, whatever it contains.

use std::borrow::Cow;
use std::time::Duration;

use toolsure_json::{DuplicateKeys, Node as _, OwnedDocument, ReadError, ReadLimits, Reader, View};
use toolsure_mcp::message::Message;

/// Replaces every escape that is half a surrogate pair by `\ufffd`: all readers can parse such text. It
/// has as many bytes, so all positions stay the same.
#[must_use]
pub fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    // A surrogate's escape begins with `\ud` or `\uD`.
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    whole_characters(text, &mut out, &mut |_, out| out.push_str(STAND_IN));
    Cow::Owned(out)
}

/// Puts the halves of surrogate pairs back into `rewritten`, which `rewrite` has made from `original` with
/// a stand-in for each of them. To find out where each half belongs, the text is rewritten once more with
/// another mark for each half. `None` if that is not possible.
pub(crate) fn with_lone_surrogates(
    original: &str,
    rewritten: String,
    rewrite: impl FnOnce(&str) -> Option<String>,
) -> Option<String> {
    let lower = original.to_ascii_lowercase();
    let is_free = |mark: &char| {
        let escape = format!("u{:04x}", u32::from(*mark));
        !original.contains(*mark) && !lower.contains(&escape)
    };
    let mut free = ('\u{e000}'..='\u{f8ff}').filter(is_free);
    let mut halves = Vec::new();
    let mut marked = String::with_capacity(original.len());
    whole_characters(original, &mut marked, &mut |half, marked| {
        let mark = free.next().unwrap_or_default();
        marked.push_str(&escaped(mark));
        if halves.len() <= MOST_HALVES {
            halves.push((mark, half.to_owned()));
        }
    });
    if halves.is_empty() {
        return Some(rewritten);
    }
    if halves.len() > MOST_HALVES || halves.iter().any(|(mark, _)| *mark == char::default()) {
        return None;
    }
    let (mut plain, mut whole) = (rewrite(&marked)?, String::new());
    whole.push_str(&plain);
    for (mark, half) in halves {
        let escape = escaped(mark);
        plain = plain.replace(&escape, STAND_IN).replace(mark, "\u{fffd}");
        whole = whole.replace(&escape, &half).replace(mark, &half);
    }
    (plain == rewritten).then_some(whole)
}

fn escaped(character: char) -> String {
    format!("\\u{:04x}", u32::from(character))
}

/// Replaces every escape in a message that is half a surrogate pair by `\ufffd`, so that a page of
/// tools loses no tool because of one. It has as many bytes, so all positions stay the same.
pub(crate) fn whole_message(message: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(message).map(replace_lone_surrogates) {
        Ok(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
        Ok(Cow::Borrowed(_)) | Err(_) => Cow::Borrowed(message),
    }
}

/// JSON text that is parsed for its subject and passed on as received, whatever it contains. Of equal
/// members the last counts, half a surrogate pair is U+FFFD, and there are no limits except the size of
/// the text, which the caller has bounded.
#[derive(Clone, Debug)]
pub struct OwnedReading {
    document: OwnedDocument,
    /// The original text, if a substitute was parsed.
    original: Option<String>,
}

impl OwnedReading {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// The parser's error, if the text is not JSON.
    pub fn read(text: impl Into<Vec<u8>>) -> Result<Self, ReadError> {
        let text = text.into();
        let stand_in = match std::str::from_utf8(&text).map(replace_lone_surrogates) {
            Ok(Cow::Owned(stand_in)) if stand_in.as_bytes() != text => Some(stand_in),
            _ => None,
        };
        let Some(stand_in) = stand_in else {
            return Ok(Self {
                document: OwnedDocument::read(text, &generous())?,
                original: None,
            });
        };
        Ok(Self {
            document: OwnedDocument::read(stand_in, &generous())?,
            original: String::from_utf8(text).ok(),
        })
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> View<'_> {
        self.document.document().root()
    }

    /// The original text. All positions in the document are the same in it.
    #[must_use]
    pub fn text(&self) -> &str {
        let document = self.document.document();
        self.original.as_deref().unwrap_or(document.source())
    }

    /// The original text of one value.
    #[must_use]
    pub fn raw(&self, view: View<'_>) -> &str {
        let span = view.span();
        self.text().get(span.start..span.end).unwrap_or_default()
    }
}

/// Parses one message for its envelope, as [`OwnedReading`] does, and calls `of` with it and the
/// original text; `None` if it is not a message.
pub fn read_message<T>(message: &[u8], of: impl FnOnce(Message<'_>, &str) -> T) -> Option<T> {
    let text = std::str::from_utf8(message).ok()?;
    let stand_in = replace_lone_surrogates(text);
    let mut reader = Reader::new();
    let document = reader.read(stand_in.as_bytes(), &generous()).ok()?;
    let message = Message::decode(document.root()).ok()?;
    Some(of(message, text))
}

/// How long a result may be cached (`ttlMs`; 2026-07-28, server/utilities/caching).
pub(crate) fn time_to_live(result: View<'_>) -> Duration {
    let ttl = result.member("ttlMs").and_then(|ttl| ttl.number().as_i64());
    Duration::from_millis(ttl.and_then(|ttl| u64::try_from(ttl).ok()).unwrap_or(0))
}

/// No limits, because the envelope is read whatever the message contains; its contents are checked
/// elsewhere.
pub(crate) fn generous() -> ReadLimits {
    ReadLimits {
        bytes: usize::MAX,
        depth: usize::MAX,
        nodes: usize::MAX,
        digits: usize::MAX,
        duplicate_keys: DuplicateKeys::KeepLast,
    }
}

/// The same for a message that just arrived, but the reader reports duplicate members.
pub(crate) fn strict() -> ReadLimits {
    ReadLimits {
        duplicate_keys: DuplicateKeys::Refuse,
        ..generous()
    }
}

/// Copies JSON text. Every escape that is half a surrogate pair is passed to `half`, which writes another
/// one in its place.
fn whole_characters(text: &str, out: &mut String, half: &mut dyn FnMut(&str, &mut String)) {
    let mut stand_in = |tail: &str, out: &mut String| {
        half(tail.get(..6).unwrap_or_default(), out);
        6
    };
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let taken = match unit(tail) {
            Some(0xd800..=0xdbff) => match tail.get(6..).and_then(unit) {
                Some(0xdc00..=0xdfff) => copy(tail, 12, out),
                _ => stand_in(tail, out),
            },
            Some(0xdc00..=0xdfff) => stand_in(tail, out),
            Some(_) => copy(tail, 6, out),
            // An escape of one character, or an invalid one that the reader refuses.
            None => {
                let second = tail.chars().nth(1).map_or(0, char::len_utf8);
                copy(tail, 1 + second, out)
            }
        };
        rest = tail.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
}

fn copy(text: &str, length: usize, out: &mut String) -> usize {
    out.push_str(text.get(..length).unwrap_or(text));
    length
}

/// The code unit of the `\u` escape that a text begins with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// What is read in place of half a surrogate pair.
const STAND_IN: &str = "\\ufffd";
/// The maximum number of halves that are put back into rewritten text.
const MOST_HALVES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_pairs_have_a_stand_in_of_their_length() {
        for (text, expected) in [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\ud83d\n""#, r#""\ufffd\n""#),
            (r#""\u00e9é\é""#, r#""\u00e9é\é""#),
            (r#""\u12""#, r#""\u12""#),
            (r#"\"#, r#"\"#),
        ] {
            let mut out = String::new();
            whole_characters(text, &mut out, &mut |_, out| out.push_str(STAND_IN));
            assert_eq!(out, expected, "{text}");
            assert_eq!(out.len(), text.len());
        }
    }

    #[test]
    fn halves_are_put_back_where_they_were() {
        let back = |original: &str, rewrite: &dyn Fn(&str) -> String| {
            let rewritten = rewrite(&replace_lone_surrogates(original));
            with_lone_surrogates(original, rewritten, |text| Some(rewrite(text)))
        };
        let original = r#"["\ud83d","\ufffd","\uDE00","\ud83d\ude00","\ue000\ue001"]"#;
        assert_eq!(
            back(original, &|text| text.replace(',', ", ")).unwrap(),
            original.replace(',', ", ")
        );
        // The other way round, and as characters instead of escapes.
        let pair = r#"["\ud83d","\ude00"]"#;
        let turned = |text: &str| {
            let value: Vec<String> = serde_json::from_str(text).unwrap();
            format!(r#"["{}","{}"]"#, value[1], value[0])
        };
        assert_eq!(back(pair, &turned).unwrap(), r#"["\ude00","\ud83d"]"#);
        // A rewriting that depends on what the halves are.
        let fickle = |text: &str| match text.contains("ufffd") {
            true => "[1]".to_owned(),
            false => "[2]".to_owned(),
        };
        assert_eq!(back(pair, &fickle), None);
        let many = format!("[{}\"\"]", r#""\ud83d","#.repeat(MOST_HALVES + 1));
        assert_eq!(back(&many, &str::to_owned), None);
    }

    #[test]
    fn a_text_is_kept_as_it_came() {
        for text in [
            r#"{"a":["\ud83d",1],"a":2}"#,
            r#"{"a":["\u00e9",1]}"#,
            "[1]",
        ] {
            let reading = OwnedReading::read(text).unwrap();
            assert_eq!(reading.text(), text);
            assert_eq!(reading.raw(reading.root()), text);
        }
        let half = OwnedReading::read(r#"["\ud83d"]"#).unwrap();
        let item = half.root().items().next().unwrap();
        assert_eq!(item.string(), "\u{fffd}");
        assert_eq!(half.raw(item), r#""\ud83d""#);
        assert!(OwnedReading::read(r#"["\ud83d""#).is_err());
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\ud83d"}}"#;
        let seen = read_message(text.as_bytes(), |message, raw| match message {
            Message::Request(request) => {
                (request.params.map(|it| it.raw().to_owned()), raw.to_owned())
            }
            _ => panic!("{raw}"),
        });
        let params = Some(r#"{"a":"\ufffd"}"#.to_owned());
        assert_eq!(seen, Some((params, text.to_owned())));
    }
}
