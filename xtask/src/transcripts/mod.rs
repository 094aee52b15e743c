//! `cargo xtask transcripts`: runs every command in the README, `CONTRIBUTING.md` and docs. Its output
//! must match the page word for word, except for durations, and that of `check --demo` the README's
//! picture.
//!
//! The commands run one after another in a scratch folder with the files of `xtask/transcripts` and the
//! repository's `examples`, so that later ones find files that earlier ones saved. `toolsure` is the
//! command line of this build, a server listens on the pages' address, and a server with an example
//! name (`some-server`) is `toolsure serve-demo`. A command that is a step of CI must be a command of
//! `.ci/run`.

mod markdown;

use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use crate::peers::{self, Served};
use crate::picture::{self, terminal};
use markdown::{Command, Treatment};

/// The folder where the commands run.
struct Scratch {
    folder: PathBuf,
    path: String,
    steps: String,
}

/// Runs every command, or with `--only WORD` those that contain the word. Returns how many failed.
///
/// # Errors
///
/// One line if the command line or the scratch folder cannot be made, or a page is malformed.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let toolsure = build::toolsure()?;
    let scratch = Scratch::new(&toolsure)?;
    let mut server = Process::new(&toolsure);
    let behind = ["--", &toolsure.display().to_string(), "serve-demo"].map(str::to_owned);
    let set = ["--set".to_owned(), format!("listen.address={ADDRESS}")];
    let _server = Served::guard(&mut server, set.iter().chain(&behind))?;
    let only = arguments.option("only").unwrap_or_default();
    let mut tally = Tally::default();
    if terminal::COMMAND.join(" ").contains(only) {
        let drawn = terminal::picture(&toolsure);
        let same = |drawn: String| picture::compare(place::workspace(), terminal::FILE, &drawn);
        tally.record(drawn.and_then(same));
    }
    for page in pages()? {
        let text = place::text(&page)?;
        let name = page
            .strip_prefix(place::workspace())
            .unwrap_or(&page)
            .display()
            .to_string();
        let shown = markdown::read(&text).map_err(|why| format!("{name}: {why}"))?;
        for (file, text) in &shown.files {
            let file = scratch.folder.join(file);
            std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        }
        let commands = shown.commands.iter();
        for command in commands.filter(|command| command.words.contains(only)) {
            let result = scratch.check(command);
            let place = format!("{name}:{}: $ {}", command.line, command.words);
            if let Treatment::NotRun(reason) = &command.treatment {
                println!("not run: {place}: {reason}");
            }
            tally.record(result.map_err(|why| format!("{place}\n{why}")));
        }
    }
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// The README, `CONTRIBUTING.md` and every page under docs.
fn pages() -> Result<Vec<PathBuf>, String> {
    let root = place::workspace();
    let mut pages = ["README.md", "CONTRIBUTING.md"]
        .map(|page| root.join(page))
        .to_vec();
    pages.extend(place::files(&root.join("docs"), "md")?);
    Ok(pages)
}

impl Scratch {
    fn new(toolsure: &Path) -> Result<Self, String> {
        let folder = build::target()?.join("transcripts");
        peers::fresh(&folder)?;
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |e: std::io::Error| format!("{path}: {e}")
        };
        for file in place::files(&place::workspace().join("xtask/transcripts"), "json")?
            .into_iter()
            .chain(place::files(
                &place::workspace().join("xtask/transcripts"),
                "jsonl",
            )?)
        {
            let name = file.file_name().unwrap_or_default();
            std::fs::copy(&file, folder.join(name)).map_err(failed(&file))?;
        }
        let examples = folder.join("examples");
        std::os::unix::fs::symlink(place::workspace().join("examples"), &examples)
            .map_err(failed(&examples))?;
        // Example servers are replaced. All others go to the real npx.
        let bin = folder.join("bin");
        std::fs::create_dir_all(&bin).map_err(failed(&bin))?;
        let toolsure = toolsure.display();
        let real = which("npx").unwrap_or_default();
        let npx = format!(
            "#!/bin/sh\ncase \"$*\" in *some-*) exec {toolsure} serve-demo;; esac\nexec {real} \"$@\"\n"
        );
        executable(&bin.join("npx"), &npx)?;
        executable(
            &bin.join("toolsure"),
            &format!("#!/bin/sh\nexec {toolsure} \"$@\"\n"),
        )?;
        let inherited = std::env::var("PATH").unwrap_or_default();
        Ok(Self {
            path: format!("{}:{inherited}", bin.display()),
            steps: place::text(&place::workspace().join(".ci/run"))?,
            folder,
        })
    }

    fn check(&self, command: &Command) -> Result<(), String> {
        match &command.treatment {
            Treatment::NotRun(_) => Ok(()),
            Treatment::Step => self.is_step(&command.words),
            Treatment::Serves => self.serves(&command.words),
            Treatment::Ends(code) => self.ends(command, *code),
        }
    }

    /// Checks that a line of `.ci/run` has these words, one after another. It runs programs that are built.
    fn is_step(&self, words: &str) -> Result<(), String> {
        let words = words
            .replace(" --locked", "")
            .replace("cargo xtask", "xtask");
        let wanted = match words.strip_prefix("cargo run --package ") {
            Some(package) => format!("\"$programs/{package}\""),
            None => words,
        };
        let wanted: Vec<&str> = wanted.split_whitespace().collect();
        let has = |line: &str| {
            let line = line.replace(" --locked", "");
            let words: Vec<&str> = line.split_whitespace().collect();
            words.windows(wanted.len()).any(|some| some == wanted)
        };
        let mut commands = self.steps.lines().map(str::trim_start);
        let is_one = |line: &str| !line.starts_with("step ") && !line.starts_with('#');
        match commands.any(|line| is_one(line) && has(line)) {
            true => Ok(()),
            false => Err(format!(".ci/run does not run `{}`", wanted.join(" "))),
        }
    }

    /// Checks that it ends with this code, and prints what the page shows.
    fn ends(&self, command: &Command, code: i32) -> Result<(), String> {
        let file = self.folder.join("printed");
        let failed = |e: std::io::Error| format!("{}: {e}", file.display());
        let output = std::fs::File::create(&file).map_err(failed)?;
        let mut child = self.shell(&command.words, output)?;
        let ended = wait(&mut child, LONGEST)?;
        let printed = std::fs::read_to_string(&file).map_err(failed)?;
        if ended != Some(code) {
            return Err(format!("ends with {ended:?}, not {code}:\n{printed}"));
        }
        match &command.output {
            Some(shown) if !is_same(shown, &printed) => Err(format!(
                "prints\n{}\n\nwhere the page has\n{shown}",
                printed.trim_end()
            )),
            _ => Ok(()),
        }
    }

    /// Checks that it listens and is still running.
    fn serves(&self, words: &str) -> Result<(), String> {
        let file = self.folder.join("printed");
        let failed = |e: std::io::Error| format!("{}: {e}", file.display());
        let output = std::fs::File::create(&file).map_err(failed)?;
        let mut child = self.shell(words, output)?;
        let end = Instant::now() + SERVES;
        let mut printed = String::new();
        let mut ended = None;
        while Instant::now() < end && ended.is_none() && !printed.contains("listening on ") {
            ended = child.try_wait().map_err(|e| format!("{words}: {e}"))?;
            printed = std::fs::read_to_string(&file).map_err(failed)?;
            sleep(LOOK_AGAIN);
        }
        // If it has already ended, it is only reaped.
        let _ended = child.kill();
        child.wait().map_err(|e| format!("{words}: {e}"))?;
        match printed.contains("listening on ") && ended.is_none() {
            true => Ok(()),
            false => Err(format!("does not serve ({ended:?}):\n{printed}")),
        }
    }

    /// Starts a command, with nothing on its standard input.
    fn shell(&self, words: &str, output: std::fs::File) -> Result<Child, String> {
        let words = words.replace(FROM_A_CLONE, "toolsure");
        let errors = output.try_clone().map_err(|e| format!("{words}: {e}"))?;
        let mut shell = Process::new("sh");
        // `exec` replaces the shell with the command, so that ending one ends the other.
        shell.arg("-c").arg(format!("exec env {words}"));
        shell.current_dir(&self.folder).env("PATH", &self.path);
        shell.stdin(Stdio::null()).stdout(output).stderr(errors);
        shell.spawn().map_err(|e| format!("{words}: {e}"))
    }
}

