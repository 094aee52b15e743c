//! A table that is empty in most plans; while it is empty it takes one word.

use std::ops::{Deref, DerefMut};

/// A growable table for data that few schemas need; it allocates no vector while it is empty.
#[derive(Debug, Clone)]
#[expect(
    clippy::box_collection,
    reason = "a plan has many tables, and one that is empty should take one word"
)]
pub(crate) struct RareTable<T>(Option<Box<Vec<T>>>);

impl<T> RareTable<T> {
    pub(crate) fn push(&mut self, row: T) {
        self.0.get_or_insert_default().push(row);
    }

    /// Whether it is empty, decided by reading one word.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Keeps the first `count` rows, to test damaged plans.
    #[cfg(test)]
    pub(crate) fn truncate(&mut self, count: usize) {
        if let Some(rows) = &mut self.0 {
            rows.truncate(count);
        }
    }

    /// Frees the memory reserved for growth.
    pub(crate) fn shrink_to_fit(&mut self) {
        if let Some(rows) = &mut self.0 {
            rows.shrink_to_fit();
        }
    }
}

impl<T> Default for RareTable<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> From<Vec<T>> for RareTable<T> {
    fn from(mut rows: Vec<T>) -> Self {
        rows.shrink_to_fit();
        Self((!rows.is_empty()).then(|| Box::new(rows)))
    }
}

impl<'t, T> IntoIterator for &'t RareTable<T> {
    type Item = &'t T;
    type IntoIter = std::slice::Iter<'t, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> FromIterator<T> for RareTable<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        rows.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T> Deref for RareTable<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

impl<T> DerefMut for RareTable<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.0.as_deref_mut().map_or(&mut [], Vec::as_mut_slice)
    }
}
