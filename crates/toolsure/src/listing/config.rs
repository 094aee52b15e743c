//! Reads the `mcpServers` JSON that clients keep: the servers, and how to reach each.

use toolsure_json::{Kind, Node, View, quote, shown_command};
use toolsure_proxy::{HttpTarget, Launch};

use super::live::Peer;

/// One entry of `mcpServers`.
#[derive(Debug)]
pub(crate) struct Server {
    /// Its key in the file: untrusted, not escaped.
    pub(crate) name: String,
    /// The member that disables it, as JSON text, if the file does.
    pub(crate) disabled: Option<&'static str>,
    /// The command to start it, for the consent prompt; escaped. `None` for a URL.
    pub(crate) command: Option<String>,
    /// How to reach it, or why that is unknown.
    pub(crate) peer: Result<Peer, String>,
    /// The file that names it, escaped, and the line.
    pub(crate) named_at: (String, usize),
}

/// Reads the servers of a file. `None` if it has neither `mcpServers` nor `servers` (VS Code).
pub(crate) fn servers(
    root: View<'_>,
    file: &str,
    line: impl Fn(usize) -> usize,
) -> Option<Result<Vec<Server>, String>> {
    let servers = root
        .member("mcpServers")
        .or_else(|| root.member("servers"))?;
    if servers.kind() != Kind::Object {
        return Some(Err("`mcpServers` must be an object".to_owned()));
    }
    Some(Ok(servers
        .members()
        .map(|(key, entry)| {
            let peer = peer(entry, &Variables { file });
            let (command, peer) = match peer {
                Ok((peer, command)) => (command, Ok(peer)),
                Err(reason) => (None, Err(reason)),
            };
            Server {
                name: toolsure_json::Key::text(key).to_owned(),
                disabled: disabled(entry),
                command,
                peer,
                named_at: (file.to_owned(), line(entry.span().start)),
            }
        })
        .collect()))
}

/// The member with which a client's user disables a server: that of Cline, Roo Code and Windsurf, of
/// opencode and Zed, or of Cherry Studio.
fn disabled(entry: View<'_>) -> Option<&'static str> {
    let is = |member: &str, text: &str| {
        entry
            .member(member)
            .is_some_and(|value| value.raw() == text)
    };
    [
        ("disabled", "true", "\"disabled\": true"),
        ("enabled", "false", "\"enabled\": false"),
        ("isActive", "false", "\"isActive\": false"),
    ]
    .iter()
    .find(|(member, text, _)| is(member, text))
    .map(|(_, _, shown)| *shown)
}

/// How to reach a server, and the command that would be started.
fn peer(entry: View<'_>, variables: &Variables<'_>) -> Result<(Peer, Option<String>), String> {
    if entry.member("command").is_some() {
        let (launch, shown) = launch(entry, variables)?;
        Ok((Peer::Child(launch), Some(shown)))
    } else if entry.member("url").is_some() {
        target(entry, variables).map(|target| (Peer::Http(target), None))
    } else {
        Err("has neither `command` nor `url`".to_owned())
    }
}

fn launch(entry: View<'_>, variables: &Variables<'_>) -> Result<(Launch, String), String> {
    let program = variables.text(entry, "command")?;
    let program = program.ok_or("`command` is missing")?;
    let mut words = vec![program.clone()];
    let mut launch = Launch::new(program);
    if let Some(args) = entry.member("args") {
        for arg in args.items() {
            let arg = variables.expand(string(arg, "args")?)?;
            words.push(arg.clone());
            launch = launch.arg(arg);
        }
    }
    if let Some(env) = entry.member("env") {
        for (key, value) in env.members() {
            // Editors ignore a variable that is null.
            if value.kind() == Kind::Null {
                continue;
            }
            launch = launch.env(
                toolsure_json::Key::text(key),
                variables.expand(string(value, "env")?)?,
            );
        }
    }
    if let Some(dir) = variables.text(entry, "cwd")? {
        launch = launch.dir(dir);
    }
    let shown = shown_command(words.iter().map(String::as_str));
    // Complete, because it is what the operator agrees to.
    Ok((launch, quote(&shown, usize::MAX).to_string()))
}

fn target(entry: View<'_>, variables: &Variables<'_>) -> Result<HttpTarget, String> {
    let url = variables.text(entry, "url")?.ok_or("`url` is missing")?;
    let mut target = HttpTarget::new(&url).map_err(|fault| fault.to_string())?;
    if let Some(headers) = entry.member("headers") {
        for (key, value) in headers.members() {
            let value = variables.expand(string(value, "headers")?)?;
            target = target
                .header(toolsure_json::Key::text(key), &value)
                .map_err(|fault| fault.to_string())?;
        }
    }
    Ok(target)
}

/// Expands the variables in a configuration.
struct Variables<'f> {
    /// The file, as the operator named it.
    file: &'f str,
}

impl Variables<'_> {
    fn text(&self, entry: View<'_>, member: &str) -> Result<Option<String>, String> {
        entry
            .member(member)
            .map(|value| string(value, member).and_then(|text| self.expand(text)))
            .transpose()
    }

    /// Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}` by environment variables, as
    /// clients do, and also the VS Code variables that have a meaning outside of VS Code.
    fn expand(&self, text: &str) -> Result<String, String> {
        expand_with(text, |name| match name {
            "workspaceFolder" => self.folder(),
            "userHome" => std::env::var("HOME").ok(),
            "pathSeparator" | "/" => Some(std::path::MAIN_SEPARATOR.to_string()),
            name => std::env::var(name).ok(),
        })
    }

    /// The workspace folder: the parent of `.vscode` if the file is in it, or else its own folder.
    fn folder(&self) -> Option<String> {
        let file = std::path::absolute(self.file).ok()?;
        let own = file.parent()?;
        let folder = match own.file_name() {
            Some(name) if name == ".vscode" => own.parent()?,
            _ => own,
        };
        Some(folder.display().to_string())
    }
}

fn string<'a>(value: View<'a>, member: &str) -> Result<&'a str, String> {
    if value.kind() == Kind::String {
        Ok(value.string())
    } else {
        Err(format!("`{member}` must hold strings"))
    }
}

/// Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}` by what `look_up` returns.
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
        if let Some(input) = inner.strip_prefix("input:") {
            let input = quote(input, 60);
            return Err(format!("only an editor can ask for the input `{input}`"));
        }
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
        assert_eq!(
            expand_with("x${input:key}", look_up).unwrap_err(),
            "only an editor can ask for the input `key`"
        );
    }
}