/// The exit code; `None` if the command ran too long or was ended by a signal.
fn wait(child: &mut Child, longest: Duration) -> Result<Option<i32>, String> {
    let end = Instant::now() + longest;
    loop {
        let ended = child.try_wait().map_err(|e| format!("a command: {e}"))?;
        if let Some(status) = ended {
            return Ok(status.code());
        }
        if Instant::now() > end {
            // It may just have ended.
            let _ended = child.kill();
            child.wait().map_err(|e| format!("a command: {e}"))?;
            return Ok(None);
        }
        sleep(LOOK_AGAIN);
    }
}

/// Whether two texts differ only in durations and in blanks at the ends of lines.
fn is_same(shown: &str, printed: &str) -> bool {
    let plain =
        |text: &str| -> Vec<String> { text.trim_end().lines().map(without_durations).collect() };
    plain(shown) == plain(printed)
}

/// A line with every duration replaced by `…`.
fn without_durations(line: &str) -> String {
    let words = line.trim_end().split(' ').map(|word| {
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        match unit.len() < word.len() && ["ms", "s", "µs", "ns", "ms,", "s,"].contains(&unit) {
            true => "…",
            false => word,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn which(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())?;
    Some(found.display().to_string())
}

fn executable(file: &Path, text: &str) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let failed = |e: std::io::Error| format!("{}: {e}", file.display());
    std::fs::write(file, text).map_err(failed)?;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).map_err(failed)
}

/// The command for someone who has built nothing.
const FROM_A_CLONE: &str = "cargo run --locked --package toolsure --no-default-features --";
/// The address where the pages say that a server listens.
const ADDRESS: &str = "127.0.0.1:3001";
const LONGEST: Duration = Duration::from_secs(120);
const SERVES: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::{PathBuf, Scratch, is_same};

    #[test]
    fn a_step_is_a_command_of_ci() {
        let steps = "step \"cargo doc --all\"\n# cargo tree\ncargo lock\n    cargo test --locked --workspace --no-fail-fast\nA=1 xtask soak --seconds 30\n\"$programs/everything\" serve\n";
        let scratch = Scratch {
            folder: PathBuf::new(),
            path: String::new(),
            steps: steps.to_owned(),
        };
        for (words, is_one) in [
            ("cargo lock", true),
            ("cargo test --workspace", true),
            ("cargo test --workspace --locked", true),
            ("cargo xtask soak", true),
            ("cargo run --package everything", true),
            ("cargo xtask so", false),
            ("cargo soak", false),
            ("cargo test --doc", false),
            ("cargo doc --all", false),
            ("cargo tree", false),
        ] {
            assert_eq!(scratch.is_step(words).is_ok(), is_one, "{words}");
        }
    }

    #[test]
    fn only_durations_may_differ() {
        assert!(is_same("took 1.5 ms\n", "took 1.5 ms"));
        assert!(is_same("took 12ms and 3s", "took 7ms and 91s  "));
        assert!(!is_same("took 12ms", "needed 12ms"));
        assert!(!is_same("4 tools", "5 tools"));
    }
}
