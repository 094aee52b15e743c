//! URI templates (RFC 6570 section 2): literals and `{expressions}`.

use super::ascii_set::AsciiSet;
use super::uri::{is_private_char, is_ucs_char, take_percent_digits};
use std::str::Chars;

/// Whether `text` is a URI template of any level. The operators that the RFC reserves (`=`, `,`,
/// `!`, `@`, `|`) are part of its grammar.
pub(super) fn is_template(text: &str) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let fits = match c {
            '{' => take_expression(&mut chars),
            '%' => take_percent_digits(&mut chars),
            _ => is_literal(c),
        };
        if !fits {
            return false;
        }
    }
    true
}

/// Characters that represent themselves outside expressions.
fn is_literal(c: char) -> bool {
    LITERALS.has(c) || is_ucs_char(c) || is_private_char(c)
}

/// Takes an expression after its `{`, including its `}`.
fn take_expression(chars: &mut Chars<'_>) -> bool {
    let after_operator = chars.as_str().strip_prefix(OPERATORS);
    if let Some(rest) = after_operator {
        *chars = rest.chars();
    }
    loop {
        match take_variable(chars) {
            Some(',') => {}
            Some('}') => return true,
            _ => return false,
        }
    }
}

/// Takes a variable name with its modifier, and the character that ends it.
fn take_variable(chars: &mut Chars<'_>) -> Option<char> {
    let mut previous_is_name = false;
    loop {
        match chars.next()? {
            '%' if take_percent_digits(chars) => previous_is_name = true,
            c if NAMES.has(c) => previous_is_name = true,
            // A dot joins two characters of a name.
            '.' if previous_is_name => previous_is_name = false,
            _ if !previous_is_name => return None,
            ':' => return take_prefix_length(chars),
            '*' => return chars.next(),
            end => return Some(end),
        }
    }
}

/// Takes a number from 1 to 9999 and the character after it.
fn take_prefix_length(chars: &mut Chars<'_>) -> Option<char> {
    if !matches!(chars.next()?, '1'..='9') {
        return None;
    }
    for _ in 0..3 {
        let c = chars.next()?;
        if !c.is_ascii_digit() {
            return Some(c);
        }
    }
    chars.next()
}

/// The apostrophe is one of them by erratum 6937.
const LITERALS: AsciiSet = AsciiSet::ALPHANUMERIC.and(AsciiSet::of(b"!#$&'()*+,-./:;=?@[]_~"));

const NAMES: AsciiSet = AsciiSet::ALPHANUMERIC.and(AsciiSet::of(b"_"));

const OPERATORS: [char; 12] = ['+', '#', '.', '/', ';', '?', '&', '=', ',', '!', '@', '|'];

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn templates() {
        check(
            Format::UriTemplate,
            &[
                "",
                "a",
                "http://example.com/{a}",
                "{a}",
                "{a}{b}",
                "{a,b}",
                "{+a}",
                "{#a}",
                "{.a}",
                "{/a}",
                "{;a}",
                "{?a,b}",
                "{&a}",
                "{=a}",
                "{,a}",
                "{!a}",
                "{@a}",
                "{|a}",
                "{a*}",
                "{a:1}",
                "{a:9999}",
                "{a*,b:2,c}",
                "{?a*}",
                "{+a:3}",
                "{a.b}",
                "{a.b.c}",
                "{_}",
                "{1}",
                "{a_1}",
                "{%41}",
                "{a%41b}",
                "{a.%41}",
                "%41",
                "a'b",
                "[::1]",
                "ü",
                "{a}ü",
                "\u{e000}",
                "http://a:80/?b=c#d",
                "{a}%20{b}",
            ],
            &[
                "{",
                "}",
                "{}",
                "{a",
                "a}",
                "{{a}}",
                "{a}}",
                "{a}{",
                "{a b}",
                "{ a}",
                "{a }",
                "{a,}",
                "{,}",
                "{a,,b}",
                "{+}",
                "{?}",
                "{+ a}",
                "{++a}",
                "{$a}",
                "{a-b}",
                "{a:}",
                "{a:0}",
                "{a:01}",
                "{a:10000}",
                "{a:x}",
                "{a:1*}",
                "{a*:1}",
                "{a**}",
                "{*a}",
                "{*}",
                "{:1}",
                "{.}",
                "{a.}",
                "{a..b}",
                "{..a}",
                "{a.*}",
                "{ü}",
                "{%}",
                "{%4}",
                "{%4g}",
                "%",
                "%4",
                "%zz",
                "a b",
                "a\"b",
                "a<b",
                "a>b",
                "a\\b",
                "a^b",
                "a`b",
                "a|b",
                "\0",
                "\n",
                "\u{7f}",
                "\u{80}",
                "\u{fffe}",
                "{a}\u{fdd0}",
                "{a:１}",
                "{a{b}}",
            ],
        );
    }
}
