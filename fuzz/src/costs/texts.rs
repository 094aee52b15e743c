//! The texts of an input, and how a text of some size is put together.

/// The texts of one input: a schema and an instance, two listings, or one of them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Texts {
    /// The first, which grows.
    pub first: String,
    /// The second; empty if the entry point takes one text.
    pub second: String,
}

impl Texts {
    /// One text.
    #[must_use]
    pub fn one(first: String) -> Self {
        Self {
            first,
            second: String::new(),
        }
    }

    /// Two texts.
    #[must_use]
    pub fn two(first: impl Into<String>, second: impl Into<String>) -> Self {
        Self {
            first: first.into(),
            second: second.into(),
        }
    }

    /// The bytes of both.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len().saturating_add(self.second.len())
    }

    /// Whether both are empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Pieces, made from their number and joined by commas, of about `size` bytes together.
#[must_use]
pub fn many(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size.saturating_add(64));
    let mut index = 0_usize;
    while text.len() < size {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&piece(index));
        index = index.saturating_add(1);
    }
    text
}

/// The same pieces from the last to the first.
#[must_use]
pub fn reversed(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut pieces = Vec::new();
    let mut length = 0_usize;
    while length < size {
        let next = piece(pieces.len());
        length = length.saturating_add(next.len()).saturating_add(1);
        pieces.push(next);
    }
    pieces.reverse();
    pieces.join(",")
}
