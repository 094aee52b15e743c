//! The example's own checks, on stdio and HTTP, in 2025-11-25 and 2026-07-28.

use std::process::Command;

#[test]
fn the_example_passes_on_all_four_legs() {
    let program = Command::new(env!("CARGO_BIN_EXE_schema-validators")).output();
    let program = program.unwrap();
    let said = String::from_utf8(program.stdout).unwrap();
    assert!(program.status.success(), "{said}");
    assert_eq!(said.matches(": done\n").count(), 4, "{said}");
    assert!(said.ends_with(" passed, 0 failed\n"), "{said}");
}
