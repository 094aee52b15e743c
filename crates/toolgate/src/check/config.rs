//! The `mcpServers` JSON that clients keep: which servers, how to reach each.

use toolgate_json::{Kind, Node, View, quote};
use toolgate_proxy::{HttpTarget, Launch};

use super::live::Peer;

/// One entry of `mcpServers`.
#[derive(Debug)]
pub(crate) struct Server {
    /// Its key; foreign, not escaped.
    pub(crate) name: String,
    /// What would be started, for the question; escaped. Absent for a URL.
    pub(crate) command: Option<String>,
    /// How to reach it, or why that cannot be told.
    pub(crate) peer: Result<Peer, String>,
}

/// The servers of a file that has some (`mcpServers`, or `servers` as one editor writes it).
pub(crate) fn servers(root: View<'_>) -> Option<Result<Vec<Server>, String>> {
    let servers = root
        .member("mcpServers")
        .or_else(|| root.member("servers"))?;
    if servers.kind() != Kind::Object {
        return Some(Err("`mcpServers` must be an object".to_owned()));
    }
    Some(Ok(servers
        .members()
        .map(|(key, entry)| server(toolgate_json::Key::text(key), entry))
        .collect()))
}

fn server(name: &str, entry: View<'_>) -> Server {
    let mut command = None;
    let peer = if entry.member("command").is_some() {
        launch(entry).map(|(launch, shown)| {
            command = Some(shown);
            Peer::Child(launch)
        })
    } else if entry.member("url").is_some() {
        target(entry).map(Peer::Http)
    } else {
        Err("has neither `command` nor `url`".to_owned())
    };
    Server {
        name: name.to_owned(),
        command,
        peer,
    }
}

fn launch(entry: View<'_>) -> Result<(Launch, String), String> {
    let program = text(entry, "command")?.ok_or("`command` is missing")?;
    let mut shown = quote(&program, 120).to_string();
    let mut launch = Launch::new(program);
    if let Some(args) = entry.member("args") {
        for arg in args.items() {
            let arg = expand(string(arg, "args")?)?;
            shown.push(' ');
            shown.push_str(&quote(&arg, 120).to_string());
            launch = launch.arg(arg);
        }
    }
    if let Some(env) = entry.member("env") {
        for (key, value) in env.members() {
            launch = launch.env(
                toolgate_json::Key::text(key),
                expand(string(value, "env")?)?,
            );
        }
    }
    if let Some(dir) = text(entry, "cwd")? {
        launch = launch.dir(dir);
    }
    Ok((launch, shown))
}

fn target(entry: View<'_>) -> Result<HttpTarget, String> {
    let url = text(entry, "url")?.ok_or("`url` is missing")?;
    let mut target = HttpTarget::new(&url).map_err(|fault| fault.to_string())?;
    if let Some(headers) = entry.member("headers") {
        for (key, value) in headers.members() {
            let value = expand(string(value, "headers")?)?;
            target = target
                .header(toolgate_json::Key::text(key), &value)
                .map_err(|fault| fault.to_string())?;
        }
    }
    Ok(target)
}

fn text(entry: View<'_>, member: &str) -> Result<Option<String>, String> {
    entry
        .member(member)
        .map(|value| string(value, member).and_then(expand))
        .transpose()
}

fn string<'a>(value: View<'a>, member: &str) -> Result<&'a str, String> {
    if value.kind() == Kind::String {
        Ok(value.string())
    } else {
        Err(format!("`{member}` must hold strings"))
    }
}

/// Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}` by environment variables, as clients do.
fn expand(text: &str) -> Result<String, String> {
    expand_with(text, |name| std::env::var(name).ok())
}

/// The same with variables from anywhere.
pub(crate) fn expand_with(
    text: &str,
    look_up: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push_str(before);
        let Some((inner, tail)) = after.split_once('}') else {
            expanded.push_str("${");
            rest = after;
            continue;
        };
        let inner = inner.strip_prefix("env:").unwrap_or(inner);
        let (name, default) = inner
            .split_once(":-")
            .map_or((inner, None), |(name, default)| (name, Some(default)));
        let value = look_up(name).or_else(|| default.map(str::to_owned));
        expanded.push_str(
            &value.ok_or_else(|| {
                format!("the environment variable `{}` is not set", quote(name, 60))
            })?,
        );
        rest = tail;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_and_missing_ones_named() {
        let look_up = |name: &str| (name == "A").then(|| "1".to_owned());
        for (text, expanded) in [
            ("x${A}y", "x1y"),
            ("${env:A}", "1"),
            ("${B:-d}${A:-d}", "d1"),
            ("${", "${"),
            ("$A", "$A"),
        ] {
            assert_eq!(expand_with(text, look_up).unwrap(), expanded);
        }
        assert_eq!(
            expand_with("${B}", look_up).unwrap_err(),
            "the environment variable `B` is not set"
        );
    }
}
