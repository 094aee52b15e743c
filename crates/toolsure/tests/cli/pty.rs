//! The program in a terminal: a pseudo-terminal of a given width, and the screen that its user sees.

use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::os::fd::AsFd as _;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty};
use pty_process::{Size, blocking};

use crate::run::PROGRAM;

/// A run of the program in a terminal of its own.
pub(crate) struct Terminal {
    keyboard: Pty,
    child: Child,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// Everything that the program wrote.
    written: Vec<u8>,
}

impl Terminal {
    /// Starts the program in a directory, with the terminal as its standard input too.
    pub(crate) fn start(columns: u16, dir: &str, args: &[&str]) -> Self {
        Self::spawn(columns, command(dir, args))
    }

    /// Starts it with a pipe as its standard input.
    pub(crate) fn start_piped(columns: u16, dir: &str, args: &[&str]) -> (Self, ChildStdin) {
        let mut terminal = Self::spawn(columns, command(dir, args).stdin(Stdio::piped()));
        let stdin = terminal.child.stdin.take().unwrap();
        (terminal, stdin)
    }

    fn spawn(columns: u16, command: Command) -> Self {
        let (pty, pts) = blocking::open().unwrap();
        pty.resize(Size::new(ROWS, columns)).unwrap();
        let child = command.spawn(pts).unwrap();
        let mut reader = std::fs::File::from(pty.as_fd().try_clone_to_owned().unwrap());
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            // The read fails once the program, and all that it started, has closed the terminal.
            while let Ok(length @ 1..) = reader.read(&mut chunk) {
                if sender.send(chunk[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            keyboard: pty,
            child,
            output,
            screen: vt100::Parser::new(of(ROWS), of(columns), 0),
            written: Vec::new(),
        }
    }

    /// Types into the terminal.
    pub(crate) fn type_keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads what the program has written in the meantime; returns whether it is gone.
    fn take_in(&mut self, patience: Duration) -> bool {
        match self.output.recv_timeout(patience) {
            Ok(bytes) => {
                self.screen.process(&bytes);
                self.written.extend(bytes);
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        }
    }

    /// Waits until the screen shows `text`, and calls `meanwhile` again and again.
    pub(crate) fn wait_for(&mut self, text: &str, mut meanwhile: impl FnMut()) {
        let hung = Instant::now() + HUNG;
        while !self.screen.screen().contents().contains(text) {
            meanwhile();
            let gone = self.take_in(Duration::from_millis(20));
            if gone || Instant::now() > hung {
                self.give_up(&format!("never showed {text:?}"));
            }
        }
    }

    /// Waits for the program's end; returns what it left on the screen.
    pub(crate) fn finish(mut self) -> Screen {
        let hung = Instant::now() + HUNG;
        while !self.take_in(Duration::from_millis(50)) {
            if Instant::now() > hung {
                self.give_up("hangs");
            }
        }
        let status = self.child.wait().unwrap();
        Screen {
            status,
            screen: self.screen.screen().clone(),
            written: self.written,
        }
    }

    fn give_up(&mut self, why: &str) -> ! {
        let _gone_already = self.child.kill();
        panic!(
            "the program {why}; the screen:\n{}",
            self.screen.screen().contents()
        );
    }
}

/// What a program that has ended leaves behind.
pub(crate) struct Screen {
    pub(crate) status: ExitStatus,
    screen: vt100::Screen,
    /// Everything that the program wrote.
    pub(crate) written: Vec<u8>,
}

impl Screen {
    pub(crate) fn text(&self) -> String {
        self.screen.contents()
    }

    /// Asserts that the screen is ready for the next program: the cursor is visible and at the
    /// beginning of a line, the colours are the terminal's own, and no line was broken.
    pub(crate) fn assert_tidy(&self) {
        let text = self.text();
        assert!(!self.screen.hide_cursor(), "the cursor is hidden:\n{text}");
        assert!(!self.screen.alternate_screen(), "{text}");
        let (row, column) = self.screen.cursor_position();
        assert_eq!(
            column, 0,
            "the cursor is in the middle of line {row}:\n{text}"
        );
        assert_eq!(self.screen.fgcolor(), vt100::Color::Default, "{text}");
        assert!(!self.screen.bold() && !self.screen.dim(), "{text}");
        for row in 0..ROWS {
            assert!(
                !self.screen.row_wrapped(row),
                "line {row} is broken:\n{text}"
            );
        }
        assert!(!text.contains('\u{fffd}'), "{text}");
    }
}

fn command(dir: &str, args: &[&str]) -> Command {
    Command::new(PROGRAM)
        .args(args)
        .current_dir(dir)
        .env("TERM", "xterm-256color")
        .env_remove("CI")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
}

fn of(number: u16) -> NonZero<u16> {
    NonZero::new(number).unwrap()
}

/// More lines than any command prints here, so that nothing scrolls away.
const ROWS: u16 = 400;
/// After this time a program counts as hung; none of these runs takes a hundredth of it.
const HUNG: Duration = Duration::from_secs(60);
