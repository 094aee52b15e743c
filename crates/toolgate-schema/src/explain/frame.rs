//! A subschema that is being reported.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::Flow;
use super::context::Context;
use super::fault::{Applicator, Fault};
use super::path::{Origin, Path, Token};
use crate::execute::{Applied, Part, ValueOrName};
use crate::int::to_usize;
use crate::model::{DocumentId, Entry, Form, SubschemaId};
use crate::plan::{NodeIx, PlainKeyword};

/// A subschema that is to be reported, of a value or a name.
pub(super) struct Child<'i, N> {
    /// The subschema in its dynamic scope.
    pub(super) node: NodeIx,
    pub(super) at: ValueOrName<'i, N>,
    /// How the subschema that applied it came to do so.
    pub(super) applicator: Applicator,
    /// The keywords that led here.
    pub(super) path: Path,
    pub(super) origin: Origin,
    /// The place in the instance.
    pub(super) place: Path,
    /// The steps of paths that there were before.
    pub(super) steps: usize,
    /// No more is reported of it once the sink has this many findings.
    pub(super) cap: usize,
    /// Which branch of a union it is reported for.
    pub(super) branch: u32,
}

/// A subschema that is being reported, as far as it has come.
pub(super) struct Frame<'o, 'i, N> {
    /// The subschema in its dynamic scope.
    pub(super) node: NodeIx,
    pub(super) sub: SubschemaId,
    /// The document that it is in.
    pub(super) doc: DocumentId,
    /// Its keywords as the schema has them.
    pub(super) entries: &'o [Entry],
    /// Its keywords in the order of their evaluation, as far as they wait.
    pub(super) waiting: std::slice::Iter<'o, PlainKeyword>,
    pub(super) at: ValueOrName<'i, N>,
    /// How the subschema that applied it came to do so.
    pub(super) applicator: Applicator,
    /// Whether all keywords so far hold.
    pub(super) valid: bool,
    /// The keyword in progress, by its place in the schema.
    pub(super) keyword: Option<Keyword<'o>>,
    /// The subschemas of the keyword in progress are the children from here on.
    pub(super) children: usize,
    /// The child to be reported next.
    pub(super) next: usize,
    /// The keywords that led here.
    pub(super) path: Path,
    pub(super) origin: Origin,
    /// The place in the instance.
    pub(super) place: Path,
    /// The steps of paths that there were when it began.
    pub(super) steps: usize,
    /// How many faults there were when it began.
    pub(super) faults: usize,
    /// No more is reported of it once the sink has this many findings.
    pub(super) cap: usize,
    /// Which branch of a union it is reported for.
    pub(super) branch: u32,
}

/// A keyword that is being reported.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyword<'o> {
    pub(super) entry: &'o Entry,
    /// Its place among the keywords of its subschema.
    pub(super) place: u32,
    /// The keywords that led to it, itself included.
    pub(super) path: Path,
    pub(super) holds: bool,
    /// How many subschemas share what may be reported of a union, if it is one.
    pub(super) branches: Option<usize>,
}

/// How many of a keyword's subschemas match, as far as a fault says it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Matches {
    pub(super) count: usize,
    /// The places of the first two.
    pub(super) first: [usize; 2],
}

impl<'o, 'i, N: Node<'i>> Frame<'o, 'i, N> {
    /// The fault of the keyword in progress, or of the subschema as a whole.
    pub(super) fn fault(&self, matches: Matches) -> Fault<'i, N> {
        Fault {
            sub: self.sub,
            node: self.node,
            entry: self.keyword.map(|keyword| keyword.place),
            at: self.at,
            path: self.under_way(),
            origin: self.origin,
            place: self.place,
            applicator: self.applicator,
            matched: matches.count,
            first_matched: matches.first,
            ranking: None,
        }
    }

    /// What the keyword in progress adds to the schema's path when it applies a subschema, and
    /// what to the instance's.
    pub(super) fn tokens(
        &self,
        context: &Context<'o, 'i, N>,
        applied: &Applied<'i, N>,
    ) -> Flow<(Token<'o, 'i>, Token<'o, 'i>)> {
        let place = to_usize(applied.place);
        let form = self.keyword.map(|keyword| &keyword.entry.form);
        let key = match form {
            Some(Form::Map(map)) => map.get(place).map(|(name, _)| *name),
            Some(Form::Patterns(patterns)) => patterns.get(place).map(|(name, _, _)| *name),
            Some(Form::Dependencies(map)) => map.get(place).map(|(name, _)| *name),
            _ => None,
        };
        let token = match (form, key) {
            (_, Some(key)) => Token::Key(context.text(self.doc, key)?),
            (Some(Form::List(_)), _) => Token::Index(place),
            _ => Token::None,
        };
        let step = match applied.to {
            Part::Member(name, _) => Token::Name(name),
            Part::Item(at, _) => Token::Index(at),
            Part::Whole | Part::Name(_) => Token::None,
        };
        ControlFlow::Continue((token, step))
    }

    /// The path of the keyword in progress, or of the subschema.
    pub(super) fn under_way(&self) -> Path {
        self.keyword.map_or(self.path, |keyword| keyword.path)
    }
}
