//! Session ids, at three listeners of the guard in front of one server over HTTP.
//!
//! An id is sealed with fresh randomness, so an input is a recipe: the first line says where the id is used (`at
//! REPLICA KEYS CALLER METHOD`), each other line adds to it or changes it. `id N` is a good id, `piece N FROM TO` some
//! letters of one, `cut N` drops all but the first letters, `flip N` changes one bit of what the letters stand for, from the end,
//! `rotate N` moves letters from the front to the end. Any other line stands for its own text.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;

use toolsure_guard::{Guard, Policy};
use toolsure_proxy::HttpTarget;
use toolsure_proxy::guard::{
    GuardOptions, HttpListener, Listener, SessionKeys, Unobserved, Upstream, serve,
};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::seeds::Seeds;

#[path = "../../../xtask/src/replicas/http.rs"]
mod http;

use http::{Reply, request};

pub(super) const TARGET: Target = Target {
    name: "tickets",
    about: "an id that a guard gave opens its session, for its caller, under its keys; no other text opens any, or reaches the server",
    run,
    seeds,
    gate: 5_000,
};

fn run(input: &[u8]) -> Outcome {
    static SCENE: OnceLock<Result<Mutex<Scene>, String>> = OnceLock::new();
    let scene = SCENE.get_or_init(|| Scene::new().map(Mutex::new)).as_ref();
    let scene = scene.map_err(Clone::clone)?;
    // One input at a time: each sets the keys of the last replica.
    let scene = scene.lock().unwrap_or_else(PoisonError::into_inner);
    let Ok(recipe) = std::str::from_utf8(input) else {
        return Ok(());
    };
    let (first, rest) = recipe.split_once('\n').unwrap_or((recipe, ""));
    let mut numbers = numbers(first.strip_prefix("at").unwrap_or(first));
    let mut choose = |most: usize| numbers.next().unwrap_or_default() % most;
    let (replica, keys) = (choose(REPLICAS), choose(KEYS.len()));
    let (caller, method) = (choose(CALLERS.len()), choose(METHODS.len()));
    let name = scene.name(rest);
    // What a field's value cannot hold, and what a request may leave out.
    let name = name.trim_matches([' ', '\t']);
    if name.is_empty() || name.len() > LONGEST || name.chars().any(char::is_control) {
        return Ok(());
    }
    scene.judge(replica, keys, caller, method, name)
}

/// A session that a client opened.
struct Opened {
    id: String,
    /// The secret that sealed it: that of the replica with this number.
    secret: usize,
    caller: usize,
    /// The server's own name for it.
    upstream: String,
}

struct Scene {
    replicas: Vec<(SocketAddr, SessionKeys)>,
    opened: Vec<Opened>,
    /// How many calls the server had.
    calls: Arc<AtomicUsize>,
}

impl Scene {
    fn new() -> Result<Self, String> {
        let calls = Arc::new(AtomicUsize::new(0));
        let upstream = upstream(Arc::clone(&calls))?;
        let mut scene = Self {
            replicas: guards(upstream)?,
            opened: Vec::new(),
            calls,
        };
        for secret in 0..SEALING {
            for caller in 0..CALLERS.len() {
                let id = scene.open(secret, caller)?;
                scene.opened.push(id);
            }
        }
        Ok(scene)
    }

    fn open(&self, replica: usize, caller: usize) -> Result<Opened, String> {
        let reply = self.send(replica, "POST", None, caller, INITIALIZE)?;
        let id = reply.header("mcp-session-id").map(str::to_owned);
        let id = id.ok_or_else(|| format!("no session: {} {}", reply.status, reply.body))?;
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        self.send(replica, "POST", Some(&id), caller, ready)?;
        let reply = self.send(replica, "POST", Some(&id), caller, CALL)?;
        let upstream = text(&reply).ok_or_else(|| format!("{} {}", reply.status, reply.body))?;
        Ok(Opened {
            id,
            secret: replica,
            caller,
            upstream,
        })
    }

