//! Pays for work before it is done.

/// Takes `price` from the fuel. If the fuel is not enough, it is set to 0, so that no cheaper work
/// is done afterwards.
#[inline]
pub(crate) fn spend(fuel: &mut u64, price: u64) -> Option<()> {
    if cfg!(toolsure_unmetered) {
        return Some(());
    }
    match fuel.checked_sub(price) {
        Some(left) => {
            *fuel = left;
            Some(())
        }
        None => {
            *fuel = 0;
            None
        }
    }
}

/// Pays for one pass over a haystack: a call, and a unit for each `bytes_per_unit` bytes.
#[inline]
pub(crate) fn spend_pass(fuel: &mut u64, haystack: &str, bytes_per_unit: usize) -> Option<()> {
    spend(
        fuel,
        CALL + toolsure_json::int::to_u64(haystack.len() / bytes_per_unit.max(1)),
    )
}

/// The price of a match whatever the length: finding the pattern's data, which is seldom in the cache
/// if a schema has hundreds of patterns.
pub(crate) const CALL: u64 = 2;
