//! Proof of a break: an instance of one schema that the other rejects.

use toolsure_json::{ReadLimits, Reader, View};
use toolsure_schema::{CompileError, Finding, FindingKind, Schema, Verdict, Workspace};

use super::document::Doc;
use super::pool::Pool;
use super::sample::Sampler;
use super::step::Step;
use super::subset::Reason;
use crate::engine::Engine;

/// A compiled schema.
pub(super) struct Judge {
    schema: Schema,
    /// The maximum fuel of one check.
    fuel: u64,
    /// The limits for parsing an instance.
    instance: ReadLimits,
    /// Whether keywords were ignored because their dialect forbids their values.
    pub(super) leaves_out: bool,
}

impl Judge {
    pub(super) fn new(schema: &str, engine: &Engine) -> Result<Self, CompileError> {
        let schema = engine.compiler().compile(schema.as_bytes())?;
        Ok(Self {
            leaves_out: engine.is_lenient() && !schema.warnings().is_empty(),
            fuel: engine.compiler().bounds().fuel.min(FUEL_OF_ONE),
            instance: engine.compiler().bounds().instance,
            schema,
        })
    }
}

/// A bounded search for instances.
pub(super) struct Search<'p, 'a> {
    sampler: Sampler<'p, 'a>,
    accepts: &'p Judge,
    refuses: &'p Judge,
    fuel: u64,
    tries: usize,
    reader: Reader,
    workspace: Workspace,
}

impl<'p, 'a> Search<'p, 'a> {
    /// A search for instances of `doc` that `accepts` accepts and `refuses` rejects.
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
            reader: Reader::new(),
            workspace: Workspace::new(),
        }
    }

    /// A proof for each reason, if one is found among `share` instances. An instance that is rejected for
    /// another reason proves nothing about this one; if no reason has a proof of its own, the first gets
    /// any instance that proves a break.
    pub(super) fn prove(
        &mut self,
        reasons: &[Reason],
        share: usize,
        most: usize,
    ) -> Vec<Option<String>> {
        let mut proofs: Vec<Option<String>> = vec![None; reasons.len()];
        let mut other = None;
        for (index, reason) in reasons.iter().enumerate() {
            let alone = reasons.len() == 1;
            for number in 0..share {
                // Half of them vary at the member itself.
                let member = reason.member.iter().filter(|_| number % 2 == 1);
                let member = member.map(|name| Step::Name(name.clone()));
                let focus: Vec<Step> = reason.place.iter().cloned().chain(member).collect();
                let Some(text) = self.next_proof(Some(&focus), number) else {
                    if self.is_used_up() {
                        break;
                    }
                    continue;
                };
                if alone || self.is_refused_for(reason, &text) {
                    if let Some(proof) = proofs.get_mut(index) {
                        *proof = Some(text);
                    }
                    break;
                }
                other.get_or_insert(text);
            }
        }
        if proofs.iter().all(Option::is_none) {
            let any = other.or_else(|| self.find(None, most));
            if let Some(first) = proofs.first_mut() {
                *first = any;
            }
        }
        proofs
    }

    /// The first proof among `most` instances that vary at `focus`.
    fn find(&mut self, focus: Option<&[Step]>, most: usize) -> Option<String> {
        for number in 0..most {
            let found = self.next_proof(focus, number);
            if found.is_some() || self.is_used_up() {
                return found;
            }
        }
        None
    }

    /// Instance `number`, if it is a proof.
    fn next_proof(&mut self, focus: Option<&[Step]>, number: usize) -> Option<String> {
        if self.is_used_up() {
            return None;
        }
        self.tries = self.tries.saturating_sub(1);
        let text = self.sampler.instance(number, focus);
        self.fuel = self.fuel.saturating_sub(self.sampler.take_work());
        self.proves(&text).then_some(text)
    }

    fn is_used_up(&self) -> bool {
        self.tries == 0 || self.fuel == 0
    }

    /// Whether an instance is rejected at the location of a reason or below it, or by a union above it; if
    /// the reason is about a member, because of that one.
    fn is_refused_for(&mut self, reason: &Reason, text: &str) -> bool {
        let mut workspace =
            std::mem::take(&mut self.workspace).fuel(self.fuel.min(self.refuses.fuel));
        let report = self.refuses.schema.explain(&mut workspace, text.as_bytes());
        self.fuel = self.fuel.saturating_sub(workspace.fuel_used());
        self.workspace = workspace;
        // A rejection that is not fully explained may have this reason too.
        report.is_ok_and(|report| {
            !report.complete
                || report
                    .findings
                    .iter()
                    .any(|finding| is_for(reason, finding))
        })
    }

    /// The fuel that is left.
    pub(super) fn left(&self) -> u64 {
        self.fuel
    }

    fn proves(&mut self, text: &str) -> bool {
        // Parses once for both schemas. A schema can also validate text while it is parsed, but then only
        // reports that it is valid: an instance that should be rejected would be processed twice.
        let mut reader = std::mem::take(&mut self.reader);
        let document = reader.read(text.as_bytes(), &self.refuses.instance);
        let proves = document.is_ok_and(|document| {
            let instance = document.root();
            self.verdict(self.refuses, instance) == Verdict::Invalid
                && self.verdict(self.accepts, instance) == Verdict::Valid
        });
        self.reader = reader;
        proves
    }

    fn verdict(&mut self, judge: &Judge, instance: View<'_>) -> Verdict {
        let mut workspace = std::mem::take(&mut self.workspace).fuel(self.fuel.min(judge.fuel));
        let verdict = judge.schema.check(&mut workspace, instance);
        self.fuel = self
            .fuel
            .saturating_sub(workspace.fuel_used().saturating_add(100));
        self.workspace = workspace;
        verdict
    }
}

/// Whether a finding is about what a reason is about, or about something around it that hides that.
fn is_for(reason: &Reason, finding: &Finding) -> bool {
    let mut tokens = toolsure_json::pointer::tokens(&finding.instance_location);
    for step in &reason.place {
        let Some(token) = tokens.next() else {
            return HIDE_THE_PLACE.contains(&finding.keyword.as_str());
        };
        let same = match step {
            Step::Name(name) => *name == token,
            Step::Index(index) => index.to_string() == token,
            Step::AnyName | Step::AnyItem => true,
        };
        if !same {
            return false;
        }
    }
    let Some(member) = &reason.member else {
        return true;
    };
    match (tokens.next(), &finding.kind) {
        (Some(token), _) => *member == token,
        (None, FindingKind::Required { missing, more }) => {
            *more > 0 || missing.iter().any(|name| name == member)
        }
        (None, FindingKind::UnexpectedProperty { name, .. }) => name == member,
        (None, _) => HIDE_THE_PLACE.contains(&finding.keyword.as_str()),
    }
}

/// Keywords that reject a value because of something inside it.
const HIDE_THE_PLACE: [&str; 8] = [
    "anyOf",
    "oneOf",
    "not",
    "contains",
    "enum",
    "const",
    "uniqueItems",
    "if",
];
/// One check may take a tenth of the whole budget.
const FUEL_OF_ONE: u64 = 500_000;
