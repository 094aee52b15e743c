//! Lines of a stream: the same however the stream is cut, complete, and under their bound.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};
use toolsure_proxy::{Line, Lines};
use toolsure_testkit::differential::random::Random;

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "lines",
    about: "a stream has the same lines in pieces of any size, with no byte lost and none over the bound",
    run,
    seeds,
    gate: 77_000,
};

fn run(input: &[u8]) -> Outcome {
    // The first byte is the bound; short ones are met often.
    let (limit, stream) = match input.split_first() {
        Some((limit, stream)) => (usize::from(*limit), stream),
        None => (16, input),
    };
    let whole = read(stream, limit, usize::MAX)?;
    for most in [1, 2, 7, 64] {
        let pieces = read(stream, limit, most)?;
        ensure!(
            plain(&pieces) == plain(&whole),
            "in pieces of at most {most}: {pieces:?}, in one: {whole:?}"
        );
    }
    let mut kept = Vec::new();
    for line in &whole {
        match line {
            Line::Full(text) => {
                ensure!(text.len() <= limit, "{} bytes over {limit}", text.len());
                kept.extend_from_slice(text);
            }
            Line::TooLong(_) => return skipped(stream, limit),
            Line::End(rest) => kept.extend_from_slice(rest),
        }
    }
    ensure!(
        without_ends(&kept) == without_ends(stream),
        "bytes are lost: {whole:?}"
    );
    skipped(stream, limit)
}

/// Where lines that are too long are handed over in pieces, every byte arrives.
fn skipped(stream: &[u8], limit: usize) -> Outcome {
    for most in [1, 5, usize::MAX] {
        let mut lines = Lines::new(Pieces::new(stream, most), limit);
        let mut kept = Vec::new();
        loop {
            let line = now(lines.next_or_skip(|piece| kept.extend_from_slice(piece)))??;
            match line {
                Line::Full(text) => kept.extend_from_slice(&text),
                Line::TooLong(text) => {
                    ensure!(text.is_empty(), "a skipped line was kept: {text:?}");
                }
                Line::End(rest) => {
                    kept.extend_from_slice(&rest);
                    break;
                }
            }
        }
        ensure!(
            without_ends(&kept) == without_ends(stream),
            "skipping loses bytes in pieces of at most {most}"
        );
    }
    Ok(())
}

fn read(stream: &[u8], limit: usize, most: usize) -> Result<Vec<Line>, String> {
    let mut lines = Lines::new(Pieces::new(stream, most), limit);
    let mut found = Vec::new();
    loop {
        let line = now(lines.next())??;
        let ended = matches!(line, Line::End(_));
        found.push(line);
        if ended {
            return Ok(found);
        }
        if found.len() > stream.len().saturating_add(2) {
            return Err("more lines than bytes".to_owned());
        }
    }
}

/// Lines as they compare: how much of a line over the bound was seen hangs on the pieces.
fn plain(lines: &[Line]) -> Vec<(&'static str, &[u8])> {
    let shown = lines.iter().map(|line| match line {
        Line::Full(text) => ("full", text.as_slice()),
        Line::TooLong(_) => ("too long", [].as_slice()),
        Line::End(rest) => ("end", rest.as_slice()),
    });
    shown.collect()
}

fn without_ends(bytes: &[u8]) -> Vec<u8> {
    let kept = bytes.iter().filter(|byte| !b"\r\n".contains(byte));
    kept.copied().collect()
}

/// The value of a future that never waits.
fn now<T>(future: impl Future<Output = io::Result<T>>) -> Result<Result<T, String>, String> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Ok(value.map_err(|error| error.to_string())),
        Poll::Pending => Err("waits although all bytes are there".to_owned()),
    }
}

/// A stream that gives its bytes in pieces of some size.
struct Pieces<'a> {
    rest: &'a [u8],
    most: usize,
    random: Random,
}

impl<'a> Pieces<'a> {
    fn new(rest: &'a [u8], most: usize) -> Self {
        let seed = u64::try_from(rest.len()).unwrap_or(u64::MAX);
        Self {
            rest,
            most,
            random: Random::new(seed),
        }
    }
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = self.most;
        let size = self.random.below(most).saturating_add(1).min(most);
        let size = size.min(self.rest.len()).min(into.remaining());
        let size = if most == usize::MAX {
            self.rest.len().min(into.remaining())
        } else {
            size
        };
        let (piece, rest) = self.rest.split_at_checked(size).unwrap_or_default();
        into.put_slice(piece);
        self.rest = rest;
        Poll::Ready(Ok(()))
    }
}

fn seeds(_: &Seeds) -> Vec<Vec<u8>> {
    let streams = [
        "\x20{\"jsonrpc\":\"2.0\",\"id\":1}\n{\"a\":[]}\r\n\n\r\nnoise\n",
        "\x05one\ntwo\r\nthree three three\nfour\r",
        "\x10no end",
        "\x01\n\n\r\r\n",
    ];
    streams.map(|text| text.as_bytes().to_vec()).to_vec()
}
