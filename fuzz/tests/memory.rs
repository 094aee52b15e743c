//! What compiling, checking and explaining hold at once, and what caches keep, by a counting allocator.
//!
//! Figures and their commands: `docs/reliability.md`, row "memory".

use std::sync::Arc;

use allocation_counter::measure;
use toolsure_fuzz::costs::{Cost, Operation, SHAPES};
use toolsure_mcp::check::PendingTasks;
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_pattern::{Limits, Pattern};
use toolsure_schema::{Compiler, Workspace};

/// Each shape stays within its multiple of the input, and needs the one it is listed with.
fn hold(operation: Operation, usual: u32, listed: &[(&str, u32)]) {
    let mut wrong = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for shape in SHAPES.iter().filter(|shape| shape.operation == operation) {
        let row = listed.iter().find(|(name, _)| *name == shape.name);
        known.extend(row.map(|(name, _)| *name));
        let mut most = 0.0_f64;
        for size in SIZES {
            let cost = Cost::of(shape, size, 1);
            let peak = cost.peak.saturating_sub(CONSTANT);
            most = most.max(real(peak) / real(cost.input));
        }
        eprintln!("{shape}: {most:.1} times the input");
        let allowed = row.map_or(usual, |(_, allowed)| *allowed);
        if most > real(allowed) {
            wrong.push(format!(
                "{shape}: {most:.1} times the input, over {allowed}"
            ));
        }
        if row.is_some() && most <= real(usual.max(allowed / 2)) {
            wrong.push(format!("{shape}: listed with {allowed}, takes {most:.1}"));
        }
    }
    assert_eq!(known.len(), listed.len(), "a listed shape is gone");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn compiling_holds_a_multiple_of_the_schema() {
    hold(Operation::Compile, 3, &COMPILE);
}

#[test]
fn checking_text_holds_a_multiple_of_the_instance() {
    hold(Operation::Check, 1, &CHECK);
}

#[test]
fn checking_a_value_holds_less_than_the_instance() {
    hold(Operation::CheckValue, 1, &[]);
}

#[test]
fn explaining_holds_a_multiple_of_the_instance() {
    hold(Operation::Explain, 1, &EXPLAIN);
}

/// A store of hostile schemas, all of them explained, holds no more than its bound and the
/// schema that came last.
#[test]
fn a_store_keeps_within_its_bound() {
    let mut evicted = 0;
    let shapes = SHAPES.iter();
    for shape in shapes.filter(|shape| shape.operation == Operation::Compile) {
        let store = SchemaStore::with(Compiler::new(), BOUND);
        let texts: Vec<String> = (0..24)
            .map(|n| (shape.make)(20_000 + 300 * n).first)
            .collect();
        let mut newest = 0;
        let kept = measure(|| {
            let mut workspace = Workspace::new();
            for text in &texts {
                if let Ok(schema) = store.schema(text) {
                    newest = schema.memory().max(newest);
                    for instance in ["0", "{}", r#"{"a":0}"#, r#""x1y1""#] {
                        drop(schema.explain(&mut workspace, instance));
                    }
                }
            }
        });
        let kept = usize::try_from(kept.bytes_current).unwrap_or(0);
        assert!(kept <= BOUND + newest, "{shape}: {kept} bytes are kept");
        let kept = u64::try_from(store.resident().0).unwrap_or(u64::MAX);
        evicted += usize::from(kept < store.compilations());
    }
    assert!(evicted > 10, "{evicted} stores were ever full");
}

/// Tasks that are over, or that come again, leave nothing behind.
#[test]
fn remembered_tasks_hold_no_more_than_there_is_room_for() {
    let text = br#"{"name": "t", "inputSchema": {"type": "object"}}"#;
    let tool = ToolContract::read(text, &SchemaStore::new()).map(Arc::new);
    let Ok(tool) = tool else {
        unreachable!("the tool is sound");
    };
    for is_over in [true, false] {
        let mut tasks = PendingTasks::new(8);
        let kept = measure(|| {
            for number in 0..100_000 {
                let task = if is_over { number } else { number % 8 };
                tasks.insert(&task.to_string(), Arc::clone(&tool));
                if is_over {
                    tasks.remove(&task.to_string());
                }
            }
        });
        assert_eq!(tasks.len(), if is_over { 0 } else { 8 });
        let kept = kept.bytes_current;
        assert!(kept <= 8 << 10, "{kept} bytes are kept for {tasks:?}");
    }
}

/// A pattern holds no more than it says, once it was matched with texts of any length, by several
/// threads at once.
#[test]
fn a_pattern_holds_no_more_than_it_says() {
    for text in PATTERNS {
        let haystack = "ab1.".repeat(1_000);
        let mut pattern = None;
        let made = measure(|| pattern = Pattern::new(text, &Limits::default()).ok());
        let pattern = pattern.unwrap_or_else(|| unreachable!("{text} is a pattern"));
        let matched = measure(|| {
            for length in [0, 10, 100, 4_000] {
                let mut fuel = 100_000_000;
                let found = pattern.matches(haystack.get(..length).unwrap_or_default(), &mut fuel);
                assert!(found.is_some(), "{text}");
            }
        });
        let held = made.bytes_current + matched.bytes_current;
        let says = i64::try_from(pattern.size() + BESIDE_PATTERN).unwrap_or(0);
        assert!(held <= says, "{text} holds {held} bytes and says {says}");
    }
}

/// A count as a real number, for ratios.
fn real(count: impl TryInto<u32>) -> f64 {
    f64::from(count.try_into().unwrap_or(u32::MAX))
}

/// The sizes of the inputs: below the bounds on compiled subschemas, and above most of them.
const SIZES: [usize; 3] = [30_000, 90_000, 250_000];
/// What any of them may take beside its multiple of the input.
const CONSTANT: u64 = 128 << 10;
/// The bound of a store.
const BOUND: usize = 2 << 20;
/// What a pattern takes beside what it says: itself, and the scratch memory of one thread.
const BESIDE_PATTERN: usize = 1 << 10;

/// Schemas that take more. A document has 24 bytes for each value and name (a schema of small values has one for
/// every 5 bytes of text), and while it is compiled its model and its program stand beside it. A pattern is a
/// tree before it is a program.
const COMPILE: [(&str, u32); 27] = [
    ("properties", 11),
    ("enum of strings", 5),
    ("enum of objects", 18),
    ("allOf", 10),
    ("anyOf with one pattern", 10),
    ("oneOf with tags", 15),
    ("doubled conditions", 5),
    ("merged dependents", 12),
    ("merged patterns", 25),
    ("nested unions", 17),
    ("listed values", 14),
    ("required", 8),
    ("different patterns", 53),
    ("one pattern often", 10),
    ("long pattern", 60),
    ("dependentRequired", 21),
    ("unevaluatedProperties", 24),
    ("conditions", 25),
    ("unused definitions", 13),
    ("one definition often", 14),
    ("chain of references", 14),
    ("resources", 11),
    ("prefixItems", 12),
    ("large bounds", 12),
    ("data", 14),
    ("formats with defaults", 8),
    ("misspelled", 9),
];
/// Instances that take more: those whose text has to be read into a document, of 24 bytes for each value and
/// name, in a vector that doubles. Text that is decided while it is read takes nothing.
const CHECK: [(&str, u32); 6] = [
    ("numbers and 150 bounds", 26),
    ("unknown members", 6),
    ("unevaluatedProperties", 13),
    ("unique strings", 2),
    ("unique objects", 20),
    ("contains", 13),
];
/// What is explained is read into a document, unless it is valid.
const EXPLAIN: [(&str, u32); 4] = [
    ("invalid items", 13),
    ("invalid objects", 20),
    ("unknown members", 7),
    ("required", 13),
];
/// One for each way to match.
const PATTERNS: [&str; 10] = [
    "^[a-z]+$",
    "^(?:a|b)*(?:ab){3}c?$",
    "(a|b|c|d){20}x",
    "^(?=a)(?!c)[ab1.]*$",
    r"(a)\1",
    r"\p{L}+[0-9]{100}",
    "(?:.{0,20}x){30}",
    r"[a-z]{1,64}(?:\.[a-z]{1,64}){0,4}$",
    "^(?:a{50}|b{50}|c{50})*$",
    "(x|y)*a(x|y){9}",
];
