//! Instances of a schema that callers send, as candidates for witnesses.

use std::cell::OnceCell;

use toolsure_generate::{Compiler, Hints, Options, ParsedSchema, Step, Variations};
use toolsure_json::{Key as _, Kind, Node as _, View};

use super::declared::Declared;
use super::document::Doc;

/// A schema's text, and what instances are made from once one is asked for.
pub(super) struct Source<'s> {
    text: &'s str,
    compiler: &'s Compiler,
    parsed: OnceCell<Option<ParsedSchema>>,
}

impl<'s> Source<'s> {
    pub(super) fn new(text: &'s str, compiler: &'s Compiler) -> Self {
        Self {
            text,
            compiler,
            parsed: OnceCell::new(),
        }
    }

    /// `None` if the schema is refused.
    fn parsed(&self) -> Option<&ParsedSchema> {
        let make = || ParsedSchema::new(self.compiler, self.text.as_bytes()).ok();
        self.parsed.get_or_init(make).as_ref()
    }
}

/// Candidates for instances of one document.
pub(super) struct Candidates<'p> {
    source: &'p Source<'p>,
    options: Options,
    hints: &'p Hints,
    /// Once one is asked for.
    variations: Option<Variations<'p>>,
}

impl<'p> Candidates<'p> {
    pub(super) fn new(doc: &Doc<'_>, source: &'p Source<'p>, hints: &'p Hints) -> Self {
        Self {
            source,
            options: Options {
                objects: doc.is_of_arguments,
                interoperable: doc.safe_integers,
                ..Options::default()
            },
            hints,
            variations: None,
        }
    }

    /// Candidate `number`, which varies at a location; `None` if it could not be made.
    pub(super) fn get(&mut self, number: usize, at: Option<&[Step]>) -> Option<String> {
        if self.variations.is_none() {
            let parsed = self.source.parsed()?;
            self.variations = Some(parsed.variations(&self.options, self.hints));
        }
        self.variations.as_mut()?.candidate(number, at)
    }

    /// The work done since the last call, in units of fuel.
    pub(super) fn take_work(&mut self) -> u64 {
        let work = self.variations.as_mut().map_or(0, Variations::take_work);
        u64::try_from(work).unwrap_or(u64::MAX)
    }
}

/// Whether callers send all instances.
pub(super) fn sends_all(doc: &Doc<'_>) -> bool {
    !doc.is_of_arguments && doc.declared.is_none()
}

/// Whether callers send an instance: it has no members that are taken as absent.
pub(super) fn is_sent(doc: &Doc<'_>, instance: View<'_>) -> bool {
    if doc.is_of_arguments && instance.kind() != Kind::Object {
        return false;
    }
    let Some(declared) = doc.declared.as_deref() else {
        return true;
    };
    has_declared_only(doc, declared, instance)
}

fn has_declared_only<'a>(doc: &Doc<'a>, declared: &Declared<'a>, instance: View<'_>) -> bool {
    let mut todo = vec![(instance, declared.root)];
    while let Some((value, at)) = todo.pop() {
        let Some(group) = declared.at(at) else {
            continue;
        };
        for (key, inner) in value.members() {
            let name = key.text();
            if !group.may_have(&doc.lookup, name) {
                return false;
            }
            let own = group.names.get(name).copied().flatten();
            todo.extend(own.or(group.others).map(|at| (inner, at)));
        }
        let items = group.items.into_iter();
        todo.extend(items.flat_map(|at| value.items().map(move |item| (item, at))));
    }
    true
}
