//! What a call through the guard costs more than a direct one, and than one through a proxy that
//! only copies bytes: on stdio and on HTTP, interleaved, with the memory of the guard.
//!
//! `cargo run --release -p toolgate-proxy --example guard_load -- [ROUNDS] [CALLS]` prints one table.
//! Each round makes CALLS calls one after the other on each way, then CALLS with 64 in flight.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolgate_guard::{Guard, Policy};
use toolgate_proxy::guard::{
    GuardOptions, HttpListener, Listener, Restart, Unobserved, Upstream, serve,
};
use toolgate_proxy::{HttpTarget, Launch};

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> Done<()> {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("echo-stdio") => echo_stdio(),
        Some("echo-http") => echo_http(),
        Some("copy-stdio") => runtime()?.block_on(copy_stdio()),
        Some("copy-http") => runtime()?.block_on(copy_http(&args.next().unwrap_or_default())),
        Some("guard-stdio") => runtime()?.block_on(guard_stdio()),
        Some("guard-http") => runtime()?.block_on(guard_http(&args.next().unwrap_or_default())),
        rounds => {
            let rounds = rounds.map_or(Ok(20), str::parse)?;
            let calls = args.next().map_or(Ok(500), |calls| calls.parse())?;
            drive(rounds, calls)
        }
    }
}

// The peers: as quick as they can be, so that what is measured is what stands between.

const TOOL: &str = r#"{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string","maxLength":1000},"count":{"type":"integer","minimum":0}},"required":["text"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}"#;

fn answer(line: &str) -> Option<String> {
    let id = line.split_once("\"id\":")?.1;
    let id = id.split([',', '}']).next()?.trim();
    let result = if line.contains("\"tools/call\"") {
        r#"{"content":[{"type":"text","text":"{\"text\":\"hello\"}"}],"structuredContent":{"text":"hello"}}"#.to_owned()
    } else if line.contains("\"initialize\"") {
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}"#.to_owned()
    } else {
        format!(r#"{{"tools":[{TOOL}]}}"#)
    };
    Some(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
    ))
}

fn echo_stdio() -> Done<()> {
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut output = std::io::stdout().lock();
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        if let Some(mut answer) = answer(&line) {
            answer.push('\n');
            output.write_all(answer.as_bytes())?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

fn echo_http() -> Done<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    for stream in listener.incoming() {
        let mut stream = stream?;
        std::thread::spawn(move || -> std::io::Result<()> {
            stream.set_nodelay(true)?;
            let mut input = BufReader::new(stream.try_clone()?);
            while let Some(body) = read_http(&mut input, &mut String::new())? {
                let text = match answer(&body) {
                    Some(answer) => format!(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s\r\nContent-Length: {}\r\n\r\n{answer}",
                        answer.len()
                    ),
                    None => "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_owned(),
                };
                stream.write_all(text.as_bytes())?;
            }
            Ok(())
        });
    }
    Ok(())
}

/// One request or answer of known length, and the session that it names; `None` at the end.
fn read_http(input: &mut impl BufRead, session: &mut String) -> std::io::Result<Option<String>> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let text = line.trim_end();
        if text.is_empty() {
            break;
        }
        let (name, value) = text.split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "mcp-session-id" => value.trim().clone_into(session),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some(String::from_utf8_lossy(&body).into_owned()))
}

// What stands between.

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

fn itself() -> std::io::Result<std::path::PathBuf> {
    std::env::current_exe()
}

async fn copy_stdio() -> Done<()> {
    use tokio::net::unix::pipe::OpenOptions;
    let mut child = tokio::process::Command::new(itself()?)
        .arg("echo-stdio")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let mut input = OpenOptions::new().open_receiver("/proc/self/fd/0")?;
    let mut output = OpenOptions::new().open_sender("/proc/self/fd/1")?;
    let there = async move { tokio::io::copy(&mut input, &mut to).await.map(drop) };
    let back = async move { tokio::io::copy(&mut from, &mut output).await.map(drop) };
    tokio::try_join!(there, back)?;
    Ok(())
}

