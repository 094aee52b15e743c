//! Configuration files of the command: any text is taken or refused with a message.
//!
//! The first part of an input says which file it is, `guard` or `project`; the second is the file.
//! Each input starts the command, so this target sees hundreds of inputs where others see millions.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use toolsure_testkit::place;

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{join, parts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "settings",
    about: "any settings of the guard and any toolsure.toml are taken or refused, in words without control characters and of bounded length",
    run,
    seeds,
    gate: 1_700,
};

fn run(input: &[u8]) -> Outcome {
    let mut parts = parts(input);
    let (Some(which), Some(text)) = (parts.next(), parts.next()) else {
        return Ok(());
    };
    let command = COMMAND.get_or_init(command).as_ref()?;
    let folder = Folder::new()?;
    let mut run = Command::new(command);
    run.current_dir(&folder.0).env_clear().stdin(Stdio::null());
    if which == b"project" {
        folder.write("toolsure.toml", text)?;
        folder.write("tools.json", TOOLS)?;
        run.args(["lint", "tools.json"]);
    } else {
        folder.write("guard.toml", text)?;
        run.args(["guard", "--check-config", "--config", "guard.toml"]);
    }
    let mut child = run
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`{}`: {error}", command.display()))?;
    let mut said = Vec::new();
    if let Some(stream) = child.stderr.take() {
        let read = stream.take(MOST_SAID * 2).read_to_end(&mut said);
        read.map_err(|error| error.to_string())?;
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    let said = String::from_utf8(said).map_err(|_| "the message is not UTF-8".to_owned())?;
    let code = status.code();
    ensure!(
        code.is_some_and(|code| (0..=EXITS).contains(&code)),
        "{status}: {said}"
    );
    ensure!(
        !said.contains("panicked") && !said.contains("error[internal]"),
        "{said}"
    );
    let most = usize::try_from(MOST_SAID).unwrap_or(usize::MAX);
    ensure!(said.len() <= most, "{} bytes of message", said.len());
    ensure!(
        !said.chars().any(|c| c.is_control() && c != '\n'),
        "control characters: {said:?}"
    );
    ensure!(
        code == Some(0) || which == b"project" || !said.trim().is_empty(),
        "refused without a word: {status}"
    );
    Ok(())
}

/// The command, built if it is not there.
fn command() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    // Tests are in a folder of their own below that of the programs.
    let folder = own
        .ancestors()
        .skip(1)
        .find(|folder| !folder.ends_with("deps"));
    let folder = folder.ok_or("this program has no folder")?;
    let path = folder.join("toolsure");
    if !path.is_file() {
        // What is beside this program must be built as it was.
        let profile = match folder.ends_with("release") {
            true => "release",
            false => "test",
        };
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args([
                "build",
                "--quiet",
                "--bin",
                "toolsure",
                "--profile",
                profile,
            ])
            .current_dir(place::workspace())
            .status();
        let built = status.is_ok_and(|status| status.success()) && path.is_file();
        ensure_built(built, &path)?;
    }
    Ok(path)
}

fn ensure_built(built: bool, path: &Path) -> Outcome {
    ensure!(
        built,
        "`{}` is not there: cargo build --bin toolsure",
        path.display()
    );
    Ok(())
}

/// A folder for one run.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, String> {
        let thread = format!("{:?}", std::thread::current().id());
        let digits: String = thread.chars().filter(char::is_ascii_digit).collect();
        let name = format!("toolsure-fuzz-{}-{digits}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        Ok(Self(path))
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Outcome {
        let path = self.0.join(name);
        fs::write(&path, text).map_err(|error| format!("`{}`: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Every TOML block of the documentation, and the examples.
fn seeds(_: &Seeds) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for file in place::files(&place::workspace().join("docs"), "md").unwrap_or_default() {
        let text = fs::read_to_string(file).unwrap_or_default();
        let blocks = text.split("```toml\n").skip(1);
        texts.extend(blocks.filter_map(|rest| Some(rest.split("```").next()?.to_owned())));
    }
    let example = place::workspace().join("examples/deploy/guard.toml");
    texts.extend(fs::read_to_string(example));
    texts.extend([GUARD.to_owned(), PROJECT.to_owned()]);
    let both = |text: &String| [join(&["guard", text]), join(&["project", text])];
    texts.iter().flat_map(both).collect()
}

static COMMAND: OnceLock<Result<PathBuf, String>> = OnceLock::new();

const TOOLS: &str = r#"[{"name":"find","description":"Finds.","inputSchema":{"type":"object"}}]"#;

const GUARD: &str = r#"
[upstreams.a]
command = ["server", "--flag"]
env = { KEY = "${NO_SUCH}" }
[upstreams.b]
url = "http://127.0.0.1:1/mcp"
headers = { Authorization = "Bearer x" }
[listen]
address = "127.0.0.1:0"
hosts = ["example.com"]
[limits]
message_bytes = "1 MiB"
[[tools]]
name = "a*"
arguments = "audit"
"#;

const PROJECT: &str = r#"
profiles = ["openai-strict"]
baseline = "none.json"
[levels]
TL001 = "off"
[[ignore]]
code = "TL007"
reason = "because"
until = "2027-03-31"
[[tools]]
name = "f*"
levels = { TL049 = "error" }
[limits]
depth = 12
[schemas]
formats = "assert"
"#;

/// The highest exit code that the command documents.
const EXITS: i32 = 7;
/// Bytes of the longest message.
const MOST_SAID: u64 = 64 << 10;
