//! The whole reading of a Python value: it finds what JSON cannot express and what exceeds a limit,
//! prepares what a walk cannot read by itself, and can write the value as JSON text.

use std::collections::{HashMap, HashSet};

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};
use pyo3::{Borrowed, ffi};
use toolsure_json::{Number, ReadLimits, push_json_string};

use super::borrowed::{Items, Object};
use super::form::{Form, is_long_integer, read};
use super::refusal::{Refusal, ValueLimit};

/// A Python value that was read as a whole.
pub(super) struct Survey {
    /// The digits of the integers beyond 64 bits, by the address of the object.
    long: HashMap<usize, Box<str>>,
}

impl Survey {
    /// Reads a value, under the same limits as for text. `text` receives it as JSON.
    pub(super) fn of(
        value: Object<'_, '_>,
        limits: &ReadLimits,
        text: Option<&mut String>,
    ) -> Result<Self, Refusal> {
        let mut reading = Reading {
            survey: Self {
                long: HashMap::new(),
            },
            open: Vec::new(),
            nodes: 0,
            limits,
            text,
        };
        reading.run(value)?;
        Ok(reading.survey)
    }

    /// The digits of an integer beyond 64 bits.
    pub(super) fn digits(&self, place: usize) -> Option<&str> {
        self.long.get(&place).map(|digits| &**digits)
    }
}

/// A container whose children are being read.
struct Open<'a, 'py> {
    container: Object<'a, 'py>,
    children: Children<'a, 'py>,
    /// The number of children that were begun.
    count: usize,
    /// The name of the last child.
    name: &'a str,
    /// Whether a name is an instance of a subclass of `str`, which may compare in its own way.
    odd_names: bool,
}

enum Children<'a, 'py> {
    Items(Items<'a, 'py>),
    /// The position of the next member.
    Members(ffi::Py_ssize_t),
}

/// A value that is being read.
struct Reading<'a, 'py, 'l> {
    survey: Survey,
    open: Vec<Open<'a, 'py>>,
    nodes: usize,
    limits: &'l ReadLimits,
    text: Option<&'l mut String>,
}

