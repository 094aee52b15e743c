//! `cargo run --profile test -p toolsure-fuzz -- [TARGET…] [--seconds N] [--seed N]`: mutates seeds for N seconds
//! for each target (20 by default) and judges what comes out.
//!
//! `… [TARGET…] --gate` judges as many inputs of each target as every change must pass, for at most 40 seconds, on all cores.
//!
//! `cargo run --profile test -p toolsure-fuzz -- costs [WORD…] [--instructions]`: what each entry point costs at
//! growing sizes ([`toolsure_fuzz::costs`]).
//!
//! `cargo run --profile test -p toolsure-fuzz -- replay TARGET FILE…` judges single inputs.
//!
//! Ends with 1 if a target fails. The input is then written to `fuzz/findings/TARGET-HASH`; when
//! the fault is mended, move it to `fuzz/regressions/TARGET/`.

#![forbid(unsafe_code)]

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, exit};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use toolsure_fuzz::mutate::mutate;
use toolsure_fuzz::seeds::Seeds;
use toolsure_fuzz::{Outcome, TARGETS, Target, costs};
use toolsure_testkit::differential::random::Random;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.split_first() {
        Some((first, rest)) if first == "costs" => {
            let (flags, words): (Vec<String>, Vec<String>) = rest
                .iter()
                .cloned()
                .partition(|word| word == "--instructions");
            costs::run(&words, !flags.is_empty())
        }
        Some((first, rest)) if first == "replay" => replay(rest),
        Some((first, rest)) if first == "costs-one" => costs::one(rest),
        _ => arguments(words.into_iter()).and_then(run),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Judges files: those that a run wrote down, or any others.
fn replay(words: &[String]) -> Result<bool, String> {
    let [name, files @ ..] = words else {
        return Err("replay TARGET FILE…".to_owned());
    };
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.ok_or_else(|| format!("no target `{name}`"))?;
    let mut sound = true;
    for file in files {
        let input = fs::read(file).map_err(|error| format!("`{file}`: {error}"))?;
        let before = cpu();
        let outcome = judge(target, &input);
        let took = cpu().saturating_sub(before).as_millis();
        sound &= outcome.is_ok();
        let shown = outcome.map_or_else(|fault| fault, |()| "nothing wrong".to_owned());
        println!("{file}: {took} ms of CPU: {shown}");
    }
    Ok(sound)
}

/// What the command line asks for.
struct Plan {
    targets: Vec<&'static Target>,
    time: Duration,
    seed: u64,
    /// Ends each target after its own number of inputs.
    gate: bool,
}

fn arguments(mut words: impl Iterator<Item = String>) -> Result<Plan, String> {
    let mut plan = Plan {
        targets: Vec::new(),
        time: Duration::from_secs(20),
        seed: 1,
        gate: false,
    };
    while let Some(word) = words.next() {
        let mut number = |name: &str| -> Result<u64, String> {
            let value = words.next().ok_or(format!("{name} needs a number"))?;
            value
                .parse()
                .map_err(|error| format!("{name} {value}: {error}"))
        };
        match word.as_str() {
            "--seconds" => plan.time = Duration::from_secs(number("--seconds")?),
            "--gate" => {
                plan.gate = true;
                plan.time = GATE;
            }
            "--seed" => plan.seed = number("--seed")?,
            name => {
                let target = TARGETS.iter().find(|target| target.name == name);
                plan.targets.push(target.ok_or_else(|| {
                    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                    format!("no target `{name}`; there are {}", names.join(", "))
                })?);
            }
        }
    }
    if plan.targets.is_empty() {
        plan.targets = TARGETS.iter().collect();
    }
    Ok(plan)
}

fn run(plan: Plan) -> Result<bool, String> {
    if plan.gate && plan.targets.len() > 1 {
        return on_all_cores(&plan);
    }
    let seeds = Seeds::load()?;
    for source in seeds.sources.iter().filter(|_| !plan.gate) {
        println!("{source}");
    }
    let mut sound = true;
    for target in plan.targets {
        let most = if plan.gate { target.gate } else { u64::MAX };
        sound &= one_target(target, &seeds, plan.time, most, plan.seed)?;
    }
    Ok(sound)
}

/// Judges each target in a process of its own: the time limit and the panic hook are those of a process.
fn on_all_cores(plan: &Plan) -> Result<bool, String> {
    let own = std::env::current_exe().map_err(|error| format!("this program's path: {error}"))?;
    let waiting = Mutex::new(plan.targets.iter());
    let next = || {
        waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    let work = || {
        let mut sound = true;
        while let Some(target) = next() {
            let mut command = Command::new(&own);
            let seed = plan.seed.to_string();
            command.args([target.name, "--gate", "--seed", &seed]);
            let output = command
                .output()
                .map_err(|error| format!("{}: {error}", target.name))?;
            print!("{}", String::from_utf8_lossy(&output.stdout));
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            sound &= output.status.success();
        }
        Ok(sound)
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Result<bool, String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined
            .map(|result| result.unwrap_or_else(|_| Err("a worker panicked".to_owned())))
            .collect()
    });
    results
        .into_iter()
        .try_fold(true, |sound, result| Ok(sound & result?))
}

/// What a target did so far.
#[derive(Default)]
struct Tally {
    inputs: u64,
    slowest: Duration,
    slowest_input: Vec<u8>,
    faults: Vec<String>,
}

fn one_target(
    target: &'static Target,
    seeds: &Seeds,
    time: Duration,
    most: u64,
    seed: u64,
) -> Result<bool, String> {
    let inputs = (target.seeds)(seeds);
    let current: Current = Arc::new(Mutex::new((Instant::now(), Vec::new())));
    watch(target, Arc::clone(&current));
    keep_what_panics(target, Arc::clone(&current));
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    let (started, started_cpu) = (Instant::now(), cpu());
    // Each seed is judged as it is before any is changed.
    let mut waiting = inputs.iter().cloned();
    while started.elapsed() < time && tally.inputs < most && tally.faults.len() < FAULTS {
        let input = waiting.next().unwrap_or_else(|| {
            let seed = inputs.get(random.below(inputs.len()));
            mutate(
                &mut random,
                seed.map(Vec::as_slice).unwrap_or_default(),
                &inputs,
            )
        });
        *current.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now(), input.clone());
        let before = cpu();
        let outcome = judge(target, &input);
        let took = cpu().saturating_sub(before);
        tally.inputs += 1;
        if took > tally.slowest {
            tally.slowest = took;
            tally.slowest_input = input.clone();
        }
        let outcome = outcome.and(if took > MOST_CPU {
            Err(format!("{} ms of CPU", took.as_millis()))
        } else {
            Ok(())
        });
        if let Err(fault) = outcome {
            let path = save(target, &input)?;
            tally.faults.push(format!("{}: {fault}", path.display()));
        }
    }
    *current.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now() + NEVER, Vec::new());
    drop(take_hook());
    println!(
        "{}: {} inputs, {} faults, {:.1} s of CPU, slowest {} ms",
        target.name,
        tally.inputs,
        tally.faults.len(),
        cpu().saturating_sub(started_cpu).as_secs_f64(),
        tally.slowest.as_millis()
    );
    if tally.slowest > SLOW {
        println!("  slow: {}", save(target, &tally.slowest_input)?.display());
    }
    for fault in &tally.faults {
        println!("  {fault}");
    }
    Ok(tally.faults.is_empty())
}

