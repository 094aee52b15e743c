//! The store of compiled schemas under many threads: each schema is compiled once, charged once, and never lost or
//! mistaken for another.
//!
//! This is a stress test and no model check. Loom and Shuttle follow programs that lock through types of their own; the
//! store locks through `OnceLock` and hands out `Weak`, which Loom has not, and takes both from `std`, so that either tool
//! would need other sources than those that are shipped. Each round here is a store of its own with a fresh start for
//! all threads, because what can go wrong goes wrong when a schema is asked for the first time.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]

use std::sync::{Arc, Barrier};

use toolsure_mcp::check::{Checker, Decision};
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_schema::{Compiler, Verdict, Workspace};

/// More than there are processors, so that threads are interrupted where they stand.
const THREADS: usize = 16;
const SCHEMAS: usize = 12;
/// The same, as a store counts.
const COMPILATIONS: u64 = 12;
const ROUNDS: usize = 120;

/// A schema that only the instance of its number fits, and that takes a moment to compile; every fourth is refused.
fn schema(number: usize) -> String {
    let members: Vec<String> = (0..20)
        .map(|member| {
            format!(r#""m{member}":{{"type":"string","pattern":"^[a-z]{{0,{member}}}$"}}"#)
        })
        .collect();
    let wrong = if is_refused(number) {
        r#","minimum":"x""#
    } else {
        ""
    };
    format!(
        r#"{{"type":"object","properties":{{"n":{{"const":{number}}},{}}},"required":["n"]{wrong}}}"#,
        members.join(",")
    )
}

fn is_refused(number: usize) -> bool {
    number % 4 == 3
}

fn instance(number: usize) -> String {
    format!(r#"{{"n":{number}}}"#)
}

/// What a store holds that compiled each schema once, one after the other.
fn alone() -> (usize, usize) {
    let store = SchemaStore::new();
    for number in 0..SCHEMAS {
        drop(store.schema(&schema(number)));
    }
    assert_eq!(store.compilations(), COMPILATIONS);
    store.resident()
}

/// Asks for every schema, in an order of the thread's own, by text and by the tools that share it.
fn ask_all(store: &SchemaStore, tools: &[Arc<ToolContract>], thread: usize, times: usize) {
    let mut workspace = Workspace::new();
    let mut checker = Checker::new();
    // Steps that have no divisor in common with the number of schemas reach all of them.
    let step = [1, 5, 7, 11][thread % 4];
    for turn in 0..times {
        let number = (thread + turn * step) % SCHEMAS;
        let other = instance((number + 1) % SCHEMAS);
        match store.schema(&schema(number)) {
            Ok(schema) => {
                assert!(!is_refused(number), "{number} is a schema");
                let own = schema.check(&mut workspace, instance(number).as_bytes());
                assert_eq!(own, Ok(Verdict::Valid), "{number}");
                let other = schema.check(&mut workspace, other.as_bytes());
                assert_eq!(other, Ok(Verdict::Invalid), "{number}");
            }
            Err(error) => assert!(is_refused(number), "{number}: {error}"),
        }
        let decision = checker.check_arguments_bytes(&tools[number], instance(number).as_bytes());
        let passes = matches!(decision, Decision::Pass(_));
        assert_eq!(passes, !is_refused(number), "{number}: {decision:?}");
    }
}

fn tools(store: &SchemaStore) -> Vec<Arc<ToolContract>> {
    let tool = |number| format!(r#"{{"name":"t{number}","inputSchema":{}}}"#, schema(number));
    let read = |number| ToolContract::read(tool(number).as_bytes(), store).unwrap();
    (0..SCHEMAS).map(|number| Arc::new(read(number))).collect()
}

fn all_at_once(store: &SchemaStore, times: usize) {
    let tools = tools(store);
    let start = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (start, tools) = (&start, &tools);
            scope.spawn(move || {
                start.wait();
                ask_all(store, tools, thread, times);
            });
        }
    });
}

#[test]
fn a_schema_is_compiled_once_and_charged_once() {
    let expected = alone();
    for round in 0..ROUNDS {
        let store = SchemaStore::new();
        all_at_once(&store, SCHEMAS);
        assert_eq!(store.compilations(), COMPILATIONS, "round {round}");
        assert_eq!(store.resident(), expected, "round {round}");
    }
}

#[test]
fn all_threads_get_the_same_refusal() {
    let refused = schema(3);
    for round in 0..ROUNDS {
        let store = SchemaStore::new();
        let start = Barrier::new(THREADS);
        let errors: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        store.schema(&refused).unwrap_err()
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        let first = &errors[0];
        assert!(
            errors.iter().all(|error| Arc::ptr_eq(error, first)),
            "round {round}"
        );
        assert_eq!(
            (store.compilations(), store.resident().0),
            (1, 1),
            "round {round}"
        );
    }
}

/// Where there is room for a third of them, schemas come and go while others are used, and what went is charged no more.
#[test]
fn what_goes_is_charged_no_more() {
    let (_, bytes) = alone();
    let heavy = format!(r#"{{"const":"{}"}}"#, "x".repeat(bytes));
    let weight = {
        let store = SchemaStore::new();
        store.schema(&heavy).unwrap();
        store.resident().1
    };
    for round in 0..ROUNDS / 4 {
        let bound = bytes / 3;
        let store = SchemaStore::with(Compiler::new(), bound);
        all_at_once(&store, 4 * SCHEMAS);
        assert!(store.compilations() > COMPILATIONS, "round {round}");
        let (left, held) = store.resident();
        assert!(
            held <= bound && left > 0,
            "round {round}: {left} schemas, {held} bytes"
        );
        // The schema that was compiled last stays, however heavy, and all others go.
        store.schema(&heavy).unwrap();
        assert_eq!(store.resident(), (1, weight), "round {round}");
    }
}
