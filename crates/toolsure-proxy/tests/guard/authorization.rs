//! Servers that want a token: the guard is the protected resource that its clients know (RFC 9728).

use std::sync::Arc;

use serde_json::{Value, json};
use toolsure_guard::Guard;
use toolsure_guard::translate::Translate;
use toolsure_proxy::HttpTarget;
use toolsure_proxy::guard::{Listener, Unobserved, Upstream};

use crate::aggregate::of;
use crate::common::{Lined, Reply, Served, initialize, policy, python, remote};
use crate::web::{JSON, Request, Web, respond};

const ROOT: &str = "/.well-known/oauth-protected-resource";
const OF_PATH: &str = "/.well-known/oauth-protected-resource/mcp";

/// A server that refuses everything, with metadata at these paths.
fn protected(challenge: &'static str, places: &'static [(&'static str, &'static str)]) -> Web {
    Web::start(move |request, stream| {
        if request.path == "/mcp" {
            let challenge = format!("WWW-Authenticate: {challenge}\r\n");
            return respond(stream, "401 Unauthorized", &challenge, "no");
        }
        match places.iter().find(|(path, _)| *path == request.path) {
            Some((_, body)) => respond(stream, "200 OK", JSON, body),
            None => respond(stream, "404 Not Found", "", "no"),
        }
    })
}

const METADATA: &str = r#"{"resource": "https://inner.example/mcp", "scopes_supported": ["mcp:a"],
    "authorization_servers": ["https://login.example/tenant"], "signed_metadata": "e30"}"#;

fn expected(resource: &str) -> Value {
    json!({"resource": resource, "scopes_supported": ["mcp:a"],
        "authorization_servers": ["https://login.example/tenant"]})
}

fn fetched(web: &Web) -> Vec<String> {
    let seen = web.seen().into_iter();
    let seen = seen.filter(|request: &Request| request.path != "/mcp");
    seen.map(|request| request.path).collect()
}

fn challenge(reply: &Reply) -> &str {
    assert_eq!(reply.status, 401, "{reply:?}");
    reply.header("www-authenticate").unwrap()
}

#[tokio::test]
async fn metadata_of_the_upstream_are_served_for_the_guards_address() {
    for (places, tried) in [
        (&[(OF_PATH, METADATA)], vec![OF_PATH]),
        (&[(ROOT, METADATA)], vec![OF_PATH, ROOT]),
    ] {
        let web = protected("Bearer", places);
        let served = Served::start(remote(&web.url)).await;
        let host = format!("127.0.0.1:{}", served.port);
        for path in [ROOT, OF_PATH] {
            let reply = served.get(path, &[("Host", &host)]).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            assert_eq!(reply.header("content-type"), Some("application/json"));
            assert_eq!(reply.message(), expected(&format!("http://{host}/mcp")));
        }
        let foreign = served.get(OF_PATH, &[("Host", "evil.example")]).await;
        assert_eq!(foreign.status, 403);
        assert_eq!(served.get("/.well-known/other", &[]).await.status, 404);
        // It was fetched once.
        assert_eq!(fetched(&web), tried);
    }
}

#[tokio::test]
async fn a_challenge_names_the_metadata_of_the_guard() {
    const PLACE: &str =
        r#"Bearer error="invalid_token", resource_metadata="/elsewhere", scope="a b""#;
    // A server may name another place, on its own origin only.
    let web = Web::start(|request, stream| match request.path.as_str() {
        "/mcp" => {
            let place = format!("http://{}/elsewhere", request.header("host").unwrap());
            let challenge = format!(
                "WWW-Authenticate: {}\r\n",
                PLACE.replace("/elsewhere", &place)
            );
            respond(stream, "401 Unauthorized", &challenge, "no");
        }
        "/elsewhere" => respond(stream, "200 OK", JSON, METADATA),
        _ => respond(stream, "404 Not Found", "", "no"),
    });
    let served = Served::start(remote(&web.url)).await;
    // Not at a well-known place, and not known yet.
    assert_eq!(served.get(OF_PATH, &[]).await.status, 404);
    let refused = served.post(&[], &initialize(0)).await;
    let ours = format!("http://localhost{OF_PATH}");
    assert_eq!(challenge(&refused), PLACE.replace("/elsewhere", &ours));
    let reply = served.get(OF_PATH, &[]).await;
    assert_eq!(reply.message(), expected("http://localhost/mcp"));
    assert_eq!(fetched(&web), [OF_PATH, ROOT, "/elsewhere"]);
}

