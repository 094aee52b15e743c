//! The audit log: JSON Lines, with a bounded queue and bounded files; it never delays a call.
//!
//! Lines go through a queue of [`QUEUE`] lines to one thread that owns the file. If the queue or
//! the disk is full, lines are lost and counted, and calls continue.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::config;
use super::metrics::Metrics;

/// The running audit log.
pub(super) struct Audit {
    /// `None` at the end, so that the thread ends.
    queue: Option<SyncSender<AuditCommand>>,
    thread: Option<JoinHandle<()>>,
    metrics: Arc<Metrics>,
}

/// What the thread should do.
enum AuditCommand {
    /// Append this line, without its line feed.
    Line(String),
    /// Reopen the file, because a log rotation moved it away.
    Reopen,
    /// Write the buffered lines, then answer.
    Flush(SyncSender<()>),
}

impl Audit {
    /// Opens the file for appending and starts the thread.
    pub(super) fn start(
        file: &Path,
        settings: &config::Audit,
        metrics: Arc<Metrics>,
    ) -> io::Result<Self> {
        let book = Book::open(file, settings.max_bytes, settings.keep)?;
        let (queue, commands) = sync_channel(QUEUE);
        let counts = Arc::clone(&metrics);
        let thread = std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || write(book, &commands, &counts))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
            metrics,
        })
    }

    /// Queues a line; never waits. If the queue is full, the line is lost and counted.
    pub(super) fn line(&self, line: String) {
        if !self.send(AuditCommand::Line(line)) {
            self.metrics.audit(false);
        }
    }

    /// Reopens the file.
    pub(super) fn reopen(&self) {
        // A full queue keeps the old file until the next reload; its lines count as written.
        if !self.send(AuditCommand::Reopen) {
            tracing::warn!("the audit log is too busy to be reopened");
        }
    }

    /// Waits until all lines so far are in the file, but not longer than `most`. Dropping the log
    /// is not enough, because the runtime may end before every task that holds it is dropped.
    pub(super) fn flush(&self, most: Duration) {
        let begun = Instant::now();
        let (done, flushed) = sync_channel(1);
        // A full queue has room again when the thread has written a line.
        while !self.send(AuditCommand::Flush(done.clone())) {
            if begun.elapsed() >= most {
                break;
            }
            std::thread::sleep(FULL);
        }
        if flushed
            .recv_timeout(most.saturating_sub(begun.elapsed()))
            .is_err()
        {
            tracing::error!("the last lines of the audit log may not be written");
        }
    }

    fn send(&self, send: AuditCommand) -> bool {
        let queue = self.queue.as_ref();
        queue.is_some_and(|queue| queue.try_send(send).is_ok())
    }
}

impl Drop for Audit {
    /// Waits until all lines are written.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed.
            let _panicked = thread.join();
        }
    }
}

