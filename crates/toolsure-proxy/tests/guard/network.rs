//! The ordinary network: clients that vanish or stay silent, too many of them, answers that take long.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use toolsure_guard::policy::Rate;
use toolsure_proxy::guard::{Exit, Listener};

use crate::common::{Open, Served, call, modern, policy, python, text_of};

const ECHO: &str = r#"
for m, id, name, args in calls(): text(id, "ok", **MORE)
"#;

/// Reads lines until a comment of an event stream.
async fn comment(stream: &mut Open) {
    while stream.line().await != ":" {}
}

/// Reads until the end of the stream, or for at most `limit`.
async fn read_for(stream: &mut TcpStream, limit: Duration) -> String {
    let mut read = Vec::new();
    let whole = stream.read_to_end(&mut read);
    let _or_still_open = timeout(limit, whole).await;
    String::from_utf8_lossy(&read).into_owned()
}

#[tokio::test]
async fn a_silent_stream_gets_comments_and_a_session_keeps_its_newest_streams() {
    let served = Served::with(python(ECHO), policy(), |options| {
        options.times.keepalive = Duration::from_millis(100);
        options.bounds.session_streams = 2;
    })
    .await;
    let session = served.open().await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(served.listen(&session).await);
    }
    let (mut newest, mut oldest) = (streams.pop().unwrap(), streams.remove(0));
    comment(&mut newest).await;
    comment(&mut newest).await;
    let ended = timeout(Duration::from_secs(5), oldest.rest());
    assert!(ended.await.is_ok(), "the oldest stream goes on");
}

#[tokio::test]
async fn one_connection_too_many_is_told_so_and_the_log_has_one_line() {
    let served = Served::with(python(ECHO), policy(), |options| {
        options.bounds.connections = 2;
    })
    .await;
    let connect = || TcpStream::connect(("127.0.0.1", served.port));
    let (one, two) = (connect().await.unwrap(), connect().await.unwrap());
    let second = Duration::from_secs(3);
    for _ in 0..3 {
        let mut third = connect().await.unwrap();
        third
            .write_all(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await
            .unwrap();
        let answer = read_for(&mut third, second).await;
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(answer.contains("\r\nRetry-After: 1\r\n"), "{answer}");
        assert!(answer.contains("limits.connections"), "{answer}");
    }
    drop((one, two));
    let reply = served.modern(&modern(call(1, "echo", json!({})))).await;
    assert_eq!(reply.status, 200);
    let seen = served.seen.0.lock().unwrap();
    let count = |word: &str| seen.iter().filter(|event| event.contains(word)).count();
    assert_eq!(
        (count("limit-reached"), count("Rejected")),
        (1, 3),
        "{seen:?}"
    );
}

#[tokio::test]
async fn a_long_call_begins_its_answer_for_clients_that_read_streams() {
    let script = r#"
for m, id, name, args in calls():
    threading.Timer(3, lambda id=id: text(id, "late", **MORE)).start()
"#;
    let served = Served::with(python(script), policy(), |options| {
        options.times.keepalive = Duration::from_millis(200);
    })
    .await;
    let session = served.open().await;
    let asked = call(1, "echo", json!({})).to_string();
    let of_session = ("Mcp-Session-Id", session.as_str());
    let both = ("Accept", "application/json, text/event-stream");
    let begun = Instant::now();
    let mut stream = served.begin("POST", &[of_session, both], &asked).await;
    comment(&mut stream).await;
    assert!(begun.elapsed().as_millis() < 2_500, "{:?}", begun.elapsed());
    stream.until("late").await;
    // A client that reads JSON only has the answer as a whole.
    let json = ("Accept", "application/json");
    let mut whole = served.begin("POST", &[of_session, json], &asked).await;
    assert_eq!(text_of(&whole.rest().await.message()), "late");
}

#[tokio::test]
async fn a_vanished_client_loses_its_session_though_its_stream_is_open() {
    let served = Served::with(python(ECHO), policy(), |options| {
        options.times.idle = Duration::from_millis(800);
    })
    .await;
    let session = served.open().await;
    let mut listening = served.listen(&session).await;
    let ended = timeout(Duration::from_secs(10), listening.rest());
    assert!(ended.await.is_ok(), "the stream keeps its session");
    let reply = served
        .in_session(&session, &call(1, "echo", json!({})))
        .await;
    assert_eq!(reply.status, 404);
}

/// As long as a call is open after the stop, load balancers that still send requests here are told to
/// send them elsewhere.
#[tokio::test]
async fn a_guard_that_stops_answers_new_connections_until_the_last_call_has_its_answer() {
    let marker = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("released-{}", std::process::id()));
    let _absent = std::fs::remove_file(&marker);
    let script = format!(
        r#"
for m, id, name, args in calls():
    send({{"jsonrpc": "2.0", "method": "notifications/message", "params": {{"level": "info", "data": "at work"}}}})
    while not os.path.exists({marker:?}): time.sleep(0.01)
    text(id, "late", **MORE)
"#
    );
    let served = Served::start(python(&script)).await;
    let session = served.open().await;
    let mut listening = served.listen(&session).await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let hang = call(1, "hang", json!({})).to_string();
    let mut waiting = served.begin("POST", &headers, &hang).await;
    listening.until("at work").await;
    served.running.stop();
    listening.rest().await;
    for _ in 0..3 {
        let refused = served.modern(&modern(call(1, "echo", json!({})))).await;
        assert_eq!(refused.status, 503, "{refused:?}");
        assert!(refused.body.contains("shutting down"), "{refused:?}");
    }
    std::fs::write(&marker, "").unwrap();
    assert_eq!(text_of(&waiting.rest().await.message()), "late");
    assert!(matches!(served.stop().await, Exit::Stopped));
    std::fs::remove_file(&marker).unwrap();
}

