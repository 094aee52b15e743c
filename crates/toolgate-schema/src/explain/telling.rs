//! What a loud frame lets the sink hear, and where it says it is.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::children::Cursor;
use super::fault::Fault;
use super::frame::{Child, Frame, Phase, Token};
use super::machine::Machine;
use super::sink::{Full, Sink, Spot};
use super::trail::Place;
use super::{Flow, Stop};
use crate::dialect::Keyword;
use crate::int::units;
use crate::outline::{DocId, Entry, Form, Outline, Shape};

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// Whether something was not told, to leave room for something else.
    pub(super) fn left_out(&self) -> bool {
        self.left_out
    }

    /// Adds a keyword to the path. A sink that hears findings only needs it of those
    /// that fail.
    pub(super) fn name_keyword(&mut self, frame: &mut Frame<'o, 'i, N>, entry: &Entry) -> Flow {
        let doc = frame.sub.doc;
        let token = Token::Key(entry.name);
        frame.word = Some(self.trail.step(frame.path, doc, token));
        self.purse.pay_text(self.text(doc, entry.name))
    }

    /// Ends what a loud frame tells of a keyword.
    pub(super) fn close<S: Sink>(&mut self, frame: &mut Frame<'o, 'i, N>, sink: &mut S) {
        if S::EVERYTHING {
            sink.leave(frame.holds);
        }
        frame.word = None;
        frame.cursor = Cursor::Done;
        frame.phase = Phase::Between;
    }

    /// Tells or notes that a keyword, or a `false` schema, does not hold.
    pub(super) fn fault<S: Sink>(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        entry: Option<&'o Entry>,
        sink: &mut S,
    ) -> Flow {
        let fault = frame.fault(entry);
        if S::EVERYTHING {
            return match self.word(&fault)? {
                Some(kind) => self.announce(frame, entry, |spot| sink.finding(spot, kind)),
                None => ControlFlow::Continue(()),
            };
        }
        self.note_fault(fault, sink)
    }

    /// Notes a fault, if there is room for it.
    pub(super) fn note_fault<S: Sink>(&mut self, fault: Fault<'i, N>, sink: &mut S) -> Flow {
        let name = fault.name().map_or(0, str::len);
        let (path, path_steps) = self.trail.extent(self.outline, fault.path);
        let (place, place_steps) = self.trail.extent(self.outline, fault.place);
        self.purse
            .pay(units((path_steps + place_steps) / STEPS_PER_UNIT))?;
        let room = sink.room(4 * path + place + name);
        room.map_break(Stop::from)?;
        self.faults.push(fault);
        sink.noted().map_break(Stop::from)
    }

    /// Whether a failing child has something to tell that was not told yet.
    pub(super) fn is_news(
        &mut self,
        outer: &Frame<'o, 'i, N>,
        inner: &mut Frame<'o, 'i, N>,
    ) -> bool {
        let union = outer
            .entry
            .is_some_and(|entry| matches!(entry.keyword, Keyword::AnyOf | Keyword::OneOf));
        inner.branch = outer.branch;
        if union {
            self.branches += 1;
            inner.branch = self.branches;
        }
        if self.known(inner).is_some_and(|outcome| outcome.valid) {
            return false;
        }
        // A boolean schema says something else to each keyword that applies it.
        matches!(inner.sub.shape, Shape::Always(_))
            || self
                .told
                .insert((inner.key, inner.at.identity(), inner.branch))
    }

    pub(super) fn make_loud(
        &mut self,
        outer: &Frame<'o, 'i, N>,
        child: &Child<'i, N>,
        inner: &mut Frame<'o, 'i, N>,
        findings: usize,
    ) -> Flow {
        inner.loud = true;
        inner.cap = outer.cap;
        if let (Cursor::Picked { subs, .. }, Token::Index(_)) = (&outer.cursor, child.token) {
            inner.cap = inner.cap.min(share(findings, subs.len()));
        }
        inner.steps = self.trail.len();
        let path = outer.word.unwrap_or(outer.path);
        let (path, place) = ((path, child.token), (outer.place, child.step));
        (inner.path, inner.place) = self.step_into(outer.sub.doc, path, place)?;
        ControlFlow::Continue(())
    }

    /// The paths of a child in the schema and in the instance, each from where it begins
    /// and by one step.
    pub(super) fn step_into(
        &mut self,
        doc: DocId,
        path: (Place, Token<'i>),
        place: (Place, Token<'i>),
    ) -> Flow<(Place, Place)> {
        self.purse.pay(1)?;
        ControlFlow::Continue((
            self.trail.step(path.0, doc, path.1),
            self.trail.step(place.0, doc, place.1),
        ))
    }

    /// Shows the sink where the evaluation is.
    pub(super) fn announce<F>(
        &self,
        frame: &Frame<'o, 'i, N>,
        entry: Option<&'o Entry>,
        tell: F,
    ) -> Flow
    where
        F: FnOnce(Spot<'_>) -> ControlFlow<Full>,
    {
        let path = frame.word.unwrap_or(frame.path);
        let spot = Spot {
            path: &self.trail.pointer(self.outline, path),
            instance: &self.trail.pointer(self.outline, frame.place),
            name: frame.at.name(),
            sub: frame.id,
            keyword: entry.map(|entry| self.text(frame.sub.doc, entry.name)),
        };
        match tell(spot) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(full) => ControlFlow::Break(full.into()),
        }
    }

    /// Adds a child to the value of its keyword's annotation.
    pub(super) fn note(&self, frame: &mut Frame<'o, 'i, N>, entry: &Entry, child: &Child<'i, N>) {
        if frame.tally.noted.len() > NOTED_BYTES {
            return;
        }
        let separator = if frame.tally.noted.is_empty() {
            ""
        } else {
            ","
        };
        let text = match (child.step, entry.keyword) {
            (Token::Name(name), _) => toolgate_json::json_string(name),
            (Token::Key(key), _) => toolgate_json::json_string(self.text(frame.sub.doc, key)),
            (Token::Index(index), Keyword::Contains) => index.to_string(),
            _ => return,
        };
        frame.tally.noted.push_str(separator);
        frame.tally.noted.push_str(&text);
    }

    /// Tells what a keyword that holds says about the value.
    pub(super) fn annotate<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        entry: &'o Entry,
        sink: &mut S,
    ) -> Flow {
        let outline: &'o Outline = self.outline;
        let value = match (&entry.form, entry.keyword) {
            (Form::Annotation | Form::Format(_) | Form::Content(_) | Form::One(_), keyword)
                if is_annotation(keyword) =>
            {
                let text_only = matches!(
                    keyword,
                    Keyword::ContentEncoding | Keyword::ContentMediaType | Keyword::ContentSchema
                );
                let alone = keyword == Keyword::ContentSchema
                    && Entry::find(frame.entries, Keyword::ContentMediaType).is_none();
                if alone || (text_only && frame.at.kind() != toolgate_json::Kind::String) {
                    return ControlFlow::Continue(());
                }
                outline
                    .view(frame.sub.doc, entry.value)
                    .map_or("null", |view| view.raw())
            }
            (
                _,
                Keyword::Properties
                | Keyword::PatternProperties
                | Keyword::AdditionalProperties
                | Keyword::UnevaluatedProperties
                | Keyword::Contains,
            ) if frame.tally.matched > 0 => {
                let list = format!("[{}]", frame.tally.noted);
                return self.announce(frame, Some(entry), |spot| sink.annotation(spot, &list));
            }
            (
                Form::One(_),
                Keyword::Items | Keyword::AdditionalItems | Keyword::UnevaluatedItems,
            ) if frame.tally.matched > 0 => "true",
            (Form::List(list), Keyword::PrefixItems | Keyword::Items)
                if frame.tally.matched > 0 =>
            {
                let last = frame.tally.matched.min(list.len()) - 1;
                let value = match frame.tally.matched == frame.at.len() {
                    true => "true".to_owned(),
                    false => last.to_string(),
                };
                return self.announce(frame, Some(entry), |spot| sink.annotation(spot, &value));
            }
            _ => return ControlFlow::Continue(()),
        };
        self.announce(frame, Some(entry), |spot| sink.annotation(spot, value))
    }
}

/// How many findings there may be when one of so many branches has been told.
pub(super) fn share(findings: usize, branches: usize) -> usize {
    findings.saturating_add((BRANCH_FINDINGS / branches.max(1)).max(LEAST_SHARE))
}

/// Whether a keyword's value is meant for whoever reads the instance.
fn is_annotation(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Unknown
            | Keyword::Title
            | Keyword::Description
            | Keyword::Default
            | Keyword::Examples
            | Keyword::Deprecated
            | Keyword::ReadOnly
            | Keyword::WriteOnly
            | Keyword::Format
            | Keyword::ContentEncoding
            | Keyword::ContentMediaType
            | Keyword::ContentSchema
    )
}

/// Steps of the paths to a fault that one unit of fuel looks at.
const STEPS_PER_UNIT: usize = 8;
/// Findings that the branches of one union share.
const BRANCH_FINDINGS: usize = 64;
/// Findings that each branch may have at least.
const LEAST_SHARE: usize = 4;
/// Bytes of names that one annotation lists.
const NOTED_BYTES: usize = 16 << 10;
