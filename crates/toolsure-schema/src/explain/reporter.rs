//! Visits the subschemas to be reported, with a list instead of recursion.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolsure_json::Node;

use super::context::Context;
use super::fault::{Applicator, Found};
use super::flow::{Flow, Stop, internal_error, or_internal_error};
use super::frame::{Child, Frame, Matches};
use super::path::{Origin, Path, Token};
use super::program::Program;
use super::reported::Reported;
use super::sink::{EvaluationLocation, Full, Sink};
use crate::execute::{Allowance, Applied, Scratch, ValueOrName};
use crate::int::{to_usize, units};
use crate::model::{Form, Shape, Subschema};
use crate::plan::PlainSubschema;

/// The subschemas that are being reported, each after the one that applies it.
type Frames<'o, 'i, N> = SmallVec<[Frame<'o, 'i, N>; SOME]>;

pub(super) struct Reporter<'o, 'i, N: Node<'i>> {
    pub(super) context: Context<'o, 'i, N>,
    reported: Reported,
    /// The subschemas to be reported that the keywords in progress apply, those of outer frames
    /// first.
    pub(super) children: Vec<Applied<'i, N>>,
    /// The number of union branches reported.
    branches: u32,
    /// The paths in use, and the faults reported to a sink of findings.
    pub(super) found: Found<'o, 'i, N>,
    /// Whether a failure was not reported: to leave room for others, or because it nests too
    /// deeply.
    pub(super) left_out: bool,
}

