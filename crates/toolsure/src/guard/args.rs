//! The flags of `toolsure guard`, and the settings that they stand for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::config::Override;
use super::log;

/// Run a proxy that enforces the schemas of a server's tools
///
/// The server is a command on standard input and output, or a Streamable HTTP URL; clients connect
/// to the guard's standard input and output, or to `--listen`. Calls whose arguments break the input
/// schema and results that break the output schema are refused, and a tool with an unusable schema
/// does not affect the other tools.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct GuardArgs {
    /// The command that starts the server, after the guard's options; `--` may stand before it
    // why: launchers such as the MCP Inspector take a `--` for themselves.
    #[arg(
        trailing_var_arg = true,
        value_name = "COMMAND",
        conflicts_with = "upstream"
    )]
    pub(crate) command: Vec<String>,

    /// The URL of a Streamable HTTP server
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,

    /// Add a header to every request to the server; `${NAME}` is an environment variable
    #[arg(
        long = "header",
        short = 'H',
        value_name = "NAME: VALUE",
        requires = "upstream"
    )]
    pub(crate) headers: Vec<String>,

    /// Serve Streamable HTTP on this address instead of standard input and output
    #[arg(long, value_name = "IP:PORT")]
    pub(crate) listen: Option<String>,

    /// Hold the server to the definitions in this lock file, which `toolsure lock approve` writes
    #[arg(long, value_name = "FILE")]
    pub(crate) lock: Option<PathBuf>,

    /// Let clients of 2025-11-25 and older use a server of 2026-07-28 (`legacy-clients`), or the other
    /// way round (`modern-clients`) [default: off]
    #[arg(long, value_name = "legacy-clients|modern-clients|off")]
    pub(crate) translate: Option<String>,

    /// Read settings from a TOML file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Check the settings, report problems, and exit
    #[arg(long)]
    pub(crate) check_config: bool,

    /// Say what a caller may use and by which rules, or whether it may use one tool, and exit; a caller is
    /// `subject=ann,group=readers`, a subject, or the name of a token
    #[arg(
        long,
        value_names = ["CALLER", "TOOL"],
        num_args = 1..=2,
        conflicts_with_all = ["check_config", "print_config"]
    )]
    pub(crate) explain_access: Vec<String>,

    /// Print the configuration with which a client runs this guard, and exit
    #[arg(
        long,
        value_enum,
        value_name = "CLIENT",
        conflicts_with = "check_config"
    )]
    pub(crate) print_config: Option<Client>,

    /// The server's name in logs, metrics and `--print-config`
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Policy for calls whose arguments break the input schema: `enforce` refuses them, `audit` only
    /// records them, `off` does not check [default: enforce]
    #[arg(long, value_name = "enforce|audit|off", help_heading = POLICY)]
    pub(crate) arguments: Option<String>,

    /// Policy for results that break the output schema: `enforce` replaces them with an error, `audit`
    /// only records them, `off` does not check [default: enforce]
    #[arg(long, value_name = "enforce|audit|off", help_heading = POLICY)]
    pub(crate) results: Option<String>,

    /// Policy for tools with unusable schemas: `enforce` removes them from listings, `audit` only
    /// records them, `off` does not check [default: enforce]
    #[arg(long, value_name = "enforce|audit|off", help_heading = POLICY)]
    pub(crate) listing: Option<String>,

    /// Policy for tools that differ from the lock: `enforce` does as `policy.changes` says, `audit` only
    /// records, `off` does not compare [default: enforce]
    #[arg(long, value_name = "enforce|audit|off", help_heading = POLICY)]
    pub(crate) drift: Option<String>,

    /// Policy for output that is not an object, for clients before 2026-07-28: `wrap` it in an object,
    /// `drop` it and keep the text, or pass it unchanged [default: wrap]
    #[arg(long, value_name = "wrap|drop|off", help_heading = POLICY)]
    pub(crate) project: Option<String>,

    /// Set any setting of the configuration file; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = POLICY)]
    pub(crate) settings: Vec<String>,

    /// Serve `/healthz`, `/readyz` and `/metrics` on this address
    #[arg(long, value_name = "IP:PORT", help_heading = OPERATION)]
    pub(crate) admin: Option<String>,

    /// Append one JSON line per verdict to this file
    #[arg(long, value_name = "FILE", help_heading = OPERATION)]
    pub(crate) audit_log: Option<PathBuf>,

    /// Log level on standard error: `error`, `warn`, `info`, `debug` or `trace` [default: info]
    #[arg(long, value_name = "LEVEL", help_heading = OPERATION)]
    pub(crate) log: Option<String>,

    /// Log format [default: human]
    #[arg(long, value_name = "human|json", help_heading = OPERATION)]
    pub(crate) log_format: Option<String>,
}

