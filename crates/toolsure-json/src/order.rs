//! Compares whole values: one walk that gives a total order and equality.
//!
//! Values are compared level by level, from the root down. On each level the pairs are in one order
//! that only the values determine (array items by index, members by key), and the first pair that
//! differs decides. So where the walk stops, and what it has paid by then, does not depend on the
//! order in which members happen to be written.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use crate::int;
use crate::meter::{Meter, Unmetered, pay_for_number, text_price};
use crate::node::{Key, Kind, Node};

/// Whether two values are equal as JSON Schema defines it (2020-12 core, section 4.2.2): numbers by
/// value, objects in any order of their members.
///
/// Does not recurse; small values need no allocation. Spends one unit for each pair of values
/// compared and for each key, and one more for each 16 bytes of text or 16 digits. Two members with
/// the same key both count, as if they were different members.
///
/// ```
/// use std::ops::ControlFlow;
/// use toolsure_json::{OwnedDocument, ReadLimits, Unmetered, equal};
///
/// let limits = ReadLimits::default();
/// let a = OwnedDocument::read(r#"{"a": 1, "b": [2.0]}"#, &limits)?;
/// let b = OwnedDocument::read(r#"{"b": [2], "a": 1e0}"#, &limits)?;
/// let (a, b) = (a.document().root(), b.document().root());
/// assert_eq!(equal(a, b, &mut Unmetered), ControlFlow::Continue(true));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
///
/// # Errors
///
/// `Break` with the meter's value when it could not pay.
pub fn equal<'a, 'b, A: Node<'a>, B: Node<'b>, M: Meter>(
    a: A,
    b: B,
    meter: &mut M,
) -> ControlFlow<M::Stop, bool> {
    compare(a, b, meter).map_continue(Ordering::is_eq)
}

/// The same as [`equal`], for code that has no budget for it.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits, equal_values};
///
/// let limits = ReadLimits::default();
/// let (one, other) = (OwnedDocument::read("[1]", &limits)?, OwnedDocument::read("[1.0]", &limits)?);
/// assert!(equal_values(one.document().root(), other.document().root()));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
pub fn equal_values<'a, 'b>(a: impl Node<'a>, b: impl Node<'b>) -> bool {
    match equal(a, b, &mut Unmetered) {
        ControlFlow::Continue(same) => same,
        ControlFlow::Break(never) => match never {},
    }
}

/// A total order of values that agrees with [`equal`].
///
/// It is stable across processes but has no other meaning: shorter containers and strings come
/// first, and members are ranked by their keys' hashes. Costs the same as [`equal`].
///
/// ```
/// use std::cmp::Ordering;
/// use std::ops::ControlFlow;
/// use toolsure_json::{OwnedDocument, ReadLimits, Unmetered, compare};
///
/// let limits = ReadLimits::default();
/// let (one, two) = (OwnedDocument::read("1", &limits)?, OwnedDocument::read("2.0", &limits)?);
/// let (one, two) = (one.document().root(), two.document().root());
/// assert_eq!(compare(one, two, &mut Unmetered), ControlFlow::Continue(Ordering::Less));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
///
/// # Errors
///
/// `Break` with the meter's value when it could not pay.
pub fn compare<'a, 'b, A: Node<'a>, B: Node<'b>, M: Meter>(
    a: A,
    b: B,
    meter: &mut M,
) -> ControlFlow<M::Stop, Ordering> {
    let shallow = compare_shallow(a, b, meter)?;
    if shallow != Ordering::Equal || a.is_empty() {
        return ControlFlow::Continue(shallow);
    }
    let mut level = vec![(a, b)];
    let mut below = Vec::new();
    let mut left = Vec::new();
    let mut right = Vec::new();
    while !level.is_empty() {
        for (a, b) in level.drain(..) {
            let order = if a.kind() == Kind::Array {
                compare_pairs(a.items().zip(b.items()), &mut below, meter)?
            } else {
                gather(a, &mut left, meter)?;
                gather(b, &mut right, meter)?;
                let keys = compare_keys(&left, &right);
                if keys != Ordering::Equal {
                    return ControlFlow::Continue(keys);
                }
                let values =
                    |(left, right): (&Member<'a, A>, &Member<'b, B>)| (left.value, right.value);
                compare_pairs(left.iter().zip(&right).map(values), &mut below, meter)?
            };
            if order != Ordering::Equal {
                return ControlFlow::Continue(order);
            }
        }
        std::mem::swap(&mut level, &mut below);
    }
    ControlFlow::Continue(Ordering::Equal)
}

