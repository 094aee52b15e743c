//! Runs the program, and keeps files for it.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The result of a run.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_toolsure");

/// Runs the program with these arguments and an empty standard input.
pub(crate) fn toolsure(args: &[&str]) -> Run {
    toolsure_with(&[], args)
}

/// The same with some environment variables.
pub(crate) fn toolsure_with(variables: &[(&str, &str)], args: &[&str]) -> Run {
    let output = Command::new(PROGRAM)
        .args(args)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `toolsure check` on a Python server; the transports' tests have more such servers.
pub(crate) fn check_python(script: &str, more: &[&str]) -> Run {
    let mut args = vec!["check", "--timeout", "3"];
    args.extend(more);
    args.extend(["--", "python3", "-c", script]);
    toolsure(&args)
}

/// A directory for one test, removed when dropped.
pub(crate) struct Dir(PathBuf);

impl Dir {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("toolsure-cli-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _nothing_to_do_about_it = std::fs::remove_dir_all(&self.0);
    }
}
