//! The names of groups: declared, referred to, and told apart by alternative.
//!
//! ECMA-262 (2025) lets groups share a name if no match can pass through two of them, that is, if
//! they are in different alternatives of some disjunction. For each open group, the names in the
//! current alternative and those in the alternatives before it are kept apart; the smaller set
//! always moves into the larger, so the whole costs n log² n at most.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ast::Ast;
use crate::error::PatternError;

/// The names of one pattern.
#[derive(Debug, Default)]
pub(crate) struct Names {
    groups: BTreeMap<String, Vec<u32>>,
    references: Vec<(String, u32, Range<usize>)>,
    scopes: Vec<Scope>,
}

/// The names inside one open group.
#[derive(Debug, Default)]
struct Scope {
    current: BTreeMap<String, Range<usize>>,
    earlier: BTreeMap<String, Range<usize>>,
}

impl Names {
    /// A group opens.
    pub(crate) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// A bar was read.
    pub(crate) fn next_alternative(&mut self) {
        if let Some(scope) = self.scopes.last_mut() {
            let current = std::mem::take(&mut scope.current);
            absorb(&mut scope.earlier, current);
        }
    }

    /// A group closes.
    pub(crate) fn close(&mut self, text: &str) -> Result<(), PatternError> {
        self.next_alternative();
        let (Some(inner), Some(outer)) = (self.scopes.pop(), self.scopes.last_mut()) else {
            return Err(PatternError::internal(text, OUTSIDE));
        };
        match absorb(&mut outer.current, inner.earlier) {
            Some(span) => Err(duplicate(text, span)),
            None => Ok(()),
        }
    }

    /// A named group opens; call before [`Names::open`].
    pub(crate) fn declare(
        &mut self,
        text: &str,
        name: String,
        index: u32,
        span: Range<usize>,
    ) -> Result<(), PatternError> {
        let Some(scope) = self.scopes.last_mut() else {
            return Err(PatternError::internal(text, OUTSIDE));
        };
        if scope.current.insert(name.clone(), span.clone()).is_some() {
            return Err(duplicate(text, span));
        }
        self.groups.entry(name).or_default().push(index);
        Ok(())
    }

    /// A backreference by name was read.
    pub(crate) fn refer(&mut self, name: String, target: u32, span: Range<usize>) {
        self.references.push((name, target, span));
    }

    /// Sets the groups of every backreference, at the end of the text.
    pub(crate) fn resolve(&self, text: &str, ast: &mut Ast) -> Result<(), PatternError> {
        for (name, target, span) in &self.references {
            let Some(groups) = self.groups.get(name) else {
                let message = "backreference to a group name that does not exist";
                return Err(PatternError::syntax(text, message, span.clone()));
            };
            if ast.set_target(*target, groups.clone()).is_none() {
                return Err(PatternError::internal(
                    text,
                    "a backreference without a target",
                ));
            }
        }
        Ok(())
    }
}

/// Moves `from` into `into`; returns the later place of a name that is in both, if any.
fn absorb(
    into: &mut BTreeMap<String, Range<usize>>,
    mut from: BTreeMap<String, Range<usize>>,
) -> Option<Range<usize>> {
    if from.len() > into.len() {
        std::mem::swap(into, &mut from);
    }
    let mut clash: Option<Range<usize>> = None;
    for (name, span) in from {
        if let Some(other) = into.insert(name, span.clone()) {
            let later = if other.start > span.start {
                other
            } else {
                span
            };
            clash = Some(match clash {
                Some(found) if found.start < later.start => found,
                _ => later,
            });
        }
    }
    clash
}

/// The message of an internal error if a group closes or gets a name although none is open.
const OUTSIDE: &str = "a group that was not opened";

fn duplicate(text: &str, span: Range<usize>) -> PatternError {
    PatternError::syntax(text, "two groups of one name", span)
}