impl<'a, 'py> Reading<'a, 'py, '_> {
    /// Reads a value, without recursion.
    fn run(&mut self, value: Object<'a, 'py>) -> Result<(), Refusal> {
        self.value(value)?;
        while let Some(top) = self.open.last_mut() {
            match top.next() {
                Some((name, value)) => {
                    if top.count > 1 {
                        self.write(",");
                    }
                    if let Some(name) = name {
                        self.name(name)?;
                    }
                    self.value(value)?;
                }
                None => self.close()?,
            }
        }
        Ok(())
    }

    fn write(&mut self, piece: &str) {
        if let Some(text) = &mut self.text {
            text.push_str(piece);
        }
    }

    fn write_string(&mut self, string: &str) {
        if let Some(text) = &mut self.text {
            push_json_string(text, string);
        }
    }

    fn count(&mut self) -> Result<(), Refusal> {
        if self.nodes >= self.limits.nodes {
            return Err(over(ValueLimit::Nodes, self.limits.nodes));
        }
        self.nodes += 1;
        Ok(())
    }

    fn name(&mut self, name: Object<'a, 'py>) -> Result<(), Refusal> {
        if !name.any().is_instance_of::<PyString>() {
            return Err(no_value(
                self.object(),
                name,
                "a member's name must be a `str`, found",
            ));
        }
        self.count()?;
        let Some(text) = name.text() else {
            return Err(Refusal::NotJson {
                pointer: self.object(),
                message: "a name has half a surrogate pair".to_owned(),
            });
        };
        if let Some(top) = self.open.last_mut() {
            top.name = text;
            top.odd_names |= !name.is_exact_string();
        }
        self.write_string(text);
        self.write(":");
        Ok(())
    }

    fn value(&mut self, object: Object<'a, 'py>) -> Result<(), Refusal> {
        self.count()?;
        let Some((form, bits)) = read(object) else {
            if is_long_integer(object) {
                return self.long_integer(object);
            }
            return Err(if object.any().is_instance_of::<pyo3::types::PyFloat>() {
                self.not_json("JSON has no number for infinities and NaN".to_owned())
            } else {
                no_value(pointer(&self.open), object, "JSON has no value for a")
            });
        };
        match form {
            Form::Null => self.write("null"),
            Form::False => self.write("false"),
            Form::True => self.write("true"),
            Form::Integer if self.text.is_some() => self.write(&bits.cast_signed().to_string()),
            Form::Float if self.text.is_some() => {
                let digits = Number::from_f64(f64::from_bits(bits)).to_string();
                self.write(&digits);
                if !digits.contains(['.', 'e']) {
                    // As `json.dumps`: in draft 4, `1.0` is no integer.
                    self.write(".0");
                }
            }
            Form::Integer | Form::Float | Form::LongInteger => {}
            Form::String => match object.text() {
                Some(text) => self.write_string(text),
                None => {
                    return Err(self.not_json("a string has half a surrogate pair".to_owned()));
                }
            },
            Form::List => self.open(object, "[", Children::Items(object.list()))?,
            Form::Tuple => self.open(object, "[", Children::Items(object.tuple()))?,
            Form::Object => self.open(object, "{", Children::Members(0))?,
        }
        Ok(())
    }

    /// Takes the digits of an integer, if they are not too many. `int`'s own functions are called,
    /// because a subclass may have others.
    fn long_integer(&mut self, object: Object<'a, 'py>) -> Result<(), Refusal> {
        let over = || over(ValueLimit::Digits, self.limits.digits);
        let value: Borrowed<'_, '_, PyAny> = object.any();
        let int = value.py().get_type::<PyInt>();
        // Converting takes time in proportion to the square of the digits, and finding their
        // number in bits takes none.
        let bits = int.call_method1("bit_length", (value,));
        let bits = bits.and_then(|bits| bits.extract::<usize>());
        if bits.map_err(|_| over())? > bits_of(self.limits.digits) {
            return Err(over());
        }
        let digits = int.call_method1("__repr__", (value,)).ok();
        let digits = digits.and_then(|digits| digits.cast_into::<PyString>().ok());
        let digits = digits.ok_or(Refusal::PythonDigits)?;
        let digits = digits.to_str().map_err(|_| Refusal::PythonDigits)?;
        if digits.trim_start_matches('-').len() > self.limits.digits {
            return Err(over());
        }
        self.write(digits);
        self.survey.long.insert(object.place(), digits.into());
        Ok(())
    }

    fn open(
        &mut self,
        container: Object<'a, 'py>,
        mark: &str,
        children: Children<'a, 'py>,
    ) -> Result<(), Refusal> {
        if self.open.len() >= self.limits.depth {
            return Err(over(ValueLimit::Depth, self.limits.depth));
        }
        self.write(mark);
        self.open.push(Open {
            container,
            children,
            count: 0,
            name: "",
            odd_names: false,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Refusal> {
        let Some(closed) = self.open.pop() else {
            return Ok(());
        };
        let mark = match closed.children {
            Children::Items(_) => "]",
            Children::Members(_) => "}",
        };
        self.write(mark);
        if closed.odd_names {
            self.refuse_twins(closed.container)?;
        }
        Ok(())
    }

    /// Refuses two equal names, which only a subclass of `str` can put into one dict.
    fn refuse_twins(&self, dict: Object<'a, 'py>) -> Result<(), Refusal> {
        let mut seen = HashSet::new();
        let mut at = 0;
        while let Some((name, _)) = dict.next_member(&mut at) {
            let name = name.text().unwrap_or_default();
            if !seen.insert(name) {
                let name = toolsure_json::quote(name, NAME);
                return Err(self.not_json(format!("two members have the name `{name}`")));
            }
        }
        Ok(())
    }

    /// The location of the object whose names are being read: a name that is refused has none.
    fn object(&self) -> String {
        pointer(self.open.split_last().map_or(&[], |(_, around)| around))
    }

    /// A refusal with the location of the value that is being read.
    fn not_json(&self, message: String) -> Refusal {
        Refusal::NotJson {
            pointer: pointer(&self.open),
            message,
        }
    }
}

impl<'a, 'py> Open<'a, 'py> {
    /// The next child, with its name if it has one.
    fn next(&mut self) -> Option<(Option<Object<'a, 'py>>, Object<'a, 'py>)> {
        let next = match &mut self.children {
            Children::Items(items) => (None, items.next()?),
            Children::Members(at) => {
                let (name, value) = self.container.next_member(at)?;
                (Some(name), value)
            }
        };
        self.count += 1;
        Some(next)
    }
}

/// The location of the value that is being read.
fn pointer(open: &[Open<'_, '_>]) -> String {
    let mut pointer = String::new();
    for open in open {
        match open.children {
            Children::Members(_) => toolsure_json::pointer::push(&mut pointer, open.name),
            Children::Items(_) => {
                toolsure_json::pointer::push_index(&mut pointer, open.count.saturating_sub(1));
            }
        }
    }
    pointer
}

/// The refusal of an object that is no JSON value. Finding the name of its class may run the code of
/// a metaclass, so nothing is read after that.
fn no_value(pointer: String, object: Object<'_, '_>, words: &str) -> Refusal {
    let name = object.any().to_owned().get_type().name();
    let name = name.map_or_else(
        |_| "?".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    Refusal::NotJson {
        pointer,
        message: format!("{words} `{name}`"),
    }
}

fn over(limit: ValueLimit, allowed: usize) -> Refusal {
    Refusal::Limit { limit, allowed }
}

/// The number of bits that no integer of so many digits exceeds.
fn bits_of(digits: usize) -> usize {
    // A digit has 3.33 bits.
    digits.saturating_mul(10) / 3 + 1
}

/// Characters of a name that a message shows.
const NAME: usize = 100;
