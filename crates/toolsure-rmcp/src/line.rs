//! Reads lines of bounded length from a byte stream, and writes lines.

use std::future::Future;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

/// The maximum number of bytes of one line. The rest is skipped.
pub(crate) const LINE: usize = 64 << 20;

/// Reads lines. Safe to cancel: a line that has arrived in part is kept for the next call.
pub(crate) struct LineReader<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    is_over: bool,
}

/// What was read.
pub(crate) enum Line {
    /// A line, without its line end, trailing blanks and byte order mark.
    Whole(Vec<u8>),
    /// The beginning of a line that is longer than [`LINE`].
    Over(Vec<u8>),
    /// The stream has ended or failed.
    End,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(read: R) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            is_over: false,
        }
    }

    /// The next line that is not blank.
    pub(crate) async fn next(&mut self) -> Line {
        loop {
            let chunk = match self.read.fill_buf().await {
                Ok(chunk) if !chunk.is_empty() => chunk,
                Ok(_) => return Line::End,
                Err(error) => {
                    tracing::error!("reading messages: {error}");
                    return Line::End;
                }
            };
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            let room = LINE.saturating_sub(self.line.len());
            self.line
                .extend_from_slice(chunk.get(..taken.min(room)).unwrap_or(chunk));
            self.is_over |= taken > room;
            self.read.consume(taken);
            if end.is_none() {
                continue;
            }
            let mut line = std::mem::take(&mut self.line);
            if std::mem::take(&mut self.is_over) {
                return Line::Over(line);
            }
            line.truncate(line.trim_ascii_end().len());
            if line.starts_with(b"\xEF\xBB\xBF") {
                line.drain(..3);
            }
            if !line.is_empty() {
                return Line::Whole(line);
            }
        }
    }
}

/// Writes lines one after another, for any number of writers.
pub(crate) struct LineWriter<W>(Arc<Mutex<Option<W>>>);

impl<W> Clone for LineWriter<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> LineWriter<W> {
    pub(crate) fn new(write: W) -> Self {
        Self(Arc::new(Mutex::new(Some(write))))
    }

    /// Writes a value as a line.
    pub(crate) fn send(
        &self,
        message: impl serde::Serialize + Send + 'static,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.0);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            match &mut *write.lock().await {
                Some(write) => {
                    write.write_all(&line).await?;
                    write.flush().await
                }
                None => Err(io::Error::new(io::ErrorKind::NotConnected, "closed")),
            }
        }
    }

    pub(crate) async fn close(&self) -> io::Result<()> {
        let write = self.0.lock().await.take();
        match write {
            Some(mut write) => write.shutdown().await,
            None => Ok(()),
        }
    }
}
