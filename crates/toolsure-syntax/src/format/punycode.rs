//! Punycode (RFC 3492) for one label, in fixed memory.

use super::domain::MAX_LABEL;

/// The characters of one label, at most as many as an encoded label can hold.
#[derive(Clone, Copy)]
pub(super) struct Label {
    chars: [char; MAX_LABEL],
    len: usize,
}

impl Label {
    /// The characters of `text`; `None` if there are too many for a label.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let mut label = Self::empty();
        for c in text.chars() {
            label.insert(label.len, c)?;
        }
        Some(label)
    }

    /// Decodes `encoded` (RFC 3492 section 6.2), which has no prefix and is in lower case; `None`
    /// if it is invalid. A label has one encoding, so [`encode`](Self::encode) turns the result
    /// back into `encoded`.
    pub(super) fn decode(encoded: &str) -> Option<Self> {
        let (basic, extended) = match encoded.rsplit_once('-') {
            // The delimiter is written only after basic characters.
            Some(("", _)) => return None,
            Some(parts) => parts,
            None => ("", encoded),
        };
        let mut label = Self::from_text(basic).filter(|_| encoded.is_ascii())?;
        let mut digits = extended.bytes();
        let (mut code, mut at, mut bias) = (FIRST_CODE, 0_u32, FIRST_BIAS);
        while digits.len() > 0 {
            let start = at;
            let (mut weight, mut k) = (1_u32, BASE);
            loop {
                let digit = digit_value(digits.next()?)?;
                at = at.checked_add(digit.checked_mul(weight)?)?;
                let threshold = threshold(k, bias);
                if digit < threshold {
                    break;
                }
                weight = weight.checked_mul(BASE - threshold)?;
                k += BASE;
            }
            let points = u32::try_from(label.len).ok()? + 1;
            bias = adapt(at - start, points, start == 0);
            code = code.checked_add(at / points)?;
            at %= points;
            label.insert(usize::try_from(at).ok()?, char::from_u32(code)?)?;
            at += 1;
        }
        Some(label)
    }

    /// Encodes the label (RFC 3492 section 6.3), without a prefix; `None` if the result is longer
    /// than a label may be.
    pub(super) fn encode(&self) -> Option<Encoded> {
        let mut encoded = Encoded {
            bytes: [0; MAX_LABEL],
            len: 0,
        };
        for c in self.as_slice().iter().filter(|c| c.is_ascii()) {
            encoded.push(u8::try_from(*c).ok()?)?;
        }
        let basic = u32::try_from(encoded.len).ok()?;
        if basic > 0 {
            encoded.push(b'-')?;
        }
        let (mut code, mut delta, mut bias, mut done) = (FIRST_CODE, 0_u32, FIRST_BIAS, basic);
        while let Some(next) = self.codes().filter(|c| *c >= code).min() {
            delta = delta.checked_add((next - code).checked_mul(done + 1)?)?;
            code = next;
            for c in self.codes() {
                if c < code {
                    delta = delta.checked_add(1)?;
                } else if c == code {
                    encoded.push_number(delta, bias)?;
                    bias = adapt(delta, done + 1, done == basic);
                    delta = 0;
                    done += 1;
                }
            }
            delta = delta.checked_add(1)?;
            code += 1;
        }
        Some(encoded)
    }

    /// The characters, in order.
    pub(super) fn as_slice(&self) -> &[char] {
        self.chars.get(..self.len).unwrap_or_default()
    }

    fn empty() -> Self {
        Self {
            chars: ['\0'; MAX_LABEL],
            len: 0,
        }
    }

    fn codes(&self) -> impl Iterator<Item = u32> {
        self.as_slice().iter().map(|c| u32::from(*c))
    }

    fn insert(&mut self, at: usize, c: char) -> Option<()> {
        let moved = self.chars.get_mut(at..=self.len)?;
        moved.rotate_right(1);
        *moved.first_mut()? = c;
        self.len += 1;
        Some(())
    }
}

/// An encoded label: ASCII letters, digits and hyphens.
pub(super) struct Encoded {
    bytes: [u8; MAX_LABEL],
    len: usize,
}

impl Encoded {
    /// The encoded text.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        *self.bytes.get_mut(self.len)? = byte;
        self.len += 1;
        Some(())
    }

    /// Appends a number, least significant digit first, each position with its own base.
    fn push_number(&mut self, number: u32, bias: u32) -> Option<()> {
        let (mut rest, mut k) = (number, BASE);
        loop {
            let threshold = threshold(k, bias);
            if rest < threshold {
                return self.push(digit_letter(rest)?);
            }
            let places = BASE - threshold;
            self.push(digit_letter(threshold + (rest - threshold) % places)?)?;
            rest = (rest - threshold) / places;
            k += BASE;
        }
    }
}

