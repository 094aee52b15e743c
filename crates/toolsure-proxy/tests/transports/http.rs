//! HTTP endpoints of both eras, correct ones and faulty ones.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use toolsure_proxy::{Fault, FaultKind, Party, Phase};

use crate::common::{limited, list_http, options};
use crate::web::{JSON, Request, Web, respond};
use toolsure_mcp::era::Era;

const LISTED: &str = r#""result":{"tools":[{"name":"a"}]}"#;

/// Answers with a JSON-RPC message that has these members.
fn reply(request: &Request, stream: &mut TcpStream, status: &str, headers: &str, members: &str) {
    let body = format!(r#"{{"jsonrpc":"2.0","id":{},{members}}}"#, request.id());
    respond(stream, status, &format!("{JSON}{headers}"), &body);
}

/// A legacy server; the function answers `tools/list`.
fn legacy(list: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static) -> Web {
    Web::start(move |request, stream| match request.rpc().as_str() {
        "server/discover" => respond(stream, "400 Bad Request", "", "Bad Request: no session"),
        "initialize" => reply(
            request,
            stream,
            "200 OK",
            "Mcp-Session-Id: s1\r\n",
            r#""result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"web"}}"#,
        ),
        "notifications/initialized" => respond(stream, "202 Accepted", "", ""),
        "" if request.method == "DELETE" => respond(stream, "204 No Content", "", ""),
        _ => list(request, stream),
    })
}

async fn fault(web: &Web) -> Fault {
    list_http(&web.url, options()).await.unwrap_err()
}

#[tokio::test]
async fn a_legacy_session_carries_its_headers_and_is_deleted() {
    let web = legacy(|request, stream| reply(request, stream, "200 OK", "", LISTED));
    let (server, listing, _) = list_http(&web.url, options()).await.unwrap();
    assert_eq!((server.era, listing.tools.len()), (Era::V2025_06_18, 1));
    let seen = web.seen();
    let methods: Vec<String> = seen
        .iter()
        .map(|request| format!("{} {}", request.method, request.rpc()))
        .collect();
    let expected = [
        "POST server/discover",
        "POST initialize",
        "POST notifications/initialized",
        "POST tools/list",
        "DELETE ",
    ];
    assert_eq!(methods, expected);
    let [discover, initialize, rest @ ..] = seen.as_slice() else {
        panic!()
    };
    assert_eq!(discover.header("MCP-Protocol-Version"), Some("2026-07-28"));
    assert_eq!(discover.header("Mcp-Method"), Some("server/discover"));
    assert_eq!(
        (
            initialize.header("MCP-Protocol-Version"),
            initialize.header("Mcp-Session-Id")
        ),
        (None, None)
    );
    for request in rest {
        assert_eq!(request.header("MCP-Protocol-Version"), Some("2025-06-18"));
        assert_eq!(request.header("Mcp-Session-Id"), Some("s1"));
        assert_eq!(request.header("Mcp-Method"), None);
    }
    assert_eq!(
        discover.header("Accept"),
        Some("application/json, text/event-stream")
    );
}

#[tokio::test]
async fn a_modern_server_is_asked_statelessly_and_may_stream() {
    let web = Web::start(|request, stream| {
        let result = match request.rpc().as_str() {
            "server/discover" => {
                r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#
            }
            _ => r#"{"resultType":"complete","tools":[{"name":"a"}]}"#,
        };
        let event = format!(
            ": hi\r\nid: 4\rretry: 10\r\n\r\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}}\n\ndata: {{\"jsonrpc\":\"2.0\",\ndata: \"id\":{},\"result\":{result}}}\r\n\r\n",
            request.id()
        );
        // In pieces, so that lines and events are cut anywhere.
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        for piece in event.as_bytes().chunks(7) {
            stream.write_all(piece).unwrap();
            stream.flush().unwrap();
        }
        // The answer ends the exchange; the client does not wait for the end of the stream.
        std::thread::sleep(Duration::from_secs(3));
    });
    let start = Instant::now();
    let (server, listing, _) = list_http(&web.url, options()).await.unwrap();
    assert_eq!((server.era, listing.tools.len()), (Era::V2026_07_28, 1));
    assert!(start.elapsed() < Duration::from_secs(2));
    let seen = web.seen();
    assert_eq!(seen[1].header("Mcp-Method"), Some("tools/list"));
    assert!(
        seen[1]
            .body
            .contains("io.modelcontextprotocol/clientCapabilities")
    );
}

#[tokio::test]
async fn a_version_error_of_a_modern_server_is_final() {
    let web = Web::start(|request, stream| {
        let error = r#""error":{"code":-32022,"message":"no","data":{"supported":["2030-01-01"]}}"#;
        reply(request, stream, "400 Bad Request", "", error);
    });
    let error = fault(&web).await;
    assert_eq!((error.kind(), web.seen().len()), (FaultKind::Version, 1));
}

#[tokio::test]
async fn authorization_is_asked_of_the_operator() {
    let web = Web::start(|_, stream| {
        respond(
            stream,
            "401 Unauthorized",
            "WWW-Authenticate: Bearer realm=\"x\"\r\n",
            "",
        )
    });
    let error = fault(&web).await;
    assert_eq!(
        (error.kind(), error.by()),
        (FaultKind::Auth(401), Party::Operator)
    );
    assert!(
        error
            .to_string()
            .ends_with("requires authorization: HTTP status 401 (`Bearer realm=\"x\"`)"),
        "{error}"
    );
    let web = legacy(|_, stream| respond(stream, "403 Forbidden", "", ""));
    assert_eq!(
        (fault(&web).await.kind(), fault(&web).await.phase()),
        (FaultKind::Auth(403), Phase::List)
    );
}

#[tokio::test]
async fn other_statuses_are_quoted() {
    let web = Web::start(|_, stream| respond(stream, "500 Oops", "", "stack\ntrace"));
    let error = fault(&web).await;
    assert_eq!(
        (error.kind(), error.by()),
        (FaultKind::Status(500), Party::Server)
    );
    assert_eq!(
        error.to_string(),
        "HTTP status 500 for `initialize`: `stack trace`"
    );
    let page = "<!doctype html>\n<html><head>\n  <title>404 Not Found</title>\n</head>\n</html>";
    let web = Web::start(move |_, stream| respond(stream, "404 Not Found", "", page));
    assert_eq!(
        fault(&web).await.to_string(),
        "HTTP status 404 for `initialize`: `404 Not Found`"
    );
    let web = Web::start(|_, stream| respond(stream, "404 Not Found", "", ""));
    let error = fault(&web).await;
    assert_eq!(error.to_string(), "HTTP status 404 for `initialize`");
    assert!(error.help().unwrap().contains("is the path right"));
}

/// A URL with the scheme of the other protocol reaches a server that answers, in other bytes.
#[tokio::test]
async fn the_scheme_that_the_server_speaks_is_named() {
    // A TLS server refuses other bytes with an alert record: 15 is its type, 03 03 the version.
    let answers: [(&str, &[u8], &str); 2] = [
        ("https", b"HTTP/1.1 400 Bad Request\r\n\r\n", "http"),
        ("http", b"\x15\x03\x03\0\x02\x02\x46", "https"),
    ];
    for (asked, answer, spoken) in answers {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{asked}://{}/mcp", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _some = stream.read(&mut [0; 4096]);
                stream.write_all(answer).unwrap();
            }
        });
        let error = list_http(&url, options()).await.unwrap_err();
        assert_eq!(error.kind(), FaultKind::Unreachable);
        let help = error.help().unwrap();
        let told = format!("its URL begins with `{spoken}://`");
        assert!(help.contains(&told), "{error}: {help}");
    }
    // Nobody listens: neither scheme would help.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = nobody.local_addr().unwrap().port();
    drop(nobody);
    for scheme in ["http", "https"] {
        let url = format!("{scheme}://127.0.0.1:{port}/mcp");
        let error = list_http(&url, options()).await.unwrap_err();
        assert_eq!(
            error.help(),
            Some("is the server running, and the URL right?")
        );
    }
}

