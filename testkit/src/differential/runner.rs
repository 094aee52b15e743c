//! The differential run: generates, checks, compares, shrinks and explains. It also compares the
//! plain program with the optimised one.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::Dialect;
use crate::differential::peer_defects;
use crate::differential::random::Random;
use crate::differential::{instances, schemas, shrink};
use crate::engine::{Answer, Compiled, Engine, Refusal, Setup};
use crate::tally::Tally;
use crate::{ours, plain};

/// The number of instances for each schema.
const INSTANCES: u64 = 20;

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Pairs on which ours agree with each other, and with the peers except for known defects.
    pub tally: Tally,
    /// How many of the pairs are valid by our verdict.
    pub valid: u64,
    /// How many schemas were generated.
    pub schemas: u64,
    /// For each rule of [`peer_defects`], its number of disagreements, and one of them.
    pub explained: BTreeMap<&'static str, (u64, String)>,
}

/// The engines of a run. The first two are ours and must agree in everything.
pub struct Engines<'a> {
    /// Our engine over bytes.
    pub bytes: &'a dyn Engine,
    /// Our engine over `serde_json::Value`.
    pub value: &'a dyn Engine,
    /// The peers.
    pub peers: &'a [&'a dyn Engine],
}

/// Compares the engines on about `pairs` generated pairs.
#[must_use]
pub fn run(engines: &Engines<'_>, pairs: u64, seed: u64) -> Outcome {
    let mut outcome = Outcome::default();
    let mut done = 0;
    while done < pairs {
        let mut random =
            Random::new(Random::new(seed).bits() ^ Random::new(!outcome.schemas).bits());
        let dialect = Dialect::ALL
            .get(random.below(Dialect::ALL.len()))
            .copied()
            .unwrap_or(Dialect::Draft202012);
        let schema = schemas::schema(&mut random, dialect);
        outcome.schemas += 1;
        one_schema(engines, dialect, &schema, &mut random, &mut outcome);
        done += INSTANCES;
    }
    outcome
}

fn one_schema(
    engines: &Engines<'_>,
    dialect: Dialect,
    schema: &Value,
    random: &mut Random,
    outcome: &mut Outcome,
) {
    let text = schema.to_string();
    let setup = Setup::new(&text, dialect);
    let (mut bytes, mut value) = match (
        compile(engines.bytes, &setup),
        compile(engines.value, &setup),
    ) {
        (Ok(bytes), Ok(value)) => (bytes, value),
        (Err(refusal), _) | (_, Err(refusal)) => {
            outcome
                .tally
                .fail(format!("{dialect}: refused ({refusal}): {text}"));
            return;
        }
    };
    let mut peers: Vec<(&dyn Engine, Box<dyn Compiled>)> = Vec::new();
    for peer in engines.peers {
        match compile(*peer, &setup) {
            Ok(compiled) => peers.push((*peer, compiled)),
            Err(refusal) => refused_by_peer(*peer, dialect, schema, &refusal, outcome),
        }
    }
    let mut explained = ours::compile(&setup).ok();
    for _ in 0..INSTANCES {
        let instance = instances::instance(random, schema);
        let json = instance.to_string();
        let ours = check(&mut *bytes, &json);
        let same = check(&mut *value, &json);
        if ours == Ok(Answer::Valid) {
            outcome.valid += 1;
        }
        let verdict = match &ours {
            Ok(answer) if answer.verdict().is_some() => answer.clone(),
            other => {
                let said = describe(other);
                outcome
                    .tally
                    .fail(format!("{dialect}: ours says {said}: {text} on {json}"));
                continue;
            }
        };
        if ours != same || bytes.fuel_used() != value.fuel_used() {
            outcome.tally.fail(format!(
                "{dialect}: bytes say {} for {:?} fuel, the value {} for {:?}: {text} on {json}",
                describe(&ours),
                bytes.fuel_used(),
                describe(&same),
                value.fuel_used(),
            ));
            continue;
        }
        let mut unexplained = None;
        if let (Some(explained), Some(expected)) = (&mut explained, verdict.verdict())
            && let Err(fault) = plain::hold(explained, &setup, &json, expected)
        {
            unexplained = Some(format!("{dialect}: {fault}: {text} on {json}"));
        }
        for (peer, compiled) in &mut peers {
            let answer = check(&mut **compiled, &json);
            if answer.as_ref() == Ok(&verdict) {
                continue;
            }
            let pair = Pair {
                dialect,
                schema,
                instance: &instance,
            };
            if let Err(failure) = differs(engines, *peer, &pair, outcome) {
                unexplained = Some(failure);
            }
        }
        outcome.tally.record(unexplained.map_or(Ok(()), Err));
    }
}

