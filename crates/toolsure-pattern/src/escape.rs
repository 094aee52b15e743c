//! Escapes: the text after a backslash, and the names of groups.

use std::sync::OnceLock;

use crate::context::{Context, Grammar};
use crate::error::PatternError;
use crate::fold;
use crate::property::{self, Lookup};
use crate::set::{self, CodeSet};

/// The meaning of an escape outside brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Escape<'t> {
    /// One code point, possibly a lone surrogate.
    Char(u32),
    /// A set.
    Class(ClassEscape<'t>),
    /// `\b` or `\B`.
    Boundary { negative: bool },
    /// A backreference by number, counted from 1.
    Number(u32),
    /// A backreference by name.
    Name(String),
}

/// An escape that represents a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClassEscape<'t> {
    /// `\d`, `\D`.
    Digit { negative: bool },
    /// `\s`, `\S`.
    Space { negative: bool },
    /// `\w`, `\W`.
    Word { negative: bool },
    /// `\p{…}`, `\P{…}`.
    Property { expression: &'t str, negative: bool },
}

impl ClassEscape<'_> {
    /// The set of the escape outside brackets; `None` if a table is missing.
    pub(crate) fn alone(self, ignore_case: bool) -> Option<CodeSet> {
        let mut set = self.set(ignore_case)?;
        if ignore_case {
            fold::close(&mut set)?;
        }
        Some(set)
    }

    /// The set; `None` if a table is missing. If case is ignored, the caller folds the set that it
    /// builds.
    pub(crate) fn set(self, ignore_case: bool) -> Option<CodeSet> {
        let (mut set, negative) = match self {
            Self::Digit { negative } => (CodeSet::of(set::DIGIT), negative),
            Self::Space { negative } => (CodeSet::of(set::SPACE), negative),
            Self::Word { negative } if ignore_case => (CodeSet::of(set::WORD_FOLDED), negative),
            Self::Word { negative } => (CodeSet::of(set::WORD), negative),
            Self::Property {
                expression,
                negative,
            } => (property::set(expression)?, negative),
        };
        if negative {
            set.negate();
        }
        Some(set)
    }
}

/// Reads an escape outside brackets; its backslash at `start` has been read.
pub(crate) fn atom<'t>(
    context: &mut Context<'t>,
    start: usize,
) -> Result<Escape<'t>, PatternError> {
    match context.cursor.peek() {
        Some(c @ ('b' | 'B')) => {
            context.cursor.next();
            Ok(Escape::Boundary { negative: c == 'B' })
        }
        Some('1'..='9') => number(context, start),
        Some('k') => name(context, start),
        _ => shared(context, start),
    }
}

/// Reads an escape inside brackets; its backslash at `start` has been read.
pub(crate) fn member<'t>(
    context: &mut Context<'t>,
    start: usize,
) -> Result<Escape<'t>, PatternError> {
    match context.cursor.peek() {
        Some('b') => {
            context.cursor.next();
            Ok(Escape::Char(0x08))
        }
        Some('-') => {
            context.cursor.next();
            Ok(Escape::Char(0x2D))
        }
        Some('1'..='7') => {
            let value = octal(context)?;
            context.legacy("octal escape", start)?;
            Ok(Escape::Char(value))
        }
        Some('c') => {
            context.cursor.next();
            if context.grammar == Grammar::Lenient
                && let Some(c @ ('0'..='9' | '_')) = context.cursor.peek()
            {
                context.cursor.next();
                context.legacy("`\\c` without a letter", start)?;
                return Ok(Escape::Char(u32::from(c) % 32));
            }
            control(context, start).map(Escape::Char)
        }
        Some('k') if context.grammar == Grammar::Lenient && context.group_count().named => {
            context.cursor.next();
            Err(context.error("`\\k` inside brackets", start))
        }
        _ => shared(context, start),
    }
}