#[tokio::test]
async fn a_page_that_is_no_protocol_is_quoted() {
    let web =
        Web::start(|_, stream| respond(stream, "200 OK", "Content-Type: text/html\r\n", "<html>"));
    let error = fault(&web).await;
    assert_eq!(
        error.to_string(),
        "the answer to `initialize` is not a JSON-RPC answer to it: `<html>`"
    );
}

#[tokio::test]
async fn hanging_ends_at_the_deadline() {
    let web = legacy(|_, _| std::thread::sleep(Duration::from_secs(30)));
    let error = fault(&web).await;
    assert_eq!(error.kind(), FaultKind::Timeout);
    assert_eq!(error.to_string(), "no answer to `tools/list` within 1.5 s");
    let web = Web::start(|_, _| std::thread::sleep(Duration::from_secs(30)));
    assert_eq!(fault(&web).await.kind(), FaultKind::Timeout);
}

#[tokio::test]
async fn a_stream_that_ends_early_is_an_error_without_an_id_to_resume_from() {
    let web = legacy(|_, stream| {
        respond(
            stream,
            "200 OK",
            "Content-Type: text/event-stream\r\n",
            ": nothing\n\ndata: {\"js",
        )
    });
    assert_eq!(
        fault(&web).await.to_string(),
        "the event stream ended before the answer"
    );
    let web = legacy(|_, stream| {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{";
        stream.write_all(head.as_bytes()).unwrap();
    });
    let error = fault(&web).await;
    assert_eq!(error.kind(), FaultKind::Unreachable);
    assert!(
        error.to_string().starts_with("the answer was cut off: "),
        "{error}"
    );
}

#[tokio::test]
async fn a_legacy_stream_is_resumed_where_it_stopped() {
    let web = legacy(|request, stream| {
        let headers = "Content-Type: text/event-stream\r\n";
        if request.method == "GET" {
            assert_eq!(request.header("Last-Event-ID"), Some("e7"));
            let body = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":3,{LISTED}}}\n\n");
            respond(stream, "200 OK", headers, &body);
        } else {
            respond(stream, "200 OK", headers, "id: e7\nretry: 5\ndata:\n\n");
        }
    });
    let (_, listing, _) = list_http(&web.url, options()).await.unwrap();
    assert_eq!(listing.tools.len(), 1);
}