async fn copy_http(upstream: &str) -> Done<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (mut client, _) = listener.accept().await?;
        let mut server = tokio::net::TcpStream::connect(upstream).await?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut server).await });
    }
}

fn guard() -> Done<Guard> {
    Ok(Guard::new(Policy::default())?)
}

async fn guard_stdio() -> Done<()> {
    let upstream = Upstream::Child {
        launch: Launch::new(itself()?).arg("echo-stdio"),
        restart: Restart::NEVER,
    };
    let options = GuardOptions::new("load", Listener::Stdio, upstream);
    let running = serve(options, guard()?, Arc::new(Unobserved)).await?;
    running.finished().await;
    Ok(())
}

async fn guard_http(upstream: &str) -> Done<()> {
    let target = HttpTarget::new(&format!("http://{upstream}/mcp"))?;
    let listener = Listener::Http(HttpListener::new("127.0.0.1:0".parse()?));
    let options = GuardOptions::new("load", listener, Upstream::Http(target));
    let running = serve(options, guard()?, Arc::new(Unobserved)).await?;
    if let Some(address) = running.address() {
        println!("{address}");
    }
    running.finished().await;
    Ok(())
}

// The driver.

/// One way to the server, on one connection.
trait Way {
    fn send(&mut self, message: &str) -> std::io::Result<()>;
    fn receive(&mut self) -> std::io::Result<String>;
}

struct Lines(
    std::process::ChildStdin,
    BufReader<std::process::ChildStdout>,
);

impl Way for Lines {
    fn send(&mut self, message: &str) -> std::io::Result<()> {
        self.0.write_all(format!("{message}\n").as_bytes())
    }

    fn receive(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        self.1.read_line(&mut line)?;
        Ok(line)
    }
}

struct Http {
    to: TcpStream,
    from: BufReader<TcpStream>,
    /// As the last answer named it.
    session: String,
}

impl Way for Http {
    fn send(&mut self, message: &str) -> std::io::Result<()> {
        let session = match self.session.as_str() {
            "" => String::new(),
            name => format!("Mcp-Session-Id: {name}\r\n"),
        };
        let text = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{session}MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{message}",
            message.len()
        );
        self.to.write_all(text.as_bytes())
    }

    fn receive(&mut self) -> std::io::Result<String> {
        Ok(read_http(&mut self.from, &mut self.session)?.unwrap_or_default())
    }
}

struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ended = child.kill();
            let _ended = child.wait();
        }
    }
}

fn stdio(mode: &str, running: &mut Running) -> Done<(Box<dyn Way>, u32)> {
    let mut child = Command::new(itself()?)
        .arg(mode)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let id = child.id();
    running.0.push(child);
    Ok((Box::new(Lines(to, BufReader::new(from))), id))
}

fn listening(mode: &str, upstream: &str, running: &mut Running) -> Done<(String, u32)> {
    let mut command = Command::new(itself()?);
    command.arg(mode).arg(upstream).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let Some(from) = child.stdout.take() else {
        return Err("no pipe".into());
    };
    let mut line = String::new();
    BufReader::new(from).read_line(&mut line)?;
    let id = child.id();
    running.0.push(child);
    Ok((line.trim().to_owned(), id))
}

fn http(address: &str) -> Done<Box<dyn Way>> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    Ok(Box::new(Http {
        to: stream.try_clone()?,
        from: BufReader::new(stream),
        session: String::new(),
    }))
}

fn call(id: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"hello","count":3}}}}}}"#
    )
}

struct Measured {
    name: &'static str,
    way: Box<dyn Way>,
    process: Option<u32>,
    single: Vec<Duration>,
    flight: Vec<Duration>,
    memory: Option<u64>,
}

