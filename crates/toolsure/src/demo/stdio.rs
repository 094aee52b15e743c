//! The demo server on standard input and output: one JSON-RPC message per line.

use std::io;

use tokio::io::{AsyncWriteExt, stdin, stdout};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::INVALID_REQUEST;
use toolsure_proxy::{Line, Lines};

use super::envelope::{Envelope, Fault};
use super::server::{DemoServer, Reply};
use crate::interrupt::interrupted;

/// Serves until the input ends, the output is closed, or a stop signal arrives.
pub(super) async fn serve(server: &DemoServer) -> io::Result<()> {
    tokio::select! {
        served = converse(server) => served,
        () = interrupted() => Ok(()),
    }
}

async fn converse(server: &DemoServer) -> io::Result<()> {
    let mut lines = Lines::new(stdin(), LINE_BYTES);
    let mut out = stdout();
    let mut opened = None;
    loop {
        let (text, last) = match lines.next().await? {
            Line::Full(line) => (answer(server, &line, &mut opened), false),
            Line::TooLong(_) => {
                let fault = Fault::new(
                    INVALID_REQUEST,
                    format!("a message must have at most {LINE_BYTES} bytes"),
                );
                (Some(fault.answer("null").text), false)
            }
            Line::End(rest) => (answer(server, &rest, &mut opened), true),
        };
        if let Some(mut text) = text {
            text.push('\n');
            match out.write_all(text.as_bytes()).await.and(out.flush().await) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        if last {
            return Ok(());
        }
    }
}

fn answer(server: &DemoServer, line: &[u8], opened: &mut Option<Era>) -> Option<String> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let message = match Envelope::read(line) {
        Ok(message) => message,
        Err(answer) => return Some(answer.text),
    };
    match server.handle(&message, *opened, false) {
        Reply::Silence => None,
        Reply::Answer(answer) => Some(answer.text),
        Reply::Opened(era, answer) => {
            *opened = Some(era);
            Some(answer.text)
        }
    }
}

const LINE_BYTES: usize = 4 << 20;
