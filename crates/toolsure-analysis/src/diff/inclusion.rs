//! Whether one schema accepts everything that another accepts, and instances that may disprove it.

use std::rc::Rc;

use toolsure_generate::{Hints, Step};
use toolsure_json::{OwnedDocument, ReadLimits, View};

use super::collect_declared::declared;
use super::document::Doc;
use super::report::Side;
use super::sent::{Candidates, Source, is_sent, sends_all};
use super::subset::Comparison;
use crate::engine::Engine;

/// Two schemas that are compared.
pub(crate) struct Pair<'a> {
    docs: [Doc<'a>; 2],
    /// The same, as their values are written: without the members that no keyword names, if these are taken
    /// as absent.
    sent: [Doc<'a>; 2],
    hints: Hints,
    source: Source<'a>,
}

/// Which schema of a pair the callers know.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Original {
    First,
    Second,
}

/// Locations where the rules cannot prove that all values are accepted.
pub(crate) struct Places(Vec<Vec<Step>>);

impl Places {
    /// Whether there is no such location: all values are accepted.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> Pair<'a> {
    /// A pair of schemas, each with its engine.
    pub(crate) fn new(one: (View<'a>, &'a Engine), other: (View<'a>, &Engine)) -> Self {
        let hints = Hints::of(one.0, other.0);
        let docs = [Doc::new(one.0, one.1), Doc::new(other.0, other.1)];
        Self {
            sent: docs.clone(),
            docs,
            hints,
            source: Source::new(one.0.raw(), one.1.compiler()),
        }
    }

    /// Compares only values in which members that no keyword names are absent. What the original names by a
    /// pattern or a schema, the other sends, too.
    pub(crate) fn declared_only(mut self, original: Original) -> Self {
        let known = self.sent.each_ref().map(|doc| match doc.beyond_rules {
            None => declared(doc),
            Some(_) => None,
        });
        let [mut one, mut other] = known;
        if let (Some(one), Some(other)) = (&mut one, &mut other) {
            match original {
                Original::First => other.sends_as(one),
                Original::Second => one.sends_as(other),
            }
        }
        for (doc, known) in self.sent.iter_mut().zip([one, other]) {
            doc.declared = known.map(Rc::new);
        }
        self
    }

    /// Where the other schema may reject values of the first; takes the pairs of subschemas that it
    /// compares from `pairs`.
    pub(crate) fn missing_in_other(&self, pairs: &mut usize) -> Places {
        let ([one, _], [_, other]) = (&self.sent, &self.docs);
        self.run(one, other, pairs)
    }

    /// Where the first schema may reject values of the other; takes the pairs that it compares, too.
    pub(crate) fn missing_in_one(&self, pairs: &mut usize) -> Places {
        let ([one, _], [_, other]) = (&self.docs, &self.sent);
        self.run(other, one, pairs)
    }

    fn run(&self, left: &Doc<'a>, right: &Doc<'a>, pairs: &mut usize) -> Places {
        let compared = Comparison::run(left, right, (Side::Input, true), *pairs, pairs);
        Places(
            compared
                .reasons
                .into_iter()
                .map(|reason| reason.place)
                .collect(),
        )
    }

    /// The first instance of the first schema that proves a difference, among about `most`: tries those
    /// that vary at the locations, in turn, and those that vary anywhere. `proves` gets each, or `None` for one
    /// that could not be made, and the work in units of fuel; it ends the search with `None`.
    pub(crate) fn find(
        &self,
        places: Option<&Places>,
        most: usize,
        mut proves: impl FnMut(Option<&str>, u64) -> Option<bool>,
    ) -> Option<String> {
        let [one, _] = &self.sent;
        let mut candidates = Candidates::new(one, &self.source, &self.hints);
        let is_sent = |text: &String| {
            if sends_all(one) {
                return true;
            }
            let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default());
            document.is_ok_and(|document| is_sent(one, document.document().root()))
        };
        let places = places.map_or_else(Default::default, |places| places.0.as_slice());
        let turns = most.div_ceil(places.len().saturating_add(1));
        for number in 0..turns {
            for place in places.iter().map(Some).chain([None]) {
                let text = candidates.get(number, place.map(Vec::as_slice));
                let text = text.filter(is_sent);
                if proves(text.as_deref(), candidates.take_work())? {
                    return text;
                }
            }
        }
        None
    }
}
