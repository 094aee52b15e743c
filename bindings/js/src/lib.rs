//! The functions that JavaScript calls, and the state that they share.
//!
//! The interface consists of numbers and bytes. The caller writes its texts into the input buffer,
//! calls a function with their lengths, and reads JSON from the output buffer if the function's
//! answer says that there is output. `lib/engine.js` is the only caller.
//!
//! What the texts mean is in `toolsure-bindings`.

#[cfg(feature = "analysis")]
mod analysis;
#[cfg(not(target_family = "wasm"))]
pub mod native;
mod slots;

use std::cell::RefCell;

#[cfg(feature = "contracts")]
use toolsure_bindings::contract::{Contract, What};
use toolsure_bindings::options::{Options, Refusal};
#[cfg(feature = "analysis")]
use toolsure_bindings::projection::Projection;
use toolsure_bindings::report;
use toolsure_json::{ReadError, ReadLimits};
use toolsure_schema::{Schema, Verdict, Workspace};

use slots::Slots;

/// The state between calls. WebAssembly has one thread here.
#[derive(Default)]
struct State {
    input: Vec<u8>,
    output: String,
    workspace: Workspace,
    schemas: Slots<Compiled>,
    #[cfg(feature = "contracts")]
    contracts: Slots<Contract>,
    #[cfg(feature = "analysis")]
    projections: Slots<Projection>,
}

/// A schema, and the limits on an instance.
struct Compiled {
    schema: Schema,
    limits: ReadLimits,
}

impl State {
    /// Texts of these lengths, one after the other in the input buffer.
    fn texts<const N: usize>(&self, lengths: [usize; N]) -> Option<[&[u8]; N]> {
        let mut rest = self.input.as_slice();
        let mut texts = [rest; N];
        for (text, length) in texts.iter_mut().zip(lengths) {
            (*text, rest) = rest.split_at_checked(length)?;
        }
        Some(texts)
    }

    /// Writes limits for JavaScript: bytes and depth.
    fn write_limits(&mut self, limits: Option<ReadLimits>) -> u32 {
        let Some(limits) = limits else { return MISUSED };
        self.output.clear();
        self.output
            .push_str(&format!("[{},{}]", limits.bytes, limits.depth));
        VALID
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
/// The answer of such a function without a handle: the output has what was made.
#[cfg(feature = "analysis")]
const MADE: u32 = 1;

#[expect(
    unsafe_code,
    reason = "an export needs a fixed name, which the language calls unsafe because it must be no other \
              symbol's (such as the C library's `free`); no body below is"
)]
pub mod exports {
    //! The functions that the module exports, by name.

    #[cfg(feature = "contracts")]
    use super::What;
    use super::{MISUSED, VALID, with};
    #[cfg(feature = "analysis")]
    use toolsure_bindings::{argument, generate as instances, listing};

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

