//! Any target of `toolsure-fuzz`, named by the environment:
//! `TOOLSURE_FUZZ_TARGET=check cargo +nightly fuzz run --fuzz-dir fuzz/libfuzzer target CORPUS`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use toolsure_fuzz::{TARGETS, Target};

static TARGET: LazyLock<&'static Target> = LazyLock::new(|| {
    let name = std::env::var("TOOLSURE_FUZZ_TARGET").expect("TOOLSURE_FUZZ_TARGET names a target");
    let found = TARGETS.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("no target `{name}`"))
});

fuzz_target!(|input: &[u8]| {
    if let Err(fault) = (TARGET.run)(input) {
        panic!("{fault}");
    }
});
