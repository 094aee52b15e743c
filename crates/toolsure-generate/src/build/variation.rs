//! How instances vary, and what is kept from one to the next.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use toolsure_syntax::model::{SubschemaId, TypeSet};

use crate::hints::Hints;

/// The strings and numbers that are worth trying.
#[derive(Debug, Default)]
pub(crate) struct Texts(pub(super) RefCell<HashMap<Key, Rc<[String]>>>);

/// The subschemas that apply, the type, and all types of the value.
pub(super) type Key = (Vec<SubschemaId>, TypeSet, TypeSet);

/// How instances vary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variation<'g> {
    pub(crate) hints: &'g Hints,
    pub(crate) texts: &'g Texts,
    /// The number of the instance: another one makes another choice.
    pub(crate) number: usize,
    /// Whether integers that a double does not hold exactly are left out.
    pub(crate) is_interoperable: bool,
    /// The number of the candidate that each string and number is, if all are the same.
    pub(crate) scalar: Option<usize>,
    /// How many of four optional members an object has, where they are chosen at random.
    pub(crate) quarters: usize,
}

/// What the next array or object is to have beside what it must, by the number of the choice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extra {
    /// A number of items, and whether they are equal.
    pub(super) items: Option<(usize, bool)>,
    /// A member.
    pub(super) name: Option<usize>,
}
