//! Writes expressions, and patterns without lookaround, as text.

use super::classes::Atoms;
use super::expression::Expression;
use crate::ast::{Assertion, Ast, NO_MAX, Node, NodeId};
use crate::set::{LAST, LINE_TERMINATOR, SPACE};

/// Writes an expression of strings from their start.
pub(super) fn expression(expression: &Expression, atoms: &Atoms) -> Option<String> {
    let mut out = "^".to_owned();
    match expression {
        Expression::Or(_) => group(expression, atoms, &mut out)?,
        _ => write(expression, atoms, &mut out)?,
    }
    Some(out)
}

fn write(expression: &Expression, atoms: &Atoms, out: &mut String) -> Option<()> {
    if out.len() > super::LONGEST {
        return None;
    }
    match expression {
        Expression::Empty => {}
        Expression::End => out.push('$'),
        Expression::One(mask) => class(&atoms.ranges_of(*mask), out),
        Expression::Cat(all) => {
            for one in all {
                match one {
                    Expression::Or(_) => group(one, atoms, out)?,
                    _ => write(one, atoms, out)?,
                }
            }
        }
        Expression::Or(all) => {
            for (at, one) in all.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "|" });
                write(one, atoms, out)?;
            }
        }
        Expression::Star(inner) => repeated(inner, atoms, '*', out)?,
        Expression::Plus(inner) => repeated(inner, atoms, '+', out)?,
        Expression::Optional(inner) => repeated(inner, atoms, '?', out)?,
    }
    Some(())
}

/// A group that captures, which all engines have; nothing refers to it.
fn group(expression: &Expression, atoms: &Atoms, out: &mut String) -> Option<()> {
    out.push('(');
    write(expression, atoms, out)?;
    out.push(')');
    Some(())
}

fn repeated(inner: &Expression, atoms: &Atoms, sign: char, out: &mut String) -> Option<()> {
    match inner {
        Expression::One(_) => write(inner, atoms, out)?,
        _ => group(inner, atoms, out)?,
    }
    out.push(sign);
    Some(())
}

/// Writes a pattern without lookaround; `None` if it has conditions that depend on modifiers, or is too
/// long.
pub(super) fn tree(ast: &Ast, root: NodeId) -> Option<String> {
    let mut out = String::new();
    node(ast, root, &mut out)?;
    Some(out)
}

fn node(ast: &Ast, id: NodeId, out: &mut String) -> Option<()> {
    if out.len() > super::LONGEST {
        return None;
    }
    match ast.node(id) {
        Node::Empty => {}
        Node::Char(c) => class(&[(c, c)], out),
        Node::Class(id) => class(ast.class(id).ranges(), out),
        Node::Assert(assertion) => out.push_str(match assertion {
            Assertion::Start => "^",
            Assertion::End => "$",
            Assertion::Word {
                negative,
                fold: false,
            } => {
                if negative {
                    "\\B"
                } else {
                    "\\b"
                }
            }
            _ => return None,
        }),
        Node::BackReference {
            target,
            fold: false,
        } => match ast.target(target) {
            [group] => out.push_str(&format!("(?:\\{})", group + 1)),
            _ => return None,
        },
        Node::BackReference { .. } | Node::Look { .. } => return None,
        Node::Capture { child, .. } => {
            out.push('(');
            node(ast, child, out)?;
            out.push(')');
        }
        Node::Concat(list) => {
            for child in ast.children(list) {
                match ast.node(*child) {
                    Node::Alternate(_) => grouped(ast, *child, out)?,
                    _ => node(ast, *child, out)?,
                }
            }
        }
        Node::Alternate(list) => {
            for (at, child) in ast.children(list).iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "|" });
                node(ast, *child, out)?;
            }
        }
        Node::Repeat {
            child,
            min,
            max,
            greedy,
            ..
        } => {
            match ast.node(child) {
                Node::Char(_) | Node::Class(_) | Node::Capture { .. } => node(ast, child, out)?,
                _ => grouped(ast, child, out)?,
            }
            match (min, max) {
                (0, NO_MAX) => out.push('*'),
                (1, NO_MAX) => out.push('+'),
                (0, 1) => out.push('?'),
                (min, NO_MAX) => out.push_str(&format!("{{{min},}}")),
                (min, max) if min == max => out.push_str(&format!("{{{min}}}")),
                (min, max) => out.push_str(&format!("{{{min},{max}}}")),
            }
            out.push_str(if greedy { "" } else { "?" });
        }
    }
    Some(())
}

