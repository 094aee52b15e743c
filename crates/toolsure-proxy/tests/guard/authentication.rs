//! Callers that have to prove who they are, and what each of them may use.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
};
use serde_json::{Value, json};
use toolsure_guard::Policy;
use toolsure_guard::policy::{AllowList, CallerRule};
use toolsure_guard::translate::Translate;
use toolsure_proxy::guard::{
    Authentication, Authenticator, Bounds, GuardOptions, Listener, TokenIssuer, Unobserved,
    Upstream,
};

use crate::aggregate::{aggregate, list, member, names, short};
use crate::common::{
    MODERN, Reply, Served, call, initialize, modern, policy, python, remote, text_of,
};
use crate::web::{JSON, Request, Web, respond};

const ECHO: &str = r#"
for m, id, name, args in calls():
    text(id, "ok", **(MORE if "_meta" in m["params"] else {}))
"#;

/// An issuer with keys that can be replaced, and that can be switched off.
struct Issuer {
    url: String,
    state: Arc<Mutex<State>>,
    web: Web,
}

#[derive(Default)]
struct State {
    keys: Vec<Value>,
    is_down: bool,
}

enum Signer {
    Ec(EcdsaKeyPair, SystemRandom),
    Ed(Ed25519KeyPair),
}

impl Signer {
    fn ec() -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap();
        Self::Ec(key, random)
    }

    fn ed() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed(Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Ec(..) => "ES256",
            Self::Ed(_) => "EdDSA",
        }
    }

    fn jwk(&self, id: &str) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Self::Ec(key, _) => {
                let point = key.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "use": "sig", "kid": id,
                    "x": text(&point[1..33]), "y": text(&point[33..])})
            }
            Self::Ed(key) => json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "alg": "EdDSA",
                "x": text(key.public_key().as_ref())}),
        }
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Ec(key, random) => key.sign(random, message).unwrap().as_ref().to_vec(),
            Self::Ed(key) => key.sign(message).as_ref().to_vec(),
        }
    }

    fn token(&self, header: &Value, claims: &Value) -> String {
        let text = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", text(header), text(claims));
        let signature = URL_SAFE_NO_PAD.encode(self.signature(message.as_bytes()));
        format!("{message}.{signature}")
    }
}

impl Issuer {
    fn start(keys: Vec<Value>) -> Self {
        let state = Arc::new(Mutex::new(State {
            keys,
            is_down: false,
        }));
        let shared = Arc::clone(&state);
        let web = Web::start(move |request: &Request, stream| {
            let state = shared.lock().unwrap();
            if state.is_down {
                return respond(stream, "503 Service Unavailable", "", "");
            }
            let host = request.header("host").unwrap();
            let body = match request.path.as_str() {
                "/.well-known/openid-configuration" => {
                    let issuer = format!("http://{host}");
                    json!({"issuer": issuer, "jwks_uri": format!("{issuer}/keys")})
                }
                "/keys" => json!({"keys": state.keys}),
                _ => return respond(stream, "404 Not Found", "", ""),
            };
            respond(stream, "200 OK", JSON, &body.to_string());
        });
        let url = web.url.trim_end_matches("/mcp").to_owned();
        Self { url, state, web }
    }

    fn claims(&self, more: Value) -> Value {
        let mut claims = json!({"iss": self.url, "aud": AUDIENCE, "sub": "ann", "exp": now() + 600,
            "groups": ["readers"], "scope": "mcp read"});
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
    }

