//! Keeps the beginning and the end of a child's standard error, for error messages.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use toolsure_json::quote;

/// Drains a stream in the background and remembers its first and its last bytes.
#[derive(Debug)]
pub(crate) struct Tail {
    kept: Arc<Mutex<Kept>>,
    task: JoinHandle<()>,
    /// Closed when the task has ended.
    end: mpsc::Sender<()>,
}

impl Tail {
    pub(crate) fn follow(from: impl AsyncRead + Unpin + Send + 'static, limit: usize) -> Self {
        Self::tee(from, limit, |_| {})
    }

    /// Like `follow`, but also passes all bytes to `each` as they arrive.
    pub(crate) fn tee(
        mut from: impl AsyncRead + Unpin + Send + 'static,
        limit: usize,
        mut each: impl FnMut(&[u8]) + Send + 'static,
    ) -> Self {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let shared = Arc::clone(&kept);
        let (end, ended) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let _until_the_end = ended;
            let mut chunk = vec![0; CHUNK];
            while let Ok(count @ 1..) = from.read(&mut chunk).await {
                let fresh = chunk.get(..count).unwrap_or_default();
                each(fresh);
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                kept.add(fresh, limit);
            }
        });
        Self { kept, task, end }
    }

    /// Waits until the stream has ended.
    pub(crate) async fn ended(&self) {
        self.end.closed().await;
    }

    /// The first and the last lines, escaped and cut, oldest first; `…` replaces those between.
    pub(crate) fn lines(&self) -> Vec<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.lines()
    }
}

/// The parts of a stream that are kept.
#[derive(Debug, Default)]
struct Kept {
    first: Vec<u8>,
    last: Vec<u8>,
    /// Whether bytes between them were dropped.
    is_cut: bool,
}

impl Kept {
    fn add(&mut self, chunk: &[u8], limit: usize) {
        let room = (limit / 4).saturating_sub(self.first.len());
        let (first, last) = chunk.split_at(room.min(chunk.len()));
        self.first.extend_from_slice(first);
        self.last.extend_from_slice(last);
        let allowed = limit.saturating_sub(self.first.len());
        let surplus = self.last.len().saturating_sub(allowed);
        self.is_cut |= surplus > 0;
        self.last.drain(..surplus);
    }

    fn lines(&self) -> Vec<String> {
        let shown = |text: &[u8]| -> Vec<String> {
            let text = String::from_utf8_lossy(text);
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines
                .map(|line| quote(&plain(line), LINE_CHARS).to_string())
                .collect()
        };
        let (mut first, last) = match self.is_cut {
            true => (shown(&self.first), shown(&self.last)),
            false => {
                let mut all = shown(&[self.first.as_slice(), &self.last].concat());
                let last = all.split_off(all.len().min(FIRST));
                (all, last)
            }
        };
        let from = last.len().saturating_sub(LAST);
        if self.is_cut || from > 0 {
            first.truncate(FIRST);
            first.push("…".to_owned());
        }
        first.extend(last.into_iter().skip(from));
        first
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Removes escape sequences (`ESC [ … letter`) and lone escapes, which would only be noise in a
/// message.
fn plain(line: &str) -> String {
    let mut rest = line.chars();
    let mut text = String::with_capacity(line.len());
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            text.push(c);
            continue;
        }
        let mut sequence = rest.clone();
        if sequence.next() == Some('[') && sequence.by_ref().any(|c| ('@'..='~').contains(&c)) {
            rest = sequence;
        }
    }
    text.trim_end().to_owned()
}

const CHUNK: usize = 8 << 10;
/// How many lines of the beginning and of the end are shown.
const FIRST: usize = 4;
const LAST: usize = 12;
const LINE_CHARS: usize = 240;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_beginning_and_the_end() {
        let mut kept = Kept::default();
        kept.add(b"abcdef", 8);
        kept.add(b"ghij", 8);
        assert_eq!(
            (kept.first, kept.last),
            (b"ab".to_vec(), b"efghij".to_vec())
        );
        assert!(kept.is_cut);
    }

    #[test]
    fn many_lines_are_shown_from_both_ends() {
        let text = |lines: usize| {
            (0..lines)
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        };
        let lines = |text: &str, limit| {
            let mut kept = Kept::default();
            for chunk in text.as_bytes().chunks(7) {
                kept.add(chunk, limit);
            }
            kept.lines()
        };
        let all: Vec<String> = (0..16).map(|line| line.to_string()).collect();
        assert_eq!(lines(&text(16), 1 << 10), all);
        let cut = lines(&text(17), 1 << 10);
        assert_eq!(
            (cut.len(), cut[3].as_str(), cut[4].as_str()),
            (17, "3", "…")
        );
        assert_eq!((cut[5].as_str(), cut[16].as_str()), ("5", "16"));
        let long = lines(&text(100_000), 1 << 10);
        assert_eq!(
            (long.len(), long[0].as_str(), long[4].as_str()),
            (17, "0", "…")
        );
        assert_eq!(long[16], "99999");
    }

    #[test]
    fn colour_sequences_go_and_lone_escapes_are_dropped() {
        assert_eq!(plain("\u{1b}[31merror\u{1b}[0m: x"), "error: x");
        assert_eq!(plain("a\u{1b}b"), "ab");
    }
}
