//! The bounds that a schema sets for numbers, as its dialect reads them.

use std::cmp::Ordering;

use toolsure_json::{Kind, Node as _, Number, View};
use toolsure_syntax::Dialect;

/// A lower or an upper bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Lower,
    Upper,
}

/// The bound of a schema at one end.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    /// The keyword that has the number.
    pub(crate) keyword: &'static str,
    pub(crate) value: View<'a>,
    /// Whether the number itself is rejected.
    pub(crate) is_exclusive: bool,
}

impl<'a> Bound<'a> {
    /// The tighter bound of a schema at one end. `keyword` finds the schema's keywords.
    pub(crate) fn of(
        dialect: Dialect,
        end: End,
        keyword: impl Fn(&'static str) -> Option<View<'a>>,
    ) -> Option<Self> {
        let (inclusive, exclusive) = match end {
            End::Lower => ("minimum", "exclusiveMinimum"),
            End::Upper => ("maximum", "exclusiveMaximum"),
        };
        let bound = |name, is_exclusive| {
            let value = keyword(name).filter(|value| value.kind() == Kind::Number)?;
            Some(Self {
                keyword: name,
                value,
                is_exclusive,
            })
        };
        if dialect == Dialect::Draft4 {
            let is_exclusive = keyword(exclusive).is_some_and(|flag| flag.boolean());
            return bound(inclusive, is_exclusive);
        }
        match (bound(inclusive, false), bound(exclusive, true)) {
            (Some(one), Some(other)) => Some(one.tighter(other, end)),
            (one, other) => one.or(other),
        }
    }

    /// The tighter of two bounds at one end.
    pub(crate) fn tighter(self, other: Self, end: End) -> Self {
        if other.is_within(&self, end) {
            other
        } else {
            self
        }
    }

    /// Whether this bound is at least as tight as another at the same end.
    pub(crate) fn is_within(&self, other: &Self, end: End) -> bool {
        match self.value.number().compare(&other.value.number()) {
            Ordering::Equal => self.is_exclusive || !other.is_exclusive,
            Ordering::Greater => end == End::Lower,
            Ordering::Less => end == End::Upper,
        }
    }

    /// The same for integers: more than 0 is at least 1.
    pub(crate) fn is_within_for_integers(&self, other: &Self, end: End) -> bool {
        match (self.integer(end), other.integer(end)) {
            (Some(own), Some(other)) if end == End::Lower => own >= other,
            (Some(own), Some(other)) => own <= other,
            _ => self.is_within(other, end),
        }
    }

    /// Whether it allows all integers that JavaScript holds exactly: up to `Number.MAX_SAFE_INTEGER`.
    pub(crate) fn allows_safe_integers(&self, end: End) -> bool {
        match end {
            End::Lower => self.allows_number(&Number::from_i64(-SAFE), end),
            End::Upper => self.allows_number(&Number::from_i64(SAFE), end),
        }
    }

    /// The last integer that it allows; `None` if that is not one that a double holds exactly.
    fn integer(&self, end: End) -> Option<i64> {
        // Counted away from the side on which integers are refused.
        let signed = |count: i64| {
            if end == End::Lower {
                count
            } else {
                count.saturating_neg()
            }
        };
        let allows = |count: i64| self.allows_number(&Number::from_i64(signed(count)), end);
        let (mut refused, mut allowed) = (SAFE.saturating_neg(), SAFE);
        if allows(refused) || !allows(allowed) {
            return None;
        }
        while allowed.saturating_sub(refused) > 1 {
            let middle = refused.midpoint(allowed);
            match allows(middle) {
                true => allowed = middle,
                false => refused = middle,
            }
        }
        Some(signed(allowed))
    }

    /// The integers that a lower and an upper bound allow, if they are at most `most`.
    pub(crate) fn integers(lower: &Self, upper: &Self, most: usize) -> Option<Vec<i64>> {
        let (first, last) = (lower.integer(End::Lower)?, upper.integer(End::Upper)?);
        let count = usize::try_from(last.saturating_sub(first)).ok()?;
        (count < most).then(|| (first..=last).collect())
    }

    /// Whether the bound allows a number.
    pub(crate) fn allows(&self, number: View<'_>, end: End) -> bool {
        self.allows_number(&number.number(), end)
    }

    fn allows_number(&self, number: &Number<'_>, end: End) -> bool {
        match number.compare(&self.value.number()) {
            Ordering::Equal => !self.is_exclusive,
            Ordering::Greater => end == End::Lower,
            Ordering::Less => end == End::Upper,
        }
    }
}

/// The greatest integer that a double holds apart from its neighbours.
const SAFE: i64 = (1 << 53) - 1;
