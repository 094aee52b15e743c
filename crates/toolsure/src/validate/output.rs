//! Standard output in a long run: buffered, and silent once nobody reads it.

use std::borrow::Cow;
use std::io::{self, BufWriter, StdoutLock, Write};

use super::progress::Progress;
use crate::exit::{Exit, Failure};
use crate::term::Term;

/// Standard output.
pub(super) struct Output {
    stream: BufWriter<StdoutLock<'static>>,
    open: bool,
    /// For a text for people, which is written in the characters of the locale.
    term: Option<Term>,
}

impl Output {
    pub(super) fn new(term: Option<Term>) -> Self {
        Self {
            term,
            stream: BufWriter::with_capacity(BUFFER, io::stdout().lock()),
            open: true,
        }
    }

    /// Whether there is still a reader.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Writes text; if there is a progress bar, it is drawn again below the text.
    pub(super) fn write(&mut self, text: &str, progress: &Progress) -> Result<(), Failure> {
        if !self.open || text.is_empty() {
            return Ok(());
        }
        // The bar is locked while it is suspended, so this must be called before.
        let shown = progress.is_shown();
        let text = match &self.term {
            Some(term) => term.shown(text),
            None => Cow::Borrowed(text),
        };
        let written = progress.aside(|| {
            self.stream.write_all(text.as_bytes())?;
            if shown {
                self.stream.flush()?;
            }
            Ok(())
        });
        self.settle(written)
    }

    /// Writes the buffered text, with the bar suspended.
    pub(super) fn flush(&mut self, progress: &Progress) -> Result<(), Failure> {
        if !self.open || self.stream.buffer().is_empty() {
            return Ok(());
        }
        let flushed = progress.aside(|| self.stream.flush());
        self.settle(flushed)
    }

    fn settle(&mut self, result: io::Result<()>) -> Result<(), Failure> {
        match result {
            Ok(()) => Ok(()),
            // A reader that closes the pipe early (`| head`) is not a failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.open = false;
                Ok(())
            }
            Err(error) => {
                self.open = false;
                Err(Failure {
                    exit: Exit::Usage,
                    message: format!("cannot write the output: {error}"),
                    help: None,
                })
            }
        }
    }
}

const BUFFER: usize = 64 << 10;
