//! The functions that JavaScript calls, and the state that they share.
//!
//! The interface consists of numbers and bytes. The caller writes its texts into the input buffer,
//! calls a function with their lengths, and reads JSON from the output buffer if the function's
//! answer says that there is output. `lib/engine.js` is the only caller.
//!
//! Nothing here decides anything: verdicts, messages and limits come from `toolsure-schema`,
//! `toolsure-mcp` and `toolsure-analysis`.

#[cfg(feature = "contracts")]
mod contract;
mod kind;
#[cfg(feature = "lint")]
mod lint;
#[cfg(not(target_family = "wasm"))]
pub mod native;
mod options;
mod report;
mod slots;
mod write;

use std::cell::RefCell;

#[cfg(feature = "contracts")]
use toolsure_mcp::check::Decision;
use toolsure_schema::{Schema, Verdict, Workspace};

use options::{Options, Refusal};
use slots::Slots;
use write::Object;

/// The state between calls. WebAssembly has one thread here.
#[derive(Default)]
struct State {
    input: Vec<u8>,
    output: String,
    workspace: Workspace,
    schemas: Slots<Compiled>,
    #[cfg(feature = "contracts")]
    contracts: Slots<contract::Contract>,
}

/// A schema, and the maximum number of bytes of an instance.
struct Compiled {
    schema: Schema,
    instance_bytes: usize,
}

impl State {
    /// Two texts, one after the other in the input buffer.
    fn texts(&self, first: usize, second: usize) -> Option<(&[u8], &[u8])> {
        let (first, rest) = self.input.split_at_checked(first)?;
        Some((first, rest.get(..second)?))
    }
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::default());
}

fn with<T>(then: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(then)
}

/// The answers of the functions that check.
const VALID: u32 = 0;
const INVALID: u32 = 1;
/// The output says which limit was reached.
const UNDECIDED: u32 = 2;
/// The output says why the instance cannot be read.
const UNREADABLE: u32 = 3;
/// The caller misused the interface: an unknown handle, or lengths beyond the input buffer.
const MISUSED: u32 = 4;

/// The answer of a function that makes something: it failed, and the output says why.
const REFUSED: u32 = 0;
/// The answer of the function that lints, if the output is a report.
#[cfg(feature = "lint")]
const LINTED: u32 = 1;

#[expect(
    unsafe_code,
    reason = "an export needs a fixed name, which the language calls unsafe because it must be no other \
              symbol's (such as the C library's `free`); no body below is"
)]
pub mod exports {
    //! The functions that the module exports, by name.

    #[cfg(feature = "contracts")]
    use super::contract::What;
    use super::{MISUSED, VALID, with};

    /// Makes room for `bytes` of input and returns the address of the buffer.
    #[unsafe(no_mangle)]
    pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
        with(|state| {
            if let Some(more) = bytes.checked_sub(state.input.len()) {
                // Exactly as much as is needed: the module's memory never shrinks.
                state.input.reserve_exact(more);
                state.input.resize(bytes, 0);
            }
            state.input.as_mut_ptr()
        })
    }

    /// The address of the output.
    #[unsafe(no_mangle)]
    pub extern "C" fn output() -> *const u8 {
        with(|state| state.output.as_ptr())
    }

    /// The number of bytes of output.
    #[unsafe(no_mangle)]
    pub extern "C" fn output_length() -> usize {
        with(|state| state.output.len())
    }

    /// Compiles a schema with options. Returns a handle or [`super::REFUSED`].
    #[unsafe(no_mangle)]
    pub extern "C" fn compile(schema: usize, options: usize) -> u32 {
        with(|state| super::compile(state, schema, options))
    }

    /// The maximum number of bytes of a schema under these options. If they are refused, which
    /// `compile` reports, the default.
    #[unsafe(no_mangle)]
    pub extern "C" fn schema_bytes(options: usize) -> u32 {
        with(|state| {
            let options = state.input.get(..options).unwrap_or_default();
            u32::try_from(super::Options::schema_bytes(options)).unwrap_or(u32::MAX)
        })
    }

    /// The maximum number of bytes of an instance under a schema's limits.
    #[unsafe(no_mangle)]
    pub extern "C" fn instance_bytes(schema: u32) -> u32 {
        with(|state| {
            let compiled = state.schemas.get(schema);
            let bytes = compiled.map_or(0, |compiled| compiled.instance_bytes);
            u32::try_from(bytes).unwrap_or(u32::MAX)
        })
    }

    /// Drops a schema.
    #[unsafe(no_mangle)]
    pub extern "C" fn free_schema(schema: u32) {
        with(|state| state.schemas.remove(schema));
    }

    /// Checks JSON text.
    #[unsafe(no_mangle)]
    pub extern "C" fn check(schema: u32, instance: usize) -> u32 {
        with(|state| super::check(state, schema, instance))
    }

    /// Explains why JSON text does not match: writes a report.
    #[unsafe(no_mangle)]
    pub extern "C" fn explain(schema: u32, instance: usize) -> u32 {
        with(|state| super::explain(state, schema, instance))
    }

    /// Writes a list of the parts that were left out of a schema.
    #[unsafe(no_mangle)]
    pub extern "C" fn warnings(schema: u32) -> u32 {
        with(|state| match state.schemas.get(schema) {
            Some(compiled) => {
                state.output.clear();
                super::report::warnings(&mut state.output, compiled.schema.warnings());
                VALID
            }
            None => MISUSED,
        })
    }

    /// Reads a tool's definition with options. Returns a handle or [`super::REFUSED`].
    #[cfg(feature = "contracts")]
    #[unsafe(no_mangle)]
    pub extern "C" fn contract(tool: usize, options: usize) -> u32 {
        with(|state| super::contract(state, tool, options))
    }

    /// Drops a contract.
    #[cfg(feature = "contracts")]
    #[unsafe(no_mangle)]
    pub extern "C" fn free_contract(contract: u32) {
        with(|state| state.contracts.remove(contract));
    }

    /// The maximum number of bytes of arguments or a result under a contract's limits.
    #[cfg(feature = "contracts")]
    #[unsafe(no_mangle)]
    pub extern "C" fn contract_instance_bytes(contract: u32) -> u32 {
        with(|state| {
            let contract = state.contracts.get_mut(contract);
            let bytes = contract.map_or(0, |contract| contract.instance_bytes());
            u32::try_from(bytes).unwrap_or(u32::MAX)
        })
    }

    /// Checks arguments for a tool: writes a decision.
    #[cfg(feature = "contracts")]
    #[unsafe(no_mangle)]
    pub extern "C" fn check_arguments(contract: u32, arguments: usize) -> u32 {
        with(|state| super::decide(state, contract, arguments, What::Arguments))
    }

    /// Checks the result of a tool: writes a decision.
    #[cfg(feature = "contracts")]
    #[unsafe(no_mangle)]
    pub extern "C" fn check_result(contract: u32, result: usize) -> u32 {
        with(|state| super::decide(state, contract, result, What::Result))
    }

    /// Lints a listing with options: writes a report, or why the listing cannot be read.
    #[cfg(feature = "lint")]
    #[unsafe(no_mangle)]
    pub extern "C" fn lint(listing: usize, options: usize) -> u32 {
        with(|state| super::lint(state, listing, options))
    }
}

