//! Negotiates the protocol era: sends a modern request first, then `initialize` if the server does
//! not understand it (2026-07-28, versioning; transports/stdio and /streamable-http, "Backward
//! compatibility").

use tokio::time::Instant;
use toolsure_json::{Kind, Node, OwnedDocument, ReadLimits, View, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{UNSUPPORTED_VERSION, write};

use super::options::{Options, client_info, with_meta};
use super::server_info::ServerInfo;
use super::wire::Wire;
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::http::{Call, Http, Outcome};
use crate::message::{Answer, Reply, RpcError};
use crate::stdio::Stdio;

/// How the first attempt on a child ended.
pub(super) enum Opened {
    Session(ServerInfo),
    /// The child ended at the probe; it may still accept `initialize`.
    DiedAtProbe,
}

/// Opens a child: sends the probe, then `initialize` after an error or silence.
pub(super) async fn stdio(
    mut stdio: Stdio,
    options: &Options,
    end: Instant,
) -> (Wire, Result<Opened, Fault>) {
    let opened = open_stdio(&mut stdio, options, end).await;
    (Wire::Stdio(Box::new(stdio)), opened)
}

/// Opens a child with `initialize` alone.
pub(super) async fn stdio_legacy(
    mut stdio: Stdio,
    options: &Options,
    end: Instant,
) -> (Wire, Result<ServerInfo, Fault>) {
    let opened = initialize_stdio(&mut stdio, options, false, end).await;
    (Wire::Stdio(Box::new(stdio)), opened)
}

/// Opens an HTTP endpoint.
pub(super) async fn http(
    mut http: Http,
    options: &Options,
    end: Instant,
) -> (Wire, Result<ServerInfo, Fault>) {
    let opened = open_http(&mut http, options, end).await;
    (Wire::Http(Box::new(http)), opened)
}

async fn open_stdio(stdio: &mut Stdio, options: &Options, end: Instant) -> Result<Opened, Fault> {
    let until = end.min(Instant::now() + options.deadlines.probe);
    let probe = discover(options);
    let answer = match stdio.send(Phase::Negotiate, &probe, until).await {
        Ok(()) => stdio.answer(Phase::Negotiate, &[PROBE], until).await,
        Err(fault) => Err(fault),
    };
    let silent = match answer {
        Err(fault) if fault.kind() == FaultKind::Exited => return Ok(Opened::DiedAtProbe),
        Err(fault) if fault.kind() == FaultKind::Timeout => true,
        Err(fault) => return Err(fault),
        Ok(None) => true,
        Ok(Some((_, answer))) => {
            if let Some(server) = modern(&answer)? {
                return Ok(Opened::Session(server));
            }
            false
        }
    };
    initialize_stdio(stdio, options, silent, end)
        .await
        .map(Opened::Session)
}

/// Sends `initialize`. While the probe is open (`probe_open`), a late modern answer to it wins.
async fn initialize_stdio(
    stdio: &mut Stdio,
    options: &Options,
    probe_open: bool,
    end: Instant,
) -> Result<ServerInfo, Fault> {
    stdio
        .send(Phase::Negotiate, &initialize(options), end)
        .await?;
    let mut ids: &[i64] = if probe_open { &[INIT, PROBE] } else { &[INIT] };
    loop {
        match stdio.answer(Phase::Negotiate, ids, end).await? {
            None => {
                let why = stdio.notes().why_silent();
                return Err(Fault::timeout(
                    Phase::Negotiate,
                    INITIALIZE,
                    options.deadlines.overall,
                    &why,
                ));
            }
            Some((PROBE, answer)) => {
                if let Some(server) = modern(&answer)? {
                    return Ok(server);
                }
                ids = &[INIT];
            }
            Some((_, answer)) => {
                let server = legacy(answer)?;
                stdio
                    .send(
                        Phase::Negotiate,
                        &write::notification(INITIALIZED, None),
                        end,
                    )
                    .await?;
                return Ok(server);
            }
        }
    }
}

async fn open_http(http: &mut Http, options: &Options, end: Instant) -> Result<ServerInfo, Fault> {
    let until = end.min(Instant::now() + options.deadlines.request);
    let text = discover(options);
    let call = Call {
        id: PROBE,
        method: DISCOVER,
        text,
        era: Some(Era::NEWEST),
        opens_session: false,
    };
    match http.ask(Phase::Negotiate, call, until).await {
        Ok(Outcome::Answer(answer)) => {
            if let Some(server) = modern(&answer)? {
                http.settle(server.era);
                return Ok(server);
            }
        }
        // A legacy server would refuse the request; silence means that no server is there.
        Ok(Outcome::Silence) => {
            return Err(Fault::timeout(
                Phase::Negotiate,
                DISCOVER,
                options.deadlines.request.min(options.deadlines.overall),
                "",
            ));
        }
        Ok(Outcome::Status(_)) => {}
        // A server that answers every unknown request alike, with a body that is not JSON-RPC.
        Err(fault) if fault.kind() == FaultKind::Protocol => {}
        Err(fault) => return Err(fault),
    }
    let text = initialize(options);
    let call = Call {
        id: INIT,
        method: INITIALIZE,
        text,
        era: None,
        opens_session: true,
    };
    let server = match http.ask(Phase::Negotiate, call, end).await? {
        Outcome::Answer(answer) => legacy(answer)?,
        Outcome::Status(fault) => return Err(fault),
        Outcome::Silence => {
            return Err(Fault::timeout(
                Phase::Negotiate,
                INITIALIZE,
                options.deadlines.overall,
                "",
            ));
        }
    };
    http.settle(server.era);
    http.notify(
        Phase::Negotiate,
        INITIALIZED,
        write::notification(INITIALIZED, None),
        (end, options.deadlines.overall),
    )
    .await?;
    Ok(server)
}

/// Reads the answer to the probe: a modern server, `None` for a legacy one, or a fault if there is
/// no common version.
fn modern(answer: &Answer) -> Result<Option<ServerInfo>, Fault> {
    match answer {
        Answer::Result(reply) => Ok(discovered(reply)),
        Answer::Error(error) if error.code == UNSUPPORTED_VERSION => no_common_version(error),
        Answer::Error(_) => Ok(None),
    }
}

fn discovered(reply: &Reply) -> Option<ServerInfo> {
    let result = reply.result();
    let versions = result.member("supportedVersions")?;
    // A server that answers `server/discover` but lists only legacy versions expects `initialize`.
    versions
        .items()
        .find(|version| version.string() == Era::NEWEST.version())?;
    let info = result
        .member("_meta")
        .and_then(|meta| meta.member("io.modelcontextprotocol/serverInfo"));
    Some(server_info(
        Era::NEWEST,
        info,
        result.member("capabilities"),
    ))
}

/// Reads error -32022, which lists the server's versions. `None` if one of them can be opened with
/// `initialize`.
fn no_common_version(error: &RpcError) -> Result<Option<ServerInfo>, Fault> {
    let data = error.data.as_deref().unwrap_or("null");
    let document = OwnedDocument::read(data.as_bytes(), &ReadLimits::default()).ok();
    let supported = document
        .as_ref()
        .and_then(|document| document.document().root().member("supported"));
    let names: Vec<&str> = supported
        .map(|list| list.items().map(Node::string).collect())
        .unwrap_or_default();
    if names.iter().any(|name| with_sessions(name).is_some()) {
        return Ok(None);
    }
    let shown = quote(&names.join(", "), 120).to_string();
    Err(version_fault(format!(
        "the server supports the protocol versions `{shown}`"
    )))
}

fn legacy(answer: Answer) -> Result<ServerInfo, Fault> {
    let reply = match answer {
        Answer::Result(reply) => reply,
        Answer::Error(error) => {
            let message = format!(
                "the server refuses `initialize`: error {} `{}`",
                error.code,
                quote(&error.message, 200)
            );
            return Err(Fault::new(
                Party::Server,
                FaultKind::Refused(error.code),
                Phase::Negotiate,
                message,
            ));
        }
    };
    let result = reply.result();
    let Some(version) = result
        .member("protocolVersion")
        .filter(|version| version.kind() == Kind::String)
    else {
        return Err(Fault::nonsense(
            Phase::Negotiate,
            "the result of `initialize` names no `protocolVersion`",
            result.raw().as_bytes(),
        ));
    };
    let Some(era) = with_sessions(version.string()) else {
        return Err(version_fault(format!(
            "the server answers `initialize` with protocol version `{}`",
            quote(version.string(), 60)
        )));
    };
    Ok(server_info(
        era,
        result.member("serverInfo"),
        result.member("capabilities"),
    ))
}

fn server_info(era: Era, info: Option<View<'_>>, capabilities: Option<View<'_>>) -> ServerInfo {
    let text = |name: &str| {
        info.and_then(|info| info.member(name))
            .map_or("", Node::string)
            .to_owned()
    };
    ServerInfo {
        era,
        name: text("name"),
        version: text("version"),
        raw: info.map(|info| info.raw().to_owned()),
        declares_tools: capabilities.is_some_and(|all| all.member("tools").is_some()),
    }
}

/// The era of a version with sessions; `None` for any other version.
fn with_sessions(version: &str) -> Option<Era> {
    Era::from_version(version).filter(|era| era.has_sessions())
}

fn version_fault(message: String) -> Fault {
    Fault::new(Party::Server, FaultKind::Version, Phase::Negotiate, message).with_help(format!(
        "toolsure speaks {}, {}",
        Era::NEWEST.version(),
        Era::SESSION_VERSIONS.join(", ")
    ))
}

fn discover(options: &Options) -> String {
    let params = with_meta("{}", options);
    write::request(&PROBE.to_string(), DISCOVER, Some(&params))
}

fn initialize(options: &Options) -> String {
    let newest = Era::NEWEST_WITH_SESSIONS.version();
    let params = format!(
        r#"{{"protocolVersion":"{newest}","capabilities":{{}},"clientInfo":{}}}"#,
        client_info(options)
    );
    write::request(&INIT.to_string(), INITIALIZE, Some(&params))
}

const PROBE: i64 = 1;
const INIT: i64 = 2;
const DISCOVER: &str = "server/discover";
const INITIALIZE: &str = "initialize";
const INITIALIZED: &str = "notifications/initialized";
