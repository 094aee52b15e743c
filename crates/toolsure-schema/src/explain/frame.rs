//! The state of a subschema whose evaluation is being reported.

use std::ops::ControlFlow;

use toolsure_json::Node;

use super::context::Context;
use super::fault::{Applicator, Fault};
use super::flow::{Flow, internal_error};
use super::path::{Origin, Path, Token};
use crate::execute::{Applied, Part, ValueOrName};
use crate::int::to_usize;
use crate::model::{DocumentId, Entry, Form, SubschemaId};
use crate::plan::{NodeIx, PlainKeyword};

/// A subschema to be reported, for a value or a name.
pub(super) struct Child<'i, N> {
    /// The subschema in its dynamic scope.
    pub(super) node: NodeIx,
    pub(super) at: ValueOrName<'i, N>,
    /// How the subschema came to be applied.
    pub(super) applicator: Applicator,
    /// The evaluation path.
    pub(super) path: Path,
    pub(super) origin: Origin,
    /// The instance location.
    pub(super) place: Path,
    /// The number of path steps before it.
    pub(super) steps: usize,
    /// Stop reporting it when the sink has this many findings.
    pub(super) cap: usize,
    /// The branch of a union that it belongs to.
    pub(super) branch: u32,
}

/// A subschema that is being reported, and how far the report has come.
pub(super) struct Frame<'o, 'i, N> {
    /// The subschema in its dynamic scope.
    pub(super) node: NodeIx,
    pub(super) sub: SubschemaId,
    /// The document that it is in.
    pub(super) doc: DocumentId,
    /// Its keywords in schema order.
    pub(super) entries: &'o [Entry],
    /// Its remaining keywords in evaluation order.
    pub(super) waiting: std::slice::Iter<'o, PlainKeyword>,
    pub(super) at: ValueOrName<'i, N>,
    /// How the subschema came to be applied.
    pub(super) applicator: Applicator,
    /// Whether all keywords so far hold.
    pub(super) valid: bool,
    /// The keyword in progress, by its position in the schema.
    pub(super) keyword: Option<Keyword<'o>>,
    /// The children from this index on are the subschemas of the keyword in progress.
    pub(super) children: usize,
    /// The next child to report.
    pub(super) next: usize,
    /// The evaluation path.
    pub(super) path: Path,
    pub(super) origin: Origin,
    /// The instance location.
    pub(super) place: Path,
    /// The number of path steps when it began.
    pub(super) steps: usize,
    /// The number of faults when it began.
    pub(super) faults: usize,
    /// Stop reporting it when the sink has this many findings.
    pub(super) cap: usize,
    /// The branch of a union that it belongs to.
    pub(super) branch: u32,
}

/// A keyword that is being reported.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyword<'o> {
    pub(super) entry: &'o Entry,
    /// Its position among the keywords of its subschema.
    pub(super) place: u32,
    /// The evaluation path, this keyword included.
    pub(super) path: Path,
    pub(super) holds: bool,
    /// How many branches share the findings allowed for a union, if it is one.
    pub(super) branches: Option<usize>,
}

/// How many of a keyword's subschemas match, as far as a fault mentions it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Matches {
    pub(super) count: usize,
    /// The indexes of the first two.
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

    /// The tokens that the keyword in progress adds to the evaluation path and to the instance
    /// location when it applies a subschema.
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
            (Some(Form::Map(_) | Form::Patterns(_) | Form::Dependencies(_)), None) => {
                return internal_error();
            }
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