    /// The id that a recipe makes.
    fn name(&self, recipe: &str) -> String {
        let mut name = String::new();
        for line in recipe.lines().take(MOST_LINES) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let mut numbers = numbers(rest);
            let mut next = || numbers.next().unwrap_or_default();
            match word {
                "id" => name.push_str(self.id(next())),
                "piece" => {
                    let (id, from) = (self.id(next()), next());
                    let to = next();
                    name.push_str(id.get(from..to.min(id.len())).unwrap_or_default());
                }
                "cut" => name = name.chars().take(next()).collect(),
                "flip" => name = flipped(&name, next()),
                "rotate" => {
                    let at = next() % name.chars().count().max(1);
                    let (front, end): (Vec<_>, Vec<_>) =
                        name.chars().enumerate().partition(|(index, _)| *index < at);
                    name = end.iter().chain(&front).map(|(_, c)| c).collect();
                }
                _ => name.push_str(line),
            }
        }
        name
    }

    fn id(&self, number: usize) -> &str {
        let opened = self.opened.get(number % self.opened.len().max(1));
        opened.map_or("", |opened| &opened.id)
    }

    fn judge(
        &self,
        replica: usize,
        keys: usize,
        caller: usize,
        method: usize,
        name: &str,
    ) -> Outcome {
        let turning = KEYS.get(keys).copied().unwrap_or_default();
        if let Some((_, keys)) = self.replicas.last() {
            let secrets: Vec<&str> = turning.iter().map(|key| secret(*key)).collect();
            keys.replace(&secrets).map_err(|error| error.to_string())?;
        }
        let opens = |secret: usize| match replica {
            TURNING => turning.contains(&secret),
            own => own == secret,
        };
        let good = self.opened.iter().find(|opened| {
            // Without authorization an id is good for whoever has it.
            let owned = opened.caller == 0 || opened.caller == caller;
            opened.id == name && opens(opened.secret) && owned
        });
        let before = self.calls.load(Ordering::SeqCst);
        match good {
            Some(opened) => self.is_open(replica, caller, opened)?,
            None => {
                let method = METHODS.get(method).copied().unwrap_or("POST");
                let body = if method == "POST" { CALL } else { "" };
                let reply = self.send(replica, method, Some(name), caller, body)?;
                ensure!(
                    (400..500).contains(&reply.status) && text(&reply).is_none(),
                    "{method} with `{name}` at replica {replica} is answered with {} {}",
                    reply.status,
                    reply.body
                );
                let reached = self.calls.load(Ordering::SeqCst) - before;
                ensure!(reached == 0, "`{name}` reached the server");
            }
        }
        // Whatever was tried, a good id goes on at the replica that gave it.
        let next = self.opened.get(before % self.opened.len().max(1));
        next.map_or(Ok(()), |opened| {
            self.is_open(opened.secret, opened.caller, opened)
        })
    }

    fn is_open(&self, replica: usize, caller: usize, opened: &Opened) -> Outcome {
        let reply = self.send(replica, "POST", Some(&opened.id), caller, CALL)?;
        ensure!(
            reply.status == 200 && text(&reply).as_ref() == Some(&opened.upstream),
            "a good id of replica {} at replica {replica} is answered with {} {}",
            opened.secret,
            reply.status,
            reply.body
        );
        Ok(())
    }

    fn send(
        &self,
        replica: usize,
        method: &str,
        session: Option<&str>,
        caller: usize,
        body: &str,
    ) -> Result<Reply, String> {
        let (address, _) = self.replicas.get(replica).ok_or("no such replica")?;
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        headers.extend(session.map(|id| ("Mcp-Session-Id", id)));
        headers.extend(session.map(|_| ("MCP-Protocol-Version", VERSION)));
        let authorization = CALLERS.get(caller).copied().flatten();
        headers.extend(authorization.map(|value| ("Authorization", value)));
        request(*address, method, "/mcp", &headers, body)
    }
}

/// The text of a tool's result.
fn text(reply: &Reply) -> Option<String> {
    let message = reply.message();
    let text = message.pointer("/result/content/0/text")?;
    text.as_str().map(str::to_owned)
}

/// One bit other in what a letter of base64 stands for, counted from the end.
fn flipped(name: &str, bit: usize) -> String {
    let letters = name.chars().count();
    let at = letters.checked_sub(1 + bit / 6 % letters.max(1));
    let (at, bit) = (at.unwrap_or_default(), bit % 6);
    let change = |(index, letter): (usize, char)| {
        let value = LETTERS.chars().position(|own| own == letter);
        let value = value.filter(|_| index == at);
        let other = value.and_then(|value| LETTERS.chars().nth(value ^ (1 << bit)));
        other.unwrap_or(letter)
    };
    name.chars().enumerate().map(change).collect()
}

fn numbers(words: &str) -> impl Iterator<Item = usize> {
    let numbers = words.split_whitespace().map(str::parse);
    numbers.map(Result::unwrap_or_default)
}

/// The guards, each with keys of its own, for as long as the process lives.
fn guards(upstream: SocketAddr) -> Result<Vec<(SocketAddr, SessionKeys)>, String> {
    let (to, from) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        match runtime {
            Ok(runtime) => runtime.block_on(async {
                // Kept: a guard ends with its handle's task.
                let mut running = Vec::new();
                for replica in 0..REPLICAS {
                    let started = guard(upstream, replica).await;
                    running.push(started.map(|(running, keys)| {
                        let address = running.address();
                        (running, address, keys)
                    }));
                }
                let told = running.iter().map(|one| match one {
                    Ok((_, Some(address), keys)) => Ok((*address, keys.clone())),
                    Ok(_) => Err("a guard has no address".to_owned()),
                    Err(error) => Err(error.clone()),
                });
                drop(to.send(told.collect()));
                std::future::pending::<()>().await;
            }),
            Err(error) => drop(to.send(Err(error.to_string()))),
        }
    });
    from.recv().map_err(|error| error.to_string())?
}

