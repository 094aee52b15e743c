//! Values that stay where they are until all are dropped, so that they can be borrowed while more come.

use std::cell::{Cell, OnceCell};

/// A list that grows through a shared reference.
pub(super) struct Arena<T> {
    count: Cell<usize>,
    /// The first few take no allocation.
    first: [OnceCell<T>; FIRST],
    /// Blocks for the others, each twice as long as the one before.
    others: OnceCell<Box<[OnceCell<Cells<T>>; BLOCKS]>>,
}

type Cells<T> = Box<[OnceCell<T>]>;

impl<T> Arena<T> {
    pub(super) fn new() -> Self {
        Self {
            count: Cell::new(0),
            first: [const { OnceCell::new() }; FIRST],
            others: OnceCell::new(),
        }
    }

    /// Keeps a value; `None` if there is no room, which takes more values than memory holds.
    #[inline]
    pub(super) fn push(&self, value: T) -> Option<&T> {
        let at = self.count.get();
        self.count.set(at + 1);
        match self.first.get(at) {
            Some(cell) => Some(cell.get_or_init(|| value)),
            None => self.push_far(at, value),
        }
    }

    #[inline(never)]
    fn push_far(&self, at: usize, value: T) -> Option<&T> {
        let others = self
            .others
            .get_or_init(|| Box::new([const { OnceCell::new() }; BLOCKS]));
        let block = (at / FIRST).checked_ilog2()?;
        let before = FIRST << block;
        let cells = others.get(usize::try_from(block).ok()?)?;
        let cells = cells.get_or_init(|| (0..before).map(|_| OnceCell::new()).collect());
        Some(cells.get(at - before)?.get_or_init(|| value))
    }
}

/// Values that take no allocation.
const FIRST: usize = 32;
/// Blocks: together they hold 2^33 values.
const BLOCKS: usize = 28;