/// A member with what it is ranked by.
struct Member<'a, N> {
    hash: u32,
    text: &'a str,
    value: N,
}

/// Compares pairs without their children; pushes containers to `below`.
fn compare_pairs<'a, 'b, A: Node<'a>, B: Node<'b>, M: Meter>(
    pairs: impl Iterator<Item = (A, B)>,
    below: &mut Vec<(A, B)>,
    meter: &mut M,
) -> ControlFlow<M::Stop, Ordering> {
    for (a, b) in pairs {
        let order = compare_shallow(a, b, meter)?;
        if order != Ordering::Equal {
            return ControlFlow::Continue(order);
        }
        if !a.is_empty() {
            below.push((a, b));
        }
    }
    ControlFlow::Continue(Ordering::Equal)
}

/// Compares types, then scalars by value and containers by length.
fn compare_shallow<'a, 'b, A: Node<'a>, B: Node<'b>, M: Meter>(
    a: A,
    b: B,
    meter: &mut M,
) -> ControlFlow<M::Stop, Ordering> {
    meter.spend(1)?;
    let kind = a.kind();
    let order = match kind.cmp(&b.kind()) {
        Ordering::Equal => match kind {
            Kind::Null => Ordering::Equal,
            Kind::Boolean => a.boolean().cmp(&b.boolean()),
            Kind::Number => {
                pay_for_number(a, meter)?;
                pay_for_number(b, meter)?;
                let (a, b) = (a.number(), b.number());
                if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
                    return ControlFlow::Continue(a.cmp(&b));
                }
                meter.spend(text_price(a.digits() + b.digits()))?;
                a.compare(&b)
            }
            Kind::String => {
                let (a, b) = (a.string(), b.string());
                match a.len().cmp(&b.len()) {
                    Ordering::Equal => {
                        meter.spend(text_price(a.len()))?;
                        a.cmp(b)
                    }
                    order => order,
                }
            }
            Kind::Array | Kind::Object => a.len().cmp(&b.len()),
        },
        order => order,
    };
    ControlFlow::Continue(order)
}

/// Collects an object's members and sorts them by hash, then by key.
fn gather<'a, N: Node<'a>, M: Meter>(
    object: N,
    members: &mut Vec<Member<'a, N>>,
    meter: &mut M,
) -> ControlFlow<M::Stop> {
    members.clear();
    for (key, value) in object.members() {
        let text = key.text();
        meter.spend(1 + text_price(text.len()))?;
        members.push(Member {
            hash: key.hash(),
            text,
            value,
        });
    }
    // Sorting compares each key about log2(n) times; that is paid for as well.
    let rounds = members.len().checked_ilog2().unwrap_or_default();
    meter.spend(int::to_u64(members.len() / 16) * u64::from(rounds))?;
    members.sort_unstable_by(|left, right| {
        left.hash
            .cmp(&right.hash)
            .then_with(|| left.text.cmp(right.text))
    });
    ControlFlow::Continue(())
}

fn compare_keys<A, B>(left: &[Member<'_, A>], right: &[Member<'_, B>]) -> Ordering {
    let keys = |(left, right): (&Member<'_, A>, &Member<'_, B>)| {
        left.hash
            .cmp(&right.hash)
            .then_with(|| left.text.cmp(right.text))
    };
    left.iter()
        .zip(right)
        .map(keys)
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
