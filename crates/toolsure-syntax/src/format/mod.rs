//! The `format` keyword: which strings each named format accepts.
//!
//! One file per family of formats. Every check reads its text once from start to end, without
//! recursion, and if the format limits the length of the text, a longer text is refused before it
//! is read. Formats do not apply to values that are not strings (or, for [`NumberFormat`], not
//! numbers): the caller asks only about those that are.
//!
//! If a later dialect refers to a later RFC, all dialects follow the later one, with one exception:
//! see [`Format::in_dialect`].

mod ascii_set;
pub mod content;
mod date_time;
mod domain;
mod email;
mod hostname;
#[cfg(feature = "unicode")]
mod idn;
#[cfg(not(feature = "unicode"))]
#[path = "without_tables.rs"]
mod idn;
#[cfg(feature = "unicode")]
mod idna;
mod ip;
mod number;
mod pointer;
#[cfg(feature = "unicode")]
mod punycode;
mod uri;
mod uri_template;
mod uuid;

pub use number::NumberFormat;

use crate::dialect::Dialect;

/// A format of strings defined by JSON Schema (draft-04 to 2020-12).
///
/// ```
/// use toolsure_syntax::format::Format;
///
/// let format = Format::from_name("date").unwrap();
/// assert!(format.accepts("2024-02-29"));
/// assert!(!format.accepts("2023-02-29"));
/// assert_eq!(Format::from_name("colour"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// `date-time`: RFC 3339 section 5.6, `date-time`.
    DateTime,
    /// `date`: RFC 3339 section 5.6, `full-date`.
    Date,
    /// `time`: RFC 3339 section 5.6, `full-time`.
    Time,
    /// `duration`: RFC 3339 appendix A, `duration`.
    Duration,
    /// `email`: RFC 5321 section 4.1.2, `Mailbox`.
    Email,
    /// `idn-email`: RFC 6531 section 3.3, `Mailbox`.
    IdnEmail,
    /// `hostname`: RFC 1123 section 2.1, with A-labels checked by RFC 5891.
    Hostname,
    /// `idn-hostname`: RFC 5890 section 2.3.2.3, internationalized hostname.
    IdnHostname,
    /// `ipv4`: RFC 2673 section 3.2, dotted quad.
    Ipv4,
    /// `ipv6`: RFC 4291 section 2.2.
    Ipv6,
    /// `uri`: RFC 3986 section 3, `URI`.
    Uri,
    /// `uri-reference`: RFC 3986 section 4.1, `URI-reference`.
    UriReference,
    /// `iri`: RFC 3987 section 2.2, `IRI`.
    Iri,
    /// `iri-reference`: RFC 3987 section 2.2, `IRI-reference`.
    IriReference,
    /// `uri-template`: RFC 6570 section 2.
    UriTemplate,
    /// `json-pointer`: RFC 6901 section 3 (the string form, not the fragment).
    JsonPointer,
    /// `relative-json-pointer`: draft-bhutton-relative-json-pointer-00, section 3.
    RelativeJsonPointer,
    /// `relative-json-pointer` in dialects before 2020-12: draft-handrews-relative-json-pointer-02,
    /// section 3.
    RelativeJsonPointerWithoutIndex,
    /// `regex`: a pattern of ECMA-262 with the `u` flag.
    Regex,
    /// `uuid`: RFC 4122 section 3.
    Uuid,
}

impl Format {
    /// Every format once.
    ///
    /// ```
    /// use toolsure_syntax::format::Format;
    ///
    /// assert!(Format::ALL.iter().all(|format| Format::from_name(format.name()) == Some(*format)));
    /// ```
    ///
    /// Without the feature `unicode`, [`from_name`](Self::from_name) does not find some of them.
    pub const ALL: [Self; 19] = [
        Self::DateTime,
        Self::Date,
        Self::Time,
        Self::Duration,
        Self::Email,
        Self::IdnEmail,
        Self::Hostname,
        Self::IdnHostname,
        Self::Ipv4,
        Self::Ipv6,
        Self::Uri,
        Self::UriReference,
        Self::Iri,
        Self::IriReference,
        Self::UriTemplate,
        Self::JsonPointer,
        Self::RelativeJsonPointer,
        Self::Regex,
        Self::Uuid,
    ];

