//! How deep a value must be to match a subschema, for each type of values. It is a lower bound; where it is infinite, no
//! value of the type matches, which is a proof.

use std::collections::{HashMap, VecDeque};

use toolsure_json::{Kind, Node as _, View};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{
    Dangling, DocumentId, Entry, Form, Model, ReferenceTarget, Shape, SubschemaId, TypeSet,
};

/// The types, in the order of a [`Height`].
pub(crate) const TYPES: [TypeSet; 7] = [
    TypeSet::NULL,
    TypeSet::BOOLEAN,
    TypeSet::INTEGER,
    TypeSet::FRACTION,
    TypeSet::STRING,
    TypeSet::ARRAY,
    TypeSet::OBJECT,
];
/// No value matches.
pub(crate) const NEVER: u32 = u32::MAX;
const STRING: usize = 4;
const ARRAY: usize = 5;
const OBJECT: usize = 6;

/// For each type, the least depth of a value.
pub(crate) type Height = [u32; 7];

/// The heights of all subschemas.
#[derive(Debug)]
pub(crate) struct Heights {
    all: Vec<Height>,
    /// Whether what is [`NEVER`] is proved to be so.
    pub(crate) is_proof: bool,
}

impl Heights {
    /// Finds the least heights, beginning with "no value": a height is finite once a value is known to be possible.
    pub(crate) fn of(model: &Model) -> Result<Self, Dangling> {
        let mut fuel = NAMES_FUEL;
        let numbers = 0..model.subs.len();
        let rules = numbers.map(|number| Rule::of(model, SubschemaId::new(number), &mut fuel));
        let rules: Vec<Rule<'_>> = rules.collect::<Result<_, _>>()?;
        let mut users = vec![Vec::new(); rules.len()];
        for (number, rule) in rules.iter().enumerate() {
            for used in rule.uses() {
                if let Some(users) = users.get_mut(used.index()) {
                    users.push(number);
                }
            }
        }
        let mut heights = Self {
            all: vec![[NEVER; 7]; rules.len()],
            is_proof: true,
        };
        // Inner subschemas mostly have higher numbers.
        let mut todo: VecDeque<usize> = (0..rules.len()).rev().collect();
        let mut is_waiting = vec![true; rules.len()];
        let sizes = rules.iter().map(|rule| rule.uses().count());
        let size = sizes.fold(rules.len(), usize::saturating_add);
        let mut left = size.saturating_mul(ROUNDS);
        while let Some(number) = todo.pop_front() {
            let (Some(rule), Some(users)) = (rules.get(number), users.get(number)) else {
                continue;
            };
            if let Some(waits) = is_waiting.get_mut(number) {
                *waits = false;
            }
            let work = rule.uses().count().saturating_add(users.len());
            let Some(rest) = left.checked_sub(work.saturating_add(1)) else {
                heights.is_proof = false;
                // Too little is known to rule anything out.
                let own = rules.iter().map(|rule| rule.own);
                heights.all = own.collect();
                break;
            };
            left = rest;
            let height = heights.height(rule);
            let known = heights.all.get_mut(number);
            let Some(known) = known.filter(|known| **known != height) else {
                continue;
            };
            *known = height;
            for user in users {
                if let Some(waits) = is_waiting.get_mut(*user)
                    && !std::mem::replace(waits, true)
                {
                    todo.push_back(*user);
                }
            }
        }
        Ok(heights)
    }

    /// The height of a subschema for each type.
    pub(crate) fn get(&self, sub: SubschemaId) -> Height {
        self.all.get(sub.index()).copied().unwrap_or([0; 7])
    }

    /// The least height of a subschema among these types.
    pub(crate) fn least(&self, sub: SubschemaId, types: TypeSet) -> u32 {
        least(&self.get(sub), types)
    }

    /// The types of values that may match a subschema.
    pub(crate) fn types(&self, sub: SubschemaId) -> TypeSet {
        let height = self.get(sub);
        let possible = TYPES.iter().zip(height).filter(|(_, one)| *one != NEVER);
        possible.fold(TypeSet::NONE, |types, (one, _)| types.union(*one))
    }

