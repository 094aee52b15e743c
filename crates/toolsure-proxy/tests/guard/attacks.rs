//! Attacks on the listener and on sessions, each as a table: forged session ids, requests that two
//! readers read differently, other names for the guard, slow clients, and secrets in records.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolsure_proxy::Launch;
use toolsure_proxy::guard::{GuardOptions, Restart, Upstream};

use crate::common::{PATIENCE, Served, call, initialize, modern, policy, python};

const ECHO: &str = r#"
for m, id, name, args in calls():
    text(id, "ok", **MORE)
"#;

async fn served(change: impl FnOnce(&mut GuardOptions)) -> Served {
    Served::with(python(ECHO), policy(), change).await
}

/// Parts of two valid session ids never form a third one, wherever they are cut, and neither does
/// one with a letter more, less or in another case.
#[tokio::test]
async fn parts_of_two_session_ids_open_nothing() {
    let served = served(|_| {}).await;
    let (one, two) = (served.open().await, served.open().await);
    let mut forged = vec![
        format!("{one}{two}"),
        format!("{one}A"),
        format!("{one}="),
        one.to_ascii_lowercase(),
        one.chars().rev().collect(),
        one.get(1..).unwrap().to_owned(),
        one.get(..one.len() - 1).unwrap().to_owned(),
    ];
    for at in (1..one.len().min(two.len())).step_by(3) {
        let (head, tail) = (one.get(..at).unwrap(), two.get(at..).unwrap());
        forged.push(format!("{head}{tail}"));
    }
    let mut tried = 0;
    for session in forged.iter().filter(|name| **name != one && **name != two) {
        let reply = served
            .in_session(session, &call(1, "echo", json!({})))
            .await;
        assert_eq!(reply.status, 404, "{session}: {reply:?}");
        tried += 1;
    }
    assert!(tried > 30, "{tried}");
    for session in [&one, &two] {
        let reply = served
            .in_session(session, &call(2, "echo", json!({})))
            .await;
        assert_eq!(reply.status, 200, "{reply:?}");
    }
}

/// Heads whose end, names or lengths readers see differently (RFC 9112, sections 2.2, 6.3 and 7.1).
/// A request that is hidden behind the first is never answered.
#[tokio::test]
async fn heads_that_depend_on_the_reader_hide_no_request() {
    let served = served(|_| {}).await;
    let body = initialize(0).to_string();
    let length = body.len();
    let chunked = format!("{length:x}\r\n{body}\r\n0\r\n\r\n");
    let hidden = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    for (what, fields, sent, allowed) in [
        (
            "lengths in two cases",
            format!("content-length: {length}\r\nCONTENT-LENGTH: 5"),
            &body,
            &[400][..],
        ),
        (
            "two lengths in one field",
            format!("Content-Length: {length}, 5"),
            &body,
            &[400],
        ),
        (
            "a length after a bare line feed",
            format!("X-A: b\nContent-Length: 5\r\nContent-Length: {length}"),
            &body,
            &[400],
        ),
        (
            "chunked after a bare line feed",
            format!("X-A: b\nTransfer-Encoding: chunked\r\nContent-Length: {length}"),
            &chunked,
            &[200, 400],
        ),
        (
            "chunked after a bare carriage return",
            format!(
                "X-A: b\rTransfer-Encoding: chunked\r\nContent-Length: {length}\r\nConnection: close"
            ),
            &body,
            &[400],
        ),
        (
            "chunked twice",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked".to_owned(),
            &chunked,
            &[400],
        ),
        (
            "chunked in two cases and a length",
            "TRANSFER-ENCODING: Chunked\r\nContent-Length: 5".to_owned(),
            &chunked,
            &[200, 400],
        ),
        (
            "chunked with a vertical tab",
            "Transfer-Encoding: \x0bchunked".to_owned(),
            &chunked,
            &[400],
        ),
        (
            "chunked by another name",
            format!("Transfer_Encoding: chunked\r\nContent-Length: {length}\r\nConnection: close"),
            &body,
            &[200],
        ),
        (
            "a space in a name",
            format!("Content Length: 5\r\nContent-Length: {length}"),
            &body,
            &[400],
        ),
        (
            "a zero byte",
            format!("X-A: b\0c\r\nContent-Length: {length}"),
            &body,
            &[400],
        ),
        (
            "a negative length",
            "Content-Length: -1".to_owned(),
            &body,
            &[400],
        ),
        (
            "a length in hexadecimal",
            format!("Content-Length: 0x{length:x}"),
            &body,
            &[400],
        ),
        (
            "a length over 64 bits",
            "Content-Length: 18446744073709551617".to_owned(),
            &body,
            &[400, 413],
        ),
        (
            "a chunk size over 64 bits",
            "Transfer-Encoding: chunked".to_owned(),
            &format!("1{:016x}\r\n{body}\r\n0\r\n\r\n", length),
            &[400],
        ),
    ] {
        let request = format!("{head}{fields}\r\n\r\n{sent}{hidden}");
        let mut stream = TcpStream::connect(("127.0.0.1", served.port))
            .await
            .unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
        let _reset = read.unwrap_or_else(|_| panic!("{what}: the connection was not closed"));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status: u16 = answer
            .split(' ')
            .nth(1)
            .and_then(|one| one.parse().ok())
            .unwrap_or(0);
        assert!(allowed.contains(&status), "{what}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{what}: {answer}");
    }
}