fn grouped(ast: &Ast, id: NodeId, out: &mut String) -> Option<()> {
    out.push_str("(?:");
    node(ast, id, out)?;
    out.push(')');
    Some(())
}

/// Writes a set of code points in the shortest way.
fn class(ranges: &[(u32, u32)], out: &mut String) {
    let others = complement(ranges);
    match (ranges, others.as_slice()) {
        ([(low, high)], _) if low == high => literal(*low, SPECIAL, out),
        (_, []) => out.push_str("[\\s\\S]"),
        // A class without members.
        ([], _) => out.push_str("[^\\s\\S]"),
        _ if ranges == SPACE => out.push_str("\\s"),
        (_, others) if others == SPACE => out.push_str("\\S"),
        (_, others) if others == LINE_TERMINATOR => out.push('.'),
        _ => {
            let (own, other) = (members(ranges), members(&others));
            if own.len() <= other.len() + 1 {
                out.push_str(&format!("[{own}]"));
            } else {
                out.push_str(&format!("[^{other}]"));
            }
        }
    }
}

/// The members of a class, with `\s` for white space if all of it is in it.
fn members(ranges: &[(u32, u32)]) -> String {
    let holds = |(low, high): &(u32, u32)| {
        let mut own = ranges.iter();
        own.any(|(from, to)| from <= low && high <= to)
    };
    let mut out = String::new();
    let mut rest = ranges.to_vec();
    if ranges != SPACE && SPACE.iter().all(holds) {
        out.push_str("\\s");
        rest = Vec::new();
        for (low, high) in ranges {
            let mut from = *low;
            let inside = SPACE
                .iter()
                .filter(|(first, last)| low <= first && last <= high);
            for (first, last) in inside {
                if from < *first {
                    rest.push((from, first - 1));
                }
                from = last + 1;
            }
            if from <= *high {
                rest.push((from, *high));
            }
        }
    }
    for (low, high) in rest {
        literal(low, CLASS_SPECIAL, &mut out);
        if high > low {
            out.push_str(if high > low + 1 { "-" } else { "" });
            literal(high, CLASS_SPECIAL, &mut out);
        }
    }
    out
}

fn complement(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut others = Vec::new();
    let mut from = 0;
    for (low, high) in ranges {
        if from < *low {
            others.push((from, low - 1));
        }
        from = high + 1;
    }
    if from <= LAST {
        others.push((from, LAST));
    }
    others
}

fn literal(c: u32, special: &str, out: &mut String) {
    match char::from_u32(c) {
        Some('\t') => out.push_str("\\t"),
        Some('\n') => out.push_str("\\n"),
        Some('\r') => out.push_str("\\r"),
        Some(c) if special.contains(c) => {
            out.push('\\');
            out.push(c);
        }
        Some(c) if c.is_ascii_graphic() || c == ' ' || c.is_alphanumeric() => out.push(c),
        _ if c <= 0xff => out.push_str(&format!("\\x{c:02x}")),
        Some(c) if u32::from(c) > 0xffff => out.push(c),
        _ => out.push_str(&format!("\\u{c:04x}")),
    }
}

/// Characters that need a `\` to represent themselves.
const SPECIAL: &str = "^$\\.*+?()[]{}|/";
/// The same inside a class.
const CLASS_SPECIAL: &str = "^\\]-[";
