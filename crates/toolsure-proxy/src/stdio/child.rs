//! One child process and its group: started, watched, always reaped.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep};

/// How to start a server: a program with its arguments, without a shell.
///
/// Values of environment variables are secrets: no `Debug` output contains them.
#[derive(Clone)]
pub struct Launch {
    program: OsString,
    args: Vec<OsString>,
    /// Names and values; a name without a value is not passed on.
    env: Vec<(OsString, Option<OsString>)>,
    dir: Option<PathBuf>,
}

impl Launch {
    /// A program, found on `PATH` by the operating system.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            dir: None,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable on top of the inherited ones.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), Some(value.into())));
        self
    }

    /// Does not pass an inherited environment variable on, unless [`env`](Self::env) sets it later.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.push((name.into(), None));
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    /// The program as it was given.
    pub fn program(&self) -> &OsStr {
        &self.program
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &names)
            .field("dir", &self.dir)
            .finish()
    }
}

/// The three pipes of a child.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// A running child. Dropping it kills its whole group at once.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Group,
    reaped: bool,
}

impl Process {
    pub(crate) fn start(launch: &Launch) -> std::io::Result<(Self, Pipes)> {
        let mut command = Command::new(&launch.program);
        command.args(&launch.args);
        for (name, value) in &launch.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(dir) = &launch.dir {
            command.current_dir(dir);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // A group of its own, so that processes that `npx` or a shell starts end with it.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Group::of(&child);
        let process = Self {
            child,
            group,
            reaped: false,
        };
        match pipes {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((
                process,
                Pipes {
                    stdin,
                    stdout,
                    stderr,
                },
            )),
            _ => Err(std::io::Error::other("the child's pipes are missing")),
        }
    }

    /// Whether the child has ended. Does not reap it, as [`Process::ended_by`].
    pub(crate) fn has_ended(&mut self) -> bool {
        self.group.leader_ended(&mut self.child)
    }

    /// Waits until the child has ended by itself, at most until `until`. Does not reap the child,
    /// so that its process id is not reused.
    pub(crate) async fn ended_by(&mut self, until: Instant) -> bool {
        let mut pause = Duration::from_millis(1);
        loop {
            if self.has_ended() {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            sleep(pause).await;
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }

    /// Kills the child's group, reaps the child, and returns its exit status.
    pub(crate) async fn status(&mut self) -> Option<ExitStatus> {
        self.kill_group();
        let status = self.child.wait().await.ok();
        self.reaped = true;
        status
    }

    /// Ends the child and its group: waits `grace`, sends SIGTERM, waits `grace`, sends SIGKILL,
    /// and reaps the child. Its standard input must be closed already.
    pub(crate) async fn end(self, grace: Duration) -> Option<ExitStatus> {
        self.end_from(Instant::now() + grace, grace).await
    }

    /// The same, with SIGTERM at `until`.
    pub(crate) async fn end_from(mut self, until: Instant, grace: Duration) -> Option<ExitStatus> {
        if self.reaped {
            return self.child.wait().await.ok();
        }
        if !self.ended_by(until).await {
            self.group.terminate();
            self.ended_by(Instant::now() + grace).await;
        }
        // Even if the leader has ended, its own children may still run.
        self.status().await
    }

    fn kill_group(&mut self) {
        self.group.kill();
        // Covers systems without groups; on an ended child it does nothing.
        let _already_ended = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill_group();
        }
    }
}

/// Whether a process holds the other end of a child's standard input, so that it may be read.
#[cfg(unix)]
pub(crate) fn may_be_read(stdin: &ChildStdin) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    // Errors are reported whatever is asked for. A pipe without a reader has one.
    let mut fds = [PollFd::new(stdin, PollFlags::empty())];
    let polled = poll(&mut fds, Some(&Timespec::default()));
    let broken = PollFlags::ERR | PollFlags::HUP;
    polled.is_err() || !fds.iter().any(|fd| fd.revents().intersects(broken))
}

/// Whether the pipe to a child's standard input has bytes that were not read. Some systems do not report this;
/// there the answer is no.
#[cfg(unix)]
pub(crate) fn has_unread(stdin: &ChildStdin) -> bool {
    rustix::io::ioctl_fionread(stdin).is_ok_and(|bytes| bytes > 0)
}

/// Other systems do not tell.
#[cfg(not(unix))]
pub(crate) fn has_unread(_: &ChildStdin) -> bool {
    false
}

/// Other systems do not tell before a write.
#[cfg(not(unix))]
pub(crate) fn may_be_read(_: &ChildStdin) -> bool {
    true
}

#[cfg(unix)]
mod group {
    //! Process groups, identified by their leader.

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use tokio::process::Child;

    #[derive(Debug)]
    pub(super) struct Group(Option<Pid>);

    impl Group {
        pub(super) fn of(child: &Child) -> Self {
            Self(
                child
                    .id()
                    .and_then(|id| i32::try_from(id).ok())
                    .and_then(Pid::from_raw),
            )
        }

        /// Checks without reaping; a child whose state cannot be read counts as ended.
        pub(super) fn leader_ended(&self, _: &mut Child) -> bool {
            let Some(pid) = self.0 else { return true };
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
        }

        pub(super) fn terminate(&self) {
            self.signal(Signal::TERM);
        }

        pub(super) fn kill(&self) {
            self.signal(Signal::KILL);
        }

        fn signal(&self, signal: Signal) {
            // The only possible error is an empty group, which is the goal.
            let _empty = self.0.map(|pid| kill_process_group(pid, signal));
        }
    }
}

#[cfg(not(unix))]
mod group {
    //! Systems without process groups: the child alone.

    use tokio::process::Child;

    #[derive(Debug)]
    pub(super) struct Group;

    impl Group {
        pub(super) fn of(_: &Child) -> Self {
            Self
        }

        pub(super) fn leader_ended(&self, child: &mut Child) -> bool {
            !matches!(child.try_wait(), Ok(None))
        }

        pub(super) fn terminate(&self) {}

        pub(super) fn kill(&self) {}
    }
}

use group::Group;

const LONGEST_PAUSE: Duration = Duration::from_millis(20);
