//! Checks the README: it must show commands, and all of them must exist.

use std::path::Path;

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use crate::commands::COMMANDS;

/// Checks the command blocks of the README.
pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    let path = workspace.join("README.md");
    if !path.is_file() {
        tally.fail("README.md is not there".to_owned());
        return Ok(());
    }
    let text = place::text(&path)?;
    let lines = commands(&text);
    tally.record(if lines.is_empty() {
        Err("README.md has no block of commands".to_owned())
    } else {
        Ok(())
    });
    for line in lines {
        let mut words = line
            .split_whitespace()
            .skip_while(|word| *word != "xtask")
            .skip(1);
        if line.starts_with("cargo xtask") {
            let word = words.next().unwrap_or_default();
            tally.record(if COMMANDS.contains(&word) {
                Ok(())
            } else {
                Err(format!("README.md: there is no `{line}`"))
            });
        }
    }
    Ok(())
}

/// The lines of the `sh`, `console`, `bash` and `shell` blocks, without their prompts.
fn commands(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            inside = !inside && ["sh", "console", "bash", "shell"].contains(&language.trim());
        } else if inside {
            found.push(line.trim().trim_start_matches("$ "));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_command_blocks_are_read() {
        let text = "a\n```sh\n$ cargo xtask tidy\n```\n```rust\nlet x;\n```\n";
        assert_eq!(commands(text), ["cargo xtask tidy"]);
    }
}