/// Reads the escapes that mean the same inside and outside brackets.
fn shared<'t>(context: &mut Context<'t>, start: usize) -> Result<Escape<'t>, PatternError> {
    let Some(c) = context.cursor.next() else {
        return Err(context.error("backslash at the end", start));
    };
    let class = match c {
        'd' | 'D' => ClassEscape::Digit { negative: c == 'D' },
        's' | 'S' => ClassEscape::Space { negative: c == 'S' },
        'w' | 'W' => ClassEscape::Word { negative: c == 'W' },
        'p' | 'P' => property(context, start, c == 'P')?,
        _ => return character(context, c, start).map(Escape::Char),
    };
    Ok(Escape::Class(class))
}

/// Reads the escapes for one code point; `c` follows the backslash and has been read.
fn character(context: &mut Context<'_>, c: char, start: usize) -> Result<u32, PatternError> {
    Ok(match c {
        'f' => 0x0C,
        'n' => 0x0A,
        'r' => 0x0D,
        't' => 0x09,
        'v' => 0x0B,
        'c' => return control(context, start),
        'u' => return unicode(context, start),
        'x' => match context.cursor.eat_hex(2) {
            Some(value) => value,
            None => {
                context.legacy("`\\x` without two hexadecimal digits", start)?;
                u32::from(c)
            }
        },
        '0' if !matches!(context.cursor.peek(), Some('0'..='9')) => 0,
        '0' => {
            context.cursor.seek(start + 1);
            let value = octal(context)?;
            context.legacy("octal escape", start)?;
            value
        }
        '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|'
        | '/' => u32::from(c),
        _ => {
            context.legacy("escape that ECMA-262 does not know", start)?;
            u32::from(c)
        }
    })
}

/// Reads the part after `\c`.
fn control(context: &mut Context<'_>, start: usize) -> Result<u32, PatternError> {
    match context.cursor.peek() {
        Some(c) if c.is_ascii_alphabetic() => {
            context.cursor.next();
            Ok(u32::from(c) % 32)
        }
        _ => {
            context.legacy("`\\c` without a letter", start)?;
            // The backslash represents itself, and the `c` is read again.
            context.cursor.seek(start + 1);
            Ok(0x5C)
        }
    }
}

/// Reads the part after `\u`.
fn unicode(context: &mut Context<'_>, start: usize) -> Result<u32, PatternError> {
    if context.cursor.eat('{') {
        let mut value: Option<u32> = None;
        while let Some(digit) = context.cursor.eat_digit(16) {
            let so_far = value.unwrap_or(0).saturating_mul(16).saturating_add(digit);
            value = Some(so_far.min(set::LAST + 1));
        }
        return match value {
            Some(value) if context.cursor.eat('}') && value <= set::LAST => Ok(value),
            _ => Err(context.error("`\\u{` without a code point", start)),
        };
    }
    let Some(first) = context.cursor.eat_hex(4) else {
        context.legacy("`\\u` without four hexadecimal digits", start)?;
        return Ok(0x75);
    };
    if (0xD800..=0xDBFF).contains(&first) {
        let here = context.cursor.at();
        if context.cursor.eat_str("\\u")
            && let Some(second @ 0xDC00..=0xDFFF) = context.cursor.eat_hex(4)
        {
            return Ok(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00));
        }
        context.cursor.seek(here);
    }
    Ok(first)
}

/// Reads `{…}` after `\p` or `\P`.
///
/// Annex B would read `\p` as the letter; no author means that, so a misspelt property has no
/// lenient reading.
fn property<'t>(
    context: &mut Context<'t>,
    start: usize,
    negative: bool,
) -> Result<ClassEscape<'t>, PatternError> {
    let here = context.cursor.at();
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '=';
    if context.cursor.eat('{') {
        while context.cursor.peek().is_some_and(name) {
            context.cursor.next();
        }
        let expression = context.cursor.since(here + 1);
        if context.cursor.eat('}') {
            return match property::look_up(expression) {
                Lookup::Known => Ok(ClassEscape::Property {
                    expression,
                    negative,
                }),
                Lookup::Unsupported if context.grammar == Grammar::Strict => {
                    Ok(ClassEscape::Property {
                        expression,
                        negative,
                    })
                }
                Lookup::Unsupported => Err(PatternError::unsupported(
                    context.cursor.text(),
                    "property without a table here",
                    start..context.cursor.at(),
                )),
                Lookup::Unknown => {
                    Err(context.error("property that ECMA-262 does not list", start))
                }
            };
        }
    }
    Err(context.error("`\\p` without a property in braces", start))
}

