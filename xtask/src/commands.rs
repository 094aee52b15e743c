//! The names of the commands, and the text that lists them.

/// The commands that a person may run.
pub(crate) const COMMANDS: [&str; 24] = [
    "cases",
    "suite",
    "hostile",
    "corpus",
    "conformance",
    "differential",
    "bench",
    "faults",
    "gateways",
    "guard-instructions",
    "guard-proof",
    "instructions",
    "interop",
    "picture",
    "published",
    "readers",
    "release",
    "replicas",
    "rmcp",
    "shared",
    "soak",
    "api",
    "tidy",
    "transcripts",
];

/// What is printed without a command.
pub(crate) const USAGE: &str = "\
usage: cargo xtask COMMAND

  cases [DIR]          our own cases for every keyword
  suite [DIR]          the official JSON Schema suite: validation, annotations, output
  hostile [DIR]        hostile pairs: the right answer within 100 ms, 64 MiB and a 256 KiB stack
  corpus [DIR]         published tool listings and labelled values
  conformance          the official MCP suite against our fixtures, both eras, also through the guard (needs npm; --only NAME, --server URL)
  differential [N]     N generated pairs against the peers (--seed S)
  bench [SET…]         ours beside the peers: speed, growth, memory (--plot draws the charts in docs/)
  faults               `toolsure test-server` on servers with planted faults, of three SDKs (needs npm and Python; --every N, --only WORD)
  instructions [SET…]  instruction counts of fixed work, by callgrind, against bench/instructions.txt (--write refreshes it)
  guard-instructions   what a call and its answer take in the released guard, on each path, by callgrind (needs Python; words select paths)
  interop              our server and client with those of other SDKs, logins, and what pages say of them (needs npm and Python; --only PEER, login or sentences)
  guard-proof          odd tools before published clients, through the guard (--alone yes, --direct yes, --only WORD, --write yes)
  readers              the facts that docs/readers.md calls tried, with the real readers, without the guard and with it (needs npm and Python; --only WORD, --seed S)
  published            published servers and clients: the same answers with and without the guard (needs npm and Python; --only SERVER, --only minors)
  gateways             the guard beside other gateways under load (needs npm and Python; --rounds N)
  release --dry-run    every package for this platform, built, installed afresh and tried (needs pip; --only NAME, --profile NAME, --twice)
  replicas             three guards behind Envoy, one killed and one ended under load (needs pip; --calls N)
  rmcp [MINOR…]        the adapter with each other minor version of rmcp, and the programs of docs/rmcp.md as a stranger builds them
  shared               guards that share a rate, pins and a quarantine over a Valkey server, which is killed and comes back (needs pip; --calls N)
  soak                 the guard under mixed traffic while servers, settings and the store change: nothing lost, nothing grows; then clients that vanish and servers that die (--minutes N, --seconds N, --only network, --defaults)
  api                  writes the public API of each library to api/, which tidy compares with the sources
  picture              draws docs/guard.svg, which tidy compares with the script, and docs/check.svg, which transcripts compares with the output
  tidy                 order of crates, imports of modules, forbidden packages, file headers and sizes (--modules CRATE lists imports)
  transcripts          every command that README, CONTRIBUTING and docs show, with what they say it prints (--only WORD)

DIR defaults to TOOLSURE_SUITE, TOOLSURE_HOSTILE or TOOLSURE_CORPUS, then to the
directory under ../shared. Each command closes with `N passed, M failed`.
";
