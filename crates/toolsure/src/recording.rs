//! Recordings of a server: its listing, the calls that were made, and the answers, as JSON Lines.
//!
//! ```text
//! {"toolsure":"recording","version":1,"server":{"name":"orders","version":"1.2.0"},"protocol":"2025-11-25"}
//! {"tools":[{"name":"get_order","inputSchema":{…}}]}
//! {"tool":"get_order","arguments":{"id":"A-7"},"result":{"content":[…]}}
//! {"tool":"get_order","arguments":{"id":7},"error":{"code":-32602,"message":"…"}}
//! {"tool":"slow","arguments":{},"silence":true}
//! {"tool":"bad","arguments":{},"lost":"exited with status 1"}
//! ```
//!
//! Texts that look like secrets, and values of members whose names say so, are replaced by `***`.

use std::path::Path;

use toolsure_json::{
    Key as _, Kind, Node as _, OwnedDocument, View, has_secret, json_string, names_secret, quote,
};

use crate::exit::Failure;
use crate::input::Input;
use crate::listing::{ServerFacts, UNLIMITED};

/// A recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    /// The JSON text of `serverInfo`.
    pub(crate) server: String,
    /// The protocol version.
    pub(crate) protocol: String,
    pub(crate) instructions: Option<String>,
    /// The JSON texts of the tools.
    pub(crate) tools: Vec<String>,
    pub(crate) exchanges: Vec<Exchange>,
}

/// A call and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) tool: String,
    /// JSON text.
    pub(crate) arguments: String,
    pub(crate) ended: CallEnd,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// The text of the result.
    Result(String),
    /// The code and message of a JSON-RPC error, and the text of its data.
    Error(i64, String, Option<String>),
    /// Without an answer in time.
    Silence,
    /// With an answer that cannot be read, for this reason. A recording has it as a lost connection.
    Unreadable(String),
    /// With an answer over a limit of ours: which. A recording has it as a lost connection.
    TooLarge(String),
    /// The connection was lost, for this reason.
    Lost(String),
}

impl Recording {
    /// Notes what the server says of itself.
    pub(crate) fn server(&mut self, facts: &ServerFacts) {
        self.server = facts.raw.clone().unwrap_or_else(|| {
            let (name, version) = (json_string(&facts.name), json_string(&facts.version));
            format!(r#"{{"name":{name},"version":{version}}}"#)
        });
        self.protocol.clone_from(&facts.protocol);
        self.instructions.clone_from(&facts.instructions);
    }

    /// Notes the tools.
    pub(crate) fn list(&mut self, tools: &[String]) {
        self.tools = tools.to_vec();
    }

    /// Adds a call. One whose arguments are no Unicode, and so cannot be read again, is left out.
    pub(crate) fn add(&mut self, exchange: Exchange) {
        let is_result_readable = match &exchange.ended {
            CallEnd::Result(text) => is_readable(text),
            _ => true,
        };
        if is_result_readable && is_readable(&exchange.arguments) {
            self.exchanges.push(exchange);
        }
    }

    /// An error if the file cannot be written. Makes an empty one where there is none.
    pub(crate) fn can_be_written(path: &Path) -> Result<(), Failure> {
        let opened = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path);
        opened.map(drop).map_err(|error| unwritable(path, &error))
    }