    fn authentication(&self) -> Authentication {
        let mut authentication = Authentication::default();
        authentication.issuer = Some(TokenIssuer::new(&self.url, vec![AUDIENCE.to_owned()]));
        authentication
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs()
}

const AUDIENCE: &str = "https://guard.example/mcp";

fn authenticated(options: &mut GuardOptions, authentication: &Authentication) {
    if let Listener::Http(http) = &mut options.listener {
        http.authenticator = Some(Authenticator::new(authentication).unwrap());
    }
}

async fn served(authentication: &Authentication) -> Served {
    Served::with(python(ECHO), policy(), |options| {
        authenticated(options, authentication);
    })
    .await
}

async fn asks(served: &Served, token: &str) -> Reply {
    let authorization = format!("Bearer {token}");
    modern_as(served, &authorization, &modern(call(1, "echo", json!({})))).await
}

async fn modern_as(served: &Served, authorization: &str, message: &Value) -> Reply {
    let method = message["method"].as_str().unwrap();
    let mut headers = vec![
        ("Authorization", authorization),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", method),
    ];
    if let Some(name) = message["params"]["name"].as_str() {
        headers.push(("Mcp-Name", name));
    }
    served.post(&headers, message).await
}

#[tokio::test]
async fn only_a_right_token_of_the_issuer_is_let_in() {
    let (ec, ed, other) = (Signer::ec(), Signer::ed(), Signer::ec());
    let issuer = Issuer::start(vec![ec.jwk("1"), ed.jwk("2")]);
    let served = served(&issuer.authentication()).await;
    let header =
        |signer: &Signer, id: &str| json!({"alg": signer.algorithm(), "kid": id, "typ": "at+jwt"});
    let fine = issuer.claims(json!({}));
    let with = |more: Value| ec.token(&header(&ec, "1"), &issuer.claims(more));
    let unsigned = |algorithm: &str| {
        let header = json!({"alg": algorithm, "typ": "JWT"});
        let token = ec.token(&header, &fine);
        let (message, _) = token.rsplit_once('.').unwrap();
        format!("{message}.")
    };
    // The public key as a secret, for readers that let the token choose.
    let confused = {
        let text = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = json!({"alg": "HS256", "kid": "1"});
        let message = format!("{}.{}", text(&header), text(&fine));
        let secret = ec.jwk("1").to_string();
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
        let signature = ring::hmac::sign(&key, message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    };
    let mut without = fine.clone();
    without.as_object_mut().unwrap().remove("exp");
    let own_key = {
        let mut header = header(&other, "1");
        header["jwk"] = other.jwk("1");
        other.token(&header, &fine)
    };
    let right = ec.token(&header(&ec, "1"), &fine);
    let changed = {
        let mut parts: Vec<String> = right.split('.').map(str::to_owned).collect();
        parts[1] = URL_SAFE_NO_PAD.encode(issuer.claims(json!({"sub": "root"})).to_string());
        parts.join(".")
    };
    for (what, token, status) in [
        ("right", right.clone(), 200),
        ("right, again", right, 200),
        ("another algorithm", ed.token(&header(&ed, "2"), &fine), 200),
        ("no key id", ed.token(&json!({"alg": "EdDSA"}), &fine), 200),
        (
            "several audiences",
            with(json!({"aud": ["x", AUDIENCE]})),
            200,
        ),
        ("just expired", with(json!({"exp": now() - 30})), 200),
        ("expired", with(json!({"exp": now() - 90})), 401),
        ("not yet valid", with(json!({"nbf": now() + 90})), 401),
        ("valid soon", with(json!({"nbf": now() + 30})), 200),
        ("no expiry", ec.token(&header(&ec, "1"), &without), 401),
        ("expiry as text", with(json!({"exp": "never"})), 401),
        (
            "another audience",
            with(json!({"aud": "https://other.example"})),
            401,
        ),
        ("no audience", with(json!({"aud": null})), 401),
        (
            "another issuer",
            with(json!({"iss": "https://other.example"})),
            401,
        ),
        ("no subject", with(json!({"sub": null})), 401),
        (
            "a subject that is no text",
            with(json!({"sub": ["ann"]})),
            401,
        ),
        ("another key", other.token(&header(&other, "1"), &fine), 401),
        ("its own key", own_key, 401),
        ("an unknown key", ec.token(&header(&ec, "9"), &fine), 401),
        (
            "the key of another algorithm",
            ec.token(&header(&ec, "2"), &fine),
            401,
        ),
        ("changed claims", changed, 401),
        ("none", unsigned("none"), 401),
        ("no signature", unsigned("ES256"), 401),
        ("the key as a secret", confused, 401),
        (
            "a critical extension",
            {
                let mut header = header(&ec, "1");
                header["crit"] = json!(["x"]);
                header["x"] = json!(1);
                ec.token(&header, &fine)
            },
            401,
        ),
        ("too long", with(json!({"pad": "x".repeat(8_192)})), 401),
        ("no token", "a.b.c".to_owned(), 401),
        ("four parts", "a.b.c.d".to_owned(), 401),
        ("empty parts", "..".to_owned(), 401),
    ] {
        let reply = asks(&served, &token).await;
        assert_eq!(reply.status, status, "{what}: {reply:?}");
        if status == 200 {
            assert_eq!(text_of(&reply.message()), "ok", "{what}");
        } else {
            let challenge = reply.header("www-authenticate").unwrap();
            let metadata =
                "resource_metadata=\"http://localhost/.well-known/oauth-protected-resource/mcp\"";
            assert!(
                challenge.starts_with("Bearer error=\"invalid_token\""),
                "{what}: {challenge}"
            );
            assert!(challenge.ends_with(metadata), "{what}: {challenge}");
            let is_none = ["none", "no token", "four parts", "empty parts"].contains(&what);
            let says = challenge.contains("is not a signed JSON Web Token");
            assert_eq!(says, is_none, "{what}: {challenge}");
            assert!(
                !format!("{reply:?}").contains(&token) || token.len() < 8,
                "{what}"
            );
        }
    }
    // Nothing of a token is in what is observed.
    let seen = format!(
        "{:?} {:?}",
        served.seen.0.lock().unwrap(),
        served.seen.1.lock().unwrap()
    );
    assert!(!seen.contains("eyJ"), "{seen}");
    assert!(seen.contains(&format!("ann@{}", issuer.url)), "{seen}");
    // The keys were fetched for the first token, and once more for the unknown key at most.
    let fetched = issuer
        .web
        .seen()
        .iter()
        .filter(|it| it.path == "/keys")
        .count();
    assert!(fetched <= 2, "{fetched}");
    let metadata = served
        .get("/.well-known/oauth-protected-resource/mcp", &[])
        .await;
    let metadata: Value = serde_json::from_str(&metadata.body).unwrap();
    assert_eq!(metadata["authorization_servers"], json!([issuer.url]));
    assert_eq!(metadata["resource"], "http://localhost/mcp");
    let nothing = served.modern(&modern(call(1, "echo", json!({})))).await;
    assert_eq!(nothing.status, 401);
    let challenge = nothing.header("www-authenticate").unwrap();
    assert!(!challenge.contains("error"), "{challenge}");
}

#[tokio::test]
async fn keys_are_replaced_while_calls_run_and_nobody_is_let_in_without_them() {
    let (old, new) = (Signer::ec(), Signer::ec());
    let issuer = Issuer::start(vec![old.jwk("old")]);
    issuer.state.lock().unwrap().is_down = true;
    let served = served(&issuer.authentication()).await;
    let token = |signer: &Signer, id: &str| {
        let header = json!({"alg": "ES256", "kid": id});
        signer.token(&header, &issuer.claims(json!({})))
    };
    let of_old = token(&old, "old");
    // It is unknown whether the token is right.
    let reply = asks(&served, &of_old).await;
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (503, Some("1")),
        "{reply:?}"
    );
    issuer.state.lock().unwrap().is_down = false;
    let patience = tokio::time::Instant::now() + Duration::from_secs(20);
    loop {
        let reply = asks(&served, &of_old).await;
        if reply.status == 200 {
            break;
        }
        assert_eq!(reply.status, 503, "{reply:?}");
        assert!(tokio::time::Instant::now() < patience);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    // The issuer is down again: what is known goes on, what is not is undecided.
    issuer.state.lock().unwrap().is_down = true;
    assert_eq!(asks(&served, &of_old).await.status, 200);
    issuer.state.lock().unwrap().keys = vec![new.jwk("new")];
    issuer.state.lock().unwrap().is_down = false;
    let patience = tokio::time::Instant::now() + Duration::from_secs(20);
    while asks(&served, &token(&new, "new")).await.status != 200 {
        assert!(tokio::time::Instant::now() < patience);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    // The old key is gone, and with it what was verified by it.
    assert_eq!(asks(&served, &of_old).await.status, 401);
}

/// What a caller may use, on each path.
fn rules(prefix: &str) -> Policy {
    let mut policy = policy();
    policy.name_prefix = prefix.into();
    let mut readers = CallerRule::new("readers");
    readers.group = Some("readers".to_owned());
    let tools = ["echo", "n*", "!none"].map(|tool| match tool.strip_prefix('!') {
        Some(tool) => format!("!{prefix}{tool}"),
        None => format!("{prefix}{tool}"),
    });
    readers.tools = Some(AllowList::new(tools).unwrap());
    let mut all = CallerRule::new("admins");
    all.group = Some("admins".to_owned());
    let mut guests = CallerRule::new("guests");
    guests.group = Some("guests".to_owned());
    guests.tools = Some(AllowList::new([""; 0]).unwrap());
    policy.callers = vec![readers.into(), all.into(), guests.into()];
    policy
}

/// Callers × tools × paths: what is listed is what can be called, and nobody has more by another's cache,
/// session or server.
#[tokio::test]
async fn each_caller_has_its_own_tools_on_every_path() {
    let signer = Signer::ed();
    let issuer = Issuer::start(vec![signer.jwk("1")]);
    let token = |subject: &str, groups: &[&str]| {
        let claims = issuer.claims(json!({"sub": subject, "groups": groups}));
        let token = signer.token(&json!({"alg": "EdDSA", "kid": "1"}), &claims);
        format!("Bearer {token}")
    };
    let all = ["echo", "die", "hang", "note", "big"];
    let callers: [(String, &[&str]); 4] = [
        (token("ann", &["readers"]), &["echo", "note"]),
        (token("ada", &["admins"]), &all),
        (token("nan", &["guests"]), &[]),
        // The same caller with another group.
        (token("ann", &["admins"]), &all),
    ];
    let web = Web::start(answer);
    let translated = |options: &mut GuardOptions, translate| {
        let guard = toolsure_guard::Guard::new(rules("")).unwrap();
        *options = options
            .clone()
            .translated(translate, &guard, Arc::new(Unobserved));
    };
    for path in 0..6 {
        let (a, _) = member("a", python(ECHO), rules("a_"));
        let (b, _) = member("b", python(ECHO), rules("b_"));
        let several = || aggregate(vec![a, b], Bounds::default(), short());
        let (upstream, policy, prefix): (Upstream, Policy, &str) = match path {
            0 | 4 => (python(ECHO), rules(""), ""),
            1 => (remote(&web.url), rules(""), ""),
            2 | 3 => (several(), policy().without_filters(), "a_"),
            _ => (python(&format!("{LEGACY}{ECHO}")), rules(""), ""),
        };
        let served = Served::with(upstream, policy, |options| {
            authenticated(options, &issuer.authentication());
            if path == 5 {
                translated(options, Translate::ModernClients);
            }
        })
        .await;
        let is_modern = matches!(path, 0 | 2 | 5);
        for round in 0..2 {
            for (authorization, expected) in &callers {
                let session = match is_modern {
                    true => None,
                    false => Some(open(&served, authorization).await),
                };
                let ask = async |message: Value| match &session {
                    None => modern_as(&served, authorization, &modern(message)).await,
                    Some(session) => {
                        let headers = [
                            ("Authorization", authorization.as_str()),
                            ("Mcp-Session-Id", session.as_str()),
                            ("MCP-Protocol-Version", "2025-11-25"),
                        ];
                        served.post(&headers, &message).await
                    }
                };
                let context = format!("path {path}, round {round}, {expected:?}");
                // A list before the calls in the second round, after them in the first.
                for _ in 0..round {
                    let listed = ask(list(1)).await.message();
                    check_list(&listed, prefix, expected, &context);
                }
                for tool in all {
                    if tool == "die" && *expected != all.as_slice() || expected.contains(&tool) {
                        let reply = ask(call(2, &format!("{prefix}{tool}"), json!({}))).await;
                        let answer = reply.message();
                        match expected.contains(&tool) {
                            true => {
                                assert_eq!(text_of(&answer), "ok", "{context} {tool}: {answer}")
                            }
                            false => check_unknown(&answer, &context),
                        }
                    } else {
                        let reply = ask(call(3, &format!("{prefix}{tool}"), json!({}))).await;
                        check_unknown(&reply.message(), &context);
                    }
                }
                let listed = ask(list(4)).await.message();
                check_list(&listed, prefix, expected, &context);
            }
        }
        // A session belongs to its caller, whatever groups it has by now; another caller has none of that id.
        if !is_modern {
            let [(ann, _), (ada, _), ..] = &callers;
            let session = open(&served, ann).await;
            for authorization in [ada.as_str(), "Bearer nonsense", ""] {
                let headers = [
                    ("Authorization", authorization),
                    ("Mcp-Session-Id", session.as_str()),
                    ("MCP-Protocol-Version", "2025-11-25"),
                ];
                let given = &headers[usize::from(authorization.is_empty())..];
                let expected = if authorization == ada { 404 } else { 401 };
                for reply in [
                    served.post(given, &list(9)).await,
                    served.request("GET", given, "").await,
                    served.request("DELETE", given, "").await,
                ] {
                    assert_eq!(reply.status, expected, "path {path}: {reply:?}");
                }
            }
        }
    }
    // The server on the network has seen no token of a caller.
    for request in web.seen() {
        assert_eq!(request.header("authorization"), None, "{request:?}");
    }
}

fn check_list(listed: &Value, prefix: &str, expected: &[&str], context: &str) {
    let own = names(listed)
        .into_iter()
        .filter_map(|name| name.strip_prefix(prefix));
    let found: BTreeSet<&str> = own.collect();
    let expected: BTreeSet<&str> = expected.iter().copied().collect();
    assert_eq!(found, expected, "{context}: {listed}");
    let scope = &listed["result"]["cacheScope"];
    assert!(scope.is_null() || scope == "private", "{context}: {listed}");
}

fn check_unknown(answer: &Value, context: &str) {
    assert_eq!(answer["error"]["code"], -32602, "{context}: {answer}");
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.starts_with("unknown tool: "), "{context}: {answer}");
}

async fn open(served: &Served, authorization: &str) -> String {
    let opened = served
        .post(&[("Authorization", authorization)], &initialize(0))
        .await;
    assert_eq!(opened.status, 200, "{opened:?}");
    opened.header("mcp-session-id").unwrap().to_owned()
}

/// A server that knows no version without sessions.
const LEGACY: &str = r#"
known_of_both = known
def known(m):
    if m.get("method") == "server/discover":
        error(m["id"], -32601)
        return True
    return known_of_both(m)
"#;

/// The server on the network.
fn answer(request: &Request, stream: &mut std::net::TcpStream) {
    let asked = request.json();
    let session = format!(
        "{JSON}Mcp-Session-Id: {}\r\n",
        request.header("x-own").unwrap_or("s")
    );
    let result = match (request.method.as_str(), asked["method"].as_str()) {
        ("POST", Some("initialize")) => json!({"protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}}),
        ("POST", Some("tools/list")) => {
            let tools = ["echo", "die", "hang", "note", "big"];
            let tools = tools.map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
            json!({"tools": tools})
        }
        ("POST", Some("tools/call")) => json!({"content": [{"type": "text", "text": "ok"}]}),
        ("POST", _) => return respond(stream, "202 Accepted", "", ""),
        _ => return respond(stream, "405 Method Not Allowed", "", ""),
    };
    let body = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string();
    respond(stream, "200 OK", &session, &body)
}

/// A server that refuses the guard does not make clients look for another token.
#[tokio::test]
async fn a_demand_of_the_server_is_the_operators_matter() {
    let signer = Signer::ec();
    let issuer = Issuer::start(vec![signer.jwk("1")]);
    let token = signer.token(
        &json!({"alg": "ES256", "kid": "1"}),
        &issuer.claims(json!({})),
    );
    let web = Web::start(|_, stream| {
        let challenge = "WWW-Authenticate: Bearer resource_metadata=\"http://other.example/\"\r\n";
        respond(stream, "401 Unauthorized", challenge, "");
    });
    let served = Served::with(remote(&web.url), policy(), |options| {
        authenticated(options, &issuer.authentication());
    })
    .await;
    let reply = asks(&served, &token).await;
    assert_eq!(reply.status, 502, "{reply:?}");
    assert_eq!(reply.header("www-authenticate"), None);
    let seen = web.seen();
    assert_eq!(seen[0].header("authorization"), None);
}