impl<'o, 'i, N: Node<'i>> Reporter<'o, 'i, N> {
    pub(super) fn new(program: &'o Program, allowance: Allowance, scratch: Scratch) -> Self {
        Self {
            context: Context::new(program, allowance, scratch),
            reported: Reported::default(),
            children: Vec::with_capacity(SOME),
            branches: 0,
            found: Found::with_room(SOME),
            left_out: false,
        }
    }

    /// Reports the whole schema against the whole instance.
    pub(super) fn run<S: Sink>(&mut self, instance: N, sink: &mut S) -> Flow {
        self.reported.clear();
        let depth = self.context.evaluator.allowance().depth;
        let most = to_usize(depth.saturating_mul(DEEPER));
        let root = self.context.program.plain().plan.root;
        let subschema = self.context.sub_of(root)?;
        let (PlainSubschema { id: sub, .. }, _) = subschema;
        let applicator = Applicator {
            keyword: None,
            owner: sub,
            index: None,
        };
        let path = Path::default();
        let whole = Child {
            node: root,
            at: ValueOrName::Value(instance),
            applicator,
            path,
            origin: Origin { sub, path },
            place: Path::default(),
            steps: 0,
            cap: usize::MAX,
            branch: 0,
        };
        self.context.pay(1)?;
        let mut frames = Frames::new();
        frames.push(self.frame(whole, subschema)?);
        self.begin(&frames, sink)?;
        while let Some(frame) = frames.last_mut() {
            match self.advance(frame, sink)? {
                Some(inner) => {
                    frames.push(inner);
                    self.begin(&frames, sink)?;
                }
                None => frames.truncate(frames.len() - 1),
            }
            if frames.len() > most + 1 {
                return ControlFlow::Break(Stop);
            }
        }
        ControlFlow::Continue(())
    }

    /// Advances a frame until it needs a child frame, or ends.
    fn advance<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        sink: &mut S,
    ) -> Flow<Option<Frame<'o, 'i, N>>> {
        loop {
            while let Some(child) = self.children.get(frame.next).copied() {
                frame.next += 1;
                if let Some(inner) = self.child(frame, child, sink)? {
                    return ControlFlow::Continue(Some(inner));
                }
            }
            self.children.truncate(frame.children);
            frame.next = frame.children;
            if let Some(keyword) = frame.keyword.take()
                && S::EVERYTHING
            {
                sink.leave(keyword.holds);
            }
            match frame.waiting.next() {
                Some(keyword) => self.keyword(frame, *keyword, sink)?,
                None => {
                    if self.found.faults.len() == frame.faults {
                        // No fault needs these paths. A sink of everything has its own copies.
                        self.found.paths.truncate(frame.steps);
                    }
                    if S::EVERYTHING {
                        sink.leave(frame.valid);
                    }
                    return ControlFlow::Continue(None);
                }
            }
        }
    }

    /// The report of a child, unless a sink of findings has no room for it or has it already.
    fn child<S: Sink>(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        child: Applied<'i, N>,
        sink: &mut S,
    ) -> Flow<Option<Frame<'o, 'i, N>>> {
        let (subschema, sub) = self.context.sub_of(child.node)?;
        let at = frame.at.part(child.to);
        let (mut branch, mut cap) = (frame.branch, frame.cap);
        if !S::EVERYTHING {
            if sink.findings() >= cap {
                self.left_out = true;
                return ControlFlow::Continue(None);
            }
            if let Some(branches) = frame.keyword.and_then(|keyword| keyword.branches) {
                self.branches += 1;
                branch = self.branches;
                cap = cap.min(share(sink.findings(), branches));
            }
            // A boolean schema has a different message for each keyword that applies it.
            let report = (child.node.number(), at.identity(), branch);
            if !matches!(sub.shape, Shape::Always(_)) && !self.reported.insert(report) {
                return ControlFlow::Continue(None);
            }
        }
        self.context.pay(2)?;
        let (token, step) = frame.tokens(&self.context, &child)?;
        let applicator = Applicator {
            keyword: frame.keyword.map(|keyword| keyword.entry.keyword),
            owner: frame.sub,
            index: match step {
                Token::Index(index) => Some(index),
                _ => None,
            },
        };
        let steps = self.found.paths.len();
        let paths = &mut self.found.paths;
        let path = paths.step(frame.under_way(), token);
        let place = paths.step(frame.place, step);
        let origin = match frame.keyword.map(|keyword| &keyword.entry.form) {
            Some(Form::Reference(_)) => Origin {
                sub: subschema.id,
                path,
            },
            _ => frame.origin,
        };
        let child = Child {
            node: child.node,
            at,
            applicator,
            path,
            origin,
            place,
            steps,
            cap,
            branch,
        };
        ControlFlow::Continue(Some(self.frame(child, (subschema, sub))?))
    }

    /// A subschema of which nothing is reported yet.
    #[inline(always)]
    fn frame(
        &self,
        child: Child<'i, N>,
        (subschema, sub): (PlainSubschema, Subschema),
    ) -> Flow<Frame<'o, 'i, N>> {
        let program: &'o Program = self.context.program;
        let Some(keywords) = program.plain().keywords(subschema) else {
            return internal_error();
        };
        ControlFlow::Continue(Frame {
            node: child.node,
            sub: subschema.id,
            doc: sub.doc,
            entries: or_internal_error(self.context.model.entries(sub))?,
            waiting: keywords.iter(),
            at: child.at,
            applicator: child.applicator,
            valid: !matches!(sub.shape, Shape::Always(false)),
            keyword: None,
            children: self.children.len(),
            next: self.children.len(),
            path: child.path,
            origin: child.origin,
            place: child.place,
            steps: child.steps,
            faults: self.found.faults.len(),
            cap: child.cap,
            branch: child.branch,
        })
    }

    /// Begins the innermost frame.
    fn begin<S: Sink>(&mut self, frames: &Frames<'o, 'i, N>, sink: &mut S) -> Flow {
        let Some(frame) = frames.last() else {
            return internal_error();
        };
        if S::EVERYTHING {
            self.announce(frame, |spot| sink.enter(spot))?;
        }
        // Only a `false` schema fails before its first keyword.
        match frame.valid {
            true => ControlFlow::Continue(()),
            false => self.fault(frame, Matches::default(), sink),
        }
    }

    /// Reports or records that the current keyword, or a `false` schema, does not hold.
    pub(super) fn fault<S: Sink>(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        matches: Matches,
        sink: &mut S,
    ) -> Flow {
        let fault = frame.fault(matches);
        if S::EVERYTHING {
            let kind = self.context.describe(&self.found, &fault)?;
            return self.announce(frame, |spot| sink.finding(spot, kind));
        }
        let name = fault.name().map_or(0, str::len);
        let path = self.found.paths.extent(fault.path);
        let place = self.found.paths.extent(fault.place);
        self.context
            .pay(units((path.steps + place.steps) / STEPS_PER_UNIT))?;
        let room = sink.room(4 * path.bytes + place.bytes + name);
        room.map_break(Stop::from)?;
        self.found.faults.push(fault);
        sink.noted().map_break(Stop::from)
    }

    /// Passes the current location to the sink.
    pub(super) fn announce(
        &self,
        frame: &Frame<'o, 'i, N>,
        tell: impl FnOnce(EvaluationLocation<'_>) -> ControlFlow<Full>,
    ) -> Flow {
        let keyword = frame.keyword.map(|keyword| keyword.entry.name);
        let keyword = match keyword {
            Some(name) => Some(self.context.text(frame.doc, name)?),
            None => None,
        };
        let spot = EvaluationLocation {
            paths: &self.found.paths,
            path: frame.under_way(),
            origin: frame.origin,
            place: frame.place,
            name: frame.at.name(),
            sub: frame.sub,
            keyword,
        };
        tell(spot).map_break(Stop::from)
    }
}

/// The maximum number of findings after one of `branches` branches has been reported.
fn share(findings: usize, branches: usize) -> usize {
    findings.saturating_add((BRANCH_FINDINGS / branches.max(1)).max(LEAST_SHARE))
}

/// How many steps of a fault's paths one unit of fuel pays for.
const STEPS_PER_UNIT: usize = 8;
/// Initial capacity for frames, children and faults; most explanations need no more.
const SOME: usize = 8;
/// The number of findings that the branches of one union share.
const BRANCH_FINDINGS: usize = 64;
/// The minimum number of findings for each branch.
const LEAST_SHARE: usize = 4;

/// How many subschemas may be open for each level that an evaluation may nest: the optimised
/// program skips references, the plain one does not.
const DEEPER: u32 = 4;
