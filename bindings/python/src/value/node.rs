//! A Python object as the engine's `Node`.

use pyo3::ffi;
use toolsure_json::{Key, Kind, NameEnds, Node, Number, key_hash};

use super::borrowed::{Items, Object};
use super::form::{Form, read};
use super::walk::Walk;

/// A value that a walk reads. `WHOLE` says whether a survey has read the whole value before.
#[derive(Clone, Copy)]
pub(super) struct WalkNode<'a, 'py, const WHOLE: bool> {
    walk: &'a Walk<'py, 'a>,
    object: Object<'a, 'py>,
    /// The bits of a number.
    bits: u64,
    form: Form,
    /// The number of containers around it.
    depth: u32,
}

impl<'a, 'py, const WHOLE: bool> WalkNode<'a, 'py, WHOLE> {
    #[inline(always)]
    pub(super) fn new(walk: &'a Walk<'py, 'a>, object: Object<'a, 'py>, depth: u32) -> Self {
        walk.meet();
        let (form, bits) = match read(object) {
            Some(read) => read,
            None => (walk.odd_form::<WHOLE>(object), 0),
        };
        Self {
            walk,
            object,
            bits,
            form,
            depth,
        }
    }

    /// Whether the children may be read.
    #[inline]
    fn opens(self) -> bool {
        if self.depth >= self.walk.depth {
            self.walk.refuse();
            return false;
        }
        true
    }

    /// The items of an array.
    #[inline]
    fn sequence(self) -> Option<Items<'a, 'py>> {
        match self.form {
            Form::List if self.opens() => Some(self.object.list()),
            Form::Tuple if self.opens() => Some(self.object.tuple()),
            _ => None,
        }
    }

    /// The digits of an integer beyond 64 bits.
    #[cold]
    fn digits(self) -> &'a str {
        let survey = self.walk.survey;
        let digits = survey.and_then(|survey| survey.digits(self.object.place()));
        digits.unwrap_or_else(|| {
            self.walk.refuse();
            "0"
        })
    }

    /// The member with a name, in a dict whose names are not all exact strings.
    #[cold]
    fn member_by_text(self, name: &str) -> Option<Self> {
        if !WHOLE {
            self.walk.refuse();
            return None;
        }
        let mut at = 0;
        while let Some((key, value)) = self.object.next_member(&mut at) {
            if text(self.walk, key) == name {
                return Some(self.child(value));
            }
        }
        None
    }

    #[inline]
    fn child(self, object: Object<'a, 'py>) -> Self {
        Self::new(self.walk, object, self.depth + 1)
    }
}

/// The text of a string; empty if it has half a surrogate pair.
#[inline]
fn text<'a>(walk: &Walk<'_, '_>, string: Object<'a, '_>) -> &'a str {
    string.text().unwrap_or_else(|| {
        walk.refuse();
        ""
    })
}

/// A member's name.
#[derive(Clone, Copy)]
pub(super) struct WalkKey<'a> {
    text: &'a str,
    place: usize,
}

impl<'a> Key<'a> for WalkKey<'a> {
    #[inline]
    fn text(self) -> &'a str {
        self.text
    }

    #[inline]
    fn hash(self) -> u32 {
        key_hash(self.text)
    }

    #[inline]
    fn hash_of(self, ends: NameEnds) -> u32 {
        ends.hash(self.text.as_bytes())
    }

    /// A string object has one text, both as a name and as a value.
    #[inline]
    fn identity(self) -> usize {
        self.place
    }
}

/// The items of an array.
pub(super) struct WalkItems<'a, 'py, const WHOLE: bool> {
    parent: WalkNode<'a, 'py, WHOLE>,
    items: Option<Items<'a, 'py>>,
}

impl<'a, 'py, const WHOLE: bool> Iterator for WalkItems<'a, 'py, WHOLE> {
    type Item = WalkNode<'a, 'py, WHOLE>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let item = self.items.as_mut()?.next()?;
        Some(self.parent.child(item))
    }
}

