//! The commands of a Markdown file's `console` blocks, and their output from its `text` blocks. In a
//! table, a code span that begins with `$ ` is a command.

/// A command that a page shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// The line of the page.
    pub(super) line: usize,
    /// The text after the `$`.
    pub(super) words: String,
    /// Its output, if the page shows that.
    pub(super) output: Option<String>,
    /// How it is checked.
    pub(super) treatment: Treatment,
}

/// How a command is checked: it must exit with 0, unless a comment before its block or table says otherwise:
/// `<!-- transcript: exits 6 -->`, or one phrase per command, separated by semicolons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It ends with this exit code. Written as `exits 6`.
    Ends(i32),
    /// It runs until it is stopped. Written as `serves`.
    Serves,
    /// It is a step of `.ci/run`. Written as `step`.
    Step,
    /// It cannot be run, for this reason. Written as `not run, REASON`.
    NotRun(String),
}

/// The commands of a page in order, and the files that it shows: blocks after a line with only the
/// name of the file (`` `FILE`: ``).
pub(super) struct Page {
    pub(super) commands: Vec<Command>,
    pub(super) files: Vec<(String, String)>,
}

/// Reads a page.
///
/// # Errors
///
/// One line if a comment cannot be understood or has too few phrases.
pub(super) fn read(text: &str) -> Result<Page, String> {
    let mut files = Vec::new();
    let mut named: Option<&str> = None;
    let mut all: Vec<Command> = Vec::new();
    // What the last comment says, and how many commands came before it.
    let (mut treatments, mut start): (Vec<Treatment>, usize) = (Vec::new(), 0);
    let mut lines = text.lines().enumerate();
    // Whether the last block had commands, and only blank lines came after it.
    let mut follows = false;
    while let Some((number, line)) = lines.next() {
        let failed = |why: String| format!("line {}: {why}", number + 1);
        if let Some(note) = line.trim().strip_prefix("<!-- transcript: ") {
            let note = note
                .strip_suffix(" -->")
                .ok_or_else(|| failed("no end of the comment".to_owned()))?;
            treatments = note
                .split("; ")
                .map(treatment)
                .collect::<Result<_, _>>()
                .map_err(failed)?;
            start = all.len();
            continue;
        }
        let block = line.trim().strip_prefix("```");
        match block {
            Some("console") => {
                let first = all.len();
                for (number, line) in lines.by_ref().take_while(|(_, line)| line.trim() != "```") {
                    let Some(words) = line.trim().strip_prefix("$ ") else {
                        // The output of the command above.
                        let Some(command) = all.get_mut(first..).and_then(<[Command]>::last_mut)
                        else {
                            return Err(format!("line {}: no command: {line}", number + 1));
                        };
                        let output = command.output.get_or_insert_default();
                        output.push_str(line);
                        output.push('\n');
                        continue;
                    };
                    let nth = all.len() - start;
                    let treatment = nth_of(&treatments, nth).map_err(failed)?;
                    all.push(Command::new(number, words, treatment));
                }
                treatments.clear();
                follows = true;
            }
            Some(kind) => {
                let inner: Vec<&str> = lines
                    .by_ref()
                    .map(|(_, line)| line)
                    .take_while(|line| line.trim() != "```")
                    .collect();
                if let (true, "text", Some(command)) = (follows, kind, all.last_mut()) {
                    command.output = Some(inner.join("\n"));
                }
                if let Some(name) = named.take() {
                    files.push((name.to_owned(), inner.join("\n") + "\n"));
                }
                follows = false;
            }
            None if line.trim().is_empty() => {}
            None if line.starts_with("| ") => {
                follows = false;
                for code in line.split('`').skip(1).step_by(2) {
                    if let Some(words) = code.strip_prefix("$ ") {
                        let nth = all.len() - start;
                        let treatment = nth_of(&treatments, nth).map_err(failed)?;
                        all.push(Command::new(number, words, treatment));
                    }
                }
            }
            None => {
                follows = false;
                if all.len() > start {
                    // A table of commands ends.
                    treatments.clear();
                }
                let name = line
                    .trim()
                    .strip_prefix('`')
                    .and_then(|line| line.strip_suffix("`:"));
                named = name.filter(|name| !name.contains(['`', '/', ' ']));
            }
        }
    }
    Ok(Page {
        commands: all,
        files,
    })
}

impl Command {
    fn new(number: usize, words: &str, treatment: Treatment) -> Self {
        Self {
            line: number + 1,
            words: words.to_owned(),
            output: None,
            treatment,
        }
    }
}

/// The treatment of the command with this index in its block or table.
fn nth_of(treatments: &[Treatment], nth: usize) -> Result<Treatment, String> {
    match treatments {
        [] => Ok(Treatment::Ends(0)),
        [one] => Ok(one.clone()),
        several => several
            .get(nth)
            .cloned()
            .ok_or_else(|| "too few treatments".to_owned()),
    }
}

fn treatment(note: &str) -> Result<Treatment, String> {
    if let Some(code) = note.strip_prefix("exits ") {
        let code = code.parse().map_err(|_| format!("no exit code: {code}"))?;
        return Ok(Treatment::Ends(code));
    }
    match (note, note.strip_prefix("not run, ")) {
        ("serves", _) => Ok(Treatment::Serves),
        ("step", _) => Ok(Treatment::Step),
        (_, Some(reason)) => Ok(Treatment::NotRun(reason.to_owned())),
        _ => Err(format!("no treatment of a transcript: {note}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_outputs_inside_a_block_are_read() {
        let page = "`a.json`:\n\n```json\n{}\n```\n\n```console\n$ one\nhello\nyou\n$ two\n```\n";
        let page = read(page).unwrap();
        assert_eq!(page.files, [("a.json".to_owned(), "{}\n".to_owned())]);
        let outputs: Vec<_> = page
            .commands
            .iter()
            .map(|command| command.output.as_deref())
            .collect();
        assert_eq!(outputs, [Some("hello\nyou\n"), None]);
    }

    #[test]
    fn commands_have_their_output_and_their_treatment() {
        let page = "a\n<!-- transcript: exits 6; serves -->\n```console\n$ one\n$ two\n```\n\n```text\nhello\n```\n```text\nno\n```\n";
        let found = read(page).unwrap().commands;
        let command = |line, words: &str, output: Option<&str>, treatment| Command {
            line,
            words: words.to_owned(),
            output: output.map(str::to_owned),
            treatment,
        };
        assert_eq!(
            found,
            [
                command(4, "one", None, Treatment::Ends(6)),
                command(5, "two", Some("hello"), Treatment::Serves),
            ]
        );
        let table = "<!-- transcript: exits 1; serves -->\n| a `b` | c |\n|---|---|\n| d | `$ one` |\n| e | `$ two` |\n\nf\n\n| g | `$ three` |\n";
        assert_eq!(
            read(table).unwrap().commands,
            [
                command(4, "one", None, Treatment::Ends(1)),
                command(5, "two", None, Treatment::Serves),
                command(9, "three", None, Treatment::Ends(0)),
            ]
        );
        assert!(read(&table.replace("\n\nf\n", "")).is_err());
        assert!(read("<!-- transcript: exits x -->").is_err());
        assert!(read("```console\nno dollar\n```").is_err());
    }
}
