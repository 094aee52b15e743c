//! The progress of a long run, on standard error if that is a terminal.

use std::cell::Cell;
use std::io;
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

/// A bar that appears once a run turns out to be long.
pub(super) struct Progress {
    bar: ProgressBar,
    /// When to appear; `None` if it never will, or already has.
    at: Cell<Option<Instant>>,
}

impl Progress {
    /// No bar.
    pub(super) fn none() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            at: Cell::new(None),
        }
    }

    /// A bar over the bytes of inputs, or a spinner if their number is unknown.
    pub(super) fn over(bytes: Option<u64>, ascii: bool) -> Self {
        let (bar, template) = match bytes {
            Some(bytes) => (ProgressBar::new(bytes), BAR),
            None => (ProgressBar::no_length(), SPINNER),
        };
        bar.set_draw_target(ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(match ascii {
                true => style.progress_chars("#>-").tick_chars("|/-\\ "),
                false => style,
            });
        }
        Self {
            bar,
            at: Cell::new(Instant::now().checked_add(PATIENCE)),
        }
    }

    /// Names the input that is read.
    pub(super) fn name(&self, name: &str) {
        self.bar.set_message(name.to_owned());
    }

    /// Records how many bytes are done.
    pub(super) fn reach(&self, bytes: u64) {
        if self.at.get().is_some_and(|at| Instant::now() >= at) {
            self.appear();
        }
        self.bar.set_position(bytes);
    }

    /// Records that an instance of this many bytes is judged, which takes its time. The bar moves,
    /// although nothing is reached meanwhile.
    pub(super) fn work(&self, bytes: usize) {
        if self.at.get().is_some() && bytes >= LONG {
            self.appear();
        }
    }

    fn appear(&self) {
        self.at.set(None);
        let screen = Narrow(Term::stderr());
        self.bar
            .set_draw_target(ProgressDrawTarget::term_like(Box::new(screen)));
        self.bar.enable_steady_tick(TICK);
    }

    /// Whether the bar is visible.
    pub(super) fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Runs `print` with the bar out of the way.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        if self.is_shown() {
            self.bar.suspend(print)
        } else {
            print()
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The terminal without its last columns. The bar is as wide as its terminal; at the very edge, the
/// `^C` that a terminal writes at the cursor would break the line, and the bar would remain.
#[derive(Debug)]
struct Narrow(Term);

impl TermLike for Narrow {
    fn width(&self) -> u16 {
        TermLike::width(&self.0).saturating_sub(ECHO_COLUMNS)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_up(n)
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_down(n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_right(n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_left(n)
    }

    fn write_line(&self, s: &str) -> io::Result<()> {
        self.0.write_line(s)
    }

    fn write_str(&self, s: &str) -> io::Result<()> {
        self.0.write_str(s)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Columns of `^C`, and one for the cursor after it.
const ECHO_COLUMNS: u16 = 3;
/// A run shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// Bytes of an instance whose check takes longer than that.
const LONG: usize = 16 << 20;
/// The time between two positions of the spinner.
const TICK: Duration = Duration::from_millis(100);
const BAR: &str = "{spinner} {msg} [{wide_bar}] {bytes}/{total_bytes} {eta}";
const SPINNER: &str = "{msg} {spinner} {bytes}";
