//! A server of ours on standard input and output: one JSON-RPC message per line.

use std::io;

use tokio::io::{AsyncWriteExt, stdin, stdout};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::INVALID_REQUEST;
use toolsure_proxy::{Line, Lines};

use super::envelope::{Envelope, Fault};
use super::server::{Dispatch, Reply, Server};
use crate::interrupt::interrupted;

/// Serves until the input ends, the output is closed, or a stop signal arrives.
pub(super) async fn serve(server: &Server) -> io::Result<()> {
    tokio::select! {
        served = converse(server) => served,
        () = interrupted() => Ok(()),
    }
}

async fn converse(server: &Server) -> io::Result<()> {
    let mut lines = Lines::new(stdin(), LINE_BYTES);
    let mut out = stdout();
    let mut opened = None;
    loop {
        let (answered, last) = match lines.next().await? {
            Line::Full(line) => (answer(server, &line, &mut opened), false),
            Line::TooLong(_) => {
                let fault = Fault::new(
                    INVALID_REQUEST,
                    format!("a message must have at most {LINE_BYTES} bytes"),
                );
                (Some((fault.answer("null").text, Dispatch::AtOnce)), false)
            }
            Line::End(rest) => (answer(server, &rest, &mut opened), true),
        };
        if let Some((mut text, dispatch)) = answered {
            text.push('\n');
            match dispatch {
                Dispatch::AtOnce => {}
                Dispatch::After(pause) => tokio::time::sleep(pause).await,
                Dispatch::Never => continue,
                Dispatch::Cut => {
                    let half = text.len() / 2;
                    let half = text.as_bytes().get(..half).unwrap_or_default();
                    out.write_all(half).await?;
                    return out.flush().await;
                }
            }
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

fn answer(server: &Server, line: &[u8], opened: &mut Option<Era>) -> Option<(String, Dispatch)> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let message = match Envelope::read(line) {
        Ok(message) => message,
        Err(answer) => return Some((answer.text, Dispatch::AtOnce)),
    };
    match server.handle(&message, *opened, false) {
        Reply::Silence => None,
        Reply::Answer(answer, dispatch) => Some((answer.text, dispatch)),
        Reply::Opened(era, answer) => {
            *opened = Some(era);
            Some((answer.text, Dispatch::AtOnce))
        }
    }
}

const LINE_BYTES: usize = 4 << 20;
