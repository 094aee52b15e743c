//! The grammar, case by case: what is read, and what is refused, why and where.

use toolsure_json::ReadErrorKind as Why;
use toolsure_json::{ReadErrorKind, ReadLimits, Reader};

/// Texts that are JSON.
const ACCEPTED: &[&str] = &[
    // Literals and white space.
    "null",
    "true",
    "false",
    " null",
    "null ",
    "\tnull\n",
    "\r\n null \r\n",
    "[ ]",
    "{ }",
    "[\t]",
    "{\n}",
    "[]",
    "{}",
    "[[]]",
    "[{}]",
    "{\"\":[]}",
    "[ null ]",
    "[ 1 , 2 ]",
    "[1,2,3]",
    "[1\n,\r2\t, 3 ]",
    "{ \"a\" : 1 }",
    "{\"a\"\n:\n1\n,\n\"b\"\n:\n2\n}",
    "[null,true,false]",
    "[[[[[[]]]]]]",
    "{\"a\":{\"b\":{\"c\":{}}}}",
    "[{\"a\":[{\"b\":[]}]}]",
    "[\"\",\"a\",\"ab\"]",
    // Numbers.
    "0",
    "-0",
    "1",
    "-1",
    "10",
    "1234567890",
    "0.0",
    "-0.0",
    "0.5",
    "1.5",
    "10.25",
    "-1.05",
    "1e1",
    "1E1",
    "1e+1",
    "1e-1",
    "1E+01",
    "1e00",
    "0e0",
    "0e+1",
    "0E-5",
    "-0e0",
    "1.0e5",
    "1.5E-10",
    "123456789012345678",
    "-123456789012345678",
    "1234567890123456789",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "100000000000000000000000000000",
    "1e400",
    "1e-400",
    "-1e400",
    "1e1000000000",
    "1e-1000000000",
    "1e99999999999999999999999999",
    "0.00000000000000000000000000001",
    "0.1000000000000000055511151231257827",
    "3.141592653589793238462643383279",
    "[0]",
    "[-0]",
    "[1.0]",
    "[0,0.0,0e0]",
    // Strings.
    r#""""#,
    r#"" ""#,
    r#""a""#,
    r#""abcdefg""#,
    r#""abcdefgh""#,
    r#""abcdefghi""#,
    r#""0123456789abcdef""#,
    r#""0123456789abcdef0""#,
    r#""'""#,
    r#""/""#,
    r#""\/""#,
    r#""\"""#,
    r#""\\""#,
    r#""\b\f\n\r\t""#,
    r#""\\n""#,
    r#""\\\"""#,
    r#""a\nb""#,
    r#""abcdefgh\nabcdefgh""#,
    r#""\u0000""#,
    r#""\u0041""#,
    r#""\u00e9""#,
    r#""\u00E9""#,
    r#""\uabCD""#,
    r#""\u20ac""#,
    r#""\ud83d\ude00""#,
    r#""\uD83D\uDE00""#,
    r#""\uD800\uDC00""#,
    r#""\uDBFF\uDFFF""#,
    r#""a\ud83d\ude00b""#,
    r#""\ud7ff""#,
    r#""\ue000""#,
    r#""\uffff""#,
    r#""\ufffe""#,
    r#""\ufeff""#,
    r#""\u2028\u2029""#,
    r#""\u007f""#,
    r#""\\u0041""#,
    r#""\"\\\/\b\f\n\r\t\u0041""#,
    "\"\u{7f}\"",
    "\"é\"",
    "\"€\"",
    "\"😀\"",
    "\"\u{80}\"",
    "\"\u{feff}\"",
    "\"\u{2028}\"",
    "\"\u{10ffff}\"",
    "\"aé€😀z\"",
    "\"日本語テキスト\"",
    "[\"a\",\"b\"]",
    "\"//comment\"",
    "\"/*comment*/\"",
    "\"[\"",
    "\"{\\\"a\\\":1}\"",
    // Objects.
    r#"{"a":1}"#,
    r#"{"a":1,"b":2}"#,
    r#"{"":0}"#,
    r#"{"a":null}"#,
    r#"{"a":"a"}"#,
    r#"{"a":[1,{"a":2}]}"#,
    r#"{"\u0061":1}"#,
    r#"{"a\nb":1}"#,
    r#"{"a":1,"A":2}"#,
    r#"{"a":1,"a ":2}"#,
    r#"{"a":{"a":{"a":1}}}"#,
    r#"[{"a":1},{"a":1}]"#,
    r#"{"é":1,"e\u0301":2}"#,
    r#"{"__proto__":1,"constructor":2}"#,
    r#"{"a\u0000b":1,"a":2}"#,
];

