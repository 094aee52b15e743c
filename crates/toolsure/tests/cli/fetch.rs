//! `toolsure fetch` and `--fetch-host`: what is refused before anything leaves this machine.
//! Fetching itself is tested in `toolsure-fetch`, which can use a local server.

use std::fs;
use std::net::TcpListener;

use crate::run::{Dir, toolsure};

const REFERS: &str = r#"{"type": "object", "properties": {"a": {"$ref": "URI"}}}"#;

fn listing(dir: &Dir, uri: &str) -> String {
    let schema = REFERS.replace("URI", uri);
    let text = format!(r#"[{{"name": "t", "description": "d", "inputSchema": {schema}}}]"#);
    dir.file("listing.json", &text)
}

#[test]
fn hosts_are_named_and_hold_no_addresses() {
    let dir = Dir::new();
    let file = listing(&dir, "https://schemas.example.com/a.json");
    assert_eq!(toolsure(&["fetch", &file]).code, 2);
    for host in ["127.0.0.1", "*", "https://example.com", "*.com"] {
        let run = toolsure(&["fetch", "--host", host, &file]);
        assert_eq!(run.code, 2, "{host}: {}", run.stderr);
        assert!(run.stderr.contains("invalid host"), "{}", run.stderr);
        assert_eq!(toolsure(&["check", "--fetch-host", host, &file]).code, 2);
    }
    let run = toolsure(&["fetch", "--host", "other.example.com", &file]);
    assert_eq!(run.code, 4);
    assert_eq!(
        run.stderr,
        "refused https://schemas.example.com/a.json: \
         the host `schemas.example.com` with port 443 is not allowed\n"
    );
}

/// No connection is made to a name of this machine, even if the operator allows it.
#[test]
fn a_host_of_this_machine_is_not_connected_to() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let dir = Dir::new();
    let uri = format!("https://localhost:{port}/a.json");
    let file = listing(&dir, &uri);
    let schema = dir.file("schema.json", &REFERS.replace("URI", &uri));
    let host = format!("localhost:{port}");
    let lock = dir.path("schemas.lock");
    let run = toolsure(&["fetch", "--host", &host, "--lock", &lock, &file]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    assert!(run.stderr.contains("which is not public"), "{}", run.stderr);
    assert!(run.stderr.contains("stays as it was"), "{}", run.stderr);
    assert!(!fs::exists(&lock).unwrap(), "a failure left a lock");
    let before = "version = 1\n";
    fs::write(&lock, before).unwrap();
    let run = toolsure(&["fetch", "--host", &host, "--lock", &lock, &file]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    assert_eq!(fs::read_to_string(&lock).unwrap(), before);
    // The other commands report it too, and the reference stays denied.
    for (command, file, code) in [
        ("check", &file, 6),
        ("lint", &file, 1),
        ("validate", &schema, 6),
    ] {
        let run = toolsure(&[command, "--fetch-host", &host, file]);
        assert_eq!(run.code, code, "{command}: {}", run.stderr);
        assert!(
            run.stderr.contains("which is not public"),
            "{command}: {}",
            run.stderr
        );
        // A URI that the lock does not have is not requested.
        let run = toolsure(&[command, "--fetch-host", &host, "--fetch-lock", &lock, file]);
        assert_eq!(run.code, code);
        assert!(
            run.stderr.contains("the lock has no digest for it"),
            "{}",
            run.stderr
        );
        // Without the flag, nothing is fetched.
        let run = toolsure(&[command, file]);
        assert_eq!(run.code, code);
        assert!(!run.stderr.contains("refused https"), "{}", run.stderr);
    }
    assert!(listener.accept().is_err(), "somebody connected");
}

#[test]
fn locks_that_cannot_be_read_are_said_first() {
    let dir = Dir::new();
    let file = listing(&dir, "https://schemas.example.com/a.json");
    let lock = dir.file("bad.lock", "version = 7\n");
    for args in [
        vec![
            "fetch",
            "--host",
            "schemas.example.com",
            "--lock",
            &lock,
            &file,
        ],
        vec![
            "check",
            "--fetch-host",
            "schemas.example.com",
            "--fetch-lock",
            &lock,
            &file,
        ],
    ] {
        let run = toolsure(&args);
        assert_eq!(run.code, 2);
        assert!(
            run.stderr.contains("version 7 is unknown"),
            "{}",
            run.stderr
        );
    }
    assert_eq!(toolsure(&["check", "--fetch-lock", &lock, &file]).code, 2);
    let nothing = dir.file("plain.json", r#"{"type": "object"}"#);
    let run = toolsure(&["fetch", "--host", "schemas.example.com", &nothing]);
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (
            0,
            "",
            "no schema refers to a document that has to be fetched\n"
        )
    );
}