fn drive(rounds: usize, calls: usize) -> Done<()> {
    let mut running = Running(Vec::new());
    let mut ways = Vec::new();
    for (name, mode) in [
        ("stdio direct", "echo-stdio"),
        ("stdio copy", "copy-stdio"),
        ("stdio guard", "guard-stdio"),
    ] {
        let (way, id) = stdio(mode, &mut running)?;
        ways.push((name, way, (mode == "guard-stdio").then_some(id)));
    }
    let (server, _) = listening("echo-http", "", &mut running)?;
    let (copy, _) = listening("copy-http", &server, &mut running)?;
    let (guard, id) = listening("guard-http", &server, &mut running)?;
    ways.push(("HTTP direct", http(&server)?, None));
    ways.push(("HTTP copy", http(&copy)?, None));
    ways.push(("HTTP guard", http(&guard)?, Some(id)));
    let mut measured: Vec<Measured> = Vec::new();
    for (name, mut way, process) in ways {
        open(way.as_mut())?;
        measured.push(Measured {
            name,
            way,
            process,
            single: Vec::new(),
            flight: Vec::new(),
            memory: None,
        });
    }
    for round in 0..rounds {
        for one in &mut measured {
            one.round(calls)?;
            if round == 0 {
                one.memory = one.process.and_then(resident);
            }
        }
    }
    report(&mut measured, calls);
    Ok(())
}

fn open(way: &mut dyn Way) -> Done<()> {
    way.send(r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}"#)?;
    way.receive()?;
    way.send(r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#)?;
    way.receive()?;
    Ok(())
}

impl Measured {
    fn round(&mut self, calls: usize) -> Done<()> {
        for id in 0..calls {
            let message = call(id);
            let begun = Instant::now();
            self.way.send(&message)?;
            let answer = self.way.receive()?;
            self.single.push(begun.elapsed());
            if !answer.contains("structuredContent") {
                return Err(format!("{}: {answer}", self.name).into());
            }
        }
        // On one HTTP connection requests are answered in turn.
        let most = if self.name.starts_with("HTTP") { 1 } else { 64 };
        let begun = Instant::now();
        let (mut sent, mut received) = (0, 0);
        while received < calls {
            while sent < calls && sent - received < most {
                self.way.send(&call(sent))?;
                sent += 1;
            }
            self.way.receive()?;
            received += 1;
        }
        self.flight.push(begun.elapsed());
        Ok(())
    }
}

fn report(measured: &mut [Measured], calls: usize) {
    println!("way              median µs   p99 µs   calls/s   memory MiB: first round, last");
    let mut medians = BTreeMap::new();
    for one in measured.iter_mut() {
        one.single.sort_unstable();
        one.flight.sort_unstable();
        let (median, late) = (at(&one.single, 50), at(&one.single, 99));
        let flight = at(&one.flight, 50).as_secs_f64().max(1e-9);
        let rate = u32::try_from(calls).map_or(0.0, |calls| f64::from(calls) / flight);
        let memory = match (one.memory, one.process.and_then(resident)) {
            (Some(first), Some(last)) => format!("{} KiB, {} KiB", first, last),
            _ => String::new(),
        };
        println!(
            "{:<16} {:>9.1} {:>8.1} {rate:>9.0}   {memory}",
            one.name,
            micros(median),
            micros(late)
        );
        medians.insert(one.name, micros(median));
    }
    for kind in ["stdio", "HTTP"] {
        let of = |way: &str| {
            medians
                .iter()
                .find(|(name, _)| **name == format!("{kind} {way}"))
        };
        if let (Some(direct), Some(copy), Some(guard)) = (of("direct"), of("copy"), of("guard")) {
            println!(
                "{kind}: the guard adds {:.1} µs to a direct call, {:.1} µs to a copied one",
                guard.1 - direct.1,
                guard.1 - copy.1
            );
        }
    }
}

fn at(sorted: &[Duration], percent: usize) -> Duration {
    let index = sorted.len().saturating_mul(percent) / 100;
    sorted
        .get(index.min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// The resident memory of a process in KiB.
fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
