//! `--print-config`: the configuration with which a client starts the guard.

use std::path::Path;

use serde_json::{Value, json};

use super::args::{Client, GuardArgs};

/// The configuration as JSON with a line feed at the end; `program` is the path of Toolsure.
pub(super) fn render(client: Client, args: &GuardArgs, program: &Path) -> String {
    let mut server = json!({
        "command": program.display().to_string(),
        "args": args.words(),
    });
    if client == Client::Vscode
        && let Some(server) = server.as_object_mut()
    {
        server.insert("type".to_owned(), Value::from("stdio"));
    }
    let list = match client {
        Client::Vscode => "servers",
        Client::ClaudeDesktop | Client::Cursor => "mcpServers",
    };
    let name = args.name.clone().unwrap_or_else(|| name(args));
    let document = json!({ list: { name: server } });
    format!("{document:#}\n")
}

/// A name for the server: the last part of its package or program, or its host.
fn name(args: &GuardArgs) -> String {
    let from_url = args.upstream.as_ref().map(|url| {
        let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        host.split(':').next().unwrap_or_default().to_owned()
    });
    let name = from_url.unwrap_or_else(|| package(&args.command));
    if name.is_empty() {
        "server".to_owned()
    } else {
        name
    }
}

/// The package that a package runner runs, or else the program.
fn package(command: &[String]) -> String {
    let Some((program, words)) = command.split_first() else {
        return String::new();
    };
    let program = plain(program);
    let what = match RUNNERS.contains(&program.as_str()) {
        true => words
            .iter()
            .find(|word| !word.starts_with('-') && !RUNNER_VERBS.contains(&word.as_str())),
        false => None,
    };
    what.map_or(program, |word| plain(word))
}

/// The last part of a path or of a scoped package, without version and file extension.
fn plain(word: &str) -> String {
    let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let unversioned = last.split('@').next().filter(|name| !name.is_empty());
    let name = unversioned.unwrap_or(last);
    let endings = [".js", ".mjs", ".cjs", ".ts", ".py", ".exe", ".cmd"];
    let ending = endings.iter().find_map(|ending| name.strip_suffix(ending));
    ending.unwrap_or(name).to_owned()
}

const RUNNERS: [&str; 13] = [
    "npx", "uvx", "uv", "node", "python", "python3", "bunx", "bun", "pnpm", "deno", "pipx", "yarn",
    "npm",
];
const RUNNER_VERBS: [&str; 4] = ["run", "exec", "dlx", "tool"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_get_the_names_that_people_call_them() {
        for (command, name) in [
            (
                &["npx", "-y", "@modelcontextprotocol/server-everything@1.2.3"][..],
                "server-everything",
            ),
            (
                &["uvx", "mcp-server-time", "--local-timezone=UTC"],
                "mcp-server-time",
            ),
            (&["uv", "run", "server.py"], "server"),
            (&["python3", "-m", "weather"], "weather"),
            (&["/opt/bin/files"], "files"),
            (&["@scope"], "@scope"),
        ] {
            let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(package(&command), name, "{command:?}");
        }
        let args = GuardArgs {
            upstream: Some("https://mcp.example.com:8443/mcp?x=1".to_owned()),
            ..GuardArgs::default()
        };
        assert_eq!(name(&args), "mcp.example.com");
    }

    #[test]
    fn each_client_gets_its_own_shape() {
        let args = GuardArgs {
            command: vec!["npx".to_owned(), "thing".to_owned()],
            results: Some("audit".to_owned()),
            translate: Some("legacy-clients".to_owned()),
            ..GuardArgs::default()
        };
        for (client, expected) in [
            (
                Client::ClaudeDesktop,
                json!({"mcpServers": {"thing": {"command": "/bin/toolsure", "args": ["guard", "--translate", "legacy-clients", "--results", "audit", "--", "npx", "thing"]}}}),
            ),
            (
                Client::Cursor,
                json!({"mcpServers": {"thing": {"command": "/bin/toolsure", "args": ["guard", "--translate", "legacy-clients", "--results", "audit", "--", "npx", "thing"]}}}),
            ),
            (
                Client::Vscode,
                json!({"servers": {"thing": {"type": "stdio", "command": "/bin/toolsure", "args": ["guard", "--translate", "legacy-clients", "--results", "audit", "--", "npx", "thing"]}}}),
            ),
        ] {
            let text = render(client, &args, Path::new("/bin/toolsure"));
            assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(expected));
        }
    }
}
