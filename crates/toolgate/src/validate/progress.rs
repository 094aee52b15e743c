//! How far a long run is, on standard error if that is a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that appears once a run turns out to be long.
pub(super) struct Progress {
    bar: ProgressBar,
    /// When to appear; never if `None`.
    at: Option<Instant>,
}

impl Progress {
    /// No bar.
    pub(super) fn none() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            at: None,
        }
    }

    /// A bar over the bytes of an input, if their number is known.
    pub(super) fn over(name: &str, bytes: Option<u64>) -> Self {
        let (bar, template) = match bytes {
            Some(bytes) => (ProgressBar::new(bytes), BAR),
            None => (ProgressBar::no_length(), SPINNER),
        };
        bar.set_draw_target(ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            bar: bar.with_message(name.to_owned()),
            at: Instant::now().checked_add(PATIENCE),
        }
    }

    /// So many bytes are done.
    pub(super) fn reach(&mut self, bytes: u64) {
        if self.at.is_some_and(|at| Instant::now() >= at) {
            self.at = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(bytes);
    }

    /// Whether there is a bar to be seen.
    pub(super) fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Runs `print` without the bar in its way.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        if self.is_shown() {
            self.bar.suspend(print)
        } else {
            print()
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A run shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);
const BAR: &str = "{msg} [{wide_bar}] {bytes}/{total_bytes} {eta}";
const SPINNER: &str = "{msg} {spinner} {bytes}";