/// Texts that are not, what is wrong, and at which byte.
const REFUSED: &[(&str, ReadErrorKind, usize)] = &[
    // Nothing, or not enough.
    ("", Why::UnexpectedEnd, 0),
    (" ", Why::UnexpectedEnd, 1),
    ("\n\t\r ", Why::UnexpectedEnd, 4),
    ("[", Why::UnexpectedEnd, 1),
    ("{", Why::UnexpectedEnd, 1),
    ("[1", Why::UnexpectedEnd, 2),
    ("[1,", Why::UnexpectedEnd, 3),
    ("[1 ", Why::UnexpectedEnd, 3),
    ("[[]", Why::UnexpectedEnd, 3),
    (r#"{"a"#, Why::UnexpectedEnd, 3),
    (r#"{"a""#, Why::UnexpectedEnd, 4),
    (r#"{"a":"#, Why::UnexpectedEnd, 5),
    (r#"{"a":1"#, Why::UnexpectedEnd, 6),
    (r#"{"a":1,"#, Why::UnexpectedEnd, 7),
    ("n", Why::UnexpectedEnd, 1),
    ("nul", Why::UnexpectedEnd, 3),
    ("tru", Why::UnexpectedEnd, 3),
    ("fals", Why::UnexpectedEnd, 4),
    ("-", Why::UnexpectedEnd, 1),
    ("1.", Why::UnexpectedEnd, 2),
    ("1e", Why::UnexpectedEnd, 2),
    ("1e+", Why::UnexpectedEnd, 3),
    ("\"", Why::UnexpectedEnd, 1),
    ("\"a", Why::UnexpectedEnd, 2),
    ("\"abcdefghi", Why::UnexpectedEnd, 10),
    ("\"\\", Why::UnexpectedEnd, 2),
    ("\"\\u", Why::UnexpectedEnd, 3),
    ("\"\\u00", Why::UnexpectedEnd, 5),
    ("\"\\\"", Why::UnexpectedEnd, 3),
    // More than one value.
    ("1 2", Why::TrailingBytes, 2),
    ("null null", Why::TrailingBytes, 5),
    ("[]]", Why::TrailingBytes, 2),
    ("{}}", Why::TrailingBytes, 2),
    ("[],", Why::TrailingBytes, 2),
    ("[][]", Why::TrailingBytes, 2),
    ("\"a\"b", Why::TrailingBytes, 3),
    ("1,", Why::TrailingBytes, 1),
    ("nullx", Why::TrailingBytes, 4),
    ("{}#", Why::TrailingBytes, 2),
    ("{}\u{0}", Why::TrailingBytes, 2),
    ("[]\u{a0}", Why::TrailingBytes, 2),
    ("{}//x", Why::TrailingBytes, 2),
    ("1/*x*/", Why::TrailingBytes, 1),
    ("1a", Why::TrailingBytes, 1),
    ("0x1", Why::TrailingBytes, 1),
    ("1_000", Why::TrailingBytes, 1),
    ("1.2.3", Why::TrailingBytes, 3),
    ("1-2", Why::TrailingBytes, 1),
    ("1e5.5", Why::TrailingBytes, 3),
    // Not a value.
    ("]", Why::UnexpectedByte, 0),
    ("}", Why::UnexpectedByte, 0),
    (",", Why::UnexpectedByte, 0),
    (":", Why::UnexpectedByte, 0),
    ("'a'", Why::UnexpectedByte, 0),
    ("a", Why::UnexpectedByte, 0),
    ("NaN", Why::UnexpectedByte, 0),
    ("Infinity", Why::UnexpectedByte, 0),
    ("-Infinity", Why::InvalidNumber, 1),
    ("-NaN", Why::InvalidNumber, 1),
    ("undefined", Why::UnexpectedByte, 0),
    ("True", Why::UnexpectedByte, 0),
    ("NULL", Why::UnexpectedByte, 0),
    ("nil", Why::UnexpectedByte, 1),
    ("trUe", Why::UnexpectedByte, 2),
    ("falze", Why::UnexpectedByte, 3),
    ("+1", Why::UnexpectedByte, 0),
    (".5", Why::UnexpectedByte, 0),
    ("é", Why::UnexpectedByte, 0),
    ("\u{0}", Why::UnexpectedByte, 0),
    ("\u{b}1", Why::UnexpectedByte, 0),
    ("\u{c}1", Why::UnexpectedByte, 0),
    ("\u{a0}1", Why::UnexpectedByte, 0),
    ("\u{2028}1", Why::UnexpectedByte, 0),
    ("//x\n1", Why::UnexpectedByte, 0),
    ("/**/1", Why::UnexpectedByte, 0),
    ("#1", Why::UnexpectedByte, 0),
    ("(1)", Why::UnexpectedByte, 0),
    ("<a/>", Why::UnexpectedByte, 0),
    ("\\u005b]", Why::UnexpectedByte, 0),
    // Arrays.
    ("[,]", Why::UnexpectedByte, 1),
    ("[,1]", Why::UnexpectedByte, 1),
    ("[1,]", Why::UnexpectedByte, 3),
    ("[1,,2]", Why::UnexpectedByte, 3),
    ("[1 2]", Why::UnexpectedByte, 3),
    ("[1;2]", Why::UnexpectedByte, 2),
    ("[1}", Why::UnexpectedByte, 2),
    ("[\"a\":1]", Why::UnexpectedByte, 4),
    ("[:]", Why::UnexpectedByte, 1),
    ("[1:2]", Why::UnexpectedByte, 2),
    ("[}", Why::UnexpectedByte, 1),
    ("[a]", Why::UnexpectedByte, 1),
    ("[\u{b}]", Why::UnexpectedByte, 1),
    ("[1\u{c}]", Why::UnexpectedByte, 2),
    ("[nul]", Why::UnexpectedByte, 4),
    ("[\"a\" \"b\"]", Why::UnexpectedByte, 5),
    ("[]1", Why::TrailingBytes, 2),
    ("[1]x", Why::TrailingBytes, 3),
    // Objects.
    ("{]", Why::UnexpectedByte, 1),
    ("{,}", Why::UnexpectedByte, 1),
    ("{1:1}", Why::UnexpectedByte, 1),
    ("{a:1}", Why::UnexpectedByte, 1),
    ("{'a':1}", Why::UnexpectedByte, 1),
    ("{null:1}", Why::UnexpectedByte, 1),
    ("{[]:1}", Why::UnexpectedByte, 1),
    (r#"{"a"}"#, Why::UnexpectedByte, 4),
    (r#"{"a",1}"#, Why::UnexpectedByte, 4),
    (r#"{"a" 1}"#, Why::UnexpectedByte, 5),
    (r#"{"a"=1}"#, Why::UnexpectedByte, 4),
    (r#"{"a"::1}"#, Why::UnexpectedByte, 5),
    (r#"{"a":}"#, Why::UnexpectedByte, 5),
    (r#"{"a":,}"#, Why::UnexpectedByte, 5),
    (r#"{"a":1,}"#, Why::UnexpectedByte, 7),
    (r#"{"a":1,,"b":2}"#, Why::UnexpectedByte, 7),
    (r#"{"a":1 "b":2}"#, Why::UnexpectedByte, 7),
    (r#"{"a":1;"b":2}"#, Why::UnexpectedByte, 6),
    (r#"{"a":1]"#, Why::UnexpectedByte, 6),
    (r#"{"a":1:2}"#, Why::UnexpectedByte, 6),
    (r#"{"a":1,2}"#, Why::UnexpectedByte, 7),
    (r#"{"a":a}"#, Why::UnexpectedByte, 5),
    (r#"{:1}"#, Why::UnexpectedByte, 1),
    (r#"{"a":1}}"#, Why::TrailingBytes, 7),
    // Numbers.
    ("00", Why::InvalidNumber, 1),
    ("01", Why::InvalidNumber, 1),
    ("-01", Why::InvalidNumber, 2),
    ("-00", Why::InvalidNumber, 2),
    ("00.5", Why::InvalidNumber, 1),
    ("[01]", Why::InvalidNumber, 2),
    ("--1", Why::InvalidNumber, 1),
    ("-a", Why::InvalidNumber, 1),
    ("- 1", Why::InvalidNumber, 1),
    ("-.5", Why::InvalidNumber, 1),
    ("[-]", Why::InvalidNumber, 2),
    ("[1.]", Why::InvalidNumber, 3),
    ("1.e5", Why::InvalidNumber, 2),
    ("1.a", Why::InvalidNumber, 2),
    ("1. 5", Why::InvalidNumber, 2),
    ("1ea", Why::InvalidNumber, 2),
    ("1e+a", Why::InvalidNumber, 3),
    ("1e--1", Why::InvalidNumber, 3),
    ("1e 5", Why::InvalidNumber, 2),
    ("1ee5", Why::InvalidNumber, 2),
    ("1e.5", Why::InvalidNumber, 2),
    ("[1e]", Why::InvalidNumber, 3),
    ("1..5", Why::InvalidNumber, 2),
    ("1.-5", Why::InvalidNumber, 2),
    ("0.e1", Why::InvalidNumber, 2),
    ("01e1", Why::InvalidNumber, 1),
    ("0123456789012345678901234567890", Why::InvalidNumber, 1),
    // Strings.
    ("\"\u{0}\"", Why::ControlCharacter, 1),
    ("\"\u{1f}\"", Why::ControlCharacter, 1),
    ("\"a\nb\"", Why::ControlCharacter, 2),
    ("\"a\tb\"", Why::ControlCharacter, 2),
    ("\"abcdefgh\rb\"", Why::ControlCharacter, 9),
    (
        "\"abcdefghijk\u{1}lmnopqrstuvw\"",
        Why::ControlCharacter,
        12,
    ),
    ("\"\\n\n\"", Why::ControlCharacter, 3),
    ("{\"a\nb\":1}", Why::ControlCharacter, 3),
    (r#""\a""#, Why::InvalidEscape, 1),
    (r#""\'""#, Why::InvalidEscape, 1),
    (r#""\0""#, Why::InvalidEscape, 1),
    (r#""\x41""#, Why::InvalidEscape, 1),
    (r#""\v""#, Why::InvalidEscape, 1),
    (r#""\U0041""#, Why::InvalidEscape, 1),
    (r#""\N""#, Why::InvalidEscape, 1),
    ("\"\\\n\"", Why::InvalidEscape, 1),
    ("\"\\ \"", Why::InvalidEscape, 1),
    ("\"\\é\"", Why::InvalidEscape, 1),
    (r#""abc\q""#, Why::InvalidEscape, 4),
    (r#""\u""#, Why::InvalidEscape, 1),
    (r#""\u004""#, Why::InvalidEscape, 1),
    (r#""\u004g""#, Why::InvalidEscape, 1),
    (r#""\u+041""#, Why::InvalidEscape, 1),
    (r#""\u 041""#, Why::InvalidEscape, 1),
    (r#""\u{41}""#, Why::InvalidEscape, 1),
    (r#""\ud83d\u12""#, Why::InvalidEscape, 7),
    ("\"\\u00é0\"", Why::InvalidEscape, 1),
    (r#""\ud800""#, Why::LoneSurrogate, 1),
    (r#""\udbff""#, Why::LoneSurrogate, 1),
    (r#""\udc00""#, Why::LoneSurrogate, 1),
    (r#""\udfff""#, Why::LoneSurrogate, 1),
    (r#""\ud83dx""#, Why::LoneSurrogate, 1),
    (r#""\ud83d\n""#, Why::LoneSurrogate, 1),
    (r#""\ud83d\u0041""#, Why::LoneSurrogate, 1),
    (r#""\ud83d\ud83d""#, Why::LoneSurrogate, 1),
    (r#""\ude00\ud83d""#, Why::LoneSurrogate, 1),
    (r#""ab\ud83d\ude00\ud83d""#, Why::LoneSurrogate, 15),
    (r#"{"\ud800":1}"#, Why::LoneSurrogate, 2),
    // Names.
    (r#"{"a":1,"a":1}"#, Why::DuplicateKey, 7),
    (r#"{"a":1,"b":2,"a":3}"#, Why::DuplicateKey, 13),
    (r#"{"":1,"":2}"#, Why::DuplicateKey, 6),
    (r#"{"a":1,"\u0061":2}"#, Why::DuplicateKey, 7),
    (r#"{"\/":1,"/":2}"#, Why::DuplicateKey, 8),
    (r#"{"x":{"a":1,"a":2}}"#, Why::DuplicateKey, 12),
    (r#"[{"a":[],"a":{}}]"#, Why::DuplicateKey, 9),
    (r#"{"a":{"b":1},"b":2,"a":3}"#, Why::DuplicateKey, 19),
    // The byte order mark.
    ("\u{feff}1", Why::ByteOrderMark, 0),
    ("\u{feff}", Why::ByteOrderMark, 0),
    (" \u{feff}1", Why::UnexpectedByte, 1),
];

/// Byte strings that are not UTF-8, and where that shows.
const NOT_UTF8: &[(&[u8], usize)] = &[
    (b"\xff", 0),
    (b"\"\x80\"", 1),
    (b"\"\xc3\"", 1),
    (b"\"\xc0\xaf\"", 1),
    (b"\"\xe0\x80\xaf\"", 1),
    (b"\"\xed\xa0\x80\"", 1),
    (b"\"\xf4\x90\x80\x80\"", 1),
    (b"\"\xf8\x88\x80\x80\x80\"", 1),
    (b"\"abc\xe2\x82\"", 4),
    (b"[1,2,\xa0]", 5),
    (b"{\"\xfe\":1}", 2),
    (b"\xff\xfe1\x00", 0),
    (b"1 \x80", 2),
    // Wrong in two ways: the bytes are checked first.
    (b"[}\xff", 2),
];

#[test]
fn accepted() {
    let mut reader = Reader::new();
    for text in ACCEPTED {
        let read = reader.read(text.as_bytes(), &ReadLimits::default());
        let document = read.unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(document.root().raw(), text.trim_ascii(), "{text:?}");
        // Another reader must agree, except that it has no huge numbers.
        let other = serde_json::from_str::<serde_json::Value>(text);
        if let Err(error) = other {
            assert!(
                error.to_string().contains("number out of range"),
                "{text:?}: {error}"
            );
        }
    }
    assert!(ACCEPTED.len() >= 120, "{}", ACCEPTED.len());
}

#[test]
fn refused() {
    let mut reader = Reader::new();
    for (text, kind, at) in REFUSED {
        let read = reader.read(text.as_bytes(), &ReadLimits::default());
        let error = read.err().unwrap_or_else(|| panic!("{text:?} was read"));
        assert_eq!(
            (error.kind(), error.at()),
            (*kind, *at),
            "{text:?}: {error}"
        );
        assert!(text.is_char_boundary(error.at()), "{text:?}: {error}");
        let message = error.to_string();
        assert!(
            !message.contains('\n') && !message.ends_with('.'),
            "{message}"
        );
        let other = serde_json::from_str::<serde_json::Value>(text);
        assert_eq!(other.is_ok(), *kind == Why::DuplicateKey, "{text:?}");
    }
    assert!(REFUSED.len() >= 150, "{}", REFUSED.len());
}

#[test]
fn not_utf8() {
    let mut reader = Reader::new();
    for (bytes, at) in NOT_UTF8 {
        let error = reader.read(bytes, &ReadLimits::default()).unwrap_err();
        assert_eq!(error.kind(), Why::InvalidUtf8, "{bytes:?}");
        assert_eq!(error.at(), *at, "{bytes:?}");
    }
}

#[test]
fn messages() {
    let mut reader = Reader::new();
    let long_key = format!("{{\"{0}\":1,\"{0}\":2}}", "k".repeat(100));
    let long_key_message = format!(
        "duplicate key `{}…` at byte 106, first at byte 1",
        "k".repeat(63)
    );
    for (text, message) in [
        ("", "expected a value, found the end of the text at byte 0"),
        ("[1,]", "expected a value, found `]` at byte 3"),
        ("[1}", "expected `,` or `]`, found `}` at byte 2"),
        ("{\"a\":1]", "expected `,` or `}`, found `]` at byte 6"),
        ("{]", "expected a key or `}`, found `]` at byte 1"),
        ("{\"a\":1,}", "expected a key, found `}` at byte 7"),
        ("{\"a\" 1}", "expected `:`, found `1` at byte 5"),
        ("nil", "expected `null`, found `i` at byte 1"),
        (
            "\"abc",
            "expected `\"`, found the end of the text at byte 4",
        ),
        (
            "[\u{202e}]",
            "expected a value, found `\\u{202e}` at byte 1",
        ),
        (
            "01",
            "invalid number, expected no digit after a leading zero at byte 1",
        ),
        ("1.x", "invalid number, expected a digit at byte 2"),
        ("\"\n\"", "control character `\\n` in a string at byte 1"),
        (
            r#""\x""#,
            "invalid escape in a string, expected one of `\"\\/bfnrtu` after `\\` at byte 1",
        ),
        (
            r#""\u12""#,
            "invalid escape in a string, expected four hexadecimal digits after `\\u` at byte 1",
        ),
        (
            r#""\ud800""#,
            "escape for half of a surrogate pair in a string at byte 1",
        ),
        ("1 2", "`2` follows the value at byte 2"),
        (
            "\u{feff}",
            "the text starts with a byte order mark at byte 0",
        ),
        (
            "{\"a\\nb\":1,\"a\\nb\":2}",
            "duplicate key `a\\nb` at byte 10, first at byte 1",
        ),
        (long_key.as_str(), long_key_message.as_str()),
    ] {
        let error = reader.read(text.as_bytes(), &ReadLimits::default());
        assert_eq!(error.unwrap_err().to_string(), message, "{text:?}");
    }
}