async fn guard(
    upstream: SocketAddr,
    replica: usize,
) -> Result<(toolsure_proxy::guard::Running, SessionKeys), String> {
    let target = HttpTarget::new(&format!("http://{upstream}/mcp"));
    let target = target.map_err(|error| error.to_string())?;
    let listener = Listener::Http(HttpListener::new(SocketAddr::from(([127, 0, 0, 1], 0))));
    let mut options = GuardOptions::new("server", listener, Upstream::Http(target));
    let keys = SessionKeys::default();
    let replaced = keys.replace(&[secret(replica)]);
    replaced.map_err(|error| error.to_string())?;
    options.sessions.keys = keys.clone();
    let guard = Guard::new(Policy::default()).map_err(|error| error.to_string())?;
    let running = serve(options, guard, Arc::new(Unobserved)).await;
    Ok((running.map_err(|error| error.to_string())?, keys))
}

fn secret(number: usize) -> &'static str {
    SECRETS.get(number).copied().unwrap_or_default()
}

/// A server over HTTP that names its sessions by number and says in which of them it was called.
fn upstream(calls: Arc<AtomicUsize>) -> Result<SocketAddr, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let sessions = Arc::new(AtomicUsize::new(0));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (calls, sessions) = (Arc::clone(&calls), Arc::clone(&sessions));
            drop(stream.set_nodelay(true));
            thread::spawn(move || answer_all(stream, &calls, &sessions));
        }
    });
    Ok(address)
}

fn answer_all(
    mut stream: TcpStream,
    calls: &AtomicUsize,
    sessions: &AtomicUsize,
) -> std::io::Result<()> {
    let mut input = BufReader::new(stream.try_clone()?);
    loop {
        let (mut length, mut session) = (0, String::new());
        let mut line = String::new();
        loop {
            line.clear();
            if input.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let Some((name, value)) = line.trim_end().split_once(':') else {
                if line.trim_end().is_empty() {
                    break;
                }
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "mcp-session-id" => value.trim().clone_into(&mut session),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body)?;
        let message: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let result = match message.get("method").and_then(serde_json::Value::as_str) {
            Some("initialize") => {
                session = format!("s-{}", sessions.fetch_add(1, Ordering::SeqCst));
                INITIALIZED.to_owned()
            }
            Some("tools/list") => LISTING.to_owned(),
            Some("tools/call") => {
                calls.fetch_add(1, Ordering::SeqCst);
                format!(r#"{{"content":[{{"type":"text","text":"{session}"}}]}}"#)
            }
            _ => "{}".to_owned(),
        };
        let (status, text) = match message.get("id") {
            Some(id) => (
                "200 OK",
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            ),
            None if body.is_empty() => ("405 Method Not Allowed", String::new()),
            None => ("202 Accepted", String::new()),
        };
        // At once: two small writes would wait for each other.
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nMcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        );
        stream.write_all(answer.as_bytes())?;
    }
}

fn seeds(_: &Seeds) -> Vec<Vec<u8>> {
    let recipes = [
        "at 0 0 0 0\nid 0",
        "at 0 0 0 0\nid 3",
        "at 1 0 1 0\nid 4",
        "at 1 0 2 0\nid 4",
        "at 2 2 2 0\nid 5\n",
        "at 2 3 1 0\nid 1\nflip 0",
        "at 0 0 0 0\nid 0\nflip 1",
        "at 0 0 0 0\nid 0\nflip 595",
        "at 2 4 0 0\nid 0",
        "at 0 0 0 0\npiece 0 0 40\npiece 3 40 400",
        "at 0 0 0 0\npiece 1 0 33\npiece 0 33 400",
        "at 0 0 0 1\nid 0\ncut 90",
        "at 0 0 0 0\nid 0\n=",
        "at 0 0 0 0\nid 0\nid 0",
        "at 0 0 0 0\nid 0\nrotate 1",
        "at 0 0 0 0\nAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "at 0 0 0 1\ns-0",
        "at 0 0 0 0\nid 0\n, \nid 0",
    ];
    recipes.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// What an id may be sealed with; nobody seals with the last.
const SECRETS: [&str; 3] = [
    "the first secret, of more than 32 bytes",
    "the second secret, of more than 32 bytes",
    "the third secret, that seals no id at all",
];
/// The replicas that give ids, each with the secret of its number.
const SEALING: usize = 2;
/// The replica whose keys each input sets.
const TURNING: usize = 2;
const REPLICAS: usize = 3;
/// The keys that it may have.
const KEYS: [&[usize]; 6] = [&[0], &[1], &[1, 0], &[0, 1], &[2], &[2, 1, 0]];
const CALLERS: [Option<&str>; 3] = [None, Some("Bearer one"), Some("Bearer two")];
/// With a good id only calls are made, so that its session goes on.
const METHODS: [&str; 3] = ["POST", "DELETE", "GET"];
const VERSION: &str = "2025-11-25";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"0"}}}"#;
const INITIALIZED: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"server","version":"1"}}"#;
const LISTING: &str = r#"{"tools":[{"name":"where","inputSchema":{"type":"object"}}]}"#;
const CALL: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"where","arguments":{}}}"#;
/// The letters that ids are written in (RFC 4648, section 5).
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Letters of the longest name that is tried, and lines of the longest recipe.
const LONGEST: usize = 6_000;
const MOST_LINES: usize = 64;