/// A page that reached the guard through DNS rebinding sends its own host name or its origin.
#[tokio::test]
async fn only_names_of_the_guard_are_answered() {
    let served = served(|_| {}).await;
    for (host, status) in [
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("127.0.0.1", 200),
        ("127.0.0.1:65535", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("evil.example:127.0.0.1", 403),
        ("127.0.0.1.evil.example", 403),
        ("evil.example@localhost", 403),
        ("localhost@evil.example", 403),
        ("localhost:80@evil.example", 403),
        ("localhost:x", 403),
        ("localhost.", 403),
        ("localhost, evil.example", 403),
        ("2130706433", 403),
        ("0x7f.1", 403),
        ("0.0.0.0", 403),
        ("", 403),
    ] {
        let reply = served.post(&[("Host", host)], &initialize(0)).await;
        assert_eq!(reply.status, status, "Host: {host}: {reply:?}");
    }
    for (origin, status) in [
        ("http://localhost", 200),
        ("http://127.0.0.1:3000", 200),
        ("null", 403),
        ("", 403),
        ("localhost", 403),
        ("http://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://evil.example:80@localhost", 403),
        ("http://localhost@evil.example", 403),
        ("http://evil.example/://localhost", 403),
        ("http://evil.example#://localhost", 403),
        ("http://localhost http://evil.example", 403),
        ("file://", 403),
    ] {
        let reply = served.post(&[("Origin", origin)], &initialize(0)).await;
        assert_eq!(reply.status, status, "Origin: {origin}: {reply:?}");
    }
}

/// A client that sends single bytes slowly has no more time than one that sends nothing.
#[tokio::test]
async fn slow_clients_are_closed_in_time() {
    const TIME: Duration = Duration::from_millis(400);
    let served = served(|options| {
        options.times.head = TIME;
        options.times.body = TIME;
    })
    .await;
    let body = initialize(0).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let chunked = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (what, at_once, slowly) in [
        ("a head", "", head.as_str()),
        (
            "fields without end",
            "POST /mcp HTTP/1.1\r\n",
            &"X: y\r\n".repeat(1_000),
        ),
        ("a body", head.as_str(), body.as_str()),
        ("chunks", chunked, &"1\r\n \r\n".repeat(1_000)),
    ] {
        let stream = TcpStream::connect(("127.0.0.1", served.port))
            .await
            .unwrap();
        let (mut from, mut to) = stream.into_split();
        let began = Instant::now();
        to.write_all(at_once.as_bytes()).await.unwrap();
        let slowly = slowly.as_bytes().to_vec();
        let writer = tokio::spawn(async move {
            for byte in slowly {
                if to.write_all(&[byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(25)).await;
            }
            // Keeps the connection open after everything was sent.
            tokio::time::sleep(PATIENCE).await;
        });
        let mut answer = Vec::new();
        let read = tokio::time::timeout(PATIENCE, from.read_to_end(&mut answer)).await;
        let _reset = read.unwrap_or_else(|_| panic!("{what}: the connection stayed open"));
        writer.abort();
        let lasted = began.elapsed();
        let answer = String::from_utf8_lossy(&answer);
        assert!(
            answer.is_empty() || answer.contains(" 408 "),
            "{what}: {answer}"
        );
        // To send the whole body would take several seconds.
        assert!(lasted >= TIME && lasted < TIME * 6, "{what}: {lasted:?}");
    }
    let reply = served.post(&[], &initialize(0)).await;
    assert_eq!(reply.status, 200, "the guard still serves");
}

/// Secrets of callers, operators and servers are in no record, no note and no `Debug` output.
#[tokio::test]
async fn secrets_are_in_nothing_that_is_recorded() {
    const SECRET: &str = "canary-5f1c";
    // The command line of a server is no secret, so the script builds the secret from two parts.
    let script = r#"
import os
SECRET = "canary" + "-5f1c"
for m, id, name, args in calls():
    if name == "bad":
        send({"jsonrpc": "2.0", "id": id, "result": {"content": SECRET}})
    elif name == "fail":
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -1, "message": SECRET}})
    elif name == "odd":
        raw(SECRET)
        text(id, "ok", **MORE)
    else:
        text(id, os.environ.get("API_KEY", "none"), **MORE)
