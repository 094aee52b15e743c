//! A gateway that checks the calls and results of one MCP server: `checking-gateway UPSTREAM`.

use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderName};
use axum::{Router, body, http::StatusCode, routing::post};
use toolsure_mcp::check::{Checker, Decision, Refusal};
use toolsure_mcp::{Compiler, OwnedDocument, ReadLimits, catalog::Catalog};
use toolsure_mcp::{contract::SchemaStore, era::Era, message::Message};

type Gateway = State<std::sync::Arc<(String, reqwest::Client, Catalog)>>;
type Reply = Result<([(HeaderName, &'static str); 1], String), (StatusCode, String)>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let _already = rustls::crypto::ring::default_provider().install_default();
    let upstream = std::env::args().nth(1).ok_or("UPSTREAM is missing")?;
    // The cache: a schema is compiled when it is first needed, and at most 32 MiB are kept.
    let tools = Catalog::new(SchemaStore::with(Compiler::new(), 32 << 20));
    let gateway = (upstream, reqwest::Client::new(), tools).into();
    let limit = DefaultBodyLimit::max(ReadLimits::default().bytes);
    let router = Router::new().route("/mcp", post(exchange)).layer(limit);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    Ok(axum::serve(listener, router.with_state(gateway)).await?)
}

async fn exchange(State(gateway): Gateway, mut headers: HeaderMap, text: String) -> Reply {
    let (upstream, client, tools) = &*gateway;
    let limits = ReadLimits::default(); // 16 MiB, 128 levels, a million values
    let malformed = |why: String| (StatusCode::BAD_REQUEST, why);
    let mut checker = Checker::new().limits(limits).fuel(200_000); // a few milliseconds of work
    let document =
        OwnedDocument::read(text.clone(), &limits).map_err(|why| malformed(why.to_string()))?;
    let Ok(Message::Request(request)) = Message::decode(document.document().root()) else {
        return Err(malformed("not a request".to_owned()));
    };
    let reply = |text: String| Ok(([(CONTENT_TYPE, "application/json")], text));
    let refuse = |why: &Refusal| {
        println!("{}: {:?}", why.fault.code(), why.tool); // arguments-invalid, -undecided, …
        reply(why.answer(Era::NEWEST, request.id.raw()))
    };
    let tool = match request.method {
        "tools/call" => match checker.check_request(&tools.snapshot(), &request) {
            Decision::Pass(pass) => pass.tool,
            Decision::Refuse(why) => return refuse(&why),
        },
        _ => None,
    };
    headers.remove(ACCEPT_ENCODING);
    headers.remove(HOST);
    let sent = client.post(upstream).headers(headers).body(text).send();
    let answer = body::Body::new(reqwest::Body::from(sent.await.map_err(bad)?));
    let answer = body::to_bytes(answer, limits.bytes).await.map_err(bad)?;
    if request.method == "tools/list" {
        tools.load([&*answer]).map_err(bad)?;
    }
    match tool.map(|tool| checker.check_result_message(&tool, Era::NEWEST, &answer)) {
        Some(Decision::Refuse(why)) => refuse(&why),
        _ => reply(String::from_utf8(answer.into()).map_err(bad)?),
    }
}

fn bad(why: impl ToString) -> (StatusCode, String) {
    (StatusCode::BAD_GATEWAY, why.to_string())
}
