//! The end of what a child wrote to its standard error, kept for the error message.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use toolgate_json::quote;

/// Drains a stream in the background and remembers its last bytes.
#[derive(Debug)]
pub(crate) struct Tail {
    kept: Arc<Mutex<Vec<u8>>>,
    task: JoinHandle<()>,
    /// Closed when the task is at its end.
    end: mpsc::Sender<()>,
}

impl Tail {
    pub(crate) fn follow(from: impl AsyncRead + Unpin + Send + 'static, limit: usize) -> Self {
        Self::tee(from, limit, |_| {})
    }

    /// Also hands on everything as it comes.
    pub(crate) fn tee(
        mut from: impl AsyncRead + Unpin + Send + 'static,
        limit: usize,
        mut each: impl FnMut(&[u8]) + Send + 'static,
    ) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&kept);
        let (end, ended) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let _until_the_end = ended;
            let mut chunk = vec![0; CHUNK];
            while let Ok(count @ 1..) = from.read(&mut chunk).await {
                let fresh = chunk.get(..count).unwrap_or_default();
                each(fresh);
                keep(&shared, fresh, limit);
            }
        });
        Self { kept, task, end }
    }

    /// Waits until the stream has ended.
    pub(crate) async fn ended(&self) {
        self.end.closed().await;
    }

    /// The last lines, escaped and cut, oldest first.
    pub(crate) fn lines(&self) -> Vec<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let from = lines.len().saturating_sub(LINES);
        lines
            .iter()
            .skip(from)
            .map(|line| quote(&plain(line), LINE_CHARS).to_string())
            .collect()
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn keep(shared: &Mutex<Vec<u8>>, chunk: &[u8], limit: usize) {
    let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
    kept.extend_from_slice(chunk);
    let surplus = kept.len().saturating_sub(limit);
    kept.drain(..surplus);
}

/// The line without colour sequences (`ESC [ … letter`), which would only be noise when escaped.
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
const LINES: usize = 12;
const LINE_CHARS: usize = 240;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_the_end() {
        let kept = Mutex::new(Vec::new());
        keep(&kept, b"abcdef", 4);
        keep(&kept, b"gh", 4);
        assert_eq!(kept.into_inner().unwrap(), b"efgh");
    }

    #[test]
    fn colour_sequences_go_and_lone_escapes_are_dropped() {
        assert_eq!(plain("\u{1b}[31merror\u{1b}[0m: x"), "error: x");
        assert_eq!(plain("a\u{1b}b"), "ab");
    }
}