    /// Writes the limits on an instance of a schema: `[bytes, depth]`.
    #[unsafe(no_mangle)]
    pub extern "C" fn instance_limits(schema: u32) -> u32 {
        with(|state| {
            let limits = state.schemas.get(schema).map(|compiled| compiled.limits);
            state.write_limits(limits)
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
                toolsure_bindings::report::warnings(&mut state.output, compiled.schema.warnings());
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

    /// Writes the limits on arguments and results of a contract: `[bytes, depth]`.
    #[cfg(feature = "contracts")]
    #[unsafe(no_mangle)]
    pub extern "C" fn contract_limits(contract: u32) -> u32 {
        with(|state| {
            let limits = state
                .contracts
                .get(contract)
                .map(|contract| *contract.limits());
            state.write_limits(limits)
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

    /// Writes the decision on a result (or, if it is 0, on arguments) over a limit; the input has why, and the
    /// setting that raises it.
    #[cfg(feature = "contracts")]
    #[unsafe(no_mangle)]
    pub extern "C" fn refuse(contract: u32, is_result: u32, why: usize, setting: usize) -> u32 {
        let what = match is_result {
            0 => What::Arguments,
            _ => What::Result,
        };
        with(|state| super::refuse(state, contract, what, [why, setting]))
    }

    /// Repairs arguments for a tool: writes the outcome.
    #[cfg(feature = "contracts")]
    #[unsafe(no_mangle)]
    pub extern "C" fn repair_arguments(contract: u32, arguments: usize) -> u32 {
        with(|state| super::repair(state, contract, arguments))
    }

    /// Lints a listing with options: writes a report. Returns [`super::MADE`] or [`super::REFUSED`], as do the
    /// next four.
    #[cfg(feature = "analysis")]
    #[unsafe(no_mangle)]
    pub extern "C" fn lint(listing: usize, options: usize) -> u32 {
        with(|state| {
            super::analysis::report_of(state, [listing, options], |[listing, options]| {
                listing::lint(listing, options)
            })
        })
    }

    /// Says of each tool of a listing whether it can be used.
    #[cfg(feature = "analysis")]
    #[unsafe(no_mangle)]
    pub extern "C" fn check_listing(listing: usize, options: usize) -> u32 {
        with(|state| {
            super::analysis::report_of(state, [listing, options], |[listing, options]| {
                listing::check(listing, options)
            })
        })
    }

    /// Compares two listings with options.
    #[cfg(feature = "analysis")]
    #[unsafe(no_mangle)]
    pub extern "C" fn diff(old: usize, new: usize, options: usize) -> u32 {
        with(|state| {
            super::analysis::report_of(state, [old, new, options], |[old, new, options]| {
                listing::diff(old, new, options)
            })
        })
    }

    /// Converts an argument schema with options.
    #[cfg(feature = "analysis")]
    #[unsafe(no_mangle)]
    pub extern "C" fn convert_argument_schema(schema: usize, options: usize) -> u32 {
        with(|state| {
            super::analysis::report_of(state, [schema, options], |[schema, options]| {
                argument::convert(schema, options)
            })
        })
    }

    /// Makes instances of a schema with options.
    #[cfg(feature = "analysis")]
    #[unsafe(no_mangle)]
    pub extern "C" fn generate(schema: usize, options: usize) -> u32 {
        with(|state| {
            super::analysis::report_of(state, [schema, options], |[schema, options]| {
                instances::generate(schema, options)
            })
        })
    }

    /// Projects a listing with options: writes the report. Returns a handle or [`super::REFUSED`].
    #[cfg(feature = "analysis")]
    #[unsafe(no_mangle)]
    pub extern "C" fn project(listing: usize, options: usize) -> u32 {
        with(|state| super::analysis::project(state, listing, options))
    }

    /// Drops a projection.
    #[cfg(feature = "analysis")]
    #[unsafe(no_mangle)]
    pub extern "C" fn free_projection(projection: u32) {
        with(|state| state.projections.remove(projection));
    }

    /// Writes the limits on the arguments of calls: `[bytes, depth]`.
    #[cfg(feature = "analysis")]
    #[unsafe(no_mangle)]
    pub extern "C" fn projection_limits(projection: u32) -> u32 {
        with(|state| {
            let limits = state.projections.get(projection).map(|one| *one.limits());
            state.write_limits(limits)
        })
    }

    /// Maps a call of a published tool to one of the original tool, and checks it.
    #[cfg(feature = "analysis")]
    #[unsafe(no_mangle)]
    pub extern "C" fn map_call(projection: u32, name: usize, arguments: usize) -> u32 {
        with(|state| super::analysis::map_call(state, projection, name, arguments))
    }
}

fn compile(state: &mut State, schema: usize, options: usize) -> u32 {
    let made = state.texts([schema, options]).map(|[schema, options]| {
        let options = Options::read(options)?;
        let compiler = options.compiler();
        let compiled = Compiled {
            schema: compiler.compile(schema)?,
            limits: compiler.bounds().instance,
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
            report::exhausted(&mut state.output, why);
            UNDECIDED
        }
        Err(error) => {
            state.output.clear();
            unread(&mut state.output, &error)
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
            report::write(&mut state.output, &report);
            match report.verdict {
                Verdict::Valid => VALID,
                Verdict::Invalid => INVALID,
                Verdict::Undecided(_) => UNDECIDED,
            }
        }
        Err(error) => unread(&mut state.output, &error),
    }
}

/// Writes why an instance could not be read, and returns the answer.
fn unread(out: &mut String, error: &ReadError) -> u32 {
    match report::unread(out, error) {
        true => UNDECIDED,
        false => UNREADABLE,
    }
}

#[cfg(feature = "contracts")]
fn contract(state: &mut State, tool: usize, options: usize) -> u32 {
    let Some([tool, options]) = state.texts([tool, options]) else {
        return REFUSED;
    };
    let made = Contract::read(tool, options);
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
fn decide(state: &mut State, contract: u32, length: usize, what: What) -> u32 {
    let (Some(contract), Some(text)) =
        (state.contracts.get_mut(contract), state.input.get(..length))
    else {
        return MISUSED;
    };
    state.output.clear();
    contract.check(&mut state.output, text, what);
    VALID
}

/// Writes the decision on arguments or a result over a limit.
#[cfg(feature = "contracts")]
fn refuse(state: &mut State, contract: u32, what: What, lengths: [usize; 2]) -> u32 {
    let mut out = String::new();
    let (Some([why, setting]), Some(contract)) =
        (state.texts(lengths), state.contracts.get(contract))
    else {
        return MISUSED;
    };
    let [why, setting] = [why, setting].map(String::from_utf8_lossy);
    contract.refuse(
        &mut out,
        what,
        &why,
        Some(&*setting).filter(|setting| !setting.is_empty()),
    );
    state.output = out;
    VALID
}

/// Repairs arguments for a tool, and writes the outcome.
#[cfg(feature = "contracts")]
fn repair(state: &mut State, contract: u32, length: usize) -> u32 {
    let (Some(contract), Some(text)) =
        (state.contracts.get_mut(contract), state.input.get(..length))
    else {
        return MISUSED;
    };
    state.output.clear();
    match contract.repair(&mut state.output, text) {
        Ok(()) => VALID,
        Err(error) => unread(&mut state.output, &error),
    }
}
