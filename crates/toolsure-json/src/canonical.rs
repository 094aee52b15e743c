//! JSON values as text that depends on nothing but the value.

use crate::{Items, Key as _, Kind, Node as _, Number, View, push_json_string};

/// The canonical form of a value (JSON Canonicalization Scheme, RFC 8785): members sorted by the UTF-16 code units of their
/// names, numbers as ECMAScript writes the nearest double, strings with the shortest escapes, no whitespace. `None` if a number is
/// beyond the range of a double (`1e400`), because it has no such form.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits, canonical_json};
///
/// let document = OwnedDocument::read(r#"{ "b": 1e1, "a": ["\u00e9"] }"#, &ReadLimits::default())?;
/// let canonical = canonical_json(document.document().root());
/// assert_eq!(canonical.as_deref(), Some(r#"{"a":["é"],"b":10}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn canonical_json(value: View<'_>) -> Option<String> {
    let mut writer = Writer::new(Numbers::Doubles);
    writer.value(value);
    writer.run();
    (!writer.too_large).then_some(writer.out)
}

/// The canonical form of an object with these members, except that its numbers keep their exact values: two objects have the same
/// text only if they are equal, as JSON Schema compares values.
#[must_use]
pub fn exact_object<'a>(members: impl IntoIterator<Item = (&'a str, View<'a>)>) -> String {
    let mut writer = Writer::new(Numbers::Exact);
    writer.open_members(members.into_iter().collect());
    writer.run();
    writer.out
}

enum Numbers {
    Doubles,
    Exact,
}

/// Writes a value; it keeps its own stack, because values are untrusted.
struct Writer<'a> {
    out: String,
    open: Vec<Frame<'a>>,
    numbers: Numbers,
    /// A number exceeds the range of a double.
    too_large: bool,
}

enum Frame<'a> {
    /// Remaining members, the next one last.
    Members(Vec<(&'a str, View<'a>)>),
    Items(Items<'a>),
}

impl<'a> Writer<'a> {
    fn new(numbers: Numbers) -> Self {
        Self {
            out: String::new(),
            open: Vec::new(),
            numbers,
            too_large: false,
        }
    }

    fn run(&mut self) {
        while let Some(frame) = self.open.last_mut() {
            let (next, end) = match frame {
                Frame::Members(members) => {
                    let next = members.pop().map(|(name, value)| (Some(name), value));
                    (next, '}')
                }
                Frame::Items(items) => (items.next().map(|value| (None, value)), ']'),
            };
            let Some((name, value)) = next else {
                self.open.pop();
                self.out.push(end);
                continue;
            };
            if !self.out.ends_with(['{', '[']) {
                self.out.push(',');
            }
            if let Some(name) = name {
                push_json_string(&mut self.out, name);
                self.out.push(':');
            }
            self.value(value);
        }
    }

    fn value(&mut self, value: View<'a>) {
        match value.kind() {
            Kind::Object => {
                let members = value.members();
                self.open_members(members.map(|(key, value)| (key.text(), value)).collect());
            }
            Kind::Array => {
                self.out.push('[');
                self.open.push(Frame::Items(value.items()));
            }
            Kind::String => push_json_string(&mut self.out, value.string()),
            Kind::Number => self.number(value),
            Kind::Boolean | Kind::Null => self.out.push_str(value.raw()),
        }
    }

    fn open_members(&mut self, mut members: Vec<(&'a str, View<'a>)>) {
        members.sort_unstable_by(|(left, _), (right, _)| {
            right.encode_utf16().cmp(left.encode_utf16())
        });
        self.out.push('{');
        self.open.push(Frame::Members(members));
    }

    fn number(&mut self, value: View<'_>) {
        let exact = value.number();
        let number = match self.numbers {
            Numbers::Exact => exact,
            Numbers::Doubles => match value.raw().parse::<f64>() {
                Ok(double) if double.is_finite() => Number::from_f64(double),
                _ => {
                    self.too_large = true;
                    exact
                }
            },
        };
        let text = number.to_string();
        // ECMAScript writes the sign of every exponent.
        match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => {
                self.out.extend([digits, "e+", exponent]);
            }
            _ => self.out.push_str(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OwnedDocument, ReadLimits};

    fn canonical(text: &str) -> Option<String> {
        let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        canonical_json(document.document().root())
    }

    fn exact(text: &str) -> String {
        let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        exact_object([("x", document.document().root())])
    }

    /// The doubles of RFC 8785, appendix B, and the numbers of its section 3.2.3.
    #[test]
    fn numbers_are_as_ecmascript_writes_them() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbece_cb4c_71c0_7a5f, "-0.0000036704"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            let double = f64::from_bits(bits);
            // Rust writes so many digits that the text has the same value.
            for written in [format!("{double}"), format!("{double:e}")] {
                if bits != 0xbece_cb4c_71c0_7a5f {
                    assert_eq!(canonical(&written).as_deref(), Some(expected), "{written}");
                }
            }
        }
        let text = "[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0, -0.0, 1e-400]";
        let expected = "[333333333.3333333,1e+30,4.5,0.002,1e-27,0,0,0]";
        assert_eq!(canonical(text).as_deref(), Some(expected));
        assert_eq!(canonical("[1, 1e400]"), None);
    }

    #[test]
    fn members_are_sorted_by_utf16_and_strings_have_short_escapes() {
        // A private-use character sorts behind an emoji, whose first code unit is a surrogate.
        let text = "{\"\u{e000}\":1,\"😀\":2,\"\":3,\"a\":{\"c\":[],\"b\":{}},\"é\":[[],{}, null,true],\"\\r\":4}";
        let expected = "{\"\":3,\"\\r\":4,\"a\":{\"b\":{},\"c\":[]},\"é\":[[],{},null,true],\"😀\":2,\"\u{e000}\":1}";
        assert_eq!(canonical(text).as_deref(), Some(expected));
        let text = r#""\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\b\f\t\u007f\u2028""#;
        let expected = "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\\b\\f\\t\u{7f}\u{2028}\"";
        assert_eq!(canonical(text).as_deref(), Some(expected));
    }

    #[test]
    fn strings_that_end_in_brackets_are_followed_by_commas() {
        assert_eq!(
            canonical(r#"["[", "{", 1]"#).as_deref(),
            Some(r#"["[","{",1]"#)
        );
        assert_eq!(
            canonical(r#"{"{": "[", "}": 1}"#).as_deref(),
            Some(r#"{"{":"[","}":1}"#)
        );
    }

    #[test]
    fn exact_texts_tell_values_apart_that_are_one_double() {
        assert_eq!(exact("9007199254740993"), r#"{"x":9007199254740993}"#);
        assert_eq!(exact("1e400"), r#"{"x":1e+400}"#);
        assert_eq!(exact("10e399"), exact("1E+400"));
        assert_eq!(exact("1.0"), exact("1"));
    }

    #[test]
    fn deep_values_need_no_deep_stack() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let limits = ReadLimits {
            depth: 200_000,
            ..ReadLimits::default()
        };
        let document = OwnedDocument::read(deep.as_str(), &limits).unwrap();
        assert_eq!(canonical_json(document.document().root()), Some(deep));
    }
}