#[tokio::test]
async fn requests_on_a_stream_are_answered_by_post() {
    let web = legacy(|request, stream| {
        if request.rpc() == "tools/list" {
            let ping = r#"data: {"jsonrpc":"2.0","id":"p","method":"ping"}"#;
            let body = format!("{ping}\n\ndata: {{\"jsonrpc\":\"2.0\",\"id\":3,{LISTED}}}\n\n");
            respond(
                stream,
                "200 OK",
                "Content-Type: text/event-stream\r\n",
                &body,
            );
        } else {
            respond(stream, "202 Accepted", "", "");
        }
    });
    list_http(&web.url, options()).await.unwrap();
    assert!(
        web.seen()
            .iter()
            .any(|request| request.body == r#"{"jsonrpc":"2.0","id":"p","result":{}}"#)
    );
}

#[tokio::test]
async fn sizes_are_bounded_before_they_are_kept() {
    let small = || limited(|limits| (limits.message_bytes, limits.stream_bytes) = (1_000, 2_000));
    let web = legacy(|_, stream| respond(stream, "200 OK", JSON, &" ".repeat(1_001)));
    let error = list_http(&web.url, small()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the body of an answer is over the limit of 1000 (message bytes)"
    );
    for (body, told) in [
        (
            format!("data: {}", "x".repeat(1_500)),
            "an event is over the limit of 1000 (message bytes)",
        ),
        (
            ": alive\n".repeat(300),
            "an event stream is over the limit of 2000 (stream bytes)",
        ),
    ] {
        let web = legacy(move |_, stream| {
            respond(
                stream,
                "200 OK",
                "Content-Type: text/event-stream\r\n",
                &body,
            )
        });
        let error = list_http(&web.url, small()).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (FaultKind::TooLarge, told)
        );
    }
}

