//! Negotiates the protocol era: sends a modern request first, then `initialize` if the server does
//! not understand it (2026-07-28, versioning; transports/stdio and /streamable-http, "Backward
//! compatibility").

use std::pin::pin;

use tokio::time::{Instant, timeout_at};
use toolsure_json::{Kind, Node, OwnedDocument, ReadLimits, View, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{UNSUPPORTED_VERSION, write};

use super::options::{Options, client_info, with_meta};
use super::server_info::ServerInfo;
use super::wire::Wire;
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::http::{Call, Http, HttpTarget, Outcome};
use crate::message::{Answer, Reply, RpcError};
use crate::probe::Probe;
use crate::stdio::Stdio;

/// Opens a child with `initialize` alone.
pub(super) async fn stdio_legacy(
    stdio: &mut Stdio,
    options: &Options,
    end: Instant,
) -> Result<ServerInfo, Fault> {
    initialize_stdio(stdio, &mut Probe::default(), options, end).await
}

/// Opens either the child that has answered nothing so far, or another with `initialize` alone,
/// whichever answers first. Returns whether it is the other one.
pub(super) async fn either(
    (silent, other): (&mut Stdio, &mut Stdio),
    probe: &mut Probe<i64>,
    options: &Options,
    end: Instant,
) -> (bool, Result<ServerInfo, Fault>) {
    let mut waiting = pin!(opened_stdio(silent, probe, options, end));
    let mut opening = pin!(stdio_legacy(other, options, end));
    tokio::select! {
        opened = &mut waiting => match opened {
            Ok(server) => (false, Ok(server)),
            Err(first) => {
                let opened = opening.await;
                (true, opened.map_err(|second| telling(first, second)))
            }
        },
        opened = &mut opening => match opened {
            Ok(server) => (true, Ok(server)),
            Err(fault) => match waiting.await {
                Ok(server) => (false, Ok(server)),
                Err(first) => (true, Err(telling(first, fault))),
            },
        },
    }
}

/// The fault of two that says more: that nothing was heard in the rest of the time says little.
pub(super) fn telling(first: Fault, second: Fault) -> Fault {
    match second.kind() {
        FaultKind::Timeout => first,
        _ => second,
    }
}

/// Opens an HTTP endpoint.
pub(super) async fn http(
    target: HttpTarget,
    options: &Options,
    end: Instant,
) -> Result<(Wire, Result<ServerInfo, Fault>), Fault> {
    // Two clients, so that the answer to the probe can be awaited while `initialize` is.
    let mut probing = Http::new(target.clone(), options.limits)?;
    let mut http = Http::new(target, options.limits)?;
    let found = if options.probe {
        open_http(&mut probing, &mut http, options, end).await
    } else {
        let opened = initialize_http(&mut http, options, end).await;
        opened.map(HttpServer::Legacy)
    };
    Ok(match found {
        Ok(HttpServer::Modern(server)) => {
            probing.settle(server.era);
            (Wire::Http(Box::new(probing)), Ok(server))
        }
        Ok(HttpServer::Legacy(server)) => (Wire::Http(Box::new(http)), Ok(server)),
        Err(fault) => (Wire::Http(Box::new(http)), Err(fault)),
    })
}

/// A server behind an HTTP endpoint, by the request that opened it.
enum HttpServer {
    Modern(ServerInfo),
    Legacy(ServerInfo),
}

/// Opens a child: sends the probe, then `initialize` after an error or silence.
pub(super) async fn stdio(
    stdio: &mut Stdio,
    probe: &mut Probe<i64>,
    options: &Options,
    end: Instant,
) -> Result<ServerInfo, Fault> {
    let until = end.min(Instant::now() + options.deadlines.probe);
    probe.sent(PROBE);
    let answer = match stdio
        .send(Phase::Negotiate, &discover(options), until)
        .await
    {
        Ok(()) => stdio.answer(Phase::Negotiate, &[PROBE], until).await,
        Err(fault) => Err(fault),
    };
    match answer {
        Err(fault) if !matches!(fault.kind(), FaultKind::Timeout | FaultKind::Protocol) => {
            return Err(fault);
        }
        // What cannot be read may have been an answer to another line.
        Err(_) | Ok(None) => {}
        Ok(Some((_, answer))) => {
            probe.answered(&PROBE);
            if let Some(server) = modern(&answer)? {
                return Ok(server);
            }
        }
    }
    initialize_stdio(stdio, probe, options, end).await
}

/// Sends `initialize`. While the probe is unanswered, half of the time is left for another attempt.
async fn initialize_stdio(
    stdio: &mut Stdio,
    probe: &mut Probe<i64>,
    options: &Options,
    end: Instant,
) -> Result<ServerInfo, Fault> {
    let now = Instant::now();
    let mut until = end;
    if probe.is_unanswered() {
        until = now + end.saturating_duration_since(now) / 2;
    }
    stdio
        .send(Phase::Negotiate, &initialize(options), until)
        .await?;
    match opened_stdio(stdio, probe, options, until).await {
        // The answer to the probe was all the child had time for.
        Err(fault) if fault.kind() == FaultKind::Timeout && !probe.is_unanswered() => {
            opened_stdio(stdio, probe, options, end).await
        }
        opened => opened,
    }
}

/// Waits for the answer to `initialize`. While the probe is unanswered, a late modern answer to it
/// wins.
async fn opened_stdio(
    stdio: &mut Stdio,
    probe: &mut Probe<i64>,
    options: &Options,
    until: Instant,
) -> Result<ServerInfo, Fault> {
    loop {
        let ids: &[i64] = match probe.is_unanswered() {
            true => &[INIT, PROBE],
            false => &[INIT],
        };
        match stdio.answer(Phase::Negotiate, ids, until).await? {
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
                probe.answered(&PROBE);
                if let Some(server) = modern(&answer)? {
                    return Ok(server);
                }
            }
            Some((_, answer)) => {
                let server = legacy(answer)?;
                stdio
                    .send(
                        Phase::Negotiate,
                        &write::notification(INITIALIZED, None),
                        until,
                    )
                    .await?;
                return Ok(server);
            }
        }
    }
}