#[tokio::test]
async fn clients_behind_a_trusted_proxy_are_told_apart() {
    for is_trusted in [true, false] {
        let mut policy = policy();
        policy.address_rate = Some(Rate {
            calls: 1,
            per: Duration::from_secs(1_000),
            burst: 1,
        });
        let served = Served::with(python(ECHO), policy, |options| {
            if let Listener::Http(listener) = &mut options.listener
                && is_trusted
            {
                listener.trusted_proxies = vec!["127.0.0.0/8".to_owned()];
            }
        })
        .await;
        let session = served.open().await;
        let mut refused = Vec::new();
        for client in ["192.0.2.1", "192.0.2.2", "192.0.2.1"] {
            // What a client wrote itself does not count.
            let forwarded = format!("198.51.100.{}, {client}", refused.len());
            let headers = [
                ("Mcp-Session-Id", session.as_str()),
                ("X-Forwarded-For", forwarded.as_str()),
            ];
            let reply = served.post(&headers, &call(1, "echo", json!({}))).await;
            refused.push(reply.body.contains("may call tools once"));
        }
        assert_eq!(refused, [false, !is_trusted, true]);
        let records = served.seen.1.lock().unwrap();
        let last = records.last().unwrap()["address"].as_str().unwrap();
        assert_eq!(last == "192.0.2.1", is_trusted, "{last}");
    }
}

#[tokio::test]
async fn a_connection_may_wait_longer_for_a_request_than_a_request_for_its_head() {
    let served = Served::with(python(ECHO), policy(), |options| {
        options.times.head = Duration::from_millis(300);
        options.times.reuse = Duration::from_millis(1_500);
    })
    .await;
    let ping = modern(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n\
         Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n\
         Content-Length: {}\r\n\r\n{ping}",
        ping.len()
    );
    let mut stream = TcpStream::connect(("127.0.0.1", served.port))
        .await
        .unwrap();
    for _ in 0..3 {
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = read_for(&mut stream, Duration::from_millis(700)).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    // A head that begins has no more time than `head`.
    let begun = Instant::now();
    stream.write_all(b"POST /mcp HTT").await.unwrap();
    read_for(&mut stream, Duration::from_secs(20)).await;
    let took = begun.elapsed();
    assert!(took < Duration::from_millis(1_200), "{took:?}");
    // A connection without a request is closed in the end; a new one has less time.
    for (requests, least, most) in [(1, 1_400, 15_000), (0, 250, 1_300)] {
        let mut stream = TcpStream::connect(("127.0.0.1", served.port))
            .await
            .unwrap();
        let begun = Instant::now();
        for _ in 0..requests {
            stream.write_all(request.as_bytes()).await.unwrap();
        }
        read_for(&mut stream, Duration::from_secs(20)).await;
        let took = begun.elapsed().as_millis();
        assert!((least..most).contains(&took), "{took}");
    }
}

#[tokio::test]
async fn a_stream_too_many_ends_one_other() {
    let served = Served::with(python(ECHO), policy(), |options| {
        options.times.keepalive = Duration::from_millis(100);
        options.bounds.session_streams = 2;
        options.bounds.caller_streams = 4;
    })
    .await;
    let (one, two) = (served.open().await, served.open().await);
    let mut streams = Vec::new();
    // The last is one too many for its session and for the caller of both.
    for session in [&one, &one, &two, &two, &two] {
        streams.push(served.listen(session).await);
    }
    let mut ended = streams.remove(2);
    ended.rest().await;
    for stream in &mut streams {
        comment(stream).await;
        comment(stream).await;
    }
}