#[tokio::test]
async fn no_challenge_makes_the_guard_ask_another_server() {
    let other = protected("Bearer", &[("/m", METADATA)]);
    let place = other.url.replace("/mcp", "/m");
    let web = Web::start(move |request, stream| match request.path.as_str() {
        "/mcp" => {
            let challenge = format!("WWW-Authenticate: Bearer resource_metadata=\"{place}\"\r\n");
            respond(stream, "401 Unauthorized", &challenge, "no");
        }
        // Nor a redirect.
        _ => respond(
            stream,
            "307 Temporary Redirect",
            &format!("Location: {place}\r\n"),
            "",
        ),
    });
    let served = Served::start(remote(&web.url)).await;
    served.post(&[], &initialize(0)).await;
    let reply = served.get(OF_PATH, &[]).await;
    assert_eq!(reply.status, 502, "{reply:?}");
    assert!(other.seen().is_empty());
    // Nor does the guard ask its own server for a place of the other.
    assert_eq!(fetched(&web), [OF_PATH]);
}

#[tokio::test]
async fn metadata_that_cannot_be_used_are_not_served() {
    const LARGE: &str = concat!("{\"resource\": \"a\",", "\"x\": \"");
    for (body, status) in [
        ("<html>", 502),
        (r#"{"resource": "a", "resource": "b"}"#, 502),
        (r#"{"resource": "a", "authorization_servers": {}}"#, 502),
        ("large", 502),
        ("absent", 404),
    ] {
        let web = Web::start(move |request, stream| match (request.path.as_str(), body) {
            (OF_PATH, "large") => {
                let text = format!("{LARGE}{}\"}}", "x".repeat(64 << 10));
                respond(stream, "200 OK", JSON, &text);
            }
            (OF_PATH, body) if body != "absent" => respond(stream, "200 OK", JSON, body),
            _ => respond(stream, "404 Not Found", "", "no"),
        });
        let served = Served::start(remote(&web.url)).await;
        let reply = served.get(OF_PATH, &[]).await;
        assert_eq!(reply.status, status, "{body}: {reply:?}");
    }
}

#[tokio::test]
async fn the_guards_public_url_is_the_resource() {
    let web = protected("Bearer resource_metadata=x", &[(OF_PATH, METADATA)]);
    let served = Served::with(remote(&web.url), policy(), |options| {
        let Listener::Http(listener) = &mut options.listener else {
            panic!("it listens");
        };
        listener.public_url = Some("https://mcp.example:8443/team/mcp".to_owned());
    })
    .await;
    let metadata = format!("{ROOT}/team/mcp");
    for host in ["localhost", "mcp.example:8443"] {
        let refused = served.post(&[("Host", host)], &initialize(0)).await;
        let ours = format!("Bearer resource_metadata=\"https://mcp.example:8443{metadata}\"");
        assert_eq!(challenge(&refused), ours);
        for path in [ROOT, OF_PATH, &metadata] {
            let reply = served.get(path, &[("Host", host)]).await;
            let resource = "https://mcp.example:8443/team/mcp";
            assert_eq!(reply.message(), expected(resource));
        }
    }
}

#[tokio::test]
async fn one_protected_server_may_be_translated_or_merged() {
    const CHALLENGE: &str = r#"Bearer resource_metadata="https://as.example/m""#;
    let web = protected(CHALLENGE, &[(OF_PATH, METADATA)]);
    let with_token = || {
        let target = HttpTarget::new(&web.url).unwrap();
        Upstream::Http(target.header("Authorization", "Bearer ours").unwrap())
    };
    let one = || {
        vec![
            ("py", python("")),
            ("web", remote(&web.url)),
            ("own", with_token()),
        ]
    };
    let translated = Served::with(remote(&web.url), policy(), |options| {
        let guard = Guard::new(policy()).unwrap();
        let behind = options.clone();
        *options = behind.translated(Translate::LegacyClients, &guard, Arc::new(Unobserved));
    });
    for served in [translated.await, Served::start(of(one())).await] {
        let reply = served.get(OF_PATH, &[]).await;
        assert_eq!(reply.message(), expected("http://localhost/mcp"));
    }
    // The client can log in for one resource only, and for none if the operator has a token.
    let two = vec![("one", remote(&web.url)), ("two", remote(&web.url))];
    for upstream in [of(two), with_token(), python("")] {
        let served = Served::start(upstream).await;
        assert_eq!(served.get(OF_PATH, &[]).await.status, 404);
    }
    let refused = Served::start(with_token()).await;
    let refused = refused.post(&[], &initialize(0)).await;
    assert_eq!(challenge(&refused), CHALLENGE);
}

#[tokio::test]
async fn a_client_on_stdio_is_told_where_to_log_in() {
    let web = protected("Bearer", &[(OF_PATH, METADATA)]);
    let mut client = Lined::start(remote(&web.url));
    let refused = client.ask(&initialize(0)).await;
    let error = &refused["error"];
    assert_eq!(
        error["data"],
        json!({"code": "server-refused", "status": 401,
            "authorization_servers": ["https://login.example/tenant"]})
    );
    let text = error["message"].as_str().unwrap();
    assert!(text.contains("`https://login.example/tenant`"), "{text}");
    let web = protected("Bearer", &[]);
    let mut client = Lined::start(remote(&web.url));
    let refused = client.ask(&initialize(0)).await;
    let expected = json!({"code": "server-refused", "status": 401});
    assert_eq!(refused["error"]["data"], expected);
}