/// Sends the probe with one client and, if there is no answer in time, `initialize` with the other.
async fn open_http(
    probing: &mut Http,
    http: &mut Http,
    options: &Options,
    end: Instant,
) -> Result<HttpServer, Fault> {
    let until = end.min(Instant::now() + options.deadlines.probe);
    let mut discovering = pin!(discover_http(probing, options, end));
    if let Ok(found) = timeout_at(until, &mut discovering).await {
        return match found? {
            Some(server) => Ok(HttpServer::Modern(server)),
            None => initialize_http(http, options, end)
                .await
                .map(HttpServer::Legacy),
        };
    }
    let mut initializing = pin!(initialize_http(http, options, end));
    let opened = tokio::select! {
        found = &mut discovering => match found? {
            Some(server) => return Ok(HttpServer::Modern(server)),
            None => initializing.await,
        },
        opened = &mut initializing => match opened {
            Ok(server) => return Ok(HttpServer::Legacy(server)),
            // A server without sessions refuses `initialize`, and may be about to answer.
            Err(fault) => match discovering.await? {
                Some(server) => return Ok(HttpServer::Modern(server)),
                None => Err(fault),
            },
        },
    };
    opened
        .map(HttpServer::Legacy)
        .map_err(|fault| match fault.kind() {
            FaultKind::Timeout | FaultKind::Unreachable => fault.with_help(SILENT_AT_PROBE),
            _ => fault,
        })
}

/// Sends the probe: a modern server, or `None` if the answer is none of a modern server, or there
/// is none.
async fn discover_http(
    http: &mut Http,
    options: &Options,
    end: Instant,
) -> Result<Option<ServerInfo>, Fault> {
    let call = Call {
        id: PROBE,
        method: DISCOVER,
        text: discover(options),
        era: Some(Era::NEWEST),
        opens_session: false,
        contract: None,
    };
    match http.ask(Phase::Negotiate, call, end).await {
        Ok(Outcome::Answer(answer)) => modern(&answer),
        Ok(Outcome::Silence | Outcome::Status(_)) => Ok(None),
        // A server that answers every unknown request alike, with a body that is not JSON-RPC, or
        // that ends the connection.
        Err(fault) if matches!(fault.kind(), FaultKind::Protocol | FaultKind::Unreachable) => {
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}

async fn initialize_http(
    http: &mut Http,
    options: &Options,
    end: Instant,
) -> Result<ServerInfo, Fault> {
    let text = initialize(options);
    let call = Call {
        id: INIT,
        method: INITIALIZE,
        text,
        era: None,
        opens_session: true,
        contract: None,
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
    Some(server_info(Era::NEWEST, info, result))
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
    Ok(server_info(era, result.member("serverInfo"), result))
}

fn server_info(era: Era, info: Option<View<'_>>, result: View<'_>) -> ServerInfo {
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
        instructions: result
            .member("instructions")
            .filter(|text| text.kind() == Kind::String)
            .map(|text| text.string().to_owned()),
        declares_tools: result
            .member("capabilities")
            .is_some_and(|all| all.member("tools").is_some()),
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
        r#"{{"protocolVersion":"{newest}","capabilities":{},"clientInfo":{}}}"#,
        options.capabilities,
        client_info(options)
    );
    write::request(&INIT.to_string(), INITIALIZE, Some(&params))
}

const PROBE: i64 = 1;
const INIT: i64 = 2;
const DISCOVER: &str = "server/discover";
const INITIALIZE: &str = "initialize";
const INITIALIZED: &str = "notifications/initialized";
const SILENT_AT_PROBE: &str = "a server that is slow to start needs a longer `--timeout`; start one that `server/discover` has stopped again, and use `--no-probe`";
