//! The fetcher with servers on this machine: what it fetches, and what it refuses.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod server;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use server::{Names, Only, Public, Reply, Server};
use toolsure_fetch::{Dangerous, Digest, FetchError, Fetched, Fetcher, Host, Limits, Lock};
use toolsure_schema::Compiler;

const HOST: &str = "schemas.example.com";

fn refers(uri: &str) -> String {
    format!(r#"{{"$ref": "{uri}"}}"#)
}

fn raw(head: &str, body: &[u8]) -> Reply {
    Reply::Raw([head.as_bytes(), b"\r\n\r\n", body].concat())
}

fn redirect(to: &str) -> Reply {
    raw(
        &format!("HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: {to}"),
        b"",
    )
}

fn error(fetched: &Fetched) -> &FetchError {
    assert!(fetched.documents.is_empty());
    assert_eq!(fetched.events.len(), 1, "{:?}", fetched.events);
    fetched.events[0].outcome.as_ref().unwrap_err()
}

#[tokio::test]
async fn references_of_fetched_documents_are_fetched_and_the_schema_compiles() {
    let first = r#"{"properties": {"b": {"$ref": "b.json#/$defs/x"}, "i": {"$ref": "a.json"}}}"#;
    let server = Server::start(
        &[HOST],
        &[
            ("/a.json", Reply::Json(first.to_owned())),
            (
                "/b.json",
                Reply::Json(r#"{"$defs": {"x": {"type": "string"}}}"#.to_owned()),
            ),
        ],
    )
    .await;
    let schema = refers(&server.uri(HOST, "/a.json#"));
    let other = refers(&server.uri(HOST, "/b.json"));
    let fetcher = server.fetcher(&[HOST]);
    let fetched = fetcher.references(&[&schema, &other], &[]).await;
    assert!(!fetched.has_failed(), "{:?}", fetched.events);
    let uris: Vec<&str> = fetched
        .documents
        .iter()
        .map(|one| one.uri.as_str())
        .collect();
    assert_eq!(
        uris,
        [server.uri(HOST, "/a.json"), server.uri(HOST, "/b.json")]
    );
    assert_eq!(server.seen().len(), 2, "each URI is asked for once");
    assert_eq!(fetched.documents[0].digest, Digest::of(first.as_bytes()));
    let line = fetched.events[0].to_string();
    assert!(
        line.starts_with("fetched https://schemas.example.com:"),
        "{line}"
    );
    assert!(
        line.contains("from 127.0.0.1:") && line.contains("sha256 "),
        "{line}"
    );
    let compiler = fetched
        .documents
        .iter()
        .fold(Compiler::new(), |compiler, one| {
            compiler.register(&one.uri, &one.bytes).unwrap()
        });
    assert!(compiler.compile(schema.as_bytes()).is_ok());
    // A registered document is not requested.
    let registered = [(uris[1], br#"{"$defs": {"x": {}}}"#.as_slice())];
    let again = fetcher.references(&[&schema], &registered).await;
    assert_eq!(again.documents.len(), 1);
}

#[tokio::test]
async fn uris_that_are_not_allowed_are_never_asked_for() {
    let server = Server::start(&[HOST], &[("/a.json", Reply::Json("{}".to_owned()))]).await;
    let fetcher = server.fetcher(&[HOST]);
    let port = server.port;
    let refused = |uri: String| {
        let fetcher = fetcher.clone();
        async move { error(&fetcher.references(&[&refers(&uri)], &[]).await).clone() }
    };
    assert_eq!(
        refused(format!("http://{HOST}:{port}/a.json")).await,
        FetchError::Scheme
    );
    assert_eq!(
        refused("file:///etc/passwd".to_owned()).await,
        FetchError::Scheme
    );
    assert_eq!(refused("a.json".to_owned()).await, FetchError::NotAbsolute);
    for user in ["u", "u:p", ":p"] {
        let uri = format!("https://{user}@{HOST}:{port}/a.json");
        assert_eq!(refused(uri).await, FetchError::UserInfo);
    }
    for address in ["127.0.0.1", "[::1]", "2130706433", "0x7f.1"] {
        let uri = format!("https://{address}:{port}/a.json");
        assert_eq!(refused(uri).await, FetchError::HostIsNoName);
    }
    for host in [
        format!("{HOST}/a.json"),
        format!("{HOST}.:{port}/a.json"),
        format!("other.example.com:{port}/a.json"),
        format!("{HOST}.evil.test:{port}/a.json"),
    ] {
        let error = refused(format!("https://{host}")).await;
        assert!(
            matches!(error, FetchError::HostNotAllowed { .. }),
            "{host}: {error}"
        );
    }
    // Without hosts, nothing is fetched at all.
    let fetched = Fetcher::new([]);
    let fetched = fetched
        .references(&[&refers(&server.uri(HOST, "/a.json"))], &[])
        .await;
    assert!(matches!(error(&fetched), FetchError::HostNotAllowed { .. }));
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn addresses_that_are_not_public_are_not_connected_to() {
    let server = Server::start(&[HOST], &[("/a.json", Reply::Json("{}".to_owned()))]).await;
    let schema = refers(&server.uri(HOST, "/a.json"));
    let public: IpAddr = "93.184.215.14".parse().unwrap();
    for text in [
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "10.0.0.1",
        "169.254.169.254",
    ] {
        let private: IpAddr = text.parse().unwrap();
        // The host is refused even if another of its addresses is public.
        for answer in [vec![private], vec![public, private]] {
            let names = Names::of(vec![answer]);
            let fetcher = server
                .fetcher(&[HOST])
                .dangerous(Dangerous::new(Arc::new(names), Arc::new(Public)));
            let fetched = fetcher.references(&[&schema], &[]).await;
            let expected = FetchError::Address {
                host: HOST.to_owned(),
                address: private,
            };
            assert_eq!(*error(&fetched), expected);
        }
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_second_answer_of_the_name_server_changes_nothing() {
    // The allowed address is 127.0.0.2, where nothing listens. The server listens on 127.0.0.1.
    let server = Server::start(&[HOST], &[("/a.json", Reply::Json("{}".to_owned()))]).await;
    let (checked, rebound): (IpAddr, IpAddr) =
        ("127.0.0.2".parse().unwrap(), "127.0.0.1".parse().unwrap());
    let names = Names::of(vec![vec![checked], vec![rebound]]);
    let fetcher = server
        .fetcher(&[HOST])
        .dangerous(Dangerous::new(Arc::new(names), Arc::new(Only(checked))));
    let schema = refers(&server.uri(HOST, "/a.json"));
    let fetched = fetcher.references(&[&schema], &[]).await;
    assert!(
        matches!(error(&fetched), FetchError::Transfer(_)),
        "{:?}",
        fetched.events
    );
    assert!(
        server.seen().is_empty(),
        "the rebound address was connected to"
    );
    // The next query gets the other answer, which is not allowed.
    let fetched = fetcher.references(&[&schema], &[]).await;
    assert!(matches!(error(&fetched), FetchError::Address { .. }));
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn each_redirect_is_checked_and_they_are_counted() {
    let server = Server::start(
        &[HOST, "other.example.com"],
        &[
            ("/near", redirect("/a.json")),
            ("/a.json", Reply::Json("{}".to_owned())),
            ("/loop", redirect("/loop")),
            ("/plain", redirect("http://schemas.example.com:PORT/a.json")),
            (
                "/foreign",
                redirect("https://other.example.com:PORT/a.json"),
            ),
            ("/inner", redirect("https://127.0.0.1:PORT/a.json")),
            ("/metadata", redirect("https://169.254.169.254/latest")),
            ("/port", redirect("https://schemas.example.com:22/a.json")),
            (
                "/user",
                redirect("https://u@schemas.example.com:PORT/a.json"),
            ),
            (
                "/nowhere",
                raw("HTTP/1.1 302 Found\r\ncontent-length: 0", b""),
            ),
        ],
    )
    .await;
    let fetcher = server.fetcher(&[HOST]);
    let fetch = |path: &'static str| {
        let (fetcher, schema) = (fetcher.clone(), refers(&server.uri(HOST, path)));
        async move { fetcher.references(&[&schema], &[]).await }
    };
    let near = fetch("/near").await;
    assert_eq!(near.documents[0].uri, server.uri(HOST, "/near"));
    assert_eq!(near.events[0].redirects, [server.uri(HOST, "/a.json")]);
    let over = fetch("/loop").await;
    assert!(matches!(
        error(&over),
        FetchError::Limit {
            limit: "redirects",
            ..
        }
    ));
    let looped = server
        .seen()
        .iter()
        .filter(|one| one.ends_with("/loop"))
        .count();
    assert_eq!(looped, Limits::default().redirects + 1);
    assert_eq!(*error(&fetch("/plain").await), FetchError::Scheme);
    assert_eq!(*error(&fetch("/inner").await), FetchError::HostIsNoName);
    assert_eq!(*error(&fetch("/metadata").await), FetchError::HostIsNoName);
    assert_eq!(*error(&fetch("/user").await), FetchError::UserInfo);
    assert_eq!(*error(&fetch("/nowhere").await), FetchError::Redirect);
    for path in ["/foreign", "/port"] {
        let fetched = fetch(path).await;
        assert!(
            matches!(error(&fetched), FetchError::HostNotAllowed { .. }),
            "{path}"
        );
    }
    assert!(!server.seen().iter().any(|one| one.starts_with("other")));
}

#[tokio::test]
async fn a_redirect_to_a_name_with_a_private_address_is_refused() {
    let server = Server::start(
        &[HOST, "inner.example.com"],
        &[("/a.json", redirect("https://inner.example.com:PORT/secret"))],
    )
    .await;
    let names = Names::of(vec![
        vec!["127.0.0.1".parse().unwrap()],
        vec!["10.0.0.1".parse().unwrap()],
    ]);
    let only = Only("127.0.0.1".parse().unwrap());
    let fetcher = server
        .fetcher(&[HOST, "inner.example.com"])
        .dangerous(Dangerous::new(Arc::new(names), Arc::new(only)));
    let fetched = fetcher
        .references(&[&refers(&server.uri(HOST, "/a.json"))], &[])
        .await;
    assert!(
        matches!(error(&fetched), FetchError::Address { .. }),
        "{:?}",
        fetched.events
    );
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn bodies_are_bounded_in_size_and_time_and_never_decoded() {
    let bomb = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    // A document whose size the head does not tell.
    let sized = |size: usize| {
        let body = format!("{size:x}\r\n{{}}{}\r\n0\r\n\r\n", " ".repeat(size - 2));
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked";
        raw(head, body.as_bytes())
    };
    let server = Server::start(
        &[HOST],
        &[
            ("/endless", Reply::Endless),
            ("/exact", sized(50_000)),
            ("/over", sized(50_001)),
            ("/slow", Reply::Slow),
            (
                "/large",
                raw("HTTP/1.1 200 OK\r\ncontent-length: 99999999999", b"{"),
            ),
            (
                "/gzip",
                raw(
                    "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 10",
                    &bomb,
                ),
            ),
            (
                "/br",
                raw(
                    "HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 1",
                    b"x",
                ),
            ),
            (
                "/unmarked",
                raw("HTTP/1.1 200 OK\r\ncontent-length: 10", &bomb),
            ),
            (
                "/text",
                raw("HTTP/1.1 200 OK\r\ncontent-length: 4", b"<xml"),
            ),
            ("/short", raw("HTTP/1.1 200 OK\r\ncontent-length: 9", b"{}")),
            ("/error", raw("HTTP/1.1 500 No\r\ncontent-length: 2", b"{}")),
        ],
    )
    .await;
    let limits = Limits {
        bytes: 50_000,
        document_time: Duration::from_secs(2),
        ..Limits::default()
    };
    let fetcher = server.fetcher(&[HOST]).limits(limits);
    let fetch = |path: &'static str| {
        let (fetcher, schema) = (fetcher.clone(), refers(&server.uri(HOST, path)));
        async move { error(&fetcher.references(&[&schema], &[]).await).clone() }
    };
    let is_limit = |error: &FetchError, name: &str| matches!(error, FetchError::Limit { limit, .. } if *limit == name);
    assert!(is_limit(&fetch("/endless").await, "bytes"));
    assert!(is_limit(&fetch("/large").await, "bytes"));
    assert!(is_limit(&fetch("/over").await, "bytes"));
    let exact = refers(&server.uri(HOST, "/exact"));
    let exact = fetcher.references(&[&exact], &[]).await;
    assert_eq!(exact.documents.len(), 1, "{:?}", exact.events);
    let began = Instant::now();
    let slow = fetch("/slow").await;
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(
        is_limit(&slow, "document_time") || matches!(slow, FetchError::Transfer(_)),
        "{slow}"
    );
    assert_eq!(fetch("/gzip").await, FetchError::Encoded("gzip".to_owned()));
    assert_eq!(fetch("/br").await, FetchError::Encoded("br".to_owned()));
    assert!(matches!(fetch("/unmarked").await, FetchError::NotJson(_)));
    assert!(matches!(fetch("/text").await, FetchError::NotJson(_)));
    assert!(matches!(fetch("/short").await, FetchError::Transfer(_)));
    assert_eq!(fetch("/error").await, FetchError::Status(500));
    assert_eq!(fetch("/absent").await, FetchError::Status(404));
}

#[tokio::test]
async fn documents_are_counted() {
    let chain: Vec<(String, Reply)> = (0..10)
        .map(|n| (format!("/{n}"), Reply::Json(refers(&format!("{}", n + 1)))))
        .collect();
    let chain: Vec<(&str, Reply)> = chain
        .iter()
        .map(|(path, reply)| (path.as_str(), reply.clone()))
        .collect();
    let server = Server::start(&[HOST], &chain).await;
    for most in [3, 4] {
        let limits = Limits {
            documents: most,
            ..Limits::default()
        };
        let fetcher = server.fetcher(&[HOST]).limits(limits);
        let fetched = fetcher
            .references(&[&refers(&server.uri(HOST, "/0"))], &[])
            .await;
        assert_eq!(fetched.documents.len(), most);
        let last = fetched.events.last().unwrap().outcome.as_ref().unwrap_err();
        assert!(
            matches!(
                last,
                FetchError::Limit {
                    limit: "documents",
                    ..
                }
            ),
            "{last}"
        );
    }
}

#[tokio::test]
async fn a_lock_pins_what_is_taken() {
    let text = r#"{"type": "string"}"#;
    let server = Server::start(
        &[HOST],
        &[
            ("/a.json", Reply::Json(text.to_owned())),
            ("/b.json", Reply::Json("{}".to_owned())),
        ],
    )
    .await;
    let (a, b) = (server.uri(HOST, "/a.json"), server.uri(HOST, "/b.json"));
    let mut lock = Lock::default();
    lock.insert(&a, Digest::of(text.as_bytes()));
    let lock = Lock::parse(&lock.to_string()).unwrap();
    let run = |lock: &Lock, uri: &str| {
        let (fetcher, schema) = (server.fetcher(&[HOST]).lock(lock.clone()), refers(uri));
        async move { fetcher.references(&[&schema], &[]).await }
    };
    assert_eq!(run(&lock, &a).await.documents.len(), 1);
    let asked = server.seen().len();
    assert_eq!(*error(&run(&lock, &b).await), FetchError::NotLocked);
    assert_eq!(
        server.seen().len(),
        asked,
        "what is not locked is not asked for"
    );
    assert_eq!(run(&lock.clone().open(), &b).await.documents.len(), 1);
    let mut other = Lock::default();
    other.insert(&a, Digest::of(b"{}"));
    assert!(matches!(
        error(&run(&other, &a).await),
        FetchError::Digest { .. }
    ));
    assert!(matches!(
        error(&run(&other.open(), &a).await),
        FetchError::Digest { .. }
    ));
    for text in [
        "",
        "version = 2",
        "version = 1\nx = 1",
        "version = 1\n[[document]]\nuri = \"a\"\nsha256 = \"00\"",
    ] {
        assert!(Lock::parse(text).is_err(), "{text}");
    }
}

#[tokio::test]
async fn certificates_of_unknown_authorities_are_refused() {
    let server = Server::start(&[HOST], &[("/a.json", Reply::Json("{}".to_owned()))]).await;
    let local: IpAddr = "127.0.0.1".parse().unwrap();
    let fetcher = Fetcher::new([Host::parse(&format!("{HOST}:{}", server.port)).unwrap()]);
    let fetcher = fetcher.dangerous(Dangerous::new(
        Arc::new(Names::to(local)),
        Arc::new(Only(local)),
    ));
    let fetched = fetcher
        .references(&[&refers(&server.uri(HOST, "/a.json"))], &[])
        .await;
    assert!(matches!(error(&fetched), FetchError::Transfer(_)));
    assert!(server.seen().is_empty());
}
