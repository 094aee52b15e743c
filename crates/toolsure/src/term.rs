//! The terminal: the output streams, their colours, and the progress line.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

use crate::ascii;
use crate::exit::{Exit, Failure};
use crate::wrap::hang;

/// When to colour.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    /// If the output is a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The process's two output streams, as the operator wants them used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    choice: ColorChoice,
    /// Print problems only.
    pub(crate) quiet: bool,
    progress: bool,
    /// Whether the locale has no other characters.
    ascii: bool,
}

/// How text for one of the streams is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Canvas {
    /// Whether the stream shows styles.
    pub(crate) styled: bool,
    /// Columns of the terminal. Otherwise `None`: nothing is wrapped, for `grep` and the like.
    pub(crate) columns: Option<usize>,
}

impl Term {
    pub(crate) fn new(color: Color, quiet: bool) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        let progress = !quiet && io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        Self {
            choice,
            quiet,
            progress,
            ascii: ascii::is_locale(|name| std::env::var(name).ok()),
        }
    }

    /// Whether only ASCII is written for people.
    pub(crate) fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// A text for people, in the characters of the locale.
    pub(crate) fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.ascii {
            true => ascii::of(text),
            false => Cow::Borrowed(text),
        }
    }

    /// Writes styled text to standard output; styles are removed if the stream does not show them.
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        self.clear_progress();
        let mut out = AutoStream::new(io::stdout().lock(), self.choice);
        out.write_all(self.shown(text).as_bytes())
            .and_then(|()| out.flush())
            .or_else(closed_pipe)
    }

    /// Writes bytes to standard output unchanged.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)
            .and_then(|()| out.flush())
            .or_else(closed_pipe)
    }

    /// How text for standard output is drawn.
    pub(crate) fn stdout(&self) -> Canvas {
        let automatic = AutoStream::choice(&io::stdout());
        self.canvas(automatic, &console::Term::stdout())
    }

    /// How text for standard error is drawn.
    pub(crate) fn stderr(&self) -> Canvas {
        let automatic = AutoStream::choice(&io::stderr());
        self.canvas(automatic, &console::Term::stderr())
    }

    fn canvas(&self, automatic: ColorChoice, stream: &console::Term) -> Canvas {
        let choice = match self.choice {
            ColorChoice::Auto => automatic,
            choice => choice,
        };
        // In ASCII, the signs of two cuts are wider than they are counted.
        let spare = if self.ascii { CUTS } else { 0 };
        Canvas {
            styled: choice != ColorChoice::Never,
            columns: columns(stream).map(|columns| columns.saturating_sub(spare)),
        }
    }

    /// Whether progress is shown.
    pub(crate) fn shows_progress(&self) -> bool {
        self.progress
    }

    /// Writes styled text to standard error, quiet or not.
    pub(crate) fn aside(&self, text: &str) {
        self.clear_progress();
        let mut out = AutoStream::new(io::stderr().lock(), self.choice);
        // An error here cannot be reported.
        let _unseen = out.write_all(self.shown(text).as_bytes());
    }

    /// Writes a line to standard error, unless quiet.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    /// Reports why the command failed.
    pub(crate) fn failure(&self, failure: &Failure) {
        self.say(&format!("{ERROR}error{ERROR:#}: {}", failure.message));
        if let Some(help) = &failure.help {
            self.say(&format!("  {DIM}={DIM:#} {HELP}help{HELP:#}: {help}"));
        }
    }

    /// Shows the progress on one line, which the next output replaces.
    pub(crate) fn progress(&self, text: &str) {
        if self.progress {
            // A line that reaches the terminal's edge would continue on the next line and remain.
            let room = columns(&console::Term::stderr()).unwrap_or(USUAL_COLUMNS);
            let shown = self.shown(text);
            let more = self.shown("…");
            let cut = console::truncate_str(&shown, room.saturating_sub(1), &more);
            let mut out = io::stderr().lock();
            let _unseen = write!(out, "\r\x1b[2K{cut}").and_then(|()| out.flush());
        }
    }

    /// Asks a yes-or-no question on the terminal; `None` if there is no terminal.
    pub(crate) fn ask(&self, question: &str) -> Option<bool> {
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return None;
        }
        self.clear_progress();
        let mut out = AutoStream::new(io::stderr().lock(), self.choice);
        let _unseen = write!(out, "{} [y/N] ", self.shown(question)).and_then(|()| out.flush());
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        Some(matches!(
            answer.trim().to_ascii_lowercase().as_str(),
            "y" | "yes"
        ))
    }

    /// Clears the progress line.
    pub(crate) fn clear_progress(&self) {
        if self.progress {
            let mut out = io::stderr().lock();
            let _unseen = write!(out, "\r\x1b[2K").and_then(|()| out.flush());
        }
    }

    fn say(&self, text: &str) {
        self.clear_progress();
        let mut out = AutoStream::new(io::stderr().lock(), self.choice);
        // An error here cannot be reported.
        let columns = columns(&console::Term::stderr());
        for line in self.shown(text).lines() {
            let _unseen = writeln!(out, "{}", hang(line, columns));
        }
    }
}

/// The columns of a stream that is a terminal.
fn columns(stream: &console::Term) -> Option<usize> {
    let (_, columns) = stream.size_checked()?;
    Some(usize::from(columns)).filter(|columns| stream.is_term() && *columns > 0)
}

/// A reader that closes the pipe early (`| head`) is not a failure.
fn closed_pipe(error: io::Error) -> Result<(), Failure> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Ok(());
    }
    Err(Failure {
        exit: Exit::Usage,
        message: format!("cannot write the output: {error}"),
        help: None,
    })
}

/// For the word `error` and for refused tools.
pub(crate) const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
/// For the word `warning`.
pub(crate) const WARNING: Style = AnsiColor::BrightYellow.on_default().bold();
/// For success.
pub(crate) const GOOD: Style = AnsiColor::BrightGreen.on_default().bold();
/// For the word `help` and for locations.
pub(crate) const HELP: Style = AnsiColor::BrightCyan.on_default();
/// For names and headings.
pub(crate) const BOLD: Style = Style::new().bold();
/// Less important text.
pub(crate) const DIM: Style = Style::new().dimmed();

/// Columns of two `...`, beside the two columns of two `…`.
const CUTS: usize = 4;
/// Columns of a terminal whose width is unknown.
const USUAL_COLUMNS: usize = 80;
