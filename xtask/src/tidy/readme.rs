//! Checks the README and `CONTRIBUTING.md`: they must show commands, and all of them must exist.

use std::path::Path;

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use crate::commands::COMMANDS;

/// Checks the command blocks of both pages.
pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    for page in ["README.md", "CONTRIBUTING.md"] {
        let text = place::text(&workspace.join(page))?;
        let lines = commands(&text);
        tally.record(match lines.is_empty() {
            true => Err(format!("{page} has no block of commands")),
            false => Ok(()),
        });
        for line in lines {
            let Some(word) = line.strip_prefix("cargo xtask ") else {
                continue;
            };
            let word = word.split_whitespace().next().unwrap_or_default();
            tally.record(match COMMANDS.contains(&word) {
                true => Ok(()),
                false => Err(format!("{page}: there is no `{line}`")),
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
