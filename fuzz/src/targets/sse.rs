//! Server-sent events, against a reader that is as plain as the standard's text.

use std::time::Duration;

use toolsure_testkit::differential::random::Random;

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::seeds::Seeds;

#[expect(dead_code, reason = "the transports use the rest")]
#[path = "../../../crates/toolsure-proxy/src/sse.rs"]
mod parser;

use parser::{Event, SseParser, TooLong};

pub(super) const TARGET: Target = Target {
    name: "sse",
    about: "an event stream has the events of the standard in pieces of any size, with every byte in some event",
    run,
    seeds,
    gate: 83_000,
};

fn run(input: &[u8]) -> Outcome {
    let whole = read(input, NO_LIMIT, usize::MAX);
    let (events, rest) = match &whole.end {
        Ok(rest) => (&whole.events, rest),
        Err(TooLong) => return Err("too long without a limit".to_owned()),
    };
    let data: Vec<Vec<u8>> = events
        .iter()
        .filter_map(|event| event.data.clone())
        .collect();
    let expected = plain(input);
    ensure!(
        data == expected.data,
        "{:?} where the standard has {:?}",
        shown(&data),
        shown(&expected.data)
    );
    ensure!(
        whole.last_id == expected.last_id && whole.retry == expected.retry,
        "id {:?} and retry {:?}, expected {:?} and {:?}",
        whole.last_id,
        whole.retry,
        expected.last_id,
        expected.retry
    );
    let raw: usize = events.iter().map(|event| event.raw.len()).sum();
    ensure!(
        raw + rest == input.len() && input.starts_with(&joined(events)),
        "{raw} bytes in events and {rest} left, of {}",
        input.len()
    );
    for limit in [NO_LIMIT, 4, 32] {
        let whole = read(input, limit, usize::MAX);
        for most in [1, 3, 50] {
            let pieces = read(input, limit, most);
            ensure!(
                pieces.end.is_ok() == whole.end.is_ok() && pieces.data() == whole.data(),
                "limit {limit}, in pieces of at most {most}: {:?} {:?}, in one: {:?} {:?}",
                pieces.end,
                shown(&pieces.data()),
                whole.end,
                shown(&whole.data())
            );
        }
    }
    replaced(events)
}

/// Other data in an event's place are read back as they were given.
fn replaced(events: &[Event]) -> Outcome {
    for event in events.iter().filter(|event| event.data.is_some()) {
        let text = event.with_data(b"{\"a\":1}");
        let again = plain(&text).data;
        ensure!(
            again == [b"{\"a\":1}"],
            "other data in {:?} are read as {:?}",
            String::from_utf8_lossy(&event.raw),
            shown(&again)
        );
    }
    Ok(())
}

struct Run {
    events: Vec<Event>,
    /// How many bytes belong to no event yet.
    end: Result<usize, TooLong>,
    last_id: Option<String>,
    retry: Option<Duration>,
}

impl Run {
    fn data(&self) -> Vec<Vec<u8>> {
        let data = self.events.iter().filter_map(|event| event.data.clone());
        data.collect()
    }
}

fn read(input: &[u8], limit: usize, most: usize) -> Run {
    let mut parser = SseParser::new(limit);
    let mut random = Random::new(u64::try_from(input.len()).unwrap_or_default());
    let (mut events, mut rest) = (Vec::new(), input);
    let mut end = Ok(());
    while !rest.is_empty() && end.is_ok() {
        let size = random.below(most).saturating_add(1).min(rest.len());
        let size = if most == usize::MAX { rest.len() } else { size };
        let (piece, more) = rest.split_at_checked(size).unwrap_or_default();
        rest = more;
        // Each piece by itself, as the transports do it.
        let mut fresh = Vec::new();
        end = parser.feed(piece, &mut fresh);
        events.append(&mut fresh);
    }
    let raw: usize = events.iter().map(|event: &Event| event.raw.len()).sum();
    Run {
        end: end.map(|()| input.len().saturating_sub(raw)),
        events,
        last_id: parser.last_id().map(str::to_owned),
        retry: parser.retry(),
    }
}

fn joined(events: &[Event]) -> Vec<u8> {
    let raw = events.iter().flat_map(|event| event.raw.iter().copied());
    raw.collect()
}

fn shown(data: &[Vec<u8>]) -> Vec<String> {
    let shown = data
        .iter()
        .map(|one| String::from_utf8_lossy(one).into_owned());
    shown.collect()
}

/// What WHATWG HTML, "Interpreting an event stream", makes of a stream.
#[derive(Default)]
struct Plain {
    data: Vec<Vec<u8>>,
    last_id: Option<String>,
    retry: Option<Duration>,
}

fn plain(input: &[u8]) -> Plain {
    let input = input.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(input);
    let mut found = Plain::default();
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    let mut bytes = input.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' | b'\n' => {
                if byte == b'\r' {
                    bytes.next_if_eq(&b'\n');
                }
                lines.push(Vec::new());
            }
            other => {
                if let Some(line) = lines.last_mut() {
                    line.push(other);
                }
            }
        }
    }
    // What has no line end is not read.
    lines.pop();
    let mut data: Vec<Vec<u8>> = Vec::new();
    for line in lines {
        if line.is_empty() {
            if !data.is_empty() {
                found.data.push(data.join(&b'\n'));
                data.clear();
            }
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line
            .split_at_checked(colon.unwrap_or(line.len()))
            .unwrap_or_default();
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => data.push(value.to_vec()),
            b"id" if !value.contains(&0) => {
                found.last_id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let text = String::from_utf8_lossy(value);
                found.retry = text.parse().ok().map(Duration::from_millis).or(found.retry);
            }
            _ => {}
        }
    }
    found
}

fn seeds(_: &Seeds) -> Vec<Vec<u8>> {
    let streams = [
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n",
        "\u{feff}: hi\r\n\r\nid: 1\ndata: {}\n\n\n: alive\r\rdata: a\r\ndata: b\r\n\r\nretry: 250\r\r",
        "data\n\ndata:\ndata:  x\nid\nid: 9\nretry: 1e3\nunknown: y\n\ndata: last",
    ];
    streams.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// No seed and no mutation of one is as long.
const NO_LIMIT: usize = 1 << 20;
