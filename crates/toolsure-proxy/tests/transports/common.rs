//! Opens scripted servers, and has the Python prelude of scripts on stdio.

use std::time::Duration;

use toolsure_proxy::{
    Deadlines, Fault, HttpTarget, Launch, Limits, Listing, Notes, Options, ServerInfo, Session,
};

/// Short deadlines, so that a test of silence is short.
pub(crate) fn options() -> Options {
    let deadlines = Deadlines {
        // Python takes a second to start on a busy machine.
        probe: Duration::from_millis(2500),
        request: Duration::from_millis(1500),
        overall: Duration::from_secs(8),
        grace: Duration::from_millis(300),
    };
    Options {
        deadlines,
        ..Options::default()
    }
}

/// Options with other limits.
pub(crate) fn limited(change: impl FnOnce(&mut Limits)) -> Options {
    let mut options = options();
    change(&mut options.limits);
    options
}

pub(crate) type Listed = Result<(ServerInfo, Listing, Notes), Fault>;

/// Lists the tools of a Python server. The script has `read()` (a message, `None` at the end),
/// `send(message)`, `tools(id, names, **more)` and `serve_init()` (a legacy opening).
pub(crate) async fn list_python(script: &str, options: Options) -> Listed {
    let launch = Launch::new("python3")
        .arg("-IS")
        .arg("-c")
        .arg(format!("{PRELUDE}\n{script}"));
    let session = Session::stdio(launch, options).await?;
    list(session).await
}

/// Lists the tools of an HTTP server.
pub(crate) async fn list_http(url: &str, options: Options) -> Listed {
    list(Session::http(HttpTarget::new(url)?, options).await?).await
}

async fn list(mut session: Session) -> Listed {
    let listing = session.list_tools().await;
    let listed =
        listing.map(|listing| (session.server().clone(), listing, session.notes().clone()));
    session.close().await;
    listed
}

const PRELUDE: &str = concat!(
    include_str!("../guard/prelude.py"),
    r#"
def tools(id, names, **more):
    answer(id, {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in names], **more})
def serve_init(capabilities={"tools": {}}):
    m = read()
    assert m["method"] == "server/discover", m
    error(m["id"], -32601)
    m = read()
    assert m["method"] == "initialize", m
    answer(m["id"], {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": {"name": "py", "version": "1"}})
    assert read()["method"] == "notifications/initialized"
"#
);