fn compile(state: &mut State, schema: usize, options: usize) -> u32 {
    let made = state.texts(schema, options).map(|(schema, options)| {
        let options = Options::read(options, &[])?;
        let compiled = Compiled {
            schema: options.compiler.compile(schema)?,
            instance_bytes: options.compiler.bounds().instance.bytes,
        };
        Ok::<_, Refusal>(compiled)
    });
    state.output.clear();
    match made {
        Some(Ok(compiled)) => state.schemas.insert(compiled),
        Some(Err(error)) => {
            report::refusal(&mut state.output, &error);
            REFUSED
        }
        None => REFUSED,
    }
}

fn check(state: &mut State, schema: u32, instance: usize) -> u32 {
    let (Some(compiled), Some(text)) = (state.schemas.get(schema), state.input.get(..instance))
    else {
        return MISUSED;
    };
    match compiled.schema.check(&mut state.workspace, text) {
        Ok(Verdict::Valid) => VALID,
        Ok(Verdict::Invalid) => INVALID,
        Ok(Verdict::Undecided(why)) => {
            state.output.clear();
            report::undecided(&mut Object::new(&mut state.output), why);
            UNDECIDED
        }
        Err(error) => {
            state.output.clear();
            report::unreadable(&mut state.output, &error);
            UNREADABLE
        }
    }
}

fn explain(state: &mut State, schema: u32, instance: usize) -> u32 {
    let (Some(compiled), Some(text)) = (state.schemas.get(schema), state.input.get(..instance))
    else {
        return MISUSED;
    };
    let report = compiled.schema.explain(&mut state.workspace, text);
    state.output.clear();
    match report {
        Ok(report) => {
            report::write(&mut Object::new(&mut state.output), &report);
            match report.verdict {
                Verdict::Valid => VALID,
                Verdict::Invalid => INVALID,
                Verdict::Undecided(_) => UNDECIDED,
            }
        }
        Err(error) => {
            report::unreadable(&mut state.output, &error);
            UNREADABLE
        }
    }
}

#[cfg(feature = "contracts")]
fn contract(state: &mut State, tool: usize, options: usize) -> u32 {
    let Some((tool, options)) = state.texts(tool, options) else {
        return REFUSED;
    };
    let made = contract::Contract::read(tool, options);
    state.output.clear();
    match made {
        Ok(contract) => {
            state.output.push_str(contract.name());
            state.contracts.insert(contract)
        }
        Err(why) => {
            why.write(&mut state.output);
            REFUSED
        }
    }
}

/// Checks arguments or a result for a tool, and writes the decision.
#[cfg(feature = "contracts")]
fn decide(state: &mut State, contract: u32, length: usize, what: contract::What) -> u32 {
    let (Some(contract), Some(text)) =
        (state.contracts.get_mut(contract), state.input.get(..length))
    else {
        return MISUSED;
    };
    let decision = contract.check(text, what);
    state.output.clear();
    match decision {
        Ok(decision) => {
            contract.write(&mut state.output, &decision);
            match decision {
                Decision::Pass(_) => VALID,
                Decision::Refuse(_) => INVALID,
            }
        }
        Err(error) => {
            report::unreadable(&mut state.output, &error);
            UNREADABLE
        }
    }
}

#[cfg(feature = "lint")]
fn lint(state: &mut State, listing: usize, options: usize) -> u32 {
    let Some((listing, options)) = state.texts(listing, options) else {
        return REFUSED;
    };
    let made = lint::run(listing, options);
    state.output.clear();
    match made {
        Ok(report) => {
            lint::write(&mut state.output, &report);
            LINTED
        }
        Err(message) => {
            report::option(&mut state.output, &message);
            REFUSED
        }
    }
}
