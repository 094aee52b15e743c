//! Runs of classes from the start of a text, if greedy matching is exact: names such as
//! `^[a-z][a-z0-9_-]{0,63}$`, and fixed-length layouts such as dates and UUIDs.

use crate::set::Class;
use toolsure_json::int::{to_length, to_u64};

/// Consecutive runs of classes, with nothing after them if `end`.
#[derive(Debug)]
pub(crate) struct Runs {
    /// For each byte the classes that contain it, by [`Run::bit`]; none for bytes that are not a
    /// whole character.
    table: Box<[u16; 256]>,
    runs: Box<[Run]>,
    /// The class of each byte, if every match has the same length and only ASCII characters.
    layout: Box<[u16]>,
    end: bool,
    /// The fewest and most bytes that can match.
    bytes: (u64, u64),
}

/// `class{min,max}` of the pattern.
#[derive(Debug)]
pub(crate) struct Repetition {
    pub(crate) class: Class,
    pub(crate) min: u64,
    /// `u64::MAX` if there is no maximum.
    pub(crate) max: u64,
}

#[derive(Debug)]
struct Run {
    /// Its class in the table.
    bit: u16,
    min: u64,
    max: u64,
    /// The class, if it has members beyond ASCII; boxed because few have, and most patterns have
    /// several runs.
    wide: Option<Box<Class>>,
}

impl Runs {
    /// The runs of these repetitions; `None` if greedy matching is not exact, or if there are more
    /// classes than a row of the table has bits.
    pub(crate) fn of(mut repetitions: Vec<Repetition>, end: bool) -> Option<Self> {
        if !end {
            // The text after the match does not matter, so the last runs need only their minimum.
            while repetitions.last().is_some_and(|last| last.min == 0) {
                repetitions.pop();
            }
            if let Some(last) = repetitions.last_mut() {
                last.max = last.min;
            }
        }
        if !greed_decides(&repetitions) {
            return None;
        }
        let least = repetitions
            .iter()
            .fold(0_u64, |sum, one| sum.saturating_add(one.min));
        let most = repetitions.iter().fold(0_u64, |sum, one| {
            let width = if one.class.is_ascii() { 1 } else { 4 };
            sum.saturating_add(one.max.saturating_mul(width))
        });
        let is_layout = least <= LONGEST_LAYOUT
            && repetitions
                .iter()
                .all(|one| one.min == one.max && one.class.is_ascii());
        let mut table = Box::new([0; 256]);
        let mut classes: Vec<Class> = Vec::new();
        let mut runs = Vec::with_capacity(repetitions.len());
        let mut layout = Vec::new();
        for one in repetitions {
            let place = classes.iter().position(|known| *known == one.class);
            let place = place.unwrap_or(classes.len());
            let bit = 1_u16.checked_shl(toolsure_json::int::to_u32(place))?;
            if is_layout {
                layout.resize(layout.len() + to_length(one.min), bit);
            }
            let wide = (!one.class.is_ascii()).then(|| Box::new(one.class.clone()));
            if place == classes.len() {
                for (low, high) in one.class.ascii_ranges() {
                    let rows = table.get_mut(low..=high).into_iter().flatten();
                    rows.for_each(|row| *row |= bit);
                }
                classes.push(one.class);
            }
            runs.push(Run {
                bit,
                min: one.min,
                max: one.max,
                wide,
            });
        }
        Some(Self {
            table,
            runs: runs.into(),
            layout: layout.into(),
            end,
            bytes: (least, if end { most } else { u64::MAX }),
        })
    }

    /// Whether the text matches; one pass.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let len = to_u64(text.len());
        if len < self.bytes.0 || len > self.bytes.1 {
            return false;
        }
        if !self.layout.is_empty() {
            return self.is_laid_out(text.as_bytes());
        }
        let mut at = 0;
        for run in &self.runs {
            match self.take(run, text, at) {
                Some(after) => at = after,
                None => return false,
            }
        }
        !self.end || at == text.len()
    }

    /// Whether a text that is long enough begins with the layout.
    fn is_laid_out(&self, text: &[u8]) -> bool {
        let odd = text
            .iter()
            .zip(&self.layout)
            .fold(false, |odd, (byte, class)| {
                odd | (self.classes(*byte) & class == 0)
            });
        !odd
    }

    /// Where a run ends that begins at `at` and consumes as much as is allowed; `None` if that is
    /// too little.
    #[inline]
    fn take(&self, run: &Run, text: &str, at: usize) -> Option<usize> {
        let mut at = at;
        let mut taken = 0;
        loop {
            let rest = text.as_bytes().get(at..)?;
            let most = to_length(run.max - taken).min(rest.len());
            let stretch = self.stretch(run.bit, rest.get(..most)?);
            at += stretch;
            taken += to_u64(stretch);
            let Some(class) = &run.wide else {
                break;
            };
            let next = text.get(at..)?.chars().next();
            match next.filter(|c| taken < run.max && !c.is_ascii()) {
                Some(c) if class.contains(u32::from(c)) => {
                    at += c.len_utf8();
                    taken += 1;
                }
                _ => break,
            }
        }
        (taken >= run.min).then_some(at)
    }

    /// How many bytes at the start are ASCII members of a class.
    #[inline]
    fn stretch(&self, bit: u16, bytes: &[u8]) -> usize {
        let (eights, _) = bytes.as_chunks::<8>();
        let all_in = |eight: &&[u8; 8]| {
            let common = eight
                .iter()
                .fold(bit, |bit, byte| bit & self.classes(*byte));
            common != 0
        };
        let whole = 8 * eights.iter().take_while(all_in).count();
        let rest = bytes.get(whole..).unwrap_or_default();
        let is_in = |byte: &&u8| self.classes(**byte) & bit != 0;
        whole + rest.iter().take_while(is_in).count()
    }

    #[inline]
    fn classes(&self, byte: u8) -> u16 {
        self.table.get(usize::from(byte)).copied().unwrap_or(0)
    }

    /// How many runs there are.
    pub(crate) fn len(&self) -> usize {
        self.runs.len()
    }

    /// The memory held, in bytes.
    pub(crate) fn size(&self) -> usize {
        let runs = self.runs.iter();
        let runs = runs.map(|run| size_of::<Run>() + run.wide.as_ref().map_or(0, |one| one.size()));
        size_of_val(&*self.table) + 2 * self.layout.len() + runs.sum::<usize>()
    }
}

/// Whether consuming as much as allowed is the only way a run can match: the part after a run of
/// variable length must not begin with a member of it.
fn greed_decides(runs: &[Repetition]) -> bool {
    runs.iter().enumerate().all(|(index, run)| {
        if run.min == run.max {
            return true;
        }
        for next in runs.iter().skip(index + 1) {
            if !run.class.is_disjoint(&next.class) {
                return false;
            }
            if next.min > 0 {
                break;
            }
        }
        true
    })
}

/// Longer texts of fixed length are matched run by run.
const LONGEST_LAYOUT: u64 = 64;
