//! What changed between two texts, word by word.

/// A run of words that both texts share, or that only one of them has, with the white space after it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "words are in both texts or in one of the two"
)]
pub enum Piece {
    /// Both texts have it.
    Same(String),
    /// Only the older text has it.
    Removed(String),
    /// Only the newer text has it.
    Added(String),
}

/// The words of two texts side by side: the pieces that are not [`Piece::Added`] form the older text, those
/// that are not [`Piece::Removed`] the newer one.
///
/// If the texts are too long to be compared word by word, apart from their common start and end, the rest
/// becomes one removed and one added piece.
///
/// ```
/// use toolsure_analysis::diff::{Piece, word_diff};
///
/// let pieces = word_diff("Finds old pages", "Finds new pages");
/// let expected = [
///     Piece::Same("Finds ".to_owned()),
///     Piece::Removed("old ".to_owned()),
///     Piece::Added("new ".to_owned()),
///     Piece::Same("pages".to_owned()),
/// ];
/// assert_eq!(pieces, expected);
/// ```
#[must_use]
pub fn word_diff(before: &str, after: &str) -> Vec<Piece> {
    let (old, new) = (words(before), words(after));
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()).saturating_sub(start);
    let (from_end, other) = (old.iter().rev(), new.iter().rev());
    let end = from_end
        .zip(other)
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let middle = |all: &[&str]| -> Vec<String> {
        let count = all.len().saturating_sub(start).saturating_sub(end);
        let words = all.iter().skip(start).take(count);
        words.map(|word| (*word).to_owned()).collect()
    };
    let mut pieces = Pieces::default();
    for word in old.iter().take(start) {
        pieces.push(Piece::Same((*word).to_owned()));
    }
    pieces.compare(&middle(&old), &middle(&new));
    for word in old.iter().skip(old.len().saturating_sub(end)) {
        pieces.push(Piece::Same((*word).to_owned()));
    }
    pieces.all
}

/// Words with the white space after each.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let blank = rest.get(word..).unwrap_or_default();
        let length = blank
            .find(|c: char| !c.is_whitespace())
            .unwrap_or(blank.len());
        let (one, next) = rest.split_at(word.saturating_add(length));
        words.push(one);
        rest = next;
    }
    words
}

#[derive(Default)]
struct Pieces {
    all: Vec<Piece>,
}

impl Pieces {
    fn push(&mut self, piece: Piece) {
        match (self.all.last_mut(), &piece) {
            (Some(Piece::Same(last)), Piece::Same(text))
            | (Some(Piece::Removed(last)), Piece::Removed(text))
            | (Some(Piece::Added(last)), Piece::Added(text)) => last.push_str(text),
            _ => self.all.push(piece),
        }
    }

    /// Finds the longest common subsequence, from a table of the lengths for each pair of suffixes.
    fn compare(&mut self, old: &[String], new: &[String]) {
        let columns = new.len().saturating_add(1);
        let cells = old.len().saturating_add(1).saturating_mul(columns);
        if cells > MOST_CELLS {
            self.push(Piece::Removed(old.concat()));
            self.push(Piece::Added(new.concat()));
            return;
        }
        let mut table = vec![0_u32; cells];
        let at = |row: usize, column: usize| row.saturating_mul(columns).saturating_add(column);
        let length = |table: &[u32], row: usize, column: usize| {
            table.get(at(row, column)).copied().unwrap_or(0)
        };
        for (row, word) in old.iter().enumerate().rev() {
            for (column, other) in new.iter().enumerate().rev() {
                let (below, beside) = (row.saturating_add(1), column.saturating_add(1));
                let best = if word == other {
                    length(&table, below, beside).saturating_add(1)
                } else {
                    length(&table, below, column).max(length(&table, row, beside))
                };
                if let Some(cell) = table.get_mut(at(row, column)) {
                    *cell = best;
                }
            }
        }
        let (mut row, mut column) = (0, 0);
        // Among words that changed together, removed ones come before added ones.
        let mut added: Vec<&String> = Vec::new();
        loop {
            match (old.get(row), new.get(column)) {
                (Some(word), Some(other)) if word == other => {
                    self.add(&mut added);
                    self.push(Piece::Same(word.clone()));
                    row = row.saturating_add(1);
                    column = column.saturating_add(1);
                }
                (Some(_), Some(other))
                    if length(&table, row, column.saturating_add(1))
                        > length(&table, row.saturating_add(1), column) =>
                {
                    added.push(other);
                    column = column.saturating_add(1);
                }
                (Some(word), _) => {
                    self.push(Piece::Removed(word.clone()));
                    row = row.saturating_add(1);
                }
                (None, Some(other)) => {
                    added.push(other);
                    column = column.saturating_add(1);
                }
                (None, None) => break,
            }
        }
        self.add(&mut added);
    }

    fn add(&mut self, added: &mut Vec<&String>) {
        for word in added.drain(..) {
            self.push(Piece::Added(word.clone()));
        }
    }
}

/// Pairs of words that are compared: two texts of 1,000 changed words each.
const MOST_CELLS: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_give_both_texts_back() {
        let long = "word ".repeat(2_000);
        for (before, after) in [
            ("", ""),
            ("", "a"),
            ("a b", "b a"),
            ("a  b\nc ", " a b c"),
            ("one two three four", "one 2 three 4 five"),
            (long.as_str(), "x"),
            (long.as_str(), &format!("other {}", "text ".repeat(2_000))),
        ] {
            let pieces = word_diff(before, after);
            let text = |left_out: fn(&Piece) -> bool| -> String {
                let kept = pieces.iter().filter(|piece| !left_out(piece));
                kept.map(|piece| match piece {
                    Piece::Same(text) | Piece::Removed(text) | Piece::Added(text) => text.as_str(),
                })
                .collect()
            };
            assert_eq!(text(|piece| matches!(piece, Piece::Added(_))), before);
            assert_eq!(text(|piece| matches!(piece, Piece::Removed(_))), after);
            assert!(pieces.len() < 20, "{pieces:?}");
        }
    }

    #[test]
    fn as_much_as_can_be_shared_is_shared() {
        let (removed, added) = (
            Piece::Removed("x ".to_owned()),
            Piece::Added("y ".to_owned()),
        );
        let shared = Piece::Same("a b c ".to_owned());
        let pieces = word_diff("x a b c ", "a b c y ");
        assert_eq!(pieces, [removed.clone(), shared.clone(), added.clone()]);
        let (came, went) = (
            Piece::Added("x ".to_owned()),
            Piece::Removed("y ".to_owned()),
        );
        assert_eq!(word_diff("a b c y ", "x a b c "), [came, shared, went]);
    }
}
