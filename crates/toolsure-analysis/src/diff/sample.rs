//! Generates instances of a schema that are likely to be edge cases of another.
//!
//! There is no randomness: instance number `n` is always the same. Where a difference is suspected, the
//! sampler goes through all the candidates that it has; elsewhere it takes simple ones. The engine checks
//! afterwards whether an instance really matches, so the sampler may be wrong; it must only be bounded.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_syntax::model::TypeSet;

use super::document::Doc;
use super::facts::{Facts, TYPES};
use super::parts;
use super::pool::{LONGEST, MOST_KEPT, Pool};
use super::step::Step;
use super::tuple::tuple;
use toolsure_generate::text::{from_pattern, of_format};
use toolsure_json::json_string as string;

/// Generates instances of one document.
pub(super) struct Sampler<'p, 'a> {
    pub(super) doc: Doc<'a>,
    pub(super) pool: &'p Pool,
    /// The number of the current instance.
    number: usize,
    /// Choices made so far in this instance.
    choices: usize,
    /// Bytes that may still be written.
    room: usize,
    /// The names of the pool that an object with these nodes can have.
    unknown: HashMap<Vec<usize>, Rc<[String]>>,
    /// The fuel used to look up members in nodes, and to write output.
    work: u64,
}

/// A value that is worth trying. Arrays and objects are generated only when it is their turn.
enum Candidate {
    Text(String),
    Array(usize),
    Object(usize),
}

impl<'p, 'a> Sampler<'p, 'a> {
    pub(super) fn new(doc: Doc<'a>, pool: &'p Pool) -> Self {
        Self {
            doc,
            pool,
            number: 0,
            choices: 0,
            room: 0,
            unknown: HashMap::new(),
            work: 0,
        }
    }

    /// Instance `number`, varied at `focus`.
    pub(super) fn instance(&mut self, number: usize, focus: Option<&[Step]>) -> String {
        self.number = number;
        self.choices = 0;
        self.room = MOST_BYTES;
        let text = self.value(&[self.doc.root], focus, 0);
        let written = u64::try_from(text.len()).unwrap_or(u64::MAX);
        self.work = self.work.saturating_add(written);
        text
    }