    /// The format called `name` in schemas; `None` for any other name, and, without the feature
    /// `unicode`, for the formats that cannot be checked then and are annotations: `hostname`,
    /// `idn-hostname`, `idn-email` and `regex`.
    pub fn from_name(name: &str) -> Option<Self> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name)?;
        (cfg!(feature = "unicode") || !known.needs_tables()).then_some(known)
    }

    /// Whether the format cannot be checked without the Unicode tables.
    fn needs_tables(self) -> bool {
        matches!(
            self,
            Self::Hostname | Self::IdnHostname | Self::IdnEmail | Self::Regex
        )
    }

    /// What the format means in a dialect: `relative-json-pointer` can move an index (`0-1/a`) only
    /// since 2020-12, which refers to a draft that added this.
    ///
    /// ```
    /// use toolsure_syntax::Dialect;
    /// use toolsure_syntax::format::Format;
    ///
    /// let moved = "0-1/a";
    /// assert!(Format::RelativeJsonPointer.in_dialect(Dialect::Draft202012).accepts(moved));
    /// assert!(!Format::RelativeJsonPointer.in_dialect(Dialect::Draft7).accepts(moved));
    /// ```
    #[must_use]
    pub fn in_dialect(self, dialect: Dialect) -> Self {
        match self {
            Self::RelativeJsonPointer if dialect < Dialect::Draft202012 => {
                Self::RelativeJsonPointerWithoutIndex
            }
            other => other,
        }
    }

    /// The name in schemas.
    pub fn name(self) -> &'static str {
        match self {
            Self::DateTime => "date-time",
            Self::Date => "date",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::Email => "email",
            Self::IdnEmail => "idn-email",
            Self::Hostname => "hostname",
            Self::IdnHostname => "idn-hostname",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::Uri => "uri",
            Self::UriReference => "uri-reference",
            Self::Iri => "iri",
            Self::IriReference => "iri-reference",
            Self::UriTemplate => "uri-template",
            Self::JsonPointer => "json-pointer",
            Self::RelativeJsonPointer | Self::RelativeJsonPointerWithoutIndex => {
                "relative-json-pointer"
            }
            Self::Regex => "regex",
            Self::Uuid => "uuid",
        }
    }

    /// Whether `text` has this format.
    ///
    /// Costs at most a small constant per byte of `text`, except for [`Format::Regex`], which costs
    /// as much as parsing one pattern.
    ///
    /// ```
    /// use toolsure_syntax::format::Format;
    ///
    /// assert!(Format::Ipv6.accepts("2001:db8::1"));
    /// assert!(!Format::Ipv6.accepts("2001:db8"));
    /// ```
    pub fn accepts(self, text: &str) -> bool {
        match self {
            Self::DateTime => date_time::is_date_time(text),
            Self::Date => date_time::is_date(text),
            Self::Time => date_time::is_time(text),
            Self::Duration => date_time::is_duration(text),
            Self::Email => email::is_mailbox(text),
            Self::IdnEmail => email::is_internationalized_mailbox(text),
            Self::Hostname => hostname::is_hostname(text),
            Self::IdnHostname => idn::is_hostname(text),
            Self::Ipv4 => ip::is_v4(text),
            Self::Ipv6 => ip::is_v6(text),
            Self::Uri => uri::is_uri(text),
            Self::UriReference => uri::is_uri_reference(text),
            Self::Iri => uri::is_iri(text),
            Self::IriReference => uri::is_iri_reference(text),
            Self::UriTemplate => uri_template::is_template(text),
            Self::JsonPointer => pointer::is_pointer(text),
            Self::RelativeJsonPointer => pointer::is_relative(text, true),
            Self::RelativeJsonPointerWithoutIndex => pointer::is_relative(text, false),
            Self::Regex => toolsure_pattern::is_ecma262(text),
            Self::Uuid => uuid::is_uuid(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    /// Asserts a format's result for each text of a table.
    #[track_caller]
    pub(super) fn check(format: Format, valid: &[&str], invalid: &[&str]) {
        for text in valid {
            assert!(
                format.accepts(text),
                "{} must accept {text:?}",
                format.name()
            );
        }
        for text in invalid {
            assert!(
                !format.accepts(text),
                "{} must refuse {text:?}",
                format.name()
            );
        }
    }

    #[test]
    fn names_lead_to_their_formats() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
        for name in ["", "Date", "date ", "datetime", "int32", "colour"] {
            assert_eq!(Format::from_name(name), None);
        }
    }

    #[test]
    fn regex_asks_the_pattern_reader() {
        check(
            Format::Regex,
            &["", "^a+$", r"\d{2,3}", r"(?<year>\d{4})-\k<year>"],
            &["(", "a{2,1}", r"\a"],
        );
    }

    #[test]
    fn the_empty_text_is_only_what_its_grammar_allows() {
        for format in Format::ALL {
            let fits = matches!(
                format,
                Format::UriReference
                    | Format::IriReference
                    | Format::UriTemplate
                    | Format::JsonPointer
                    | Format::Regex
            );
            assert_eq!(format.accepts(""), fits, "{}", format.name());
        }
    }

    #[test]
    fn no_format_accepts_what_surrounds_a_text_of_it() {
        for (format, text) in [
            (Format::DateTime, "2024-02-29T12:00:00Z"),
            (Format::Date, "2024-02-29"),
            (Format::Time, "12:00:00Z"),
            (Format::Duration, "P1D"),
            (Format::Email, "a@b.example"),
            (Format::IdnEmail, "ä@bücher.example"),
            (Format::Hostname, "b.example"),
            (Format::IdnHostname, "bücher.example"),
            (Format::Ipv4, "192.0.2.1"),
            (Format::Ipv6, "2001:db8::1"),
            (Format::Uri, "a:b"),
            (Format::UriReference, "b"),
            (Format::Iri, "a:ä"),
            (Format::IriReference, "ä"),
            (Format::UriTemplate, "{a}"),
            (Format::RelativeJsonPointer, "0"),
            (Format::Uuid, "00000000-0000-0000-0000-000000000000"),
        ] {
            assert!(format.accepts(text), "{}", format.name());
            // These formats allow most of Unicode, invisible characters included.
            let is_unicode = matches!(
                format,
                Format::Iri | Format::IriReference | Format::IdnEmail | Format::UriTemplate
            );
            let spaces = [" ", "\n", "\r", "\t", "\0"];
            let invisible = ["\u{a0}", "\u{2028}", "\u{feff}", "\u{202e}"];
            for around in spaces
                .into_iter()
                .chain(invisible.into_iter().filter(|_| !is_unicode))
            {
                check(
                    format,
                    &[],
                    &[&format!("{around}{text}"), &format!("{text}{around}")],
                );
            }
        }
    }

    #[test]
    fn every_prefix_of_hostile_text_is_answered() {
        for piece in [
            "1:",
            "a-.",
            "xn--a.",
            "xn--99999.",
            "/~0",
            "9",
            "\"\\ ",
            "ü.",
            "{a}",
            "%41",
            "[",
            "@",
            "P9D",
            "\u{300}",
            "ـ‌",
        ] {
            let text = piece.repeat(300);
            for (at, _) in text.char_indices() {
                for format in Format::ALL
                    .into_iter()
                    .filter(|format| *format != Format::Regex)
                {
                    let (before, after) = text.split_at(at);
                    format.accepts(before);
                    format.accepts(after);
                }
            }
        }
    }
}