/// Some servers refuse unknown requests with an id of their own.
#[tokio::test]
async fn a_refusal_with_another_id_is_no_stray_answer() {
    let web = Web::start(|request, stream| match request.rpc().as_str() {
        "server/discover" => {
            let body = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no session"}}"#;
            respond(stream, "400 Bad Request", JSON, body);
        }
        "initialize" => reply(
            request,
            stream,
            "200 OK",
            "",
            r#""result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}"#,
        ),
        "notifications/initialized" => respond(stream, "202 Accepted", "", ""),
        _ => reply(request, stream, "200 OK", "", LISTED),
    });
    let (_, _, notes) = list_http(&web.url, options()).await.unwrap();
    assert_eq!(notes.first_stray, None);
}

#[tokio::test]
async fn redirects_stay_on_the_origin() {
    let web = Web::start(|request, stream| {
        if request.path == "/mcp" {
            return respond(stream, "307 Temporary Redirect", "Location: /mcp/\r\n", "");
        }
        match request.rpc().as_str() {
            "server/discover" => {
                reply(
                    request,
                    stream,
                    "200 OK",
                    "",
                    r#""result":{"supportedVersions":["2026-07-28"],"capabilities":{}}"#,
                );
            }
            _ => reply(request, stream, "200 OK", "", LISTED),
        }
    });
    assert_eq!(
        list_http(&web.url, options()).await.unwrap().1.tools.len(),
        1
    );

    // Each request starts at the configured URL.
    let paths: Vec<String> = web.seen().iter().map(|it| it.path.clone()).collect();
    assert_eq!(paths, ["/mcp", "/mcp/", "/mcp", "/mcp/"]);

    let elsewhere = Web::start(|_, stream| respond(stream, "200 OK", "", ""));
    for (status, location, why) in [
        (
            "307 Temporary Redirect",
            elsewhere.url.as_str(),
            "which is another origin",
        ),
        ("302 Found", "/mcp/", "and only 307 and 308 are followed"),
        ("301 Moved Permanently", "/x", "and only 307"),
        ("303 See Other", "/x", "and only 307"),
        ("300 Multiple Choices", "/x", "and only 307"),
        (
            "308 Permanent Redirect",
            "/mcp",
            "which leads back to itself",
        ),
        ("308 Permanent Redirect", "#a", "which leads back to itself"),
        ("308 Permanent Redirect", "http://[", "which is not a URL"),
    ] {
        let head = format!("Location: {location}\r\n");
        let status_line = status.to_owned();
        let web = Web::start(move |_, stream| respond(stream, &status_line, &head, ""));
        let error = fault(&web).await;
        let origin = web.url.trim_end_matches("/mcp");
        let code = status.split(' ').next().unwrap();
        let location = toolsure_json::shown_url(location);
        let told = format!("`{origin}` redirects to `{location}` (HTTP status {code}), {why}");
        assert_eq!(error.kind(), FaultKind::Redirect);
        assert!(error.to_string().starts_with(&told), "{error}");
    }
    assert_eq!(elsewhere.seen().len(), 0);

    let web = Web::start(|_, stream| respond(stream, "307 Temporary Redirect", "", ""));
    assert!(
        fault(&web)
            .await
            .to_string()
            .contains("without a `Location`")
    );
    let web = Web::start(|request, stream| {
        let location = format!("Location: {}x\r\n", request.path);
        respond(stream, "307 Temporary Redirect", &location, "");
    });
    assert!(fault(&web).await.to_string().contains("more than 3 times"));
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let error = list_http("http://127.0.0.1:1/mcp", options())
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.by()),
        (FaultKind::Unreachable, Party::Network)
    );
    assert!(
        error
            .to_string()
            .starts_with("cannot reach `http://127.0.0.1:1`: "),
        "{error}"
    );
}