/// The bias for the next number (RFC 3492 section 6.1).
fn adapt(delta: u32, points: u32, first: bool) -> u32 {
    let mut delta = if first { delta / DAMP } else { delta / 2 };
    delta += delta / points;
    let mut k = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

/// The smallest digit at position `k` that does not end its number.
fn threshold(k: u32, bias: u32) -> u32 {
    k.saturating_sub(bias).clamp(T_MIN, T_MAX)
}

fn digit_value(digit: u8) -> Option<u32> {
    match digit {
        b'a'..=b'z' => Some(u32::from(digit - b'a')),
        b'A'..=b'Z' => Some(u32::from(digit - b'A')),
        b'0'..=b'9' => Some(u32::from(digit - b'0') + 26),
        _ => None,
    }
}

fn digit_letter(value: u32) -> Option<u8> {
    match u8::try_from(value).ok()? {
        letter @ 0..=25 => Some(b'a' + letter),
        digit @ 26..=35 => Some(b'0' + (digit - 26)),
        _ => None,
    }
}

// The parameters of RFC 3492 section 5.
const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST_CODE: u32 = 0x80;

#[cfg(test)]
mod tests {
    use super::{Label, MAX_LABEL};

    fn decoded(encoded: &str) -> Option<String> {
        Label::decode(encoded).map(|label| label.as_slice().iter().collect())
    }

    fn encoded(text: &str) -> Option<String> {
        let encoded = Label::from_text(text)?.encode()?;
        Some(String::from_utf8(encoded.as_bytes().to_vec()).unwrap())
    }

    #[test]
    fn encoding_and_decoding_are_each_other_reversed() {
        for (text, code) in [
            ("bücher", "bcher-kva"),
            ("straße", "strae-oqa"),
            ("παράδειγμα", "hxajbheg2az3al"),
            ("例え", "r8jz45g"),
            ("россия", "h1alffa9f"),
            ("日本・語", "vek160nb2acz6g"),
            ("ü", "tda"),
            ("üü", "tdaa"),
            ("", ""),
            ("abc", "abc-"),
            ("a-b", "a-b-"),
        ] {
            assert_eq!(encoded(text).as_deref(), Some(code), "{text}");
            assert_eq!(decoded(code).as_deref(), Some(text), "{code}");
        }
        for text in ["-ü-", "\u{10ffff}", "a\u{80}\u{10ffff}b", "🂡🂢"] {
            assert_eq!(
                encoded(text).and_then(|code| decoded(&code)).as_deref(),
                Some(text)
            );
        }
    }

    #[test]
    fn what_is_decoded_has_one_encoding() {
        let mut seen = 0;
        for length in 1..=4 {
            for number in 0..37_u32.pow(length) {
                let digit = |place| number / 37_u32.pow(place) % 37;
                let code: String = (0..length)
                    .map(|place| match super::digit_letter(digit(place)) {
                        Some(letter) => char::from(letter),
                        None => '-',
                    })
                    .collect();
                if let Some(label) = Label::decode(&code) {
                    let again = label.encode().unwrap();
                    assert_eq!(again.as_bytes(), code.as_bytes());
                    seen += 1;
                }
            }
        }
        assert!(seen > 100_000, "{seen}");
    }

    #[test]
    fn what_encodes_nothing_is_refused() {
        for code in [
            "9",
            "99999999",
            "zzzzzzzzzzzz",
            "é",
            "a b",
            "_",
            "tda_",
            "-tda",
            "-",
            "99999999999999999999999",
        ] {
            assert_eq!(decoded(code), None, "{code}");
        }
    }

    #[test]
    fn a_label_holds_what_its_name_says() {
        assert!(Label::from_text(&"ü".repeat(MAX_LABEL)).is_some());
        assert!(Label::from_text(&"ü".repeat(MAX_LABEL + 1)).is_none());
        assert!(encoded(&"ü".repeat(MAX_LABEL)).is_none());
        assert_eq!(
            decoded(&format!("{}-", "a".repeat(MAX_LABEL))),
            Some("a".repeat(MAX_LABEL))
        );
        assert_eq!(decoded(&format!("{}-", "a".repeat(MAX_LABEL + 1))), None);
    }
}
