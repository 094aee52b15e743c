//! Plays the dialogues of `cases/`: what each side says, and what the guard must
//! do about it, line by line. `cases/README.md` says how a dialogue is written.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic is how a test fails"
)]

#[macro_use]
#[path = "support/played.rs"]
mod played;
mod support;

use support::script::play;

dialogues! { "cases":
    approval
    approved_lists
    argument_schema
    argument_schema_in_place
    arguments
    batches
    cache_scope
    callers
    callers_modern
    cancel
    client_version
    clients
    drift
    elsewhere
    endings
    envelope
    filter_lists
    filter_rules
    formats
    forms
    held_entries
    idle_rules
    ids
    tool_cache
    legacy_list
    legacy_values
    leniency
    listing
    long_results
    malformed
    merged_names
    may_change
    methods
    modern
    noise
    odd_listings
    other_lists
    output_dialects
    parts_not_listed
    passes
    project_for
    rates
    rates_of_addresses
    rates_of_all
    recorded_reads
    reload
    repair
    results
    rewritten_bounds
    roots
    sampling
    shared
    shared_by_all
    surrogates
    tasks
    text_blocks
    text_only
    tools_behind_translator
    tools_unlisted
    traces
    unreadable_results
    wide_numbers
    withheld
}