/// Reads a decimal escape outside brackets.
fn number<'t>(context: &mut Context<'t>, start: usize) -> Result<Escape<'t>, PatternError> {
    let first = context.cursor.peek();
    let Some(number) = context.cursor.eat_decimal() else {
        return Err(context.internal("a decimal escape without a digit"));
    };
    if context.grammar == Grammar::Strict || number <= context.group_count().captures {
        // In the strict grammar, the parser compares it with the final count.
        return Ok(Escape::Number(number));
    }
    context.cursor.seek(start + 1);
    if let Some(c @ ('8' | '9')) = first {
        context.cursor.next();
        context.legacy("escaped digit", start)?;
        return Ok(Escape::Char(u32::from(c)));
    }
    let value = octal(context)?;
    context.legacy("octal escape", start)?;
    Ok(Escape::Char(value))
}

/// Reads *LegacyOctalEscapeSequence*: at most 0o377.
fn octal(context: &mut Context<'_>) -> Result<u32, PatternError> {
    let Some(mut value) = context.cursor.eat_digit(8) else {
        return Err(context.internal("an octal escape without a digit"));
    };
    let more = if value <= 3 { 2 } else { 1 };
    for _ in 0..more {
        match context.cursor.eat_digit(8) {
            Some(digit) => value = value * 8 + digit,
            None => break,
        }
    }
    Ok(value)
}

/// Reads `k<name>`, or the letter if no group has a name.
fn name<'t>(context: &mut Context<'t>, start: usize) -> Result<Escape<'t>, PatternError> {
    context.cursor.next();
    if context.grammar == Grammar::Lenient && !context.group_count().named {
        context.legacy("`\\k` without a named group", start)?;
        return Ok(Escape::Char(0x6B));
    }
    if !context.cursor.eat('<') {
        return Err(context.error("`\\k` without a group name", start));
    }
    group_name(context, start).map(Escape::Name)
}

/// Reads `name>`, the part of a group name after its `<`.
pub(crate) fn group_name(context: &mut Context<'_>, start: usize) -> Result<String, PatternError> {
    let mut name = String::new();
    while let Some(c) = context.cursor.next() {
        if c == '>' && !name.is_empty() {
            return Ok(name);
        }
        let c = if c == '\\' && context.cursor.eat('u') {
            let at = context.cursor.at();
            let value = unicode(context, start)?;
            // The lenient `\u` without digits reads nothing, so it is not part of a name.
            let read = context.cursor.at() > at;
            char::from_u32(value).filter(|_| read)
        } else {
            Some(c)
        };
        let Some(c) = c else {
            break;
        };
        match is_name_part(c, name.is_empty()) {
            None if property::look_up("ID_Start") == Lookup::Known => {
                return Err(context.internal(property::MISSING));
            }
            None => {
                return Err(PatternError::unsupported(
                    context.cursor.text(),
                    "group name beyond ASCII, without a table here",
                    start..context.cursor.at(),
                ));
            }
            Some(true) => name.push(c),
            Some(false) => break,
        }
    }
    Err(context.error("group name that is not an identifier", start))
}

/// *RegExpIdentifierStart*, or *RegExpIdentifierPart* after the first; `None` if the table of
/// non-ASCII letters is missing.
fn is_name_part(c: char, first: bool) -> Option<bool> {
    if c.is_ascii() {
        let letter = c == '$' || c == '_' || c.is_ascii_alphabetic();
        return Some(letter || !first && c.is_ascii_digit());
    }
    static START: OnceLock<Option<set::Class>> = OnceLock::new();
    static PART: OnceLock<Option<set::Class>> = OnceLock::new();
    let (table, property) = if first {
        (&START, "ID_Start")
    } else {
        (&PART, "ID_Continue")
    };
    let table = table.get_or_init(|| property::set(property).map(CodeSet::freeze));
    let joiner = !first && matches!(c, '\u{200C}' | '\u{200D}');
    Some(joiner || table.as_ref()?.contains(u32::from(c)))
}
