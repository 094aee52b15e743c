//! Finds two equal items of an array without comparing every pair.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use crate::int;
use crate::meter::{Meter, pay_for_number, text_price};
use crate::node::{Kind, Node};
use crate::order::compare;
use crate::value_hash::hash_value;

/// The indexes of two equal items of an array, if there are any: the earliest item that equals an
/// earlier one, and the first item that it equals.
///
/// A few scalars are compared pairwise. Other items are hashed, sorted by hash, and compared only
/// if hashes are equal, so that n items cost n log n steps; if many hashes are equal, as hostile
/// input can arrange, items are sorted by value instead, which keeps the bound. Spends as much as
/// hashing each item and comparing some of them.
///
/// ```
/// use std::ops::ControlFlow;
/// use toolsure_json::{OwnedDocument, ReadLimits, Unmetered, first_duplicate};
///
/// let list = OwnedDocument::read("[[1], 2, [1.0]]", &ReadLimits::default())?;
/// let found = first_duplicate(list.document().root(), &mut Unmetered);
/// assert_eq!(found, ControlFlow::Continue(Some((0, 2))));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
///
/// # Errors
///
/// `Break` with the meter's value when it could not pay.
pub fn first_duplicate<'a, N: Node<'a>, M: Meter>(
    array: N,
    meter: &mut M,
) -> ControlFlow<M::Stop, Option<(usize, usize)>> {
    let count = array.len();
    if count < 2 {
        return ControlFlow::Continue(None);
    }
    if count <= PAIRED && !array.items().any(|item| item.kind().is_container()) {
        return first_equal_scalars(|| array.items(), meter);
    }
    first_by_hash(array, count, meter)
}

/// As [`first_duplicate`], for up to [`PAIRED`] scalars, each of which is compared with those
/// before it. Arrays and objects are compared too, but no faster.
///
/// ```
/// use std::ops::ControlFlow;
/// use toolsure_json::{Node as _, OwnedDocument, ReadLimits, Unmetered, first_equal_scalars};
///
/// let list = OwnedDocument::read(r#"[1, "1", true]"#, &ReadLimits::default())?;
/// let list = list.document().root();
/// let found = first_equal_scalars(|| list.items(), &mut Unmetered);
/// assert_eq!(found, ControlFlow::Continue(None));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
///
/// # Errors
///
/// `Break` with the meter's value when it could not pay.
#[inline]
pub fn first_equal_scalars<'a, N: Node<'a>, I: Iterator<Item = N>, M: Meter>(
    items: impl Fn() -> I,
    meter: &mut M,
) -> ControlFlow<M::Stop, Option<(usize, usize)>> {
    for (later, item) in items().enumerate() {
        let kind = item.kind();
        let price = match kind {
            Kind::String => text_price(item.string().len()),
            Kind::Number => {
                pay_for_number(item, meter)?;
                let number = item.number();
                let is_long = number.as_i64().is_none();
                if is_long {
                    text_price(number.digits())
                } else {
                    0
                }
            }
            _ => 0,
        };
        meter.spend(1 + price)?;
        for (earlier, other) in items().take(later).enumerate() {
            let same = other.kind() == kind
                && match kind {
                    Kind::String => item.string() == other.string(),
                    Kind::Number => {
                        pay_for_number(item, meter)?;
                        pay_for_number(other, meter)?;
                        item.number().compare(&other.number()) == Ordering::Equal
                    }
                    Kind::Boolean => item.boolean() == other.boolean(),
                    Kind::Null => true,
                    Kind::Array | Kind::Object => compare(item, other, meter)? == Ordering::Equal,
                };
            if same {
                return ControlFlow::Continue(Some((earlier, later)));
            }
        }
    }
    ControlFlow::Continue(None)
}

/// As [`first_duplicate`], for any number of items of any kind.
#[inline(never)]
fn first_by_hash<'a, N: Node<'a>, M: Meter>(
    array: N,
    count: usize,
    meter: &mut M,
) -> ControlFlow<M::Stop, Option<(usize, usize)>> {
    let Some(first) = array.items().next() else {
        return ControlFlow::Continue(None);
    };
    let unset = Item {
        hash: 0,
        index: 0,
        node: first,
    };
    let mut few = [unset; FEW];
    let mut many = Vec::new();
    let items = match few.get_mut(..count) {
        Some(items) => items,
        None => {
            // Pays for sorting them.
            meter.spend(int::to_u64(count / 2))?;
            many.resize(count, unset);
            many.as_mut_slice()
        }
    };
    let mut filled = 0;
    for ((index, place), node) in items.iter_mut().enumerate().zip(array.items()) {
        *place = Item {
            hash: hash_value(node, meter)?,
            index,
            node,
        };
        filled = index + 1;
    }
    let (items, _) = items.split_at_mut(filled.min(items.len()));
    items.sort_unstable_by_key(|item| (item.hash, item.index));
    let mut found = None;
    for group in items.chunk_by_mut(|left, right| left.hash == right.hash) {
        if group.len() > SMALL_GROUP {
            sort_by_value(group, meter)?;
            for (earlier, later) in group.iter().zip(group.iter().skip(1)) {
                note_if_equal(earlier, later, &mut found, meter)?;
            }
        } else {
            for (place, later) in group.iter().enumerate() {
                for earlier in group.iter().take(place) {
                    note_if_equal(earlier, later, &mut found, meter)?;
                }
            }
        }
    }
    ControlFlow::Continue(found)
}