/// The members of an object.
pub(super) struct WalkMembers<'a, 'py, const WHOLE: bool> {
    parent: WalkNode<'a, 'py, WHOLE>,
    /// The position of the next member; `None` if there are no members to read.
    at: Option<ffi::Py_ssize_t>,
}

impl<'a, 'py, const WHOLE: bool> Iterator for WalkMembers<'a, 'py, WHOLE> {
    type Item = (WalkKey<'a>, WalkNode<'a, 'py, WHOLE>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let parent = self.parent;
        let walk = parent.walk;
        let (name, value) = parent.object.next_member(self.at.as_mut()?)?;
        walk.meet();
        // A subclass of `str` may compare in its own way: a survey decides whether names are equal.
        let text = if WHOLE || name.is_exact_string() {
            text(walk, name)
        } else {
            walk.refuse();
            ""
        };
        let place = name.place();
        Some((WalkKey { text, place }, parent.child(value)))
    }
}

impl<'a, 'py, const WHOLE: bool> Node<'a> for WalkNode<'a, 'py, WHOLE> {
    type Key = WalkKey<'a>;
    type Items = WalkItems<'a, 'py, WHOLE>;
    type Members = WalkMembers<'a, 'py, WHOLE>;

    #[inline]
    fn kind(self) -> Kind {
        match self.form {
            Form::Null => Kind::Null,
            Form::False | Form::True => Kind::Boolean,
            Form::Integer | Form::LongInteger | Form::Float => Kind::Number,
            Form::String => Kind::String,
            Form::List | Form::Tuple => Kind::Array,
            Form::Object => Kind::Object,
        }
    }

    #[inline]
    fn boolean(self) -> bool {
        self.form == Form::True
    }

    #[inline]
    fn number(self) -> Number<'a> {
        match self.form {
            Form::Integer => Number::from_i64(self.bits.cast_signed()),
            Form::Float => Number::from_f64(f64::from_bits(self.bits)),
            Form::LongInteger if WHOLE => {
                Number::parse(self.digits()).unwrap_or(Number::from_i64(0))
            }
            _ => Number::from_i64(0),
        }
    }

    #[inline]
    fn number_bytes(self) -> usize {
        match self.form {
            Form::LongInteger if WHOLE => Number::long_text(self.digits()),
            _ => 0,
        }
    }

    /// Never true for a Python `float`, which `json.dumps` writes with a fraction.
    fn is_integer_literal(self) -> bool {
        matches!(self.form, Form::Integer | Form::LongInteger)
    }

    #[inline]
    fn string(self) -> &'a str {
        match self.form {
            Form::String => text(self.walk, self.object),
            _ => "",
        }
    }

    #[inline]
    fn len(self) -> usize {
        match self.form {
            Form::Object => self.object.members(),
            Form::List => self.object.list().left(),
            Form::Tuple => self.object.tuple().left(),
            _ => 0,
        }
    }

    #[inline]
    fn items(self) -> WalkItems<'a, 'py, WHOLE> {
        WalkItems {
            parent: self,
            items: self.sequence(),
        }
    }

    #[inline]
    fn members(self) -> WalkMembers<'a, 'py, WHOLE> {
        WalkMembers {
            parent: self,
            at: (self.form == Form::Object && self.opens()).then_some(0),
        }
    }

    fn item(self, index: usize) -> Option<Self> {
        let mut items = self.sequence()?;
        items.skip_to(index);
        Some(self.child(items.next()?))
    }

    fn member(self, name: &str) -> Option<Self> {
        self.member_hashed(name, || key_hash(name))
    }

    #[inline]
    fn member_hashed(self, name: &str, hash: impl FnOnce() -> u32) -> Option<Self> {
        if self.form != Form::Object || !self.opens() {
            return None;
        }
        let walk = self.walk;
        let py = self.object.any().py();
        let found = walk.names.lend(py, name, hash(), |name| {
            walk.paused.member(self.object, name)
        });
        match found {
            Ok(found) => Some(self.child(found?)),
            Err(_) => self.member_by_text(name),
        }
    }

    /// An object has one value, wherever it occurs.
    #[inline]
    fn identity(self) -> usize {
        self.object.place()
    }
}
