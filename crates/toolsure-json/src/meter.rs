//! The fuel meter, which pays for bulk work on values.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::node::Node;

/// Counts the work done for a caller and can stop it.
///
/// Functions of this crate that walk whole values call [`spend`](Self::spend) before they do the
/// work, with amounts that depend only on the logical value: neither on the order of members nor on
/// how the value is held in memory.
pub trait Meter {
    /// What stopped the work.
    type Stop;

    /// Pays for `units` of work, or says to stop.
    ///
    /// One unit is about the work of one node or of 16 bytes of text.
    ///
    /// ```
    /// use toolsure_json::{Meter as _, Unmetered};
    ///
    /// assert!(Unmetered.spend(1_000_000).is_continue());
    /// ```
    ///
    /// # Errors
    ///
    /// `Break` if the budget does not allow it; the caller then does none of the work it wanted to
    /// pay for.
    fn spend(&mut self, units: u64) -> ControlFlow<Self::Stop>;
}

/// The meter that never stops, for work whose size the caller has bounded.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers write it as a value")]
pub struct Unmetered;

impl Meter for Unmetered {
    type Stop = Infallible;

    #[inline]
    fn spend(&mut self, _units: u64) -> ControlFlow<Infallible> {
        ControlFlow::Continue(())
    }
}

/// Pays for reading a number's text, before [`Node::number`] or [`Node::is_integer_literal`] does.
///
/// Short numbers cost nothing, because reading them is part of visiting their node.
///
/// ```
/// use std::ops::ControlFlow;
/// use toolsure_json::{Meter, OwnedDocument, ReadLimits, pay_for_number};
///
/// struct Fuel(u64);
///
/// impl Meter for Fuel {
///     type Stop = ();
///     fn spend(&mut self, units: u64) -> ControlFlow<()> {
///         match self.0.checked_sub(units) {
///             Some(left) => ControlFlow::Continue(self.0 = left),
///             None => ControlFlow::Break(()),
///         }
///     }
/// }
///
/// let mut fuel = Fuel(100);
/// for text in ["1.50".to_owned(), "1".repeat(640)] {
///     let document = OwnedDocument::read(text, &ReadLimits::default())?;
///     assert!(pay_for_number(document.document().root(), &mut fuel).is_continue());
/// }
/// assert_eq!(fuel.0, 60);
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
///
/// # Errors
///
/// `Break` with the meter's value when it could not pay.
#[inline]
pub fn pay_for_number<'a, N: Node<'a>, M: Meter>(node: N, meter: &mut M) -> ControlFlow<M::Stop> {
    match node.number_bytes() {
        0 => ControlFlow::Continue(()),
        bytes => meter.spend(text_price(bytes)),
    }
}

/// The price of reading one string of `bytes` bytes.
#[inline]
pub(crate) fn text_price(bytes: usize) -> u64 {
    crate::int::to_u64(bytes / 16)
}