#[derive(Clone, Copy)]
struct Item<N> {
    hash: u64,
    index: usize,
    node: N,
}

/// Keeps the pair in `found` if it is equal and its later item comes before that of the pair found
/// so far.
fn note_if_equal<'a, N: Node<'a>, M: Meter>(
    earlier: &Item<N>,
    later: &Item<N>,
    found: &mut Option<(usize, usize)>,
    meter: &mut M,
) -> ControlFlow<M::Stop> {
    if compare_items(earlier, later, meter)? == Ordering::Equal
        && found.is_none_or(|(_, known)| later.index < known)
    {
        *found = Some((earlier.index, later.index));
    }
    ControlFlow::Continue(())
}

/// A stable merge sort, because the standard one cannot stop half way.
fn sort_by_value<'a, N: Node<'a>, M: Meter>(
    items: &mut [Item<N>],
    meter: &mut M,
) -> ControlFlow<M::Stop> {
    let mut merged = Vec::with_capacity(items.len());
    let mut width = 1;
    while width < items.len() {
        merged.clear();
        for runs in items.chunks(width * 2) {
            let (left, right) = runs.split_at_checked(width).unwrap_or((runs, &[]));
            merge(left, right, &mut merged, meter)?;
        }
        items.copy_from_slice(&merged);
        width *= 2;
    }
    ControlFlow::Continue(())
}

fn merge<'a, N: Node<'a>, M: Meter>(
    mut left: &[Item<N>],
    mut right: &[Item<N>],
    merged: &mut Vec<Item<N>>,
    meter: &mut M,
) -> ControlFlow<M::Stop> {
    while let (Some((first, left_rest)), Some((second, right_rest))) =
        (left.split_first(), right.split_first())
    {
        if compare_items(first, second, meter)? == Ordering::Greater {
            merged.push(*second);
            right = right_rest;
        } else {
            merged.push(*first);
            left = left_rest;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
    ControlFlow::Continue(())
}

fn compare_items<'a, N: Node<'a>, M: Meter>(
    left: &Item<N>,
    right: &Item<N>,
    meter: &mut M,
) -> ControlFlow<M::Stop, Ordering> {
    compare(left.node, right.node, meter)
}

/// Arrays of scalars up to this long are compared pairwise.
pub const PAIRED: usize = 8;
/// Arrays up to this long need no memory of their own.
const FEW: usize = 16;
/// Groups of equal hashes up to this size are compared pairwise.
const SMALL_GROUP: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Unmetered;
    use crate::{OwnedDocument, ReadLimits, equal, hash_collisions};

    /// Counts the units that are spent.
    struct Tally(u64);

    impl Meter for Tally {
        type Stop = std::convert::Infallible;

        fn spend(&mut self, units: u64) -> ControlFlow<Self::Stop> {
            self.0 += units;
            ControlFlow::Continue(())
        }
    }

    fn check(items: &[String]) -> (Option<(usize, usize)>, u64) {
        let text = format!("[{}]", items.join(","));
        let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        let mut tally = Tally(0);
        let ControlFlow::Continue(found) = first_duplicate(document.document().root(), &mut tally);
        (found, tally.0)
    }

    /// Strings, keys and values that all hash alike cost n log n.
    #[test]
    fn colliding_items() {
        let count = 10_000;
        let texts = hash_collisions::texts(count);
        let quoted: Vec<String> = texts
            .iter()
            .map(|text| hash_collisions::quoted(text))
            .collect();
        let objects: Vec<String> = quoted.iter().map(|text| format!("{{{text}:1}}")).collect();
        let nested: Vec<String> = quoted.iter().map(|text| format!("[0,[{text}]]")).collect();
        for items in [quoted, objects, nested] {
            let (found, spent) = check(&items);
            assert_eq!(found, None);
            // 14 rounds of comparing, up to 8 units each.
            assert!(spent < 10_000 * 14 * 8, "{spent}");

            let mut doubled = items;
            doubled[9_000] = doubled[1].clone();
            doubled[8_000] = doubled[2].clone();
            doubled[8_500] = doubled[2].clone();
            assert_eq!(check(&doubled).0, Some((2, 8_000)));
        }
        for length in [2, 4, 5, 6, 17] {
            let mut items: Vec<String> = texts[..length]
                .iter()
                .map(|t| hash_collisions::quoted(t))
                .collect();
            assert_eq!(check(&items).0, None);
            items[length - 1] = items[0].clone();
            assert_eq!(check(&items).0, Some((0, length - 1)));
        }
    }

    /// Wide objects whose keys all hash alike compare in n log n.
    #[test]
    fn colliding_keys_compare() {
        let texts = hash_collisions::texts(20_000);
        let object = |texts: &mut dyn Iterator<Item = &String>| {
            let members: Vec<String> = texts
                .map(|text| hash_collisions::quoted(text) + ":[0]")
                .collect();
            let text = format!("{{{}}}", members.join(","));
            OwnedDocument::read(text, &ReadLimits::default()).unwrap()
        };
        let forth = object(&mut texts.iter());
        let back = object(&mut texts.iter().rev());
        let (a, b) = (forth.document().root(), back.document().root());
        let mut tally = Tally(0);
        assert!(equal(a, b, &mut tally) == ControlFlow::Continue(true));
        assert!(tally.0 < 20_000 * 10, "{}", tally.0);
        let mut free = Unmetered;
        assert!(hash_value(a, &mut free) == hash_value(b, &mut free));
    }
}