    /// The work done since the last call.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// The schemas that apply to a member.
    fn member(&mut self, facts: &Facts<'a>, name: &str) -> Option<Vec<View<'a>>> {
        self.step(facts);
        parts::member(facts, name)
    }

    /// Counts one visit of all nodes.
    fn step(&mut self, facts: &Facts<'a>) {
        let nodes = u64::try_from(facts.nodes.len()).unwrap_or(u64::MAX);
        self.work = self.work.saturating_add(nodes.saturating_mul(NODE_LOOK));
    }

    /// Names from the pool, and one that neither schema has.
    fn unknown(&mut self, facts: &Facts<'a>) -> Rc<[String]> {
        let key: Vec<usize> = facts.nodes.iter().map(|one| one.id().index()).collect();
        if let Some(known) = self.unknown.get(&key) {
            return Rc::clone(known);
        }
        let pool = self.pool;
        let lengths = pool.lengths.iter();
        let lengths = lengths.filter(|length| (1..=LONGEST).contains(*length));
        let by_length = lengths.take(24).map(|length| "n".repeat(*length));
        let all = pool.names.iter().cloned().chain(by_length);
        let possible: Rc<[String]> = all
            .chain(["x-other".to_owned()])
            .filter(|name| self.member(facts, name).is_some())
            .collect();
        self.unknown.insert(key, Rc::clone(&possible));
        possible
    }

    /// A choice among `count` options that does not vary with the focus.
    fn choose(&mut self, count: usize) -> usize {
        self.choices = self.choices.saturating_add(1);
        let mixed = self
            .number
            .wrapping_mul(self.choices.wrapping_add(1))
            .wrapping_mul(2_654_435_761)
            >> 7;
        mixed.checked_rem(count).unwrap_or(0)
    }

    fn value(&mut self, schemas: &[View<'a>], focus: Option<&[Step]>, depth: usize) -> String {
        self.room = self.room.saturating_sub(16);
        if depth > DEEPEST || self.room == 0 {
            return "null".to_owned();
        }
        let at_focus = focus.is_some_and(<[Step]>::is_empty);
        let (facts, number) = self.branched(schemas, at_focus);
        self.step(&facts);
        let chosen = facts.values();
        let mut types = facts.types();
        if depth == 0 && self.doc.is_of_arguments {
            types = types.intersection(TypeSet::OBJECT);
        }
        if at_focus {
            let all = self.candidates(&facts, types, chosen);
            let pick = number.checked_rem(all.len()).unwrap_or(0);
            let round = number.checked_div(all.len()).unwrap_or(0);
            return match all.into_iter().nth(pick) {
                Some(Candidate::Text(text)) => text,
                Some(Candidate::Array(turn)) => {
                    let turn = turn.saturating_add(round.saturating_mul(ARRAYS));
                    self.as_number(turn, |this| this.array(&facts, None, depth))
                }
                Some(Candidate::Object(turn)) => {
                    let turn = turn.saturating_add(round.saturating_mul(OBJECTS));
                    self.as_number(turn, |this| this.object(&facts, None, depth))
                }
                None => "null".to_owned(),
            };
        }
        if let Some(values) = chosen {
            let pick = self.choose(values.len());
            return self.pay(values.get(pick).map_or("null", |value| value.raw()));
        }
        let of: Vec<&str> = TYPES
            .iter()
            .filter(|(_, bits)| types.intersects(*bits))
            .map(|(name, _)| *name)
            .collect();
        let shaped = |keyword: &str| !facts.all(keyword).is_empty();
        let kind = match focus.and_then(<[Step]>::first) {
            Some(Step::Name(_) | Step::AnyName) => "object",
            Some(Step::Index(_) | Step::AnyItem) => "array",
            None if of.len() == TYPES.len() && shaped("properties") => "object",
            None if of.len() == TYPES.len() && shaped("items") => "array",
            None => {
                let pick = self.choose(of.len());
                of.get(pick).copied().unwrap_or("null")
            }
        };
        match kind {
            "object" => self.object(&facts, focus, depth),
            "array" => self.array(&facts, focus, depth),
            "string" => {
                let all = self.strings(&facts);
                let pick = self.choose(all.len());
                self.pay(all.get(pick).map_or("\"a\"", String::as_str))
            }
            "integer" | "number" => {
                let all = self.numbers(&facts);
                let pick = self.choose(all.len());
                self.pay(all.get(pick).map_or("1", String::as_str))
            }
            "boolean" => if self.choose(2) == 0 { "true" } else { "false" }.to_owned(),
            _ => "null".to_owned(),
        }
    }

    /// The text, if there is room for it.
    fn pay(&mut self, text: &str) -> String {
        match self.room.checked_sub(text.len()) {
            Some(room) => {
                self.room = room;
                text.to_owned()
            }
            None => "null".to_owned(),
        }
    }

    /// The facts of one branch of every choice, and what is left of the number after these choices, so that
    /// each branch meets each value.
    fn branched(&mut self, schemas: &[View<'a>], at_focus: bool) -> (Facts<'a>, usize) {
        let mut number = self.number;
        let mut all = schemas.to_vec();
        let mut taken = Vec::new();
        loop {
            let facts = Facts::of(&self.doc, &all);
            let choice = facts
                .all("anyOf")
                .into_iter()
                .chain(facts.all("oneOf"))
                .find(|list| !taken.contains(&list.id()));
            let Some(list) = choice.filter(|_| taken.len() < MOST_CHOICES) else {
                return (facts, number);
            };
            taken.push(list.id());
            let pick = if at_focus {
                let pick = number.checked_rem(list.len()).unwrap_or(0);
                number = number.checked_div(list.len()).unwrap_or(0);
                pick
            } else {
                self.choose(list.len())
            };
            all.extend(list.item(pick));
        }
    }

    /// All values worth trying at one location.
    fn candidates(
        &self,
        facts: &Facts<'a>,
        types: TypeSet,
        values: Option<&[View<'a>]>,
    ) -> Vec<Candidate> {
        let texts = |texts: Vec<String>| texts.into_iter().map(Candidate::Text);
        if let Some(values) = values {
            let raw = values.iter().take(MOST_KEPT);
            return texts(raw.map(|value| value.raw().to_owned()).collect()).collect();
        }
        let mut by_type: Vec<std::vec::IntoIter<Candidate>> = Vec::new();
        for (name, bits) in TYPES {
            if !types.intersects(bits) || (name == "number" && !types.intersects(TypeSet::FRACTION))
            {
                continue;
            }
            let of_type: Vec<Candidate> = match name {
                "null" => texts(vec!["null".to_owned()]).collect(),
                "boolean" => texts(vec!["true".to_owned(), "false".to_owned()]).collect(),
                "string" => texts(self.strings(facts)).collect(),
                "integer" => {
                    let mut numbers = self.numbers(facts);
                    numbers.retain(|number| !number.contains('.'));
                    texts(numbers).collect()
                }
                "number" => texts(self.numbers(facts)).collect(),
                "array" => (0..ARRAYS).map(Candidate::Array).collect(),
                _ => (0..OBJECTS).map(Candidate::Object).collect(),
            };
            by_type.push(of_type.into_iter());
        }
        // Each type in turn, because there are few tries.
        let mut all = Vec::new();
        loop {
            let before = all.len();
            all.extend(by_type.iter_mut().filter_map(Iterator::next));
            if all.len() == before {
                return all;
            }
        }
    }

    /// Calls `make` as for the instance with another number.
    fn as_number(&mut self, other: usize, make: impl FnOnce(&mut Self) -> String) -> String {
        let number = self.number;
        self.number = other;
        let made = make(self);
        self.number = number;
        made
    }

    fn object(&mut self, facts: &Facts<'a>, focus: Option<&[Step]>, depth: usize) -> String {
        let mut names = Names::default();
        let required = facts.all("required").into_iter().flat_map(View::items);
        for name in required {
            names.add(name.string());
        }
        let (step, inner) = match focus.and_then(<[Step]>::split_first) {
            Some((step, inner)) => (Some(step), Some(inner)),
            None => (None, None),
        };
        let wanted = match step {
            Some(Step::Name(name)) => Some(name.as_str()),
            _ => None,
        };
        let mode = if step.is_some() {
            0
        } else {
            self.number.checked_rem(4).unwrap_or(0)
        };
        let declared = facts.all("properties").into_iter().flat_map(View::members);
        for (key, _) in declared {
            if names.full() {
                break;
            }
            let name = key.text();
            let takes = match mode {
                1 => true,
                2 => self.choose(2) == 0,
                _ => false,
            };
            if takes || wanted == Some(name) {
                names.add(name);
            }
        }
        let possible = match (step, mode) {
            (Some(Step::AnyName), _) | (None, 1 | 3) => self.unknown(facts),
            _ => Rc::default(),
        };
        let unknown: Vec<&str> = possible
            .iter()
            .map(String::as_str)
            .filter(|name| !names.has(name))
            .collect();
        let extra = match (step, mode) {
            (Some(Step::AnyName), _) | (None, 1 | 3) => {
                let turn = self
                    .number
                    .div_euclid(4)
                    .checked_rem(unknown.len())
                    .unwrap_or(0);
                unknown.get(turn).copied()
            }
            _ => None,
        };
        for name in extra.into_iter().chain(wanted) {
            names.add(name);
        }
        let mut members = Vec::new();
        for name in names.list {
            let Some(schemas) = self.member(facts, name) else {
                continue;
            };
            let on_path = wanted == Some(name) || (extra == Some(name) && step.is_some());
            let focus = if on_path { inner } else { None };
            let value = self.value(&schemas, focus, depth.saturating_add(1));
            members.push(format!("{}: {value}", string(name)));
        }
        format!("{{{}}}", members.join(", "))
    }

    fn array(&mut self, facts: &Facts<'a>, focus: Option<&[Step]>, depth: usize) -> String {
        let least = facts
            .all("minItems")
            .into_iter()
            .filter_map(|value| value.number().as_u64())
            .max()
            .map_or(0, |least| usize::try_from(least).unwrap_or(0));
        let (step, inner) = match focus.and_then(<[Step]>::split_first) {
            Some((step, inner)) => (Some(step), Some(inner)),
            None => (None, None),
        };
        let longest = facts
            .nodes
            .iter()
            .map(|node| tuple(&self.doc, *node).len())
            .max()
            .unwrap_or(0);
        let target = match step {
            Some(Step::Index(index)) => Some(*index),
            Some(_) => Some(longest),
            None => None,
        };
        let lengths: Vec<usize> = [least, 1, least.saturating_add(1), 2]
            .into_iter()
            .chain(self.pool.lengths.iter().copied())
            .collect();
        let pick = self.number.checked_rem(lengths.len()).unwrap_or(0);
        let length = match target {
            Some(target) => least.max(target.saturating_add(1)),
            None => lengths.get(pick).copied().unwrap_or(0),
        };
        let mut items: Vec<String> = Vec::new();
        for index in 0..length.min(MOST_MEMBERS) {
            let Some(schemas) = parts::item(facts, index) else {
                break;
            };
            let focus = if target == Some(index) { inner } else { None };
            let again =
                focus.is_none() && index >= longest && self.number.checked_rem(2) == Some(1);
            let item = match items.last() {
                Some(last) if again => self.pay(last),
                _ => self.value(&schemas, focus, depth.saturating_add(1)),
            };
            items.push(item);
        }
        format!("[{}]", items.join(", "))
    }

    fn strings(&self, facts: &Facts<'a>) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let formats = facts
            .all("format")
            .into_iter()
            .flat_map(|format| of_format(format.string()));
        all.extend(formats.map(|text| string(text)));
        let patterns = facts.all("pattern");
        all.extend(
            patterns
                .iter()
                .filter_map(|pattern| from_pattern(pattern.string()))
                .map(|text| string(&text)),
        );
        all.extend(self.pool.between_patterns.iter().map(|text| string(text)));
        all.extend(["a", "", "Ab 1", "é", "-", "0"].map(string));
        let lengths = self.pool.lengths.iter().take(24);
        all.extend(lengths.map(|length| string(&"a".repeat((*length).min(LONGEST)))));
        let long = self.pool.text_lengths.iter().take(6);
        all.extend(long.map(|length| string(&"a".repeat(*length))));
        all.extend(self.pool.strings.iter().map(|text| string(text)));
        all
    }

    fn numbers(&self, facts: &Facts<'a>) -> Vec<String> {
        let own = [
            "minimum",
            "maximum",
            "multipleOf",
            "exclusiveMinimum",
            "exclusiveMaximum",
        ]
        .iter()
        .flat_map(|keyword| facts.all(keyword))
        .filter(|value| value.kind() == Kind::Number)
        .map(|value| value.raw().to_owned());
        let mut all: Vec<String> = own.collect();
        let divisors = facts.all("multipleOf").into_iter();
        all.extend(divisors.map(|divisor| format!("-{}", divisor.raw())));
        all.extend(
            [
                "1", "0", "-1", "2", "7", "1000000", "0.5", "-1000000", "0.125",
            ]
            .map(str::to_owned),
        );
        all.extend(self.pool.numbers.iter().cloned());
        if self.doc.safe_integers && !facts.types().intersects(TypeSet::FRACTION) {
            all.retain(|text| {
                let value = text.parse::<f64>();
                value.is_ok_and(|value| value.abs() < TWO_POW_53)
            });
        }
        all
    }
}

/// The names of an object's members, each once, in order.
#[derive(Default)]
struct Names<'n> {
    list: Vec<&'n str>,
    known: HashSet<&'n str>,
}

impl<'n> Names<'n> {
    fn add(&mut self, name: &'n str) {
        if !self.full() && self.known.insert(name) {
            self.list.push(name);
        }
    }

    fn has(&self, name: &str) -> bool {
        self.known.contains(name)
    }

    fn full(&self) -> bool {
        self.list.len() >= MOST_MEMBERS
    }
}

const MOST_BYTES: usize = 64 << 10;
/// The cost of looking up a member in one node, in units of fuel.
const NODE_LOOK: u64 = 4;
const MOST_MEMBERS: usize = 200;
/// Arrays and objects that are tried at one location in a row.
const ARRAYS: usize = 6;
const OBJECTS: usize = 8;
const MOST_CHOICES: usize = 6;
/// The first integer that a double does not hold apart from its neighbours.
const TWO_POW_53: f64 = 9_007_199_254_740_992.0;
const DEEPEST: usize = 24;
