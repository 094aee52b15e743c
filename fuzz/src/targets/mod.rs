//! The targets.

mod argument;
mod bindings;
mod check;
mod compile;
mod diff;
mod fix;
mod guard;
mod inline;
mod lines;
mod lint;
mod pattern;
mod peers;
mod plain;
mod project;
mod read;
mod repair;
mod settings;
mod sse;
mod target;
mod tickets;

pub use target::Target;

/// All targets, by name.
pub const TARGETS: &[Target] = &[
    argument::TARGET,
    bindings::TARGET,
    check::TARGET,
    compile::TARGET,
    diff::TARGET,
    fix::TARGET,
    guard::TARGET,
    inline::TARGET,
    lines::TARGET,
    lint::TARGET,
    pattern::TARGET,
    peers::TARGET,
    plain::TARGET,
    project::TARGET,
    read::TARGET,
    repair::TARGET,
    settings::TARGET,
    sse::TARGET,
    tickets::TARGET,
];