    /// Writes the file.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        std::fs::write(path, self.text()).map_err(|error| unwritable(path, &error))
    }

    fn text(&self) -> String {
        let protocol = json_string(&self.protocol);
        let server = masked(&self.server);
        let instructions = self.instructions.as_deref().map_or(String::new(), |text| {
            format!(r#","instructions":{}"#, json_string(&masked_text(text)))
        });
        let mut out = format!(
            "{{\"toolsure\":\"recording\",\"version\":1,\"server\":{server},\"protocol\":{protocol}{instructions}}}\n"
        );
        let tools = self.tools.iter().filter(|tool| is_readable(tool));
        let tools: Vec<String> = tools.map(|tool| without_secret_texts(tool)).collect();
        out.push_str(&format!("{{\"tools\":[{}]}}\n", tools.join(",")));
        for one in &self.exchanges {
            // The arguments are generated, so only what the operator gives can be a secret.
            let (tool, arguments) = (json_string(&one.tool), masked(&one.arguments));
            let ended = match &one.ended {
                CallEnd::Result(text) => format!("\"result\":{}", masked(text)),
                CallEnd::Error(code, message, data) => {
                    let message = json_string(&masked_text(message));
                    let data = data.as_ref();
                    let data =
                        data.map_or(String::new(), |data| format!(",\"data\":{}", masked(data)));
                    format!("\"error\":{{\"code\":{code},\"message\":{message}{data}}}")
                }
                CallEnd::Silence => "\"silence\":true".to_owned(),
                CallEnd::Unreadable(how) | CallEnd::TooLarge(how) | CallEnd::Lost(how) => {
                    format!("\"lost\":{}", json_string(&masked_text(how)))
                }
            };
            out.push_str(&format!(
                "{{\"tool\":{tool},\"arguments\":{arguments},{ended}}}\n"
            ));
        }
        out
    }

    /// Reads a file of at most `most` bytes.
    pub(crate) fn read(path: &Path, most: usize) -> Result<Self, Failure> {
        let name = quote(&path.display().to_string(), 200).to_string();
        let text = Input::of(path)
            .read(most)
            .map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?;
        let mut recording = Self::default();
        let lines = text.split(|byte| *byte == b'\n').enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
            let number = number.saturating_add(1);
            let fault = |what: &str| Failure::usage(format!("{name}:{number}: {what}"));
            let document = OwnedDocument::read(line, &UNLIMITED)
                .map_err(|error| fault(&format!("no JSON: {error}")))?;
            let root = document.document().root();
            if recording.protocol.is_empty() {
                recording.begin(root).map_err(fault)?;
            } else if let Some(tools) = root.member("tools") {
                let is_list = tools.kind() == Kind::Array
                    && tools.items().all(|tool| tool.kind() == Kind::Object);
                if !is_list {
                    return Err(fault("`tools` must be an array of objects"));
                }
                recording.tools = tools.items().map(|tool| tool.raw().to_owned()).collect();
            } else {
                recording.exchanges.push(exchange(root).map_err(fault)?);
            }
        }
        if recording.protocol.is_empty() {
            return Err(Failure::usage(format!("`{name}` is empty")));
        }
        Ok(recording)
    }

    fn begin(&mut self, root: View<'_>) -> Result<(), &'static str> {
        let text = |name: &str| {
            root.member(name)
                .filter(|value| value.kind() == Kind::String)
        };
        if text("toolsure").map(|kind| kind.string()) != Some("recording") {
            return Err("this is no recording: the first line has no `\"toolsure\":\"recording\"`");
        }
        if root
            .member("version")
            .and_then(|version| version.number().as_i64())
            != Some(1)
        {
            return Err("only version 1 of recordings is known");
        }
        let protocol = text("protocol").ok_or("`protocol` is missing")?;
        protocol.string().clone_into(&mut self.protocol);
        let server = root.member("server");
        if server.is_some_and(|server| server.kind() != Kind::Object) {
            return Err("`server` must be an object");
        }
        let server = server.map_or("{}", |server| server.raw());
        server.clone_into(&mut self.server);
        self.instructions = text("instructions").map(|text| text.string().to_owned());
        Ok(())
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let name = quote(&path.display().to_string(), 200).to_string();
    Failure::usage(format!("cannot write `{name}`: {error}"))
}

fn exchange(root: View<'_>) -> Result<Exchange, &'static str> {
    let of_kind = |name: &str, kind: Kind| root.member(name).filter(|value| value.kind() == kind);
    let tool = of_kind("tool", Kind::String).ok_or("`tool` must be a string")?;
    let arguments = of_kind("arguments", Kind::Object).ok_or("`arguments` must be an object")?;
    let ended = match (root.member("result"), root.member("error")) {
        (Some(result), None) if result.kind() == Kind::Object => {
            CallEnd::Result(result.raw().to_owned())
        }
        (Some(_), None) => return Err("`result` must be an object"),
        (None, Some(error)) => CallEnd::Error(
            error
                .member("code")
                .and_then(|code| code.number().as_i64())
                .ok_or("`error` has no `code`")?,
            error
                .member("message")
                .map_or("", |text| text.string())
                .to_owned(),
            error.member("data").map(|data| data.raw().to_owned()),
        ),
        (None, None) if root.member("silence").is_some() => CallEnd::Silence,
        (None, None) => {
            let lost = root.member("lost");
            CallEnd::Lost(
                lost.ok_or("there is no `result`, `error`, `silence` or `lost`")?
                    .string()
                    .to_owned(),
            )
        }
        _ => return Err("a call has one of `result` and `error`"),
    };
    Ok(Exchange {
        tool: tool.string().to_owned(),
        arguments: arguments.raw().to_owned(),
        ended,
    })
}

/// Whether JSON text can be read again.
fn is_readable(text: &str) -> bool {
    OwnedDocument::read(text.as_bytes(), &UNLIMITED).is_ok()
}

/// The text of a tool in which texts that look like secrets are replaced. What its schema says of members stays.
fn without_secret_texts(text: &str) -> String {
    masked_with(text, |_| false)
}

/// JSON text in which secrets are replaced.
fn masked(text: &str) -> String {
    masked_with(text, names_secret)
}

fn masked_with(text: &str, names_secret: fn(&str) -> bool) -> String {
    match OwnedDocument::read(text.as_bytes(), &UNLIMITED) {
        Ok(document) => {
            let mut out = String::new();
            write(&mut out, document.document().root(), names_secret, false);
            out
        }
        Err(_) => "null".to_owned(),
    }
}

fn masked_text(text: &str) -> String {
    match has_secret(text) {
        true => MASK.to_owned(),
        false => text.to_owned(),
    }
}

fn write(out: &mut String, value: View<'_>, names_secret: fn(&str) -> bool, is_secret: bool) {
    match value.kind() {
        Kind::Object => {
            out.push('{');
            for (number, (key, member)) in value.members().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                out.push_str(&json_string(&masked_text(key.text())));
                out.push(':');
                write(
                    out,
                    member,
                    names_secret,
                    is_secret || names_secret(key.text()),
                );
            }
            out.push('}');
        }
        Kind::Array => {
            out.push('[');
            for (number, item) in value.items().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write(out, item, names_secret, is_secret);
            }
            out.push(']');
        }
        Kind::String | Kind::Number if is_secret || has_secret(value.string()) => {
            out.push_str(&json_string(MASK));
        }
        _ => out.push_str(value.raw()),
    }
}

