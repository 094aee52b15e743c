//! The published servers, and how they are started.

use std::collections::BTreeMap;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use super::client::{self, Client};
use super::harness::{Harness, Target};
use crate::peers::{self, Served};

/// A published server and the requests to it.
#[derive(Deserialize)]
pub(super) struct Published {
    pub(super) server: String,
    /// Its script under `node_modules`.
    node: Option<String>,
    /// Its Python module.
    python: Option<String>,
    pub(super) transports: Transports,
    pub(super) eras: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    requests: Vec<Value>,
}

/// The server's arguments for each of its transports.
#[derive(Deserialize)]
pub(super) struct Transports {
    pub(super) stdio: Vec<String>,
    pub(super) http: Option<Vec<String>>,
}

/// The servers of `published.json`.
///
/// # Errors
///
/// One line if the file cannot be read.
pub(super) fn servers() -> Result<Vec<Published>, String> {
    let path = peers::scripts().join("published.json");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

impl Published {
    /// The requests of this client.
    pub(super) fn requests(&self, harness: &Harness, client: Client) -> Result<Vec<Value>, String> {
        let some = self.requests.iter().take(client.most());
        some.map(|request| {
            let text = harness.filled(&request.to_string());
            serde_json::from_str(&text).map_err(|e| format!("published.json: {e}"))
        })
        .collect()
    }

    /// Its command line.
    pub(super) fn command(
        &self,
        harness: &Harness,
        arguments: &[String],
    ) -> Result<Vec<String>, String> {
        let mut command = vec!["env".to_owned()];
        let env = self.env.iter();
        command.extend(env.map(|(name, value)| format!("{name}={}", harness.filled(value))));
        let program = match (&self.node, &self.python) {
            (Some(script), _) => harness
                .javascript
                .node(&harness.javascript.modules().join(script)),
            (None, Some(module)) => harness.python.module(module),
            (None, None) => return Err(format!("{} names no program", self.server)),
        };
        command.extend(client::words(&program));
        command.extend(arguments.iter().map(|argument| harness.filled(argument)));
        Ok(command)
    }
}

/// The programs that must run while a client makes requests, and the target for the client.
pub(super) struct Running {
    pub(super) target: Target,
    /// Dropped in this order: the guard before the server.
    _served: Vec<Served>,
}

impl Running {
    /// Starts a server on the transport `far` and, in front of it, the guard on `near`.
    pub(super) fn start(
        harness: &Harness,
        server: &Published,
        far: &str,
        near: Option<&str>,
    ) -> Result<Self, String> {
        let mut served = Vec::new();
        let mut target = match (&server.transports.http, far) {
            (Some(arguments), "http") => {
                let command = server.command(harness, arguments)?;
                let (program, arguments) = command.split_first().ok_or("no command")?;
                let http = Served::on_port(Command::new(program).args(arguments))?;
                let url = http.url.clone();
                served.insert(0, http);
                Target::Url(url)
            }
            _ => Target::Command(server.command(harness, &server.transports.stdio)?),
        };
        let behind: Vec<String> = match &target {
            Target::Url(url) => vec!["--upstream".to_owned(), url.clone()],
            Target::Command(command) => [vec!["--".to_owned()], command.clone()].concat(),
        };
        let toolsure = harness.toolsure.display().to_string();
        match near {
            None => {}
            Some("http") => {
                let guard = Served::guard(&mut Command::new(toolsure), &behind)?;
                target = Target::Url(guard.url.clone());
                served.insert(0, guard);
            }
            Some(_) => {
                let guard = [toolsure, "guard".to_owned()];
                target = Target::Command(guard.into_iter().chain(behind).collect());
            }
        }
        Ok(Self {
            target,
            _served: served,
        })
    }
}