    /// The height that follows from those of other subschemas.
    fn height(&self, rule: &Rule<'_>) -> Height {
        let mut height = rule.own;
        for one in &rule.same {
            both(&mut height, self.get(*one));
        }
        for branches in &rule.unions {
            let mut any = [NEVER; 7];
            for branch in *branches {
                for (known, new) in any.iter_mut().zip(self.get(*branch)) {
                    *known = (*known).min(new);
                }
            }
            both(&mut height, any);
        }
        for member in &rule.members {
            deepen(&mut height, OBJECT, self.least(*member, TypeSet::ALL));
        }
        if let Some(item) = rule.item {
            deepen(&mut height, ARRAY, self.least(item, TypeSet::ALL));
        }
        height
    }
}

/// What the height of a subschema follows from.
struct Rule<'m> {
    /// Its height as far as other subschemas do not matter.
    own: Height,
    /// Subschemas that the value must match.
    same: Vec<SubschemaId>,
    /// Lists of which it must match one.
    unions: Vec<&'m [SubschemaId]>,
    /// Those of members that an object must have.
    members: Vec<SubschemaId>,
    /// That of the first item, if an array must have one.
    item: Option<SubschemaId>,
}

impl<'m> Rule<'m> {
    /// `fuel` is for matching names and patterns; without it, members are not looked at.
    fn of(model: &'m Model, id: SubschemaId, fuel: &mut u64) -> Result<Self, Dangling> {
        let mut rule = Self {
            own: [0, 0, 0, 0, 0, 1, 1],
            same: Vec::new(),
            unions: Vec::new(),
            members: Vec::new(),
            item: None,
        };
        let sub = model.sub(id)?;
        if let Shape::Always(false) = sub.shape {
            rule.own = [NEVER; 7];
        }
        let entries = model.entries(sub)?;
        for entry in entries {
            let value = || model.view(sub.doc, entry.value).ok_or(Dangling);
            match (&entry.form, entry.keyword) {
                (Form::Types(types), _) => only(&mut rule.own, *types),
                (Form::Literal, Keyword::Const) => only(&mut rule.own, TypeSet::of(value()?)),
                (Form::Literal, Keyword::Enum) => {
                    let types = value()?.items().map(TypeSet::of);
                    only(&mut rule.own, types.fold(TypeSet::NONE, TypeSet::union));
                }
                (Form::Literal, Keyword::Required) => {
                    rule.members = members(model, sub.doc, entries, value()?, fuel)?;
                }
                (Form::Count(count), Keyword::MinItems) if *count > 0 => {
                    rule.item = first_item(entries);
                }
                (Form::Reference(reference), _) => {
                    if let ReferenceTarget::Static(target) = model.target(*reference)? {
                        rule.same.push(target);
                    }
                }
                (Form::List(all), Keyword::AllOf) => rule.same.extend(all.iter()),
                (Form::List(branches), Keyword::AnyOf | Keyword::OneOf) => {
                    rule.unions.push(branches);
                }
                _ => {}
            }
        }
        if contradict(model, id, entries)? {
            only(&mut rule.own, without_numbers());
        }
        let counts = |keyword| count(entries, keyword);
        for (of, least, most) in [
            (STRING, Keyword::MinLength, Keyword::MaxLength),
            (ARRAY, Keyword::MinItems, Keyword::MaxItems),
        ] {
            if let (Some(least), Some(most)) = (counts(least), counts(most))
                && least > most
                && let Some(known) = rule.own.get_mut(of)
            {
                *known = NEVER;
            }
        }
        Ok(rule)
    }

    /// The subschemas whose heights it uses.
    fn uses(&self) -> impl Iterator<Item = SubschemaId> {
        let unions = self.unions.iter().copied().flatten();
        let all = self.same.iter().chain(unions).chain(&self.members);
        all.chain(&self.item).copied()
    }
}