/// The clients whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// `claude_desktop_config.json`
    ClaudeDesktop,
    /// `.vscode/mcp.json`
    Vscode,
    /// `.cursor/mcp.json`
    Cursor,
}

impl GuardArgs {
    /// The settings that the flags stand for, except the server. Errors name the flag.
    ///
    /// `quiet` is `--quiet`: only errors are logged, and what waits for approval, unless `--log` sets a level.
    pub(super) fn overrides(&self, quiet: bool) -> Result<Vec<Override>, String> {
        let mut found: Vec<Override> = Vec::new();
        if quiet && self.log.is_none() {
            found.push(Override::flag("--quiet", "log.level", log::QUIET));
        }
        for (flag, key, value) in self.plain() {
            found.push(Override::flag(flag, key, value));
        }
        for setting in &self.settings {
            let (key, value) = setting
                .split_once('=')
                .ok_or("`--set` is written `--set KEY=VALUE`")?;
            found.push(Override::flag(
                format!("--set {key}"),
                key.trim(),
                value.trim(),
            ));
        }
        Ok(found)
    }

    /// The flags that stand for one setting each.
    fn plain(&self) -> Vec<(&'static str, &'static str, String)> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|p| p.display().to_string());
        [
            ("--listen", "listen.address", self.listen.clone()),
            ("--arguments", "policy.arguments", self.arguments.clone()),
            ("--results", "policy.results", self.results.clone()),
            ("--listing", "policy.listing", self.listing.clone()),
            ("--drift", "policy.drift", self.drift.clone()),
            ("--project", "policy.project", self.project.clone()),
            ("--admin", "admin.address", self.admin.clone()),
            ("--audit-log", "audit.file", path(&self.audit_log)),
            ("--log", "log.level", self.log.clone()),
            ("--log-format", "log.format", self.log_format.clone()),
        ]
        .into_iter()
        .filter_map(|(flag, key, value)| Some((flag, key, value?)))
        .collect()
    }

    /// The flags as arguments in a client's configuration. Paths are absolute, because clients
    /// start servers in folders of their own.
    pub(super) fn words(&self) -> Vec<String> {
        let absolute = |path: &PathBuf| {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            whole.display().to_string()
        };
        let mut words = vec!["guard".to_owned()];
        let mut pair = |flag: &str, value: String| words.extend([flag.to_owned(), value]);
        if let Some(path) = &self.config {
            pair("--config", absolute(path));
        }
        if let Some(path) = &self.lock {
            pair("--lock", absolute(path));
        }
        if let Some(translate) = &self.translate {
            pair("--translate", translate.clone());
        }
        if let Some(name) = &self.name {
            pair("--name", name.clone());
        }
        for (flag, _, value) in self.plain() {
            let value = match (flag, &self.audit_log) {
                ("--audit-log", Some(path)) => absolute(path),
                _ => value,
            };
            pair(flag, value);
        }
        for setting in &self.settings {
            pair("--set", setting.clone());
        }
        if let Some(url) = &self.upstream {
            pair("--upstream", url.clone());
        }
        for header in &self.headers {
            pair("--header", header.clone());
        }
        if !self.command.is_empty() {
            words.push("--".to_owned());
            words.extend(self.command.iter().cloned());
        }
        words
    }
}

const POLICY: &str = "Policy";
const OPERATION: &str = "Operation";

const AFTER_HELP: &str = "\
Examples:
  toolsure guard -- npx -y @modelcontextprotocol/server-everything
  toolsure guard --upstream http://127.0.0.1:3001/mcp --listen 127.0.0.1:8080
  toolsure guard --listen 127.0.0.1:8080 -- uvx mcp-server-time
  toolsure guard --upstream https://example.com/mcp
  toolsure guard --translate legacy-clients --upstream https://example.com/mcp
  toolsure guard --print-config claude-desktop -- npx -y some-server
  toolsure guard --config guard.toml --check-config

Settings come from defaults, `--config FILE`, environment variables
(`TOOLSURE__POLICY__RESULTS=audit`) and flags; later ones win. docs/guard/settings.md has every key.
SIGHUP reads the settings again; SIGTERM answers open requests, then exits.

Exit codes:
  0  the client left, or a signal stopped the guard
  2  wrong usage or settings
  3  the server requires authorization
  4  the server cannot be started or reached";
