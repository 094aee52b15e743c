//! How instances vary, and what is kept from one to the next.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use toolsure_syntax::model::{SubschemaId, TypeSet};

use crate::hints::Hints;
use crate::reach::Reach;

/// The strings and numbers that are worth trying.
#[derive(Debug, Default)]
pub(crate) struct Texts(RefCell<HashMap<Key, Rc<[String]>>>);

impl Texts {
    /// Those for a key, from `make` if they are not known.
    pub(super) fn of(&self, key: Key, make: impl FnOnce() -> Rc<[String]>) -> Rc<[String]> {
        if let Some(known) = self.0.borrow().get(&key) {
            return Rc::clone(known);
        }
        let all = make();
        let mut texts = self.0.borrow_mut();
        if texts.len() < MOST_KEPT {
            texts.insert(key, Rc::clone(&all));
        }
        all
    }
}

/// The subschemas that declare a member, by its name, themselves or in place.
#[derive(Debug, Default)]
pub(crate) struct Declaring(RefCell<HashMap<String, Rc<HashSet<SubschemaId>>>>);

impl Declaring {
    /// Those for a name, and the work of finding them, if they were not known.
    pub(super) fn of(&self, reach: &Reach, name: &str) -> (Rc<HashSet<SubschemaId>>, usize) {
        let mut all = self.0.borrow_mut();
        if let Some(known) = all.get(name) {
            return (Rc::clone(known), 0);
        }
        let (found, work) = reach.declaring(name);
        let found = Rc::new(found);
        if all.len() < MOST_NAMES {
            all.insert(name.to_owned(), Rc::clone(&found));
        }
        (found, work)
    }
}

/// The subschemas that apply, the type, and all types of the value.
type Key = (Vec<SubschemaId>, TypeSet, TypeSet);

/// How instances vary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variation<'g> {
    pub(crate) hints: &'g Hints,
    pub(crate) texts: &'g Texts,
    pub(crate) declaring: &'g Declaring,
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

/// The same texts without those that were there before.
pub(super) fn distinct(mut all: Vec<String>) -> Vec<String> {
    let mut known = HashSet::new();
    all.retain(|text| known.insert(text.clone()));
    all
}

/// Names for which it is kept which subschemas declare them.
const MOST_NAMES: usize = 256;
/// Lists of strings and numbers that are kept.
const MOST_KEPT: usize = 64;
