//! Bracketed classes, `[…]` and `[^…]`.

use std::collections::BTreeSet;

use crate::context::Context;
use crate::error::PatternError;
use crate::escape::{self, ClassEscape, Escape};
use crate::fold;
use crate::property;
use crate::set::CodeSet;

/// Reads a class whose `[` at `start` has been read. The set is empty unless `builds` is set.
pub(crate) fn parse(
    context: &mut Context<'_>,
    start: usize,
    builds: bool,
) -> Result<CodeSet, PatternError> {
    let negative = context.cursor.eat('^');
    let mut bracket = Bracket {
        set: CodeSet::default(),
        seen: BTreeSet::new(),
        ignore_case: context.flags.ignore_case,
        builds,
    };
    loop {
        let at = context.cursor.at();
        let Some(low) = member(context, start)? else {
            break;
        };
        let before_dash = context.cursor.at();
        if !context.cursor.eat('-') {
            bracket.add(low, context)?;
            continue;
        }
        if context.cursor.peek() == Some(']') {
            // A dash at the end is literal.
            context.cursor.seek(before_dash);
            bracket.add(low, context)?;
            continue;
        }
        let Some(high) = member(context, start)? else {
            break;
        };
        match (low, high) {
            (Member::Char(low), Member::Char(high)) if low <= high => bracket.range(low, high),
            (Member::Char(_), Member::Char(_)) => {
                return Err(context.error("the ends of the range are out of order", at));
            }
            (low, high) => {
                context.legacy("a range from or to a set", at)?;
                bracket.add(low, context)?;
                bracket.range(DASH, DASH);
                bracket.add(high, context)?;
            }
        }
    }
    let mut set = bracket.set;
    set.normalise();
    if context.flags.ignore_case && builds && fold::close(&mut set).is_none() {
        return Err(context.internal(property::MISSING));
    }
    if negative && builds {
        set.negate();
    }
    Ok(set)
}

#[derive(Clone, Copy, Debug)]
enum Member<'t> {
    Char(u32),
    Class(ClassEscape<'t>),
}

/// Reads one member, or the closing bracket.
fn member<'t>(context: &mut Context<'t>, start: usize) -> Result<Option<Member<'t>>, PatternError> {
    let at = context.cursor.at();
    match context.cursor.next() {
        None => Err(context.error("unclosed bracket", start)),
        Some(']') => Ok(None),
        Some('\\') => Ok(Some(match escape::member(context, at)? {
            Escape::Char(c) => Member::Char(c),
            Escape::Class(class) => Member::Class(class),
            // The other escapes are allowed only outside brackets.
            Escape::Boundary { .. } | Escape::Number(_) | Escape::Name(_) => {
                return Err(context.error("escape without a meaning in brackets", at));
            }
        })),
        Some(c) => Ok(Some(Member::Char(u32::from(c)))),
    }
}

struct Bracket<'t> {
    set: CodeSet,
    seen: BTreeSet<(&'t str, bool)>,
    ignore_case: bool,
    builds: bool,
}

impl<'t> Bracket<'t> {
    fn add(&mut self, member: Member<'t>, context: &Context<'_>) -> Result<(), PatternError> {
        match member {
            Member::Char(c) => self.range(c, c),
            Member::Class(class) => {
                // Properties are large, so each one is added only once.
                let new = match class {
                    ClassEscape::Property {
                        expression,
                        negative,
                    } if self.builds => self.seen.insert((expression, negative)),
                    _ => self.builds,
                };
                if new {
                    let Some(set) = class.set(self.ignore_case) else {
                        return Err(context.internal(property::MISSING));
                    };
                    self.set.union(&set);
                }
            }
        }
        Ok(())
    }

    fn range(&mut self, low: u32, high: u32) {
        if self.builds {
            self.set.add(low, high);
        }
    }
}

const DASH: u32 = 0x2D;
