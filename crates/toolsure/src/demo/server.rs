//! What the demo server answers in either era, whatever the transport.

use toolsure_json::{Kind, Node, json_string, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_VERSION};

use super::envelope::{Answer, Envelope, Fault, success};
use super::tools::{self, Outcome, Tool};

/// The demo server's tools and its answers.
#[derive(Debug)]
pub(super) struct DemoServer {
    tools: Vec<Tool>,
}

/// How to answer a message.
#[derive(Debug)]
pub(super) enum Reply {
    /// Not at all: it is a notification or an answer.
    Silence,
    /// With this answer.
    Answer(Answer),
    /// With this answer, after which the connection uses this version.
    Opened(Era, Answer),
}

impl DemoServer {
    pub(super) fn new() -> Self {
        Self {
            tools: tools::all(),
        }
    }

    /// Answers one message. `opened` is the version that an `initialize` on this connection agreed
    /// on; `modern` is set if the transport marked the message as modern.
    pub(super) fn handle(&self, message: &Envelope, opened: Option<Era>, modern: bool) -> Reply {
        let Some(id) = message.request_id() else {
            return Reply::Silence;
        };
        let modern = modern || message.meta(VERSION).is_some();
        if !modern && message.method() == "initialize" {
            let era = agree(message);
            return Reply::Opened(era, success(id, &initialized(era)));
        }
        let answered = if modern {
            self.modern(message)
        } else {
            self.legacy(message, opened)
        };
        Reply::Answer(match answered {
            Ok(result) => success(id, &result),
            Err(fault) => fault.answer(id),
        })
    }

    fn modern(&self, message: &Envelope) -> Result<String, Fault> {
        let version = message
            .meta(VERSION)
            .filter(|version| version.kind() == Kind::String);
        let capable = message
            .meta("clientCapabilities")
            .is_some_and(|all| all.kind() == Kind::Object);
        let (Some(version), true) = (version, capable) else {
            return Err(Fault::new(
                INVALID_PARAMS,
                "`_meta` must have `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities`",
            ));
        };
        let era = Era::NEWEST;
        if version.string() != era.version() {
            let data = format!(
                r#"{{"supported":["{}"],"requested":{}}}"#,
                era.version(),
                version.raw()
            );
            let fault = Fault::new(UNSUPPORTED_VERSION, "unsupported protocol version");
            return Err(Fault {
                data: Some(data),
                ..fault
            });
        }
        let body = match message.method() {
            "server/discover" => {
                let newest_first = Era::ALL.iter().rev();
                let versions = newest_first.map(|era| json_string(era.version()));
                let versions = versions.collect::<Vec<_>>().join(",");
                format!(
                    r#""supportedVersions":[{versions}],"capabilities":{{"tools":{{}}}},{CACHE}"#
                )
            }
            "tools/list" => format!(r#""tools":{},{CACHE}"#, self.list(message, era)?),
            "tools/call" => self.call(message, era)?,
            other => return Err(Fault::unknown_method(other)),
        };
        let info = server_info();
        Ok(format!(
            r#"{{"resultType":"complete",{body},"_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}}}"#
        ))
    }

    fn legacy(&self, message: &Envelope, opened: Option<Era>) -> Result<String, Fault> {
        if message.method() == "ping" {
            return Ok("{}".to_owned());
        }
        let Some(era) = opened else {
            let newest = Era::NEWEST.version();
            return Err(Fault::new(
                INVALID_REQUEST,
                format!("send `initialize` first, or the `_meta` of {newest}"),
            ));
        };
        match message.method() {
            "tools/list" => Ok(format!(r#"{{"tools":{}}}"#, self.list(message, era)?)),
            "tools/call" => Ok(format!("{{{}}}", self.call(message, era)?)),
            other => Err(Fault {
                status: 200,
                ..Fault::unknown_method(other)
            }),
        }
    }

    fn list(&self, message: &Envelope, era: Era) -> Result<String, Fault> {
        if message.param("cursor").is_some() {
            return Err(Fault::plain(
                INVALID_PARAMS,
                "the listing has one page; the cursor is not ours",
            ));
        }
        let tools: Vec<String> = self.tools.iter().map(|tool| tool.listed(era)).collect();
        Ok(format!("[{}]", tools.join(",")))
    }

    /// The members of a call's result.
    fn call(&self, message: &Envelope, era: Era) -> Result<String, Fault> {
        let Some(name) = message
            .param("name")
            .filter(|name| name.kind() == Kind::String)
        else {
            return Err(Fault::plain(INVALID_PARAMS, "`name` must be a string"));
        };
        let Some(tool) = self.tools.iter().find(|tool| tool.name == name.string()) else {
            return Err(Fault::plain(
                INVALID_PARAMS,
                format!("Unknown tool: {}", quote(name.string(), 128)),
            ));
        };
        let arguments = message.param("arguments");
        if arguments.is_some_and(|arguments| arguments.kind() != Kind::Object) {
            return Err(Fault::plain(
                INVALID_PARAMS,
                "`arguments` must be an object",
            ));
        }
        match tool.call(arguments.map_or("{}", |arguments| arguments.raw())) {
            Outcome::Unusable(reason) => Err(Fault::plain(INVALID_PARAMS, reason)),
            Outcome::Refused(text) => Ok(format!(
                r#""content":[{}],"isError":true"#,
                text_block(&text)
            )),
            Outcome::Value(value) => {
                let block = text_block(&value);
                Ok(match tool.structured(&value, era) {
                    Some(structured) => {
                        format!(r#""content":[{block}],"structuredContent":{structured}"#)
                    }
                    None => format!(r#""content":[{block}]"#),
                })
            }
        }
    }
}

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, json_string(text))
}

/// The version for an `initialize`: the client's if we know it, else our newest with sessions.
fn agree(message: &Envelope) -> Era {
    let asked = message.param("protocolVersion").map_or("", Node::string);
    Era::from_version(asked)
        .filter(|era| era.has_sessions())
        .unwrap_or(Era::NEWEST_WITH_SESSIONS)
}

fn initialized(era: Era) -> String {
    let version = era.version();
    format!(
        r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{}}}"#,
        server_info()
    )
}

fn server_info() -> String {
    format!(
        r#"{{"name":"toolsure-demo","version":"{}"}}"#,
        env!("CARGO_PKG_VERSION")
    )
}

/// Who may cache answers, and for how long: the listing never changes while the process runs.
const CACHE: &str = r#""ttlMs":60000,"cacheScope":"public""#;
const VERSION: &str = "protocolVersion";
