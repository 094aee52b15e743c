//! Runs the programs that build, install and test.

use std::process::{Command, Output};

/// What was done, or why not, in words.
pub(super) type Outcome<T> = Result<T, String>;

/// Runs a program to its end. An error contains its output.
pub(super) fn run_to_end(command: &mut Command) -> Outcome<Output> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(failure(command, &output))
}

/// Runs a program, which must end with the exit code `code` and print `text`.
pub(super) fn expect_exit(command: &mut Command, code: i32, text: &str) -> Outcome<()> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(code) && printed.contains(text) {
        return Ok(());
    }
    let failure = failure(command, &output);
    Err(format!("expected exit code {code} and `{text}`: {failure}"))
}

fn failure(command: &Command, output: &Output) -> String {
    let words =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("{command:?}: {}\n{}", output.status, words.concat())
}

/// The exit code and the output of `toolsure check --demo`.
pub(super) const DEMO: (i32, &str) = (6, "5 tools: 3 ok, 2 refused");