"#;
    let Upstream::Child { launch, .. } = python(script) else {
        panic!("a child was asked for");
    };
    let launch: Launch = launch.env("API_KEY", format!("{SECRET}-env"));
    let upstream = Upstream::Child {
        launch: launch.clone(),
        restart: Restart::NEVER,
    };
    let mut options = String::new();
    let served = Served::with(upstream, policy(), |made| options = format!("{made:?}")).await;
    assert!(
        !format!("{launch:?}{options}").contains(SECRET),
        "{options}"
    );
    let headers = [
        ("Authorization", format!("Bearer {SECRET}-token")),
        ("Cookie", format!("id={SECRET}-cookie")),
        ("X-Api-Key", format!("{SECRET}-header")),
        ("Mcp-Session-Id", format!("{SECRET}-session")),
        ("Last-Event-ID", format!("{SECRET}-event")),
        ("MCP-Protocol-Version", format!("{SECRET}-version")),
        ("Origin", format!("http://{SECRET}-origin.example")),
    ];
    let mut sent = 0;
    for first in 0..headers.len() {
        // A header that is refused would hide those after it, so each is also sent alone.
        let given = headers
            .iter()
            .skip(first)
            .map(|(name, value)| (*name, value.as_str()));
        for message in [initialize(0), call(1, "echo", json!({"key": SECRET}))] {
            let one: Vec<(&str, &str)> = given.clone().take(1).collect();
            served.post(&one, &message).await;
            let rest: Vec<(&str, &str)> = given.clone().collect();
            served.post(&rest, &message).await;
            sent += 2;
        }
    }
    for message in [
        modern(call(
            2,
            "echo",
            json!({"key": format!("{SECRET}-argument")}),
        )),
        modern(call(3, "bad", json!({}))),
        modern(call(4, "fail", json!({}))),
        modern(call(5, "odd", json!({}))),
        modern(
            json!({"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {"name": 7, "arguments": SECRET}}),
        ),
        modern(
            json!({"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": format!("file:///{SECRET}")}}),
        ),
    ] {
        served.modern(&message).await;
        sent += 1;
    }
    for body in [
        format!("{{\"id\":8,\"key\":\"{SECRET}"),
        format!("[\"{SECRET}\"]"),
        SECRET.to_owned(),
    ] {
        served.request("POST", &[], &body).await;
        sent += 1;
    }
    let seen = served.seen.clone();
    served.stop().await;
    let (events, records) = (seen.0.lock().unwrap(), seen.1.lock().unwrap());
    assert!(records.len() > 5 && sent > 30, "{sent} {records:?}");
    let all = format!("{events:?} {}", Value::from(records.clone()));
    let found: Vec<&str> = all
        .match_indices(SECRET)
        .map(|(at, _)| context(&all, at))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// The text around a byte, for a message.
fn context(text: &str, at: usize) -> &str {
    let from = (0..=at.saturating_sub(120))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    text.get(from.unwrap_or(0)..)
        .map_or("", |rest| rest.get(..200).unwrap_or(rest))
}
