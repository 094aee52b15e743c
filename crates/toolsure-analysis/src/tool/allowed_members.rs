//! What the protocol's schema requires of the members of a tool, and the forms that the tables of
//! its other objects are written with.
//!
//! One table for all protocol versions: clients read listings of every version with the types of
//! the newest version that they know, so a member that a later version defines must be valid in
//! listings of earlier versions too.

use toolsure_json::{Kind, Node as _, View};
use toolsure_syntax::format::Format;

/// What a member must be.
///
/// ```
/// use toolsure_analysis::tool::Form;
/// use toolsure_json::{Kind, OwnedDocument, ReadLimits};
///
/// let form = Form::OneOf(&["light", "dark"]);
/// assert_eq!(form.kind(), Kind::String);
/// assert_eq!(form.expected(), "one of the values that the protocol names");
/// let blue = OwnedDocument::read(r#""blue""#, &ReadLimits::default())?;
/// assert!(!form.admits(blue.document().root()));
/// assert!(Form::Text.admits(blue.document().root()));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Form {
    /// A string.
    Text,
    /// A boolean.
    Boolean,
    /// An integer from 0 to 2^53 - 1.
    Count,
    /// A number from 0 to 1.
    Fraction,
    /// A string or an integer, as the tokens of progress are.
    Token,
    /// A date and time with an offset (RFC 3339), with `T` and `Z` in upper case.
    Time,
    /// Base64 with the standard alphabet; padding and ASCII whitespace do not count.
    Base64,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// An array of strings.
    Texts,
    /// An array all of whose elements have this form.
    All(&'static Self),
    /// An object with these members.
    Object(&'static AllowedMembers),
    /// An array of objects with these members.
    Objects(&'static AllowedMembers),
    /// An array of values of this form, of which it may lose some.
    Each(&'static Self),
    /// One of these forms, the first that takes the value.
    AnyOf(&'static [Self]),
}

impl Form {
    /// What the member must be, in words.
    #[must_use]
    pub fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Boolean => "a boolean",
            Self::Count => "an integer from 0 to 2^53 - 1",
            Self::Fraction => "a number from 0 to 1",
            Self::Token => "a string or an integer",
            Self::Time => "a date and time of RFC 3339",
            Self::Base64 => "base64",
            Self::OneOf(_) => "one of the values that the protocol names",
            Self::Texts => "an array of strings",
            Self::All(_) => "an array of what the protocol names",
            Self::Object(_) => "an object",
            Self::Objects(_) | Self::Each(_) => "an array",
            Self::AnyOf(_) => "in one of the forms that the protocol names",
        }
    }

    /// The kind of value that the member must be; if several are allowed, the first of them.
    #[must_use]
    #[inline]
    pub fn kind(self) -> Kind {
        match self {
            Self::Text | Self::Token | Self::Time | Self::Base64 | Self::OneOf(_) => Kind::String,
            Self::Boolean => Kind::Boolean,
            Self::Count | Self::Fraction => Kind::Number,
            Self::Texts | Self::All(_) | Self::Objects(_) | Self::Each(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
            Self::AnyOf(forms) => forms.first().map_or(Kind::Null, |form| form.kind()),
        }
    }

    /// Whether a value has this form. Does not look at the members of objects.
    #[must_use]
    pub fn admits(self, value: View<'_>) -> bool {
        let fits = match self {
            Self::Count => integer(value).is_some_and(|number| (0.0..=SAFE).contains(&number)),
            Self::Fraction => number(value).is_some_and(|number| (0.0..=1.0).contains(&number)),
            Self::Token => return value.kind() == Kind::String || integer(value).is_some(),
            Self::Time => is_time(value.string()),
            Self::Base64 => is_base64(value.string()),
            Self::OneOf(words) => words.contains(&value.string()),
            Self::Texts => value.items().all(|item| item.kind() == Kind::String),
            Self::All(form) => value.items().all(|item| form.takes(item)),
            Self::AnyOf(forms) => return forms.iter().any(|form| form.admits(value)),
            Self::Text | Self::Boolean | Self::Object(_) | Self::Objects(_) | Self::Each(_) => true,
        };
        value.kind() == self.kind() && fits
    }

    /// Whether a value that has this form is an integer in another spelling than digits, such as `12.0` or
    /// `1e3`, which not every reader takes for one.
    #[must_use]
    pub fn is_other_spelling(self, value: View<'_>) -> bool {
        matches!(self, Self::Count) && !value.raw().bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether a value has this form, and, if it is an object, has all members that it must have,
    /// at every level. Optional members and elements of arrays do not count.
    ///
    /// ```
    /// use toolsure_analysis::tool::{Form, TOOL};
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    ///
    /// let nameless = OwnedDocument::read(r#"{"inputSchema": {}}"#, &ReadLimits::default())?;
    /// let nameless = nameless.document().root();
    /// assert!(Form::Object(&TOOL).admits(nameless) && !Form::Object(&TOOL).takes(nameless));
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn takes(self, value: View<'_>) -> bool {
        match self {
            Self::Object(members) => self.admits(value) && members.missing(value).is_none(),
            Self::AnyOf(forms) => forms.iter().any(|form| form.takes(value)),
            _ => self.admits(value),
        }
    }
}

/// The largest integer that each reader holds exactly: 2^53 - 1.
const SAFE: f64 = 9_007_199_254_740_991.0;

fn number(value: View<'_>) -> Option<f64> {
    let number = value.raw().parse::<f64>().ok()?;
    (value.kind() == Kind::Number && number.is_finite()).then_some(number)
}

fn integer(value: View<'_>) -> Option<f64> {
    number(value).filter(|number| number.fract() == 0.0)
}

/// RFC 3339 as all readers take it: some know neither lower case nor leap seconds.
fn is_time(text: &str) -> bool {
    Format::DateTime.accepts(text)
        && !text.contains(|c: char| c.is_ascii_lowercase() || c == ' ')
        && text.get(17..19) != Some("60")
}

fn is_base64(text: &str) -> bool {
    let mut bytes = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let (mut digits, mut padding) = (0_usize, 0_usize);
    let plain = bytes.all(|byte| match byte {
        b'=' => {
            padding += 1;
            true
        }
        b'+' | b'/' => {
            digits += 1;
            padding == 0
        }
        _ => {
            digits += 1;
            padding == 0 && byte.is_ascii_alphanumeric()
        }
    });
    plain
        && match padding {
            0 => digits % 4 != 1,
            1 | 2 => (digits + padding) % 4 == 0,
            _ => false,
        }
}

/// The members of an object that must have a given form. It may have others of any form.
///
/// ```
/// use toolsure_analysis::tool::{ANNOTATIONS, TOOL};
///
/// assert_eq!(TOOL.get("inputSchema").map(|(_, form)| form.expected()), Some("an object"));
/// assert_eq!(ANNOTATIONS.get("readOnlyHint").map(|(_, form)| form.expected()), Some("a boolean"));
/// assert!(TOOL.get("parameters").is_none());
/// assert_eq!(TOOL.names().count(), 9);
/// ```
#[derive(Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "tables of other objects of the protocol are constants in other crates"
)]
pub struct AllowedMembers {
    /// The members that may be missing.
    pub optional: &'static [(&'static str, Form)],
    /// The members that must be there.
    pub required: &'static [(&'static str, Form)],
}

