//! The closest spelling of a mistyped name.

/// The candidate that `word` was probably meant to be: another letter case, one
/// edit away, or two in words of eight letters and more.
///
/// Words of fewer than four letters match by letter case only, and words of
/// more than 40 not at all.
pub(super) fn closest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let letters: Vec<char> = word.chars().take(LONGEST.saturating_add(1)).collect();
    if letters.len() > LONGEST {
        return None;
    }
    let allowed = match letters.len() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other: Vec<char> = candidate.chars().collect();
        if other.len().abs_diff(letters.len()) > allowed {
            continue;
        }
        let distance = distance(&letters, &other);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
        .filter(|candidate| *candidate != word)
}

/// Letters changed, added, dropped, or swapped with a neighbour; letter case does not count.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len().saturating_add(1);
    let mut rows: Vec<Vec<usize>> = vec![(0..width).collect()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i.saturating_add(1)];
        for (j, y) in b.iter().enumerate() {
            let above = |up: usize, left: usize| {
                let row = rows.get(rows.len().checked_sub(up)?)?;
                row.get(j.saturating_add(1).checked_sub(left)?).copied()
            };
            let same = usize::from(!x.eq_ignore_ascii_case(y));
            let swapped = i.checked_sub(1).zip(j.checked_sub(1)).filter(|(i, j)| {
                a.get(*i).is_some_and(|c| c.eq_ignore_ascii_case(y))
                    && b.get(*j).is_some_and(|c| c.eq_ignore_ascii_case(x))
            });
            let left = row.last().copied();
            let options = [
                above(1, 1).map(|n| n.saturating_add(same)),
                above(1, 0).map(|n| n.saturating_add(1)),
                left.map(|n| n.saturating_add(1)),
                swapped
                    .and_then(|_| above(2, 2))
                    .map(|n| n.saturating_add(1)),
            ];
            row.push(options.into_iter().flatten().min().unwrap_or(usize::MAX));
        }
        rows.push(row);
    }
    let end = rows.last().and_then(|row| row.last());
    end.copied().unwrap_or(usize::MAX)
}

const LONGEST: usize = 40;

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn close_and_not_close() {
        let names = [
            "minLength",
            "required",
            "description",
            "not",
            "examples",
            "type",
        ];
        for (word, meant) in [
            ("minLenght", Some("minLength")),
            ("require", Some("required")),
            ("descriptions", Some("description")),
            ("Type", Some("type")),
            ("tpye", Some("type")),
            ("note", Some("not")),
            ("nt", None),
            ("type", None),
            ("optional", None),
            ("", None),
        ] {
            assert_eq!(closest(word, names), meant, "{word}");
        }
        assert_eq!(closest(&"t".repeat(10_000), names), None);
    }
}
