//! Hashes whole values so that equal ones hash equal, and counts the values in them.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::hash::{hash_bytes, mix};
use crate::int;
use crate::meter::{Meter, pay_for_number, text_price};
use crate::node::{Key, Kind, Node};

/// A hash of a value: values that are [`equal`](crate::equal) have the same hash.
///
/// Fixed and not keyed: the author of the values can make them collide. Does not recurse; shallow
/// values need no allocation. Spends one unit for each value and for each key, and one more for
/// each 16 bytes of text or 16 digits.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits, Unmetered, hash_value};
///
/// let limits = ReadLimits::default();
/// let (a, b) = (OwnedDocument::read("[1]", &limits)?, OwnedDocument::read("[1.0]", &limits)?);
/// let [a, b] = [&a, &b].map(|text| hash_value(text.document().root(), &mut Unmetered));
/// assert_eq!(a, b);
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
///
/// # Errors
///
/// `Break` with the meter's value when it could not pay.
pub fn hash_value<'a, N: Node<'a>, M: Meter>(node: N, meter: &mut M) -> ControlFlow<M::Stop, u64> {
    let mut open: SmallVec<[Frame<'a, N>; SHALLOW]> = SmallVec::new();
    let mut next = Some(node);
    let mut done = 0;
    loop {
        if let Some(node) = next.take() {
            meter.spend(1)?;
            match hash_shallow(node, meter)? {
                Shallow::Whole(hash) => done = hash,
                Shallow::Container(hash) => {
                    let children = match node.kind() {
                        Kind::Object => Children::Members(node.members(), 0),
                        _ => Children::Items(node.items()),
                    };
                    open.push(Frame { children, hash });
                    next = descend(&mut open, meter)?;
                    continue;
                }
            }
        }
        let Some(frame) = open.last_mut() else {
            return ControlFlow::Continue(done);
        };
        frame.add(done);
        next = descend(&mut open, meter)?;
        if next.is_none() {
            // All children have been added; this container is its parent's next child.
            done = open.pop().map_or(done, |frame| mix(frame.hash, CLOSE));
        }
    }
}

/// The number of values in a value, itself included. Stops at `most + 1`. Spends one unit for each
/// value it counts.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits, Unmetered, count_values};
///
/// let document = OwnedDocument::read(r#"{"a": [1, 2]}"#, &ReadLimits::default())?;
/// let root = document.document().root();
/// assert!(count_values(root, 10, &mut Unmetered).continue_value() == Some(4));
/// assert!(count_values(root, 2, &mut Unmetered).continue_value() == Some(3));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
///
/// # Errors
///
/// `Break` with the meter's value when it could not pay.
pub fn count_values<'a, N: Node<'a>, M: Meter>(
    node: N,
    most: usize,
    meter: &mut M,
) -> ControlFlow<M::Stop, usize> {
    let mut open: SmallVec<[Children<'a, N>; SHALLOW]> = SmallVec::new();
    let mut next = Some(node);
    let mut count = 0_usize;
    loop {
        if let Some(node) = next.take() {
            meter.spend(1)?;
            count = count.saturating_add(1);
            if count > most {
                return ControlFlow::Continue(count);
            }
            match node.kind() {
                Kind::Object => open.push(Children::Members(node.members(), 0)),
                Kind::Array => open.push(Children::Items(node.items())),
                _ => {}
            }
        }
        next = match open.last_mut() {
            None => return ControlFlow::Continue(count),
            Some(Children::Items(items)) => items.next(),
            Some(Children::Members(members, _)) => members.next().map(|(_, value)| value),
        };
        if next.is_none() {
            open.pop();
        }
    }
}

enum Shallow {
    Whole(u64),
    /// A container that has children, and the hash of its kind and length.
    Container(u64),
}

/// A container whose children are being hashed.
struct Frame<'a, N: Node<'a>> {
    children: Children<'a, N>,
    hash: u64,
}

enum Children<'a, N: Node<'a>> {
    Items(N::Items),
    /// The members, and the hash of the current one's key.
    Members(N::Members, u64),
}

impl<'a, N: Node<'a>> Frame<'a, N> {
    /// Adds a child's hash: items in order, members in any order.
    fn add(&mut self, child: u64) {
        match &self.children {
            Children::Items(_) => self.hash = mix(self.hash ^ child, FACTOR),
            Children::Members(_, key) => {
                self.hash = self.hash.wrapping_add(mix(child ^ *key, FACTOR));
            }
        }
    }
}

/// The next child of the innermost container.
fn descend<'a, N: Node<'a>, M: Meter>(
    open: &mut [Frame<'a, N>],
    meter: &mut M,
) -> ControlFlow<M::Stop, Option<N>> {
    let Some(frame) = open.last_mut() else {
        return ControlFlow::Continue(None);
    };
    ControlFlow::Continue(match &mut frame.children {
        Children::Items(items) => items.next(),
        Children::Members(members, key_hash) => match members.next() {
            Some((key, value)) => {
                meter.spend(1 + text_price(key.text().len()))?;
                *key_hash = mix(u64::from(key.hash()) ^ KEY, FACTOR);
                Some(value)
            }
            None => None,
        },
    })
}

fn hash_shallow<'a, N: Node<'a>, M: Meter>(
    node: N,
    meter: &mut M,
) -> ControlFlow<M::Stop, Shallow> {
    let shape = |seed: u64| mix(seed ^ int::to_u64(node.len()), FACTOR);
    ControlFlow::Continue(match node.kind() {
        Kind::Null => Shallow::Whole(NULL),
        Kind::Boolean => Shallow::Whole(if node.boolean() { TRUE } else { FALSE }),
        Kind::Number => {
            pay_for_number(node, meter)?;
            let number = node.number();
            meter.spend(text_price(number.digits()))?;
            Shallow::Whole(number.hash64())
        }
        Kind::String => {
            let text = node.string();
            meter.spend(text_price(text.len()))?;
            Shallow::Whole(hash_bytes(text.as_bytes()))
        }
        Kind::Array if node.is_empty() => Shallow::Whole(shape(ARRAY)),
        Kind::Object if node.is_empty() => Shallow::Whole(shape(OBJECT)),
        Kind::Array => Shallow::Container(shape(ARRAY)),
        Kind::Object => Shallow::Container(shape(OBJECT)),
    })
}

/// Levels of arrays and objects that need no allocation.
const SHALLOW: usize = 4;
/// Arbitrary constants without structure, one for each thing that is hashed.
const NULL: u64 = 0x1f83_d9ab_fb41_bd6b;
const FALSE: u64 = 0x5be0_cd19_137e_2179;
const TRUE: u64 = 0x510e_527f_ade6_82d1;
const ARRAY: u64 = 0x9b05_688c_2b3e_6c1f;
const OBJECT: u64 = 0x428a_2f98_d728_ae22;
const KEY: u64 = 0x7137_4491_23ef_65cd;
const CLOSE: u64 = 0xb5c0_fbcf_ec4d_3b2f;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
