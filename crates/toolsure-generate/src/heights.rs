//! How deep a value must be to match a subschema, for each type of values. It is a lower bound; where it is infinite, no
//! value of the type matches, which is a proof.

use toolsure_json::{Kind, Node as _, View};
use toolsure_pattern::Pattern;
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{
    Dangling, Entry, Form, Model, ReferenceTarget, Shape, SubschemaId, TypeSet,
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
        let mut heights = Self {
            all: vec![[NEVER; 7]; model.subs.len()],
            is_proof: false,
        };
        let count = model.subs.len();
        for _ in 0..ROUNDS {
            let mut has_changed = false;
            // Inner subschemas mostly have higher numbers.
            for number in (0..count).rev() {
                let id = SubschemaId::new(number);
                let height = heights.height(model, id)?;
                if let Some(known) = heights.all.get_mut(number)
                    && *known != height
                {
                    *known = height;
                    has_changed = true;
                }
            }
            if !has_changed {
                heights.is_proof = true;
                break;
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

    fn height(&self, model: &Model, id: SubschemaId) -> Result<Height, Dangling> {
        let sub = model.sub(id)?;
        match sub.shape {
            Shape::Always(true) => return Ok([0, 0, 0, 0, 0, 1, 1]),
            Shape::Always(false) => return Ok([NEVER; 7]),
            Shape::Entries { .. } => {}
        }
        let entries = model.entries(sub)?;
        let mut height = [0, 0, 0, 0, 0, 1, 1];
        for entry in entries {
            let value = || model.view(sub.doc, entry.value).ok_or(Dangling);
            match (&entry.form, entry.keyword) {
                (Form::Types(types), _) => only(&mut height, *types),
                (Form::Literal, Keyword::Const) => only(&mut height, TypeSet::of(value()?)),
                (Form::Literal, Keyword::Enum) => {
                    let types = value()?.items().map(TypeSet::of);
                    only(&mut height, types.fold(TypeSet::NONE, TypeSet::union));
                }
                (Form::Literal, Keyword::Required) => {
                    for name in value()?.items().take(MOST_NAMES) {
                        let inner = self.member(model, id, entries, name)?;
                        deepen(&mut height, OBJECT, inner);
                    }
                }
                (Form::Count(count), Keyword::MinItems) if *count > 0 => {
                    let inner = self.item(entries);
                    deepen(&mut height, ARRAY, inner);
                }
                (Form::Reference(reference), _) => {
                    if let ReferenceTarget::Static(target) = model.target(*reference)? {
                        both(&mut height, self.get(target));
                    }
                }
                (Form::List(all), Keyword::AllOf) => {
                    for one in all {
                        both(&mut height, self.get(*one));
                    }
                }
                (Form::List(branches), Keyword::AnyOf | Keyword::OneOf) => {
                    let mut any = [NEVER; 7];
                    for branch in branches {
                        for (known, new) in any.iter_mut().zip(self.get(*branch)) {
                            *known = (*known).min(new);
                        }
                    }
                    both(&mut height, any);
                }
                _ => {}
            }
        }
        if contradict(model, id, entries)? {
            only(&mut height, without_numbers());
        }
        if let (Some(least), Some(most)) = (
            count(entries, Keyword::MinLength),
            count(entries, Keyword::MaxLength),
        ) && least > most
        {
            set(&mut height, 4, NEVER);
        }
        if let (Some(least), Some(most)) = (
            count(entries, Keyword::MinItems),
            count(entries, Keyword::MaxItems),
        ) && least > most
        {
            set(&mut height, ARRAY, NEVER);
        }
        Ok(height)
    }

    /// The least height of the member with this name.
    fn member(
        &self,
        model: &Model,
        id: SubschemaId,
        entries: &[Entry],
        name: View<'_>,
    ) -> Result<u32, Dangling> {
        let doc = model.sub(id)?.doc;
        let mut inner = 0;
        let mut is_declared = false;
        for entry in entries {
            match &entry.form {
                Form::Map(map) if entry.keyword == Keyword::Properties => {
                    for (key, one) in map {
                        let key = model.view(doc, *key).ok_or(Dangling)?;
                        if key.string() == name.string() {
                            is_declared = true;
                            inner = inner.max(self.least(*one, TypeSet::ALL));
                        }
                    }
                }
                Form::Patterns(patterns) => {
                    for (_, pattern, one) in patterns {
                        let pattern = model.patterns.get(pattern.index());
                        match matches(pattern.map(AsRef::as_ref), name.string()) {
                            Some(true) => {
                                is_declared = true;
                                inner = inner.max(self.least(*one, TypeSet::ALL));
                            }
                            Some(false) => {}
                            None => return Ok(0),
                        }
                    }
                }
                _ => {}
            }
        }
        let rest = Entry::find(entries, Keyword::AdditionalProperties);
        if !is_declared && let Some(Form::One(rest)) = rest.map(|entry| &entry.form) {
            inner = self.least(*rest, TypeSet::ALL);
        }
        Ok(inner)
    }

    /// The least height of the first item.
    fn item(&self, entries: &[Entry]) -> u32 {
        let first = |keyword| match Entry::find(entries, keyword).map(|entry| &entry.form) {
            Some(Form::List(list)) => list.first().copied(),
            Some(Form::One(one)) => Some(*one),
            _ => None,
        };
        let first = first(Keyword::PrefixItems).or_else(|| first(Keyword::Items));
        first.map_or(0, |first| self.least(first, TypeSet::ALL))
    }
}

/// The least height among these types.
pub(crate) fn least(height: &Height, types: TypeSet) -> u32 {
    let own = TYPES.iter().zip(height);
    own.filter(|(one, _)| types.intersects(**one))
        .map(|(_, height)| *height)
        .min()
        .unwrap_or(NEVER)
}

fn matches(pattern: Option<&Pattern>, name: &str) -> Option<bool> {
    let mut fuel = PATTERN_FUEL;
    pattern?.matches(name, &mut fuel)
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

fn set(height: &mut Height, of: usize, to: u32) {
    if let Some(known) = height.get_mut(of) {
        *known = to;
    }
}

/// Rounds until what is infinite counts as not proved.
const ROUNDS: usize = 200;
const MOST_NAMES: usize = 2_000;
/// Units of fuel for one match of a name.
pub(crate) const PATTERN_FUEL: u64 = 10_000;
