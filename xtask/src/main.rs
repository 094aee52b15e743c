//! `cargo xtask`: the checks and measurements of this project that `cargo` itself does not have.
//!
//! `cargo xtask COMMAND`; without a command, it lists the commands.

mod api;
mod arguments;
mod bench;
mod build;
mod cases;
mod conformance;
mod corpus;
mod differential;
mod gateways;
mod guard_proof;
mod hostile;
mod instructions;
mod interop;
mod peers;
mod picture;
mod published;
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
        "gateways" => gateways::run(&arguments),
        "guard-proof" => guard_proof::run(&arguments),
        "instructions" => instructions::run(&arguments),
        "interop" => interop::run(&arguments),
        "published" => published::run(&arguments),
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

/// The commands that a person may run.
pub(crate) const COMMANDS: [&str; 21] = [
    "cases",
    "suite",
    "hostile",
    "corpus",
    "conformance",
    "differential",
    "bench",
    "gateways",
    "guard-proof",
    "instructions",
    "interop",
    "picture",
    "published",
    "release",
    "replicas",
    "rmcp",
    "shared",
    "soak",
    "api",
    "tidy",
    "transcripts",
];

const USAGE: &str = "\
usage: cargo xtask COMMAND

  cases [DIR]          our own cases for every keyword
  suite [DIR]          the official JSON Schema suite: validation, annotations, output
  hostile [DIR]        hostile pairs: the right answer within 100 ms, 64 MiB and a 256 KiB stack
  corpus [DIR]         published tool listings and labelled values
  conformance          the official MCP suite against our fixtures, both eras, also through the guard (needs npm; --only NAME, --server URL)
  differential [N]     N generated pairs against the peers (--seed S)
  bench [SET…]         ours beside the peers: speed, growth, memory (--plot draws the charts in docs/)
  instructions [SET…]  instruction counts of fixed work, by callgrind, against bench/instructions.txt (--write refreshes it)
  interop              our server and client with those of other SDKs (needs npm and Python; --only PEER)
  guard-proof          odd tools before published clients, through the guard (--alone yes, --direct yes, --only WORD, --write yes)
  published            published servers and clients: the same answers with and without the guard (needs npm and Python; --only SERVER)
  gateways             the guard beside other gateways under load (needs npm and Python; --rounds N)
  release --dry-run    every package for this platform, built, installed afresh and tried (needs pip; --only NAME, --profile NAME, --twice)
  replicas             three guards behind Envoy, one killed and one ended under load (needs pip; --calls N)
  rmcp [MINOR…]        the adapter with each minor version of rmcp, and the programs of docs/rmcp.md as a stranger builds them
  shared               guards that share a rate, pins and a quarantine over a Valkey server, which is killed and comes back (needs pip; --calls N)
  soak                 the guard under mixed traffic while servers, settings and the store change: nothing lost, nothing grows (--minutes N, --seconds N)
  api                  writes the public API of each library to api/, which tidy compares with the sources
  picture              draws docs/guard.svg, which tidy compares with the script
  tidy                 order of crates, imports of modules, forbidden packages, file headers and sizes (--modules CRATE lists imports)
  transcripts          every command that README and docs show, with what they say it prints (--only WORD)

DIR defaults to TOOLGATE_SUITE, TOOLGATE_HOSTILE or TOOLGATE_CORPUS, then to the
directory under ../shared. Each command closes with `N passed, M failed`.
";
