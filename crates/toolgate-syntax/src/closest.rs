//! The closest spelling: what a mistyped name was probably meant to be.

/// The candidate closest to `word`, if one is close enough to be worth saying:
/// at most a third of its letters changed, added, dropped or swapped.
///
/// Costs `word` × candidate letters; words over 64 characters have no neighbour.
///
/// ```
/// use toolgate_syntax::closest;
///
/// assert_eq!(closest("minLenght", ["minLength", "maxLength"]), Some("minLength"));
/// assert_eq!(closest("colour", ["minLength", "maxLength"]), None);
/// ```
#[must_use]
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let letters = word.chars().take(LONGEST + 1).count();
    closest_within((letters / 3).max(1), word, candidates)
}

/// The candidate closest to `word`, at most `allowed` letters changed, added, dropped or
/// swapped with a neighbour. Letter case does not count.
///
/// Costs `word` × candidate letters; words over 64 characters have no neighbour.
///
/// ```
/// use toolgate_syntax::closest_within;
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
    let letters: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if letters.len() > LONGEST || letters.is_empty() {
        return None;
    }
    let mut best = None;
    for candidate in candidates {
        let other: Vec<char> = candidate.chars().take(LONGEST + 1).collect();
        if other.len() > LONGEST || other.len().abs_diff(letters.len()) > allowed {
            continue;
        }
        let Some(distance) = distance(&letters, &other, allowed) else {
            continue;
        };
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
        .filter(|candidate| *candidate != word)
}

/// The edit distance that counts a swap of neighbours as one edit, letter case as none; nothing if
/// it is over `allowed`, which is known long before the end for words that are not alike.
fn distance(a: &[char], b: &[char], allowed: usize) -> Option<usize> {
    let mut before: Vec<usize> = Vec::with_capacity(b.len() + 1);
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row: Vec<usize> = Vec::with_capacity(b.len() + 1);
    let mut left_of_a = None;
    let mut least_of_last = 0;
    for (i, &x) in a.iter().enumerate() {
        row.clear();
        row.push(i + 1);
        let mut least = i + 1;
        let mut left_of_b = None;
        for (j, &y) in b.iter().enumerate() {
            let same = x.eq_ignore_ascii_case(&y);
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX);
            let mut best = at(&last, j).saturating_add(usize::from(!same));
            best = best.min(at(&last, j + 1).saturating_add(1));
            best = best.min(at(&row, j).saturating_add(1));
            let is_swap = is_letter(left_of_a, y) && is_letter(left_of_b, x);
            if is_swap && j > 0 {
                best = best.min(at(&before, j - 1).saturating_add(1));
            }
            row.push(best);
            least = least.min(best);
            left_of_b = Some(y);
        }
        // Every way to the end goes through one of two rows that follow each other.
        if least > allowed && least_of_last > allowed {
            return None;
        }
        least_of_last = least;
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
        left_of_a = Some(x);
    }
    last.last().copied().filter(|distance| *distance <= allowed)
}

/// Whether a letter is there and is `other`, but for its case.
fn is_letter(letter: Option<char>, other: char) -> bool {
    letter.is_some_and(|letter| letter.eq_ignore_ascii_case(&other))
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
    }
}
