//! The closest spelling: what a mistyped name was probably meant to be.

use toolsure_json::int::to_usize;

/// The candidate closest to `word`, if at most a third of its letters are changed, added, dropped
/// or swapped.
///
/// Costs `word` × candidate letters; words over 64 characters have no match.
///
/// ```
/// use toolsure_syntax::closest;
///
/// assert_eq!(closest("minLenght", ["minLength", "maxLength"]), Some("minLength"));
/// assert_eq!(closest("colour", ["minLength", "maxLength"]), None);
/// ```
#[must_use]
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let letters = word.chars().take(LONGEST + 1).count();
    closest_within((letters / 3).max(1), word, candidates)
}

/// The candidate closest to `word`, with at most `allowed` letters changed, added, dropped or
/// swapped with a neighbour. Letter case does not count.
///
/// Costs `word` × candidate letters; words over 64 characters have no match.
///
/// ```
/// use toolsure_syntax::closest_within;
///
/// assert_eq!(closest_within(0, "MinLength", ["minLength"]), Some("minLength"));
/// assert_eq!(closest_within(1, "minLenght", ["minLength"]), Some("minLength"));
/// assert_eq!(closest_within(1, "mnLenght", ["minLength"]), None);
/// ```
#[must_use]
pub fn closest_within<'c>(
    allowed: usize,
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let letters: Vec<char> = word.chars().take(LONGEST + 1).map(lower).collect();
    if letters.len() > LONGEST || letters.is_empty() {
        return None;
    }
    let (_, of_word) = alphabet(letters.iter().copied());
    let mut best = None;
    let mut other = Vec::new();
    let mut rows = Rows::default();
    for candidate in candidates {
        // Among equally close candidates, the first wins.
        let allowed = match best {
            None => allowed,
            Some((0, _)) => break,
            Some((least, _)) => least - 1,
        };
        let (length, of_candidate) = alphabet(candidate.chars().take(LONGEST + 1));
        // An edit changes one letter, so each letter that only one of the words has needs one edit.
        let missing = (of_word & !of_candidate).count_ones();
        let added = (of_candidate & !of_word).count_ones();
        if length > LONGEST
            || length.abs_diff(letters.len()) > allowed
            || to_usize(missing.max(added)) > allowed
        {
            continue;
        }
        other.clear();
        other.extend(candidate.chars().map(lower));
        if let Some(distance) = rows.distance(&letters, &other, allowed) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
        .filter(|candidate| *candidate != word)
}

/// How many letters a word has, and which ones, as a set of bits that ignores case; several letters
/// may share a bit.
fn alphabet(word: impl Iterator<Item = char>) -> (usize, u64) {
    word.fold((0, 0), |(length, set), letter| {
        let bit = u32::from(lower(letter)) % u64::BITS;
        (length + 1, set | 1 << bit)
    })
}

/// Rows of the table of edit distances between prefixes of two words.
#[derive(Default)]
struct Rows {
    before: Vec<usize>,
    last: Vec<usize>,
    row: Vec<usize>,
}

impl Rows {
    /// The edit distance, where swapping two neighbours counts as one edit; `None` if it exceeds
    /// `allowed`, which shows early for words that are not alike.
    fn distance(&mut self, a: &[char], b: &[char], allowed: usize) -> Option<usize> {
        let Self { before, last, row } = self;
        before.clear();
        last.clear();
        last.extend(0..=b.len());
        let mut left_of_a = None;
        let mut least_of_last = 0;
        for (i, &x) in a.iter().enumerate() {
            row.clear();
            row.push(i + 1);
            let (mut least, mut left) = (i + 1, i + 1);
            let mut left_of_b = None;
            for (j, (&y, above)) in b.iter().zip(last.windows(2)).enumerate() {
                let &[diagonal, above] = above else { continue };
                let changed = diagonal + usize::from(x != y);
                let mut best = changed.min(above + 1).min(left + 1);
                if left_of_a == Some(y) && left_of_b == Some(x) {
                    let swapped = j.checked_sub(1).and_then(|at| before.get(at));
                    best = swapped.map_or(best, |swapped| best.min(swapped + 1));
                }
                row.push(best);
                (least, left) = (least.min(best), best);
                left_of_b = Some(y);
            }
            // Every path to the end passes through one of two consecutive rows.
            if least > allowed && least_of_last > allowed {
                return None;
            }
            least_of_last = least;
            std::mem::swap(before, last);
            std::mem::swap(last, row);
            left_of_a = Some(x);
        }
        last.last().copied().filter(|distance| *distance <= allowed)
    }
}

/// A letter, so that those that differ only in case are equal.
fn lower(letter: char) -> char {
    letter.to_ascii_lowercase()
}

const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn close_and_not_close() {
        let names = ["string", "number", "minLength", "additionalProperties"];
        for (word, expected) in [
            ("strng", Some("string")),
            ("stirng", Some("string")),
            ("minLenght", Some("minLength")),
            ("minlength", Some("minLength")),
            ("additionalProperty", Some("additionalProperties")),
            ("integer", None),
            ("string", None),
            ("", None),
        ] {
            assert_eq!(closest(word, names), expected, "{word}");
        }
        assert_eq!(closest(&"s".repeat(10_000), names), None);
        // Among equally close candidates, the first wins, and a word is never corrected to itself.
        assert_eq!(closest("cat", ["boat", "hat", "bat"]), Some("hat"));
        assert_eq!(closest("cat", ["hat", "Cat", "cat"]), Some("Cat"));
        assert_eq!(closest("cat", ["hat", "cat", "Cat"]), None);
    }
}
