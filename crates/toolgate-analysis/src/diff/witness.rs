//! Proof of a break: an instance of the one schema that the other refuses.

use toolgate_schema::{CompileError, Schema, Verdict, Workspace};

use super::facts::Doc;
use super::pool::Pool;
use super::sample::Sampler;
use super::subset::Step;
use crate::engine::Engine;

/// A schema, compiled.
pub(super) struct Judge {
    schema: Schema,
    /// The most fuel that one check may take.
    fuel: u64,
    /// Whether keywords were left out because their dialect forbids their values.
    pub(super) leaves_out: bool,
}

impl Judge {
    pub(super) fn new(schema: &str, engine: &Engine) -> Result<Self, CompileError> {
        let schema = engine.compiler().compile(schema.as_bytes())?;
        Ok(Self {
            leaves_out: engine.is_lenient() && !schema.warnings().is_empty(),
            fuel: engine.compiler().bounds().fuel.min(FUEL_OF_ONE),
            schema,
        })
    }
}

/// Searches for instances within bounds.
pub(super) struct Search<'p, 'a> {
    sampler: Sampler<'p, 'a>,
    accepts: &'p Judge,
    refuses: &'p Judge,
    fuel: u64,
    tries: usize,
    workspace: Workspace,
}

impl<'p, 'a> Search<'p, 'a> {
    /// Instances of `doc`, which `accepts` must take and `refuses` must not.
    pub(super) fn new(
        doc: Doc<'a>,
        pool: &'p Pool,
        accepts: &'p Judge,
        refuses: &'p Judge,
        fuel: u64,
        tries: usize,
    ) -> Self {
        Self {
            sampler: Sampler::new(doc, pool),
            accepts,
            refuses,
            fuel,
            tries,
            workspace: Workspace::new(),
        }
    }

    /// The first proof among so many instances that vary at `focus`.
    pub(super) fn find(&mut self, focus: Option<&[Step]>, most: usize) -> Option<String> {
        for number in 0..most {
            if self.tries == 0 || self.fuel == 0 {
                return None;
            }
            self.tries = self.tries.saturating_sub(1);
            let text = self.sampler.instance(number, focus);
            self.fuel = self.fuel.saturating_sub(self.sampler.take_work());
            if self.proves(&text) {
                return Some(text);
            }
        }
        None
    }

    /// The fuel that is left.
    pub(super) fn left(&self) -> u64 {
        self.fuel
    }

    fn proves(&mut self, text: &str) -> bool {
        self.verdict(self.refuses, text) == Some(Verdict::Invalid)
            && self.verdict(self.accepts, text) == Some(Verdict::Valid)
    }

    fn verdict(&mut self, judge: &Judge, text: &str) -> Option<Verdict> {
        let mut workspace = std::mem::take(&mut self.workspace).fuel(self.fuel.min(judge.fuel));
        let verdict = judge.schema.check(&mut workspace, text.as_bytes()).ok();
        self.fuel = self
            .fuel
            .saturating_sub(workspace.fuel_used().saturating_add(100));
        self.workspace = workspace;
        verdict
    }
}

/// One check may take a tenth of the whole budget.
const FUEL_OF_ONE: u64 = 500_000;
