//! Scalars of schemas, which show where one schema is likely to differ from another.

use std::collections::{BTreeSet, HashSet};

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_pattern::{Inclusion, Pattern};

use crate::text::from_pattern;

/// The scalars of two schemas and neighbouring values: bounds, listed values, names of members, lengths, and strings that only
/// one of two patterns matches. At most 80 of each kind are kept, of the first 100,000 values of each schema.
///
/// ```
/// use toolsure_generate::{Hints, Options, ParsedSchema, Step};
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_schema::Compiler;
///
/// let (old, new) = (r#"{"type": "integer"}"#, r#"{"type": "integer", "maximum": 37}"#);
/// let read = |text: &str| OwnedDocument::read(text.as_bytes(), &ReadLimits::default()).unwrap();
/// let (one, other) = (read(old), read(new));
/// let hints = Hints::of(one.document().root(), other.document().root());
///
/// let schema = ParsedSchema::new(&Compiler::new(), old.as_bytes())?;
/// let options = Options::default();
/// let mut variations = schema.variations(&options, &hints);
/// let mut texts = (0..20).filter_map(|number| variations.candidate(number, Some(&[])));
/// assert!(texts.any(|text| text == "38"));
/// # Ok::<(), toolsure_schema::CompileError>(())
/// ```
#[derive(Debug, Default)]
pub struct Hints {
    pub(crate) strings: BTreeSet<String>,
    pub(crate) numbers: BTreeSet<String>,
    pub(crate) lengths: BTreeSet<usize>,
    /// Lengths of strings only, and the next ones: beyond what an array or an object may have.
    pub(crate) text_lengths: BTreeSet<usize>,
    pub(crate) names: BTreeSet<String>,
    /// Strings that tell the patterns of the two schemas apart.
    pub(crate) between_patterns: Vec<String>,
}

/// A pattern, and the minimum number of code points beside it.
type Asked = (String, usize);

impl Hints {
    /// The scalars of two schemas.
    #[must_use]
    pub fn of(one: View<'_>, other: View<'_>) -> Self {
        let mut hints = Self::default();
        let (one, other) = (hints.add(one), hints.add(other));
        hints.tell_patterns_apart(&one, &other);
        hints
    }

    /// Collects scalars from a schema document, and returns its patterns.
    fn add(&mut self, root: View<'_>) -> Vec<Asked> {
        let mut todo = vec![root];
        // A schema may have the same pattern in many places.
        let mut patterns = HashSet::new();
        let mut asked = Vec::new();
        let mut left = LOOKED_AT;
        while let Some(view) = todo.pop() {
            left = match left.checked_sub(1) {
                Some(left) => left,
                None => break,
            };
            for (key, value) in view.members() {
                match key.text() {
                    "properties" => {
                        for (name, _) in value.members() {
                            keep(&mut self.names, || Some(name.text().to_owned()));
                        }
                    }
                    "patternProperties" => {
                        for (pattern, _) in value.members() {
                            keep(&mut self.names, || from_pattern(pattern.text()));
                        }
                    }
                    "description" | "title" | "$ref" | "$schema" | "$comment" | "required"
                    | "type" => continue,
                    "pattern" if value.kind() == Kind::String && patterns.insert(value.raw()) => {
                        keep(&mut self.strings, || from_pattern(value.string()));
                        let least = view
                            .member("minLength")
                            .filter(|one| one.kind() == Kind::Number);
                        let least = least.and_then(|least| least.number().as_u64());
                        let least = least.and_then(|least| usize::try_from(least).ok());
                        if asked.len() < MOST_KEPT {
                            asked.push((value.string().to_owned(), least.unwrap_or(0)));
                        }
                    }
                    "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
                    | "maxProperties" => {
                        let count = value
                            .number()
                            .as_u64()
                            .and_then(|count| usize::try_from(count).ok());
                        let long = count.filter(|count| (LONGEST..=LONGEST_TEXT).contains(count));
                        if let Some(count) = long.filter(|_| key.text().ends_with("Length")) {
                            self.text_lengths.extend([count, count.saturating_add(1)]);
                        }
                        if let Some(count) = count.filter(|count| *count <= LONGEST) {
                            self.lengths.extend([
                                count.saturating_sub(1),
                                count,
                                count.saturating_add(1),
                            ]);
                        }
                    }
                    _ => {}
                }
                todo.push(value);
            }
            todo.extend(view.items());
            match view.kind() {
                Kind::String if view.raw().len() < 200 => {
                    keep(&mut self.strings, || Some(view.string().to_owned()));
                }
                Kind::Number if view.raw().len() < 40 => {
                    let whole = || view.number().as_i64();
                    keep(&mut self.numbers, || Some(view.raw().to_owned()));
                    keep(&mut self.numbers, || {
                        Some(whole()?.saturating_sub(1).to_string())
                    });
                    keep(&mut self.numbers, || {
                        Some(whole()?.saturating_add(1).to_string())
                    });
                    keep(&mut self.numbers, || Some(format!("{}.5", whole()?)));
                }
                _ => {}
            }
        }
        asked
    }

    /// Finds strings that only one of two patterns matches, for the patterns that only one document has.
    fn tell_patterns_apart(&mut self, one: &[Asked], other: &[Asked]) {
        let only_in = |one: &[Asked], other: &[Asked]| -> Vec<(Pattern, usize)> {
            let all = one.iter();
            let new = all.filter(|(text, _)| other.iter().all(|(known, _)| known != text));
            new.take(MOST_COMPARED)
                .filter_map(|(text, least)| {
                    let pattern = Pattern::new(text, &toolsure_pattern::Limits::default());
                    Some((pattern.ok()?, *least))
                })
                .collect()
        };
        let (one, other) = (only_in(one, other), only_in(other, one));
        let every = Pattern::new("", &toolsure_pattern::Limits::default()).ok();
        let every: Vec<(Pattern, usize)> = every.map(|every| (every, 0)).into_iter().collect();
        let mut left = PATTERNS;
        for (from, to) in [
            (&one, &other),
            (&other, &one),
            (&every, &one),
            (&every, &other),
        ] {
            for (from, from_least) in from {
                for (to, to_least) in to {
                    let allowed = left.min(PATTERN);
                    let mut fuel = allowed;
                    let least = (*from_least).max(*to_least).min(LONGEST);
                    let found = from.included_in(to, least, &mut fuel);
                    left = left.saturating_sub(allowed.saturating_sub(fuel));
                    if let Some(Inclusion::Excluded(text)) = found
                        && !self.between_patterns.contains(&text)
                    {
                        self.between_patterns.push(text);
                    }
                }
            }
        }
    }
}

/// Keeps the result of `make` if there is room; a large schema has far more scalars than are kept.
fn keep<T: Ord>(set: &mut BTreeSet<T>, make: impl FnOnce() -> Option<T>) {
    if set.len() < MOST_KEPT {
        set.extend(make());
    }
}

/// Patterns of one document that are compared with those of the other.
const MOST_COMPARED: usize = 8;
/// Units of fuel for comparing all these patterns, of about 100 ns, and for two of them.
const PATTERNS: u64 = 200_000;
const PATTERN: u64 = 20_000;
/// Values of a schema that are visited.
const LOOKED_AT: usize = 100_000;
/// Scalars of each kind that are kept.
const MOST_KEPT: usize = 80;
/// The maximum number of characters, items and members of an instance.
pub(crate) const LONGEST: usize = 2_000;
/// The maximum number of characters of a string that a bound asks for.
const LONGEST_TEXT: usize = 20_000;
