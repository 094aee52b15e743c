//! The client: one legacy session, with a connection for each concurrent call.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The address of a gateway on the loopback interface.
#[derive(Clone, Copy)]
pub(super) struct Endpoint {
    pub(super) port: u16,
    pub(super) path: &'static str,
}

/// An open session.
pub(super) struct Session {
    endpoint: Endpoint,
    name: Option<String>,
    /// The version that was agreed on.
    version: String,
}

/// A connection that is reused.
struct Connection {
    stream: BufReader<TcpStream>,
}

/// The parts of an answer that are used.
struct Answer {
    status: u16,
    session: Option<String>,
    body: String,
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const PATIENCE: Duration = Duration::from_secs(60);
const LONGEST: u64 = 1 << 20;

impl Session {
    /// Opens a session with the legacy handshake.
    pub(super) fn open(endpoint: Endpoint) -> Result<Self, String> {
        let mut session = Self {
            endpoint,
            name: None,
            version: String::new(),
        };
        let mut connection = session.connect()?;
        let answer = connection.post(&session, INITIALIZE)?;
        if answer.status != 200 || !answer.body.contains("serverInfo") {
            return Err(format!("initialize: {} {}", answer.status, answer.body));
        }
        session.name = answer.session;
        session.version = agreed(&answer.body).ok_or("initialize: no version was agreed")?;
        connection.post(&session, INITIALIZED)?;
        Ok(session)
    }

    /// Makes calls one after the other. Returns the seconds that each took.
    pub(super) fn one_by_one(&self, calls: usize) -> Result<Vec<f64>, String> {
        let mut connection = self.connect()?;
        (0..calls)
            .map(|id| self.call(&mut connection, id))
            .collect()
    }

    /// Makes the calls over several connections at once. Returns the seconds that all took.
    pub(super) fn at_once(&self, connections: usize, calls: usize) -> Result<f64, String> {
        let open: Result<Vec<Connection>, String> =
            (0..connections).map(|_| self.connect()).collect();
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for (nth, mut connection) in open?.into_iter().enumerate() {
                // Ids are unique within the session.
                let ids = (nth..calls).step_by(connections);
                threads.push(scope.spawn(move || {
                    for id in ids {
                        self.call(&mut connection, id + calls)?;
                    }
                    Ok::<(), String>(())
                }));
            }
            for thread in threads {
                thread
                    .join()
                    .map_err(|_| "a client thread broke".to_owned())??;
            }
            Ok(begun.elapsed().as_secs_f64())
        })
    }

    fn call(&self, connection: &mut Connection, id: usize) -> Result<f64, String> {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo-0","arguments":{{"text":"hello","count":3}}}}}}"#
        );
        let begun = Instant::now();
        let answer = connection.post(self, &call)?;
        let took = begun.elapsed().as_secs_f64();
        if answer.status == 200 && answer.body.contains("structuredContent") {
            Ok(took)
        } else {
            Err(format!("call {id}: {} {}", answer.status, answer.body))
        }
    }

    fn connect(&self) -> Result<Connection, String> {
        let connect = || {
            let stream = TcpStream::connect(("127.0.0.1", self.endpoint.port))?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            Ok(Connection {
                stream: BufReader::new(stream),
            })
        };
        connect().map_err(|e: std::io::Error| format!("cannot connect: {e}"))
    }
}

impl Connection {
    fn post(&mut self, session: &Session, body: &str) -> Result<Answer, String> {
        let Endpoint { port, path } = session.endpoint;
        let length = body.len();
        let named = session.name.as_ref().map_or_else(String::new, |name| {
            let version = &session.version;
            format!("Mcp-Session-Id: {name}\r\nMCP-Protocol-Version: {version}\r\n")
        });
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{named}Content-Length: {length}\r\n\r\n{body}"
        );
        let sent = self.stream.get_mut().write_all(request.as_bytes());
        let answer = sent.and_then(|()| read(&mut self.stream));
        answer.map_err(|e| format!("no answer: {e}"))
    }
}

/// The version in an answer to `initialize`, which may be an event of a stream.
fn agreed(answer: &str) -> Option<String> {
    let (_, rest) = answer.split_once("\"protocolVersion\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// Reads one answer, of known length or in chunks.
fn read(stream: &mut impl BufRead) -> std::io::Result<Answer> {
    let mut answer = Answer {
        status: 0,
        session: None,
        body: String::new(),
    };
    let (mut length, mut chunked) = (0, false);
    let first = line(stream)?;
    answer.status = first
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    loop {
        let field = line(stream)?;
        let Some((name, value)) = field.split_once(':') else {
            break;
        };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "mcp-session-id" => answer.session = Some(value.to_owned()),
            _ => {}
        }
    }
    if !chunked {
        stream
            .take(length.min(LONGEST))
            .read_to_string(&mut answer.body)?;
        return Ok(answer);
    }
    loop {
        let size = u64::from_str_radix(&line(stream)?, 16).unwrap_or(0);
        stream
            .by_ref()
            .take(size.min(LONGEST))
            .read_to_string(&mut answer.body)?;
        line(stream)?;
        if size == 0 {
            return Ok(answer);
        }
    }
}

fn line(stream: &mut impl BufRead) -> std::io::Result<String> {
    let mut line = String::new();
    match stream.take(LONGEST).read_line(&mut line)? {
        0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(line.trim_end().to_owned()),
    }
}