impl AllowedMembers {
    /// No member must have a given form.
    pub const ANY: Self = Self {
        optional: &[],
        required: &[],
    };

    /// The name and the form of a member; `None` for one that may have any form.
    #[must_use]
    #[inline]
    pub fn get(&self, name: &str) -> Option<(&'static str, Form)> {
        let find = |members: &[(&'static str, Form)]| {
            let mut members = members.iter();
            members.find(|(member, _)| *member == name).copied()
        };
        find(self.required).or_else(|| find(self.optional))
    }

    /// Whether the object may lack a member that must have a given form.
    #[must_use]
    pub fn is_optional(&self, name: &str) -> bool {
        self.optional.iter().any(|(member, _)| *member == name)
    }

    /// The first required member that an object lacks or has in another form, at any level: its name
    /// and its form. `None` if it has all of them.
    #[must_use]
    pub fn missing(&self, object: View<'_>) -> Option<(&'static str, Form)> {
        let mut required = self.required.iter();
        let has = |name: &str, form: Form| object.member(name).is_some_and(|it| form.takes(it));
        required.find(|(name, form)| !has(name, *form)).copied()
    }

    /// The names of all members.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let members = self.required.iter().chain(self.optional);
        members.map(|(name, _)| *name)
    }
}

/// The members of a tool.
pub const TOOL: AllowedMembers = AllowedMembers {
    optional: &[
        ("title", Form::Text),
        ("description", Form::Text),
        ("annotations", Form::Object(&ANNOTATIONS)),
        ("icons", Form::Objects(&ICON)),
        ("execution", Form::Object(&EXECUTION)),
        ("_meta", Form::Object(&AllowedMembers::ANY)),
        ("outputSchema", Form::Object(&SCHEMA)),
    ],
    required: &[("name", Form::Text), ("inputSchema", Form::Object(&SCHEMA))],
};