/// The subschemas of the members with these names.
fn members(
    model: &Model,
    doc: DocumentId,
    entries: &[Entry],
    names: View<'_>,
    fuel: &mut u64,
) -> Result<Vec<SubschemaId>, Dangling> {
    let mut declared: HashMap<&str, SubschemaId> = HashMap::new();
    let mut patterns = Vec::new();
    for entry in entries {
        match &entry.form {
            Form::Map(map) if entry.keyword == Keyword::Properties => {
                for (key, one) in map {
                    let key = model.view(doc, *key).ok_or(Dangling)?;
                    declared.insert(key.string(), *one);
                }
            }
            Form::Patterns(own) => patterns.extend(own.iter()),
            _ => {}
        }
    }
    let rest = Entry::find(entries, Keyword::AdditionalProperties).map(|entry| &entry.form);
    let mut found = Vec::new();
    for name in names.items().take(MOST_NAMES) {
        let before = found.len();
        found.extend(declared.get(name.string()));
        for (_, pattern, one) in &patterns {
            let pattern = model.patterns.get(pattern.index()).ok_or(Dangling)?;
            match pattern.matches(name.string(), fuel) {
                Some(true) => found.push(*one),
                Some(false) => {}
                None => return Ok(Vec::new()),
            }
        }
        if found.len() == before
            && let Some(Form::One(rest)) = rest
        {
            found.push(*rest);
        }
    }
    Ok(found)
}

/// The subschema of the first item.
fn first_item(entries: &[Entry]) -> Option<SubschemaId> {
    let first = |keyword| match Entry::find(entries, keyword).map(|entry| &entry.form) {
        Some(Form::List(list)) => list.first().copied(),
        Some(Form::One(one)) => Some(*one),
        _ => None,
    };
    first(Keyword::PrefixItems).or_else(|| first(Keyword::Items))
}

/// The least height among these types.
pub(crate) fn least(height: &Height, types: TypeSet) -> u32 {
    let own = TYPES.iter().zip(height);
    own.filter(|(one, _)| types.intersects(**one))
        .map(|(_, height)| *height)
        .min()
        .unwrap_or(NEVER)
}

/// The value of a keyword that counts.
pub(crate) fn count(entries: &[Entry], keyword: Keyword) -> Option<u64> {
    match Entry::find(entries, keyword)?.form {
        Form::Count(count) => Some(count),
        _ => None,
    }
}

/// Whether the bounds of a subschema leave no number.
fn contradict(model: &Model, id: SubschemaId, entries: &[Entry]) -> Result<bool, Dangling> {
    let doc = model.sub(id)?.doc;
    let mut least = Vec::new();
    let mut most = Vec::new();
    for entry in entries {
        let Form::Bound { exclusive } = entry.form else {
            continue;
        };
        let value = model.view(doc, entry.value).ok_or(Dangling)?;
        if value.kind() != Kind::Number {
            continue;
        }
        match entry.keyword {
            Keyword::Minimum | Keyword::ExclusiveMinimum => least.push((value, exclusive)),
            _ => most.push((value, exclusive)),
        }
    }
    Ok(least.iter().any(|(low, low_open)| {
        most.iter().any(|(high, high_open)| {
            let order = low.number().compare(&high.number());
            order.is_gt() || (order.is_eq() && (*low_open || *high_open))
        })
    }))
}

fn without_numbers() -> TypeSet {
    TypeSet::NULL
        .union(TypeSet::BOOLEAN)
        .union(TypeSet::STRING)
        .union(TypeSet::ARRAY)
        .union(TypeSet::OBJECT)
}

/// Leaves only these types.
fn only(height: &mut Height, types: TypeSet) {
    for (known, one) in height.iter_mut().zip(TYPES) {
        if !types.intersects(one) {
            *known = NEVER;
        }
    }
}

/// What matches two subschemas is as deep as the deeper one asks.
fn both(height: &mut Height, other: Height) {
    for (known, other) in height.iter_mut().zip(other) {
        *known = (*known).max(other);
    }
}

fn deepen(height: &mut Height, of: usize, inner: u32) {
    if let Some(known) = height.get_mut(of) {
        *known = (*known).max(inner.saturating_add(1));
    }
}

/// The work until what is infinite counts as not proved, in the size of the schema.
const ROUNDS: usize = 16;
/// Units of fuel for matching the required names of a schema with its patterns.
const NAMES_FUEL: u64 = 500_000;
const MOST_NAMES: usize = 2_000;
/// Units of fuel for one match of a name.
pub(crate) const PATTERN_FUEL: u64 = 10_000;