fn write(mut book: Book, commands: &Receiver<AuditCommand>, metrics: &Metrics) {
    let mut dirty = false;
    let mut failing = false;
    loop {
        let send = match commands.recv_timeout(IDLE) {
            Ok(send) => send,
            Err(RecvTimeoutError::Timeout) => {
                if std::mem::take(&mut dirty) {
                    failing = log_change(book.flush(), failing);
                }
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        match send {
            AuditCommand::Line(line) => {
                let written = book.line(&line);
                metrics.audit(written.is_ok());
                failing = log_change(written, failing);
                dirty = true;
            }
            AuditCommand::Reopen => failing = log_change(book.reopen(), failing),
            AuditCommand::Flush(done) => {
                failing = log_change(book.flush(), failing);
                dirty = false;
                // The caller may have given up.
                let _received = done.send(());
            }
        }
    }
    log_change(book.flush(), failing);
}

/// Logs the first of several failures in a row, and their end. Returns whether `result` failed.
fn log_change(result: io::Result<()>, failing: bool) -> bool {
    match (&result, failing) {
        (Err(error), false) => tracing::error!(%error, "the audit log cannot be written"),
        (Ok(()), true) => tracing::info!("the audit log can be written again"),
        _ => {}
    }
    result.is_err()
}

/// The file, and how it is rotated.
struct Book {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
    most: u64,
    keep: usize,
}

impl Book {
    fn open(path: &Path, most: usize, keep: usize) -> io::Result<Self> {
        let (file, bytes) = append(path)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            bytes,
            most: u64::try_from(most).unwrap_or(u64::MAX),
            keep,
        })
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        let length = u64::try_from(line.len())
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        if self.bytes > 0 && self.bytes.saturating_add(length) > self.most {
            self.rotate()?;
        }
        self.file.write_all(line.as_bytes())?;
        self.file.write_all(b"\n")?;
        self.bytes = self.bytes.saturating_add(length);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    fn reopen(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        (self.file, self.bytes) = append(&self.path)?;
        flushed
    }

    /// Renames `FILE` to `FILE.1`, that to `FILE.2`, and so on; the one after `keep` is lost.
    fn rotate(&mut self) -> io::Result<()> {
        self.file.flush()?;
        for number in (0..self.keep).rev() {
            let (from, to) = (
                self.numbered(number),
                self.numbered(number.saturating_add(1)),
            );
            match fs::rename(from, to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        if self.keep == 0 {
            fs::remove_file(&self.path)?;
        }
        self.reopen()
    }

    fn numbered(&self, number: usize) -> PathBuf {
        if number == 0 {
            return self.path.clone();
        }
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    }
}

fn append(path: &Path) -> io::Result<(BufWriter<File>, u64)> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Names of tools and callers' mistakes are private.
        options.mode(0o600);
    }
    let file = options.open(path)?;
    let bytes = file.metadata()?.len();
    Ok((BufWriter::new(file), bytes))
}

/// Maximum lines in the queue: at about 300 bytes each, 2.5 MB.
const QUEUE: usize = 8_192;
/// How long [`Audit::flush`] waits between attempts if the queue is full.
const FULL: Duration = Duration::from_millis(5);
/// Time without a line after which the buffer is written to the file.
const IDLE: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("toolsure-audit-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _nothing_to_do_about_it = fs::remove_dir_all(&self.0);
        }
    }

    fn read(path: &Path) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    #[test]
    fn a_full_file_is_rotate_and_the_oldest_goes() {
        for (keep, expected) in [
            (0, [Some("e\n"), None, None, None]),
            (
                2,
                [
                    Some("e\n"),
                    Some("cccc\ndddd\n"),
                    Some("aaaa\nbbbb\n"),
                    None,
                ],
            ),
            (1, [Some("e\n"), Some("cccc\ndddd\n"), None, None]),
        ] {
            let folder = Folder::new(&format!("keep-{keep}"));
            let path = folder.0.join("audit.jsonl");
            let mut book = Book::open(&path, 10, keep).unwrap();
            for line in ["aaaa", "bbbb", "cccc", "dddd", "e"] {
                book.line(line).unwrap();
            }
            book.flush().unwrap();
            for (number, text) in expected.iter().enumerate() {
                assert_eq!(
                    read(&book.numbered(number)).as_deref(),
                    *text,
                    "keep {keep}, file {number}"
                );
            }
        }
    }

    #[test]
    fn a_file_goes_on_where_it_ended_and_a_line_over_the_bound_stands_alone() {
        let folder = Folder::new("append");
        let path = folder.0.join("audit.jsonl");
        fs::write(&path, "old\n").unwrap();
        let mut book = Book::open(&path, 10, 1).unwrap();
        book.line("a line of more than ten").unwrap();
        book.flush().unwrap();
        assert_eq!(read(&path).as_deref(), Some("a line of more than ten\n"));
        assert_eq!(read(&book.numbered(1)).as_deref(), Some("old\n"));
    }

    #[test]
    fn everything_said_is_written_at_the_end_and_a_moved_file_is_left_alone() {
        let folder = Folder::new("end");
        let path = folder.0.join("audit.jsonl");
        let settings = config::Audit {
            file: None,
            max_bytes: 1 << 20,
            keep: 1,
            passes: true,
        };
        let metrics = Metrics::new();
        let audit = Audit::start(&path, &settings, Arc::clone(&metrics)).unwrap();
        for number in 0..100 {
            audit.line(number.to_string());
        }
        let moved = folder.0.join("moved");
        fs::rename(&path, &moved).unwrap();
        audit.reopen();
        audit.line("after".to_owned());
        drop(audit);
        assert_eq!(read(&moved).unwrap().lines().count(), 100);
        assert_eq!(read(&path).as_deref(), Some("after\n"));
        assert!(
            metrics
                .text()
                .contains("toolsure_guard_audit_lines_total 101\n")
        );
    }
}
