//! `cargo xtask`: the checks and measurements of this project that `cargo` itself does not have.
//!
//! `cargo xtask COMMAND`; without a command, it lists the commands.

mod api;
mod arguments;
mod bench;
mod build;
mod cases;
mod commands;
mod conformance;
mod corpus;
mod differential;
mod faults;
mod gateways;
mod guard_instructions;
mod guard_proof;
mod hostile;
mod instructions;
mod interop;
mod peers;
mod picture;
mod published;
mod readers;
mod release;
mod replicas;
mod rmcp;
mod shared;
mod soak;
mod suite;
mod tidy;
mod transcripts;

use std::process::ExitCode;

use crate::arguments::Arguments;
use crate::commands::USAGE;

fn main() -> ExitCode {
    let mut given = std::env::args().skip(1);
    let command = given.next().unwrap_or_default();
    let arguments = Arguments::parse(given);
    let done = match command.as_str() {
        "suite" => suite::run(&arguments),
        "hostile" => hostile::run(&arguments),
        "hostile-probe" => hostile::probe(&arguments.words),
        "cases" => cases::run(&arguments),
        "conformance" => conformance::run(&arguments),
        "guarded-client" => conformance::guarded_client(&arguments),
        "corpus" => corpus::run(&arguments),
        "differential" => differential::run(&arguments),
        "bench" => bench::run(&arguments),
        "faults" => faults::run(&arguments),
        "gateways" => gateways::run(&arguments),
        "guard-instructions" => guard_instructions::run(&arguments),
        "guard-proof" => guard_proof::run(&arguments),
        "instructions" => instructions::run(&arguments),
        "interop" => interop::run(&arguments),
        "published" => published::run(&arguments),
        "readers" => readers::run(&arguments),
        "release" => release::run(&arguments),
        "replicas" => replicas::run(&arguments),
        "rmcp" => rmcp::run(&arguments),
        "shared" => shared::run(&arguments),
        "soak" => soak::run(&arguments),
        "api" => api::run(),
        "picture" => picture::run(),
        "tidy" => tidy::run(&arguments),
        "transcripts" => transcripts::run(&arguments),
        _ => {
            print!("{USAGE}");
            return ExitCode::from(if command.is_empty() { 0 } else { 2 });
        }
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::from(2)
        }
    }
}