/// What stands in place of a secret.
pub(crate) const MASK: &str = "***";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_read_as_it_was_written() {
        let mut recording = Recording {
            server: r#"{"name":"a"}"#.to_owned(),
            protocol: "2025-11-25".to_owned(),
            ..Recording::default()
        };
        recording.list(&["{\n\"name\": \"t\"}".to_owned()]);
        let ends = [
            CallEnd::Result(r#"{"content":[]}"#.to_owned()),
            CallEnd::Error(-32602, "no".to_owned(), Some("1".to_owned())),
            CallEnd::Silence,
            CallEnd::Lost("exited".to_owned()),
        ];
        for ended in &ends {
            recording.add(Exchange {
                tool: "t".to_owned(),
                arguments: r#"{"password":"x","a":1}"#.to_owned(),
                ended: ended.clone(),
            });
        }
        let path = std::env::temp_dir().join(format!("toolsure-recording-{}", std::process::id()));
        recording.write(&path).unwrap();
        let read = Recording::read(&path, 1 << 20).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read.tools, [r#"{"name":"t"}"#]);
        let read_ends: Vec<_> = read.exchanges.iter().map(|one| one.ended.clone()).collect();
        assert_eq!(read_ends, ends);
        assert_eq!(read.exchanges[0].arguments, r#"{"password":"***","a":1}"#);
    }
}
