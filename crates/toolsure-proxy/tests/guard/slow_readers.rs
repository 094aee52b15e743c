//! Clients that leave large answers unread, behind a server that others use too.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};
use toolsure_proxy::guard::GuardOptions;

use crate::common::{Served, call, modern, policy, python, text_of};

/// Results of 8 MB, which are more than the buffers of a socket take.
const LARGE: &str = r#"
for m, id, name, args in calls():
    text(id, "x" * 8_000_000 if args.get("large") else "small", **MORE)
"#;

fn of_24_mib(options: &mut GuardOptions) {
    options.bounds.memory_bytes = 24 << 20;
    options.bounds.caller_memory_bytes = 12 << 20;
}

/// Calls a tool, and reads nothing of the answer.
async fn unread(served: &Served) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let address = format!("127.0.0.1:{}", served.port).parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let message = modern(call(1, "echo", json!({"large": true}))).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: echo\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn a_program_that_all_share_does_not_wait_long_for_clients_that_do_not_read() {
    let served = Served::with(python(LARGE), policy(), of_24_mib).await;
    let mut stuck = Vec::new();
    for _ in 0..3 {
        stuck.push(unread(&served).await);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let begun = Instant::now();
    let small = served.modern(&modern(call(2, "echo", json!({})))).await;
    assert_eq!(text_of(&small.message()), "small");
    let waited = begun.elapsed();
    // More than one look, so the program was held back; and not until the deadline of the call.
    assert!(waited > Duration::from_secs(1), "{waited:?}");
    assert!(waited < Duration::from_secs(10), "{waited:?}");
    // A client that reads has all of its answer.
    let large = served
        .modern(&modern(call(3, "echo", json!({"large": true}))))
        .await;
    assert_eq!(text_of(&large.message()).len(), 8_000_000);
    let seen = served.seen.0.lock().unwrap();
    let count = |word: &str| seen.iter().filter(|event| event.contains(word)).count();
    assert!(count("GivenUp") >= 1, "{seen:?}");
    // The log has it once in a minute.
    assert_eq!(count("Note { what: \"slow-reader\""), 1, "{seen:?}");
}