/// Judges one input; a panic is a fault.
fn judge(target: &Target, input: &[u8]) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| (target.run)(input))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// The input at work, and since when.
type Current = Arc<Mutex<(Instant, Vec<u8>)>>;

/// Writes down an input at which something panics: what cannot unwind ends the program.
fn keep_what_panics(target: &'static Target, current: Current) {
    let before = take_hook();
    set_hook(Box::new(move |panic| {
        before(panic);
        let held = current.lock().unwrap_or_else(PoisonError::into_inner);
        match save(target, &held.1) {
            Ok(path) => eprintln!("{}: panics: {}", target.name, path.display()),
            Err(message) => eprintln!("{}: panics; {message}", target.name),
        }
    }));
}

/// Ends the program if one input takes longer than [`HANG`], after writing it down.
fn watch(target: &'static Target, current: Current) {
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_secs(1));
            let held = current.lock().unwrap_or_else(PoisonError::into_inner);
            if held.0.elapsed() > HANG {
                match save(target, &held.1) {
                    Ok(path) => eprintln!("{}: hangs: {}", target.name, path.display()),
                    Err(message) => eprintln!("{}: hangs; {message}", target.name),
                }
                exit(1);
            }
        }
    });
}

fn save(target: &Target, input: &[u8]) -> Result<PathBuf, String> {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("findings");
    let path = folder.join(format!("{}-{:016x}", target.name, hasher.finish()));
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, input));
    written.map_err(|error| format!("`{}`: {error}", path.display()))?;
    Ok(path)
}

/// The processor time of this thread.
fn cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// The most time of a target whose number of inputs is fixed.
const GATE: Duration = Duration::from_secs(40);
/// Faults after which a target is left.
const FAULTS: usize = 5;
/// What one input may take; all budgets of the targets together are far below.
const MOST_CPU: Duration = Duration::from_secs(2);
/// What is worth a look.
const SLOW: Duration = Duration::from_millis(200);
/// When an input is given up.
const HANG: Duration = Duration::from_secs(60);
/// Longer than any run.
const NEVER: Duration = Duration::from_secs(1 << 30);