struct Pair<'a> {
    dialect: Dialect,
    schema: &'a Value,
    instance: &'a Value,
}

/// Shrinks a disagreement with `peer` and looks for the rule that explains it.
fn differs(
    engines: &Engines<'_>,
    peer: &dyn Engine,
    pair: &Pair<'_>,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let dialect = pair.dialect;
    let both = |schema: &Value, instance: &Value| -> Option<(Answer, Result<Answer, String>)> {
        let text = schema.to_string();
        let setup = Setup::new(&text, dialect);
        let json = instance.to_string();
        let ours = check(&mut *compile(engines.bytes, &setup).ok()?, &json).ok()?;
        ours.verdict()?;
        let theirs = check(&mut *compile(peer, &setup).ok()?, &json);
        Some((ours, theirs))
    };
    let (schema, instance) = shrink::shrink(
        pair.schema.clone(),
        pair.instance.clone(),
        |schema, instance| {
            both(schema, instance).is_some_and(|(ours, theirs)| theirs.as_ref() != Ok(&ours))
        },
    );
    let (ours, theirs) = both(&schema, &instance)
        .map(|(ours, theirs)| (ours.to_string(), describe(&theirs)))
        .unwrap_or_default();
    let shown = format!(
        "{dialect}: ours says {ours}, {} says {theirs}: {schema} on {instance}",
        peer.name()
    );
    match peer_defects::explain(peer.name(), dialect, &schema, &instance) {
        Some(rule) => {
            let entry = outcome.explained.entry(rule).or_insert((0, shown));
            entry.0 += 1;
            Ok(())
        }
        None => Err(shown),
    }
}

fn refused_by_peer(
    peer: &dyn Engine,
    dialect: Dialect,
    schema: &Value,
    refusal: &Refusal,
    outcome: &mut Outcome,
) {
    match peer_defects::explain_refusal(peer.name(), &refusal.message) {
        Some(rule) => {
            let shown = format!("{dialect}: {}: {}", refusal.message, schema);
            outcome.explained.entry(rule).or_insert((0, shown)).0 += 1;
        }
        None => outcome.tally.fail(format!(
            "{dialect}: {} refuses what we compile ({}): {schema}",
            peer.name(),
            refusal.message
        )),
    }
}

/// Compiles a schema. A panic counts as a refusal that names it.
fn compile(engine: &dyn Engine, setup: &Setup<'_>) -> Result<Box<dyn Compiled>, Refusal> {
    catch_unwind(AssertUnwindSafe(|| engine.compile(setup)))
        .unwrap_or_else(|_| Err(Refusal::message(PANICKED)))
}

/// Checks an instance. A panic counts as an answer that no other engine gives.
fn check(compiled: &mut dyn Compiled, instance: &str) -> Result<Answer, String> {
    catch_unwind(AssertUnwindSafe(|| compiled.check(instance))).map_err(|_| PANICKED.to_owned())
}

fn describe(answer: &Result<Answer, String>) -> String {
    match answer {
        Ok(answer) => answer.to_string(),
        Err(panic) => panic.clone(),
    }
}

const PANICKED: &str = "the engine panicked";
