//! Sets of code points: built while a bracket is read, frozen into a
//! [`Class`] for matching.

use toolsure_json::int::to_usize;

/// A set of code points under construction, surrogates included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CodeSet {
    ranges: Vec<(u32, u32)>,
}

impl CodeSet {
    /// The set of the given inclusive ranges, in any order.
    pub(crate) fn of(ranges: &[(u32, u32)]) -> Self {
        Self {
            ranges: ranges.to_vec(),
        }
    }

    /// Adds an inclusive range.
    pub(crate) fn add(&mut self, low: u32, high: u32) {
        self.ranges.push((low, high));
    }

    /// Adds every member of the other set.
    pub(crate) fn union(&mut self, other: &Self) {
        self.ranges.extend_from_slice(&other.ranges);
    }

    /// Sorts the ranges and joins those that touch.
    pub(crate) fn normalise(&mut self) {
        let in_order = self.ranges.is_sorted_by(|a, b| a.1.saturating_add(1) < b.0);
        if in_order {
            return;
        }
        self.ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(self.ranges.len());
        for &(low, high) in &self.ranges {
            match joined.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        self.ranges = joined;
    }

    /// Replaces the set by its complement in U+0000 to U+10FFFF.
    pub(crate) fn negate(&mut self) {
        self.normalise();
        let mut out = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(low, high) in &self.ranges {
            if next < low {
                out.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= LAST {
            out.push((next, LAST));
        }
        self.ranges = out;
    }

    /// What is in one of two sets alone.
    #[cfg(feature = "unicode")]
    pub(crate) fn exclusive_or(&self, other: &Self) -> Self {
        let mut outside = self.clone();
        outside.negate();
        let mut rest = other.clone();
        rest.negate();
        let mut out = outside.intersection(other);
        out.union(&self.intersection(&rest));
        out.normalise();
        out
    }

    /// What is in both sets, of sorted ranges.
    #[cfg(feature = "unicode")]
    fn intersection(&self, other: &Self) -> Self {
        let mut out = Self::default();
        let mut others = other.ranges.iter().peekable();
        for &(low, high) in &self.ranges {
            while let Some(&&(from, to)) = others.peek() {
                if from.max(low) <= to.min(high) {
                    out.add(from.max(low), to.min(high));
                }
                if to > high {
                    break;
                }
                others.next();
            }
        }
        out
    }

    /// The ranges, in order after [`CodeSet::normalise`].
    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// The set as the matchers use it.
    pub(crate) fn freeze(mut self) -> Class {
        self.normalise();
        let mut class = Class {
            ascii: 0,
            ranges: self.ranges.into_boxed_slice(),
        };
        let ascii = class.ascii_ranges();
        class.ascii = ascii.fold(0, |set, (low, high)| {
            set | u128::MAX >> (127 - high + low) << low
        });
        class
    }
}

/// A frozen set of code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    ascii: u128,
    ranges: Box<[(u32, u32)]>,
}

impl Class {
    /// The set of one code point.
    pub(crate) fn single(c: u32) -> Self {
        CodeSet::of(&[(c, c)]).freeze()
    }

    /// Whether the code point is a member.
    #[inline]
    pub(crate) fn contains(&self, c: u32) -> bool {
        if c < 128 {
            return self.ascii >> c & 1 == 1;
        }
        let after = self.ranges.partition_point(|range| range.1 < c);
        self.ranges.get(after).is_some_and(|range| range.0 <= c)
    }

    /// Whether all members are below U+0080.
    pub(crate) fn is_ascii(&self) -> bool {
        self.ranges.last().is_none_or(|range| range.1 < 128)
    }

    /// The inclusive ranges, sorted, with at least one code point between them.
    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// The parts of the ranges below U+0080.
    pub(crate) fn ascii_ranges(&self) -> impl Iterator<Item = (usize, usize)> {
        let ranges = self.ranges.iter().take_while(|range| range.0 < 128);
        ranges.map(|&(low, high)| (to_usize(low), to_usize(high.min(127))))
    }

    /// Whether no code point is a member of both.
    pub(crate) fn is_disjoint(&self, other: &Self) -> bool {
        if self.ascii & other.ascii != 0 {
            return false;
        }
        let (mut left, mut right) = (self.ranges.iter(), other.ranges.iter());
        let (mut a, mut b) = (left.next(), right.next());
        while let (Some(x), Some(y)) = (a, b) {
            if x.1 < y.0 {
                a = left.next();
            } else if y.1 < x.0 {
                b = right.next();
            } else {
                return false;
            }
        }
        true
    }

    /// The memory held, in bytes.
    pub(crate) fn size(&self) -> usize {
        32 + 8 * self.ranges.len()
    }
}

/// The last code point.
pub(crate) const LAST: u32 = 0x10_FFFF;
/// `\d`.
pub(crate) const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
/// `\w`.
pub(crate) const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
/// `\w` if case is ignored: ſ folds to s, and the Kelvin sign to k.
pub(crate) const WORD_FOLDED: &[(u32, u32)] = &[
    (0x30, 0x39),
    (0x41, 0x5A),
    (0x5F, 0x5F),
    (0x61, 0x7A),
    (0x17F, 0x17F),
    (0x212A, 0x212A),
];
/// `\s`: *WhiteSpace* and *LineTerminator* of ECMA-262, sections 12.2 and 12.3.
pub(crate) const SPACE: &[(u32, u32)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];
/// What `.` excludes.
pub(crate) const LINE_TERMINATOR: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
