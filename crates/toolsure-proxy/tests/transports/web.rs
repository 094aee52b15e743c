//! A raw TCP server with handwritten HTTP, so that it can violate the protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// One HTTP request as the scripted server sees it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The JSON-RPC method in the body.
    pub(crate) fn rpc(&self) -> String {
        self.json()
            .get("method")
            .and_then(|method| method.as_str())
            .unwrap_or_default()
            .to_owned()
    }

    /// The JSON-RPC id in the body, as JSON text.
    pub(crate) fn id(&self) -> String {
        self.json()
            .get("id")
            .cloned()
            .unwrap_or_default()
            .to_string()
    }

    /// The body. Lone surrogates, which `serde_json` refuses, are left out.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body.replace(r"\ud83d", "")).unwrap_or_default()
    }
}

/// A server that answers one request on each connection; a function writes the raw response.
pub(crate) struct Web {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Web {
    /// The function gets the stream to write to, and may keep the connection open: it decides when
    /// to return.
    pub(crate) fn start(answer: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    let request = read_request(&stream);
                    log.lock().unwrap().push(request.clone());
                    answer(&request, &mut stream);
                });
            }
        });
        Self { url, seen }
    }

    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

fn read_request(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut request = Request {
        method,
        path,
        headers,
        body: String::new(),
    };
    let length = request
        .header("content-length")
        .and_then(|value| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    request.body = String::from_utf8(body).unwrap();
    request
}

/// Writes a whole response and lets the connection close.
pub(crate) fn respond(stream: &mut TcpStream, status: &str, headers: &str, body: &str) {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
    );
    let _reader_may_be_gone = stream.write_all(text.as_bytes());
}

pub(crate) const JSON: &str = "Content-Type: application/json\r\n";
