//! The closest spelling: what a mistyped name was probably meant to be.

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
    let mut letters = Vec::with_capacity(word.len().min(LONGEST + 1));
    letters.extend(word.chars().take(LONGEST + 1).map(lower));
    if letters.len() > LONGEST || letters.is_empty() {
        return None;
    }
    let (_, of_word) = alphabet(letters.iter().copied());
    let allowed = u8::try_from(allowed).unwrap_or(u8::MAX).min(FAR);
    let mut best = None;
    let mut other = Vec::new();
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
            || length.abs_diff(letters.len()) > usize::from(allowed)
            || missing.max(added) > u32::from(allowed)
        {
            continue;
        }
        other.clear();
        other.reserve(length);
        other.extend(candidate.chars().map(lower));
        if edits(&letters, &other) > i32::from(allowed) {
            continue;
        }
        if let Some(distance) = distance(&letters, &other, allowed) {
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

/// How many letters one word has more than the other, at least: each takes one edit.
fn edits(a: &[char], b: &[char]) -> i32 {
    let mut counts = [0_i32; 32];
    for (word, one) in [(a, 1), (b, -1)] {
        for &letter in word {
            // Letters that share a count look more alike than they are.
            let [bits, ..] = u32::from(letter).to_le_bytes();
            if let Some(count) = counts.get_mut(usize::from(bits % 32)) {
                *count += one;
            }
        }
    }
    let more: i32 = counts.iter().map(|count| (*count).max(0)).sum();
    let less: i32 = counts.iter().map(|count| (*count).min(0)).sum();
    more.max(-less)
}

/// The edit distance, where swapping two neighbours counts as one edit; `None` if it exceeds
/// `allowed`, which shows early for words that are not alike.
fn distance(a: &[char], b: &[char], allowed: u8) -> Option<u8> {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(same..)?, b.get(same..)?);
    // Rows of the table of distances between prefixes. A cell that is more than `allowed` from the
    // diagonal is out of reach.
    let (mut before, mut last) = ([FAR; LONGEST + 1], [FAR; LONGEST + 1]);
    for (cell, distance) in last.iter_mut().zip(0..=allowed) {
        *cell = distance;
    }
    let reach = usize::from(allowed);
    let (mut left_of_a, mut least_of_last) = (None, 0);
    for (i, (number, &x)) in (1..FAR).zip(a).enumerate() {
        let mut row = [FAR; LONGEST + 1];
        let first = i.saturating_sub(reach);
        let (mut left, mut left_of_b) = (FAR, None);
        match first.checked_sub(1) {
            Some(above) => left_of_b = b.get(above).copied(),
            None => left = number,
        }
        let mut least = left;
        *row.get_mut(first)? = left;
        let above = last.get(first..)?.windows(2);
        let cells = row.get_mut(first + 1..)?.iter_mut();
        let columns = b.get(first..)?.iter().zip(above).zip(cells);
        for (j, ((&y, above), cell)) in (first..=i + reach).zip(columns) {
            let &[diagonal, above] = above else { continue };
            let changed = diagonal + u8::from(x != y);
            let mut best = changed.min(above + 1).min(left + 1);
            if left_of_a == Some(y) && left_of_b == Some(x) {
                let swapped = j.checked_sub(1).and_then(|at| before.get(at));
                best = swapped.map_or(best, |swapped| best.min(swapped + 1));
            }
            *cell = best;
            (least, left) = (least.min(best), best);
            left_of_b = Some(y);
        }
        // Every path to the end passes through one of two consecutive rows.
        if least > allowed && least_of_last > allowed {
            return None;
        }
        least_of_last = least;
        (before, last) = (last, row);
        left_of_a = Some(x);
    }
    let distance = last.get(b.len()).copied();
    distance.filter(|distance| *distance <= allowed)
}

/// A letter, so that those that differ only in case are equal.
fn lower(letter: char) -> char {
    letter.to_ascii_lowercase()
}

/// Longer words are not compared.
const LONGEST: usize = 64;
/// More edits than two words can need.
const FAR: u8 = 100;

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