/// The members of a schema's root.
pub const SCHEMA: AllowedMembers = AllowedMembers {
    optional: &[("$schema", Form::Text)],
    required: &[],
};

/// The members of a tool's `annotations`.
pub const ANNOTATIONS: AllowedMembers = AllowedMembers {
    optional: &[
        ("title", Form::Text),
        ("readOnlyHint", Form::Boolean),
        ("destructiveHint", Form::Boolean),
        ("idempotentHint", Form::Boolean),
        ("openWorldHint", Form::Boolean),
    ],
    required: &[],
};

const EXECUTION: AllowedMembers = AllowedMembers {
    optional: &[(
        "taskSupport",
        Form::OneOf(&["forbidden", "optional", "required"]),
    )],
    required: &[],
};

/// The members of an icon, of tools and of what else has icons.
pub const ICON: AllowedMembers = AllowedMembers {
    optional: &[
        ("mimeType", Form::Text),
        ("sizes", Form::Texts),
        ("theme", Form::OneOf(&["light", "dark"])),
    ],
    required: &[("src", Form::Text)],
};

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    #[test]
    fn forms_admit_what_every_reader_takes() {
        for (form, json, expected) in [
            (Form::Count, "-5", false),
            (Form::Count, "9007199254740991", true),
            (Form::Count, "9007199254740992", false),
            (Form::Count, "12.0", true),
            (Form::Count, "1.5", false),
            (Form::Count, "1e400", false),
            (Form::Count, "\"12\"", false),
            (Form::Fraction, "0", true),
            (Form::Fraction, "1.0", true),
            (Form::Fraction, "1.01", false),
            (Form::Fraction, "-0.1", false),
            (Form::Token, "\"a\"", true),
            (Form::Token, "7", true),
            (Form::Token, "null", false),
            (Form::Time, "\"2026-11-27T18:00:00Z\"", true),
            (Form::Time, "\"2026-11-27T18:00:00.5+01:00\"", true),
            (Form::Time, "\"2026-11-27t18:00:00z\"", false),
            (Form::Time, "\"2016-12-31T23:59:60Z\"", false),
            (Form::Time, "\"2026-11-27\"", false),
            (Form::Time, "\"yesterday\"", false),
            (Form::Base64, "\"\"", true),
            (Form::Base64, "\"AAAA\"", true),
            (Form::Base64, "\"AA==\"", true),
            (Form::Base64, "\"AA\"", true),
            (Form::Base64, "\"A\\nAAA\"", true),
            (Form::Base64, "\"A\"", false),
            (Form::Base64, "\"A===\"", false),
            (Form::Base64, "\"A=AA\"", false),
            (Form::Base64, "\"a-_a\"", false),
            (Form::All(&Form::OneOf(&["a", "b"])), "[\"a\"]", true),
            (Form::All(&Form::OneOf(&["a", "b"])), "[\"a\",\"c\"]", false),
            (Form::All(&Form::OneOf(&["a", "b"])), "\"a\"", false),
            (Form::Each(&Form::Object(&ICON)), "[{}]", true),
            (
                Form::AnyOf(&[Form::Texts, Form::OneOf(&["x"])]),
                "\"x\"",
                true,
            ),
            (
                Form::AnyOf(&[Form::Texts, Form::OneOf(&["x"])]),
                "\"y\"",
                false,
            ),
            (Form::AnyOf(&[Form::Object(&ICON)]), "{\"src\":1}", false),
            (Form::Object(&ICON), "{\"src\":\"\",\"theme\":5}", true),
            (
                Form::Object(&TOOL),
                "{\"name\":\"a\",\"inputSchema\":5}",
                false,
            ),
        ] {
            let document = OwnedDocument::read(json, &ReadLimits::default()).unwrap();
            assert_eq!(
                form.takes(document.document().root()),
                expected,
                "{form:?} {json}"
            );
        }
    }
}
