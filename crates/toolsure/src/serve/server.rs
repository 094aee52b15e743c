//! What a server answers in either era, whatever the transport.

use std::fmt::Debug;
use std::time::Duration;

use toolsure_json::{Kind, Node, json_string, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_VERSION};

use super::envelope::{Answer, Envelope, Fault, success};

/// The tools that a server has, and how it answers calls.
pub(crate) trait Served: Debug + Send + Sync {
    /// The JSON text of `serverInfo`.
    fn info(&self) -> String;

    /// The instructions for models, if there are any.
    fn instructions(&self) -> Option<&str>;

    /// The JSON texts of the tools.
    fn tools(&self, era: Era) -> Vec<String>;

    /// Answers a call whose arguments are the JSON text of an object; `None` if there is no such tool.
    fn call(&self, name: &str, arguments: &str, era: Era) -> Option<Called>;
}

/// The answer to a call.
#[derive(Debug)]
pub(crate) struct Called {
    /// The members of the result, as JSON text; without `resultType` and `_meta` in versions that have them.
    pub(crate) members: Result<String, Fault>,
    pub(crate) dispatch: Dispatch,
}

/// How an answer gets to the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dispatch {
    #[default]
    AtOnce,
    After(Duration),
    Never,
    /// Half of it, then the connection ends.
    Cut,
}

/// Answers messages for what it serves.
#[derive(Debug)]
pub(crate) struct Server(pub(super) Box<dyn Served>);

/// How to answer a message.
#[derive(Debug)]
pub(super) enum Reply {
    /// Not at all: it is a notification or an answer.
    Silence,
    /// With this answer.
    Answer(Answer, Dispatch),
    /// With this answer, after which the connection uses this version.
    Opened(Era, Answer),
}

impl Server {
    /// Answers one message. `opened` is the version that an `initialize` on this connection agreed
    /// on; `modern` is set if the transport marked the message as modern.
    pub(super) fn handle(&self, message: &Envelope, opened: Option<Era>, modern: bool) -> Reply {
        let Some(id) = message.request_id() else {
            return Reply::Silence;
        };
        let modern = modern || message.meta(VERSION).is_some();
        if !modern && message.method() == "initialize" {
            let era = agree(message);
            return Reply::Opened(era, success(id, &self.initialized(era)));
        }
        let mut dispatch = Dispatch::AtOnce;
        let answered = if modern {
            self.modern(message, &mut dispatch)
        } else {
            self.legacy(message, opened, &mut dispatch)
        };
        let answer = match answered {
            Ok(result) => success(id, &result),
            Err(fault) => fault.answer(id),
        };
        Reply::Answer(answer, dispatch)
    }

    fn modern(&self, message: &Envelope, dispatch: &mut Dispatch) -> Result<String, Fault> {
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
                let instructions = self.instructions();
                format!(
                    r#""supportedVersions":[{versions}],"capabilities":{{"tools":{{}}}}{instructions},{CACHE}"#
                )
            }
            "tools/list" => format!(r#""tools":{},{CACHE}"#, self.list(message, era)?),
            "tools/call" => self.call(message, era, dispatch)?,
            other => return Err(Fault::unknown_method(other)),
        };
        let info = self.0.info();
        Ok(format!(
            r#"{{"resultType":"complete",{body},"_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}}}"#
        ))
    }

    fn legacy(
        &self,
        message: &Envelope,
        opened: Option<Era>,
        dispatch: &mut Dispatch,
    ) -> Result<String, Fault> {
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
            "tools/call" => Ok(format!("{{{}}}", self.call(message, era, dispatch)?)),
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
        Ok(format!("[{}]", self.0.tools(era).join(",")))
    }

    /// The members of a call's result.
    fn call(&self, message: &Envelope, era: Era, dispatch: &mut Dispatch) -> Result<String, Fault> {
        let Some(name) = message
            .param("name")
            .filter(|name| name.kind() == Kind::String)
        else {
            return Err(Fault::plain(INVALID_PARAMS, "`name` must be a string"));
        };
        let arguments = message.param("arguments");
        if arguments.is_some_and(|arguments| arguments.kind() != Kind::Object) {
            return Err(Fault::plain(
                INVALID_PARAMS,
                "`arguments` must be an object",
            ));
        }
        let arguments = arguments.map_or("{}", |arguments| arguments.raw());
        let Some(called) = self.0.call(name.string(), arguments, era) else {
            return Err(Fault::plain(
                INVALID_PARAMS,
                format!("Unknown tool: {}", quote(name.string(), 128)),
            ));
        };
        *dispatch = called.dispatch;
        called.members
    }

    /// The member `instructions`, after a comma.
    fn instructions(&self) -> String {
        let text = self.0.instructions();
        text.map_or(String::new(), |text| {
            format!(r#","instructions":{}"#, json_string(text))
        })
    }

    fn initialized(&self, era: Era) -> String {
        let version = era.version();
        let instructions = self.instructions();
        format!(
            r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{}{instructions}}}"#,
            self.0.info()
        )
    }
}

/// The version for an `initialize`: the client's if we know it, else our newest with sessions.
fn agree(message: &Envelope) -> Era {
    let asked = message.param("protocolVersion").map_or("", Node::string);
    Era::from_version(asked)
        .filter(|era| era.has_sessions())
        .unwrap_or(Era::NEWEST_WITH_SESSIONS)
}

/// Who may cache answers, and for how long: the listing never changes while the process runs.
const CACHE: &str = r#""ttlMs":60000,"cacheScope":"public""#;
const VERSION: &str = "protocolVersion";
