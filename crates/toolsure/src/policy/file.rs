//! `toolsure.toml`: the settings of a project for all commands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeTable;
use toolsure_analysis::lint::{Profile, Rule, Severity, profile, rule};
use toolsure_guard::policy::name_matches;
use toolsure_json::{json_string, line_column, quote};

use super::code::code_of;
use super::date::Date;
use super::ignore::Ignore;
use super::names::{self, LIMIT, setting_of};
use super::subject::Subject;
use crate::exit::Failure;
use crate::input::Input;
use crate::settings::{Base, SchemaArgs};

/// The settings of a project.
#[derive(Debug, Default)]
pub(crate) struct Project {
    /// The file's name, escaped; empty without a file.
    pub(super) name: String,
    folder: PathBuf,
    /// The profiles whose rules are enabled.
    pub(crate) profiles: Vec<&'static Profile>,
    levels: BTreeMap<String, Level>,
    tools: Vec<ToolLevels>,
    pub(super) ignored: Vec<Ignore>,
    /// Compilation settings: names and values.
    pub(super) settings: Vec<(String, String)>,
    /// Documents that references may resolve to: URI and file.
    pub(super) documents: Vec<(String, PathBuf)>,
    baseline: Option<PathBuf>,
    /// Values that arguments have when a server is tested: `MEMBER` or `TOOL.MEMBER`, and JSON text.
    pub(crate) values: Vec<(String, String)>,
}

/// The severity that a project gives to a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Level {
    Off,
    Note,
    Warning,
    Error,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Written {
    profiles: Vec<String>,
    levels: BTreeMap<String, Level>,
    tools: Vec<WrittenLevels>,
    ignore: Vec<Spanned<WrittenIgnore>>,
    documents: BTreeMap<String, PathBuf>,
    schemas: BTreeMap<String, String>,
    limits: BTreeMap<String, Amount>,
    baseline: Option<PathBuf>,
    values: BTreeMap<String, toml::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenLevels {
    name: String,
    levels: BTreeMap<String, Level>,
}

#[derive(Debug)]
struct ToolLevels {
    name: String,
    levels: BTreeMap<String, Level>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenIgnore {
    code: String,
    tool: Option<String>,
    reason: String,
    until: Option<String>,
}

/// A number, or a text such as a number with a unit.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Amount {
    Number(u64),
    Text(String),
}

impl Project {
    /// Searches for the file in the current folder and those above it.
    pub(super) fn find() -> Result<Self, Failure> {
        let here = std::env::current_dir()
            .map_err(|error| Failure::usage(format!("cannot find the current folder: {error}")))?;
        let found = here.ancestors().find(|folder| folder.join(NAME).is_file());
        match found {
            Some(folder) if folder == here => Self::read(Path::new(NAME)),
            Some(folder) => Self::read(&folder.join(NAME)),
            None => Ok(Self::default()),
        }
    }

    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let name = quote(&path.display().to_string(), 200).to_string();
        let bytes = Input::File(path.to_owned()).read(MOST_BYTES);
        let text =
            bytes.map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?;
        let text = String::from_utf8(text)
            .map_err(|_invalid| Failure::usage(format!("`{name}` is not UTF-8")))?;
        let line = |at: usize| line_column(text.as_bytes(), at).line;
        let fault = |at: Option<usize>, what: &str| {
            let line = at.map_or(1, line);
            Failure::usage(format!("{name}:{line}: {what}"))
        };
        let not_toml = |error: toml::de::Error| {
            let at = error.span().map(|span| span.start);
            fault(at, &quote(error.message(), 300).to_string())
        };
        let root = DeTable::parse(&text).map_err(not_toml)?;
        names::check(root.get_ref()).map_err(|(at, why)| fault(Some(at), &why))?;
        let written: Written = toml::from_str(&text).map_err(not_toml)?;
        let levels = |levels: BTreeMap<String, Level>| {
            let known = |(code, level): (String, Level)| Ok((code_of(&code)?, level));
            let levels: Result<_, String> = levels.into_iter().map(known).collect();
            levels.map_err(|why| fault(None, &why))
        };
        let mut ignored = Vec::new();
        for one in written.ignore {
            let at = one.span().start;
            let one = one.into_inner();
            if one.reason.trim().is_empty() {
                return Err(fault(Some(at), "an ignore needs a `reason`"));
            }
            let until = match one.until.as_deref() {
                None => None,
                Some(text) => Some(Date::parse(text).ok_or_else(|| {
                    let text = quote(text, 40);
                    fault(
                        Some(at),
                        &format!("`until` must be a day such as 2027-03-31, found `{text}`"),
                    )
                })?),
            };
            let code = code_of(&one.code).map_err(|why| fault(Some(at), &why))?;
            ignored.push(Ignore {
                until,
                line: Some(line(at)),
                ..Ignore::new(&code, one.tool)
            });
        }
        let mut tools = Vec::new();
        for one in written.tools {
            tools.push(ToolLevels {
                name: one.name,
                levels: levels(one.levels)?,
            });
        }
        let limits = written.limits.into_iter().map(|(name, amount)| {
            let value = match amount {
                Amount::Number(number) => number.to_string(),
                Amount::Text(text) => text,
            };
            (setting_of(&name, LIMIT), value)
        });
        let schemas = written.schemas.into_iter();
        let schemas = schemas.map(|(name, value)| (setting_of(&name, ""), value));
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let documents = written.documents.into_iter();
        Ok(Self {
            profiles: written
                .profiles
                .iter()
                .filter_map(|name| profile(name))
                .collect(),
            levels: levels(written.levels)?,
            tools,
            ignored,
            settings: schemas.chain(limits).collect(),
            documents: documents
                .map(|(uri, file)| (uri, folder.join(file)))
                .collect(),
            baseline: written.baseline,
            values: written
                .values
                .iter()
                .map(|(name, value)| (name.clone(), json_of(value)))
                .collect(),
            name,
            folder,
        })
    }

    /// The file's settings for schemas, followed by those of the command line.
    pub(crate) fn schemas<B: Base + Clone>(
        &self,
        flags: &SchemaArgs<B>,
    ) -> Result<SchemaArgs<B>, Failure> {
        flags.after(&self.name, &self.settings, &self.documents)
    }

    /// The path of the baseline.
    pub(super) fn baseline(&self) -> Option<PathBuf> {
        self.baseline.as_ref().map(|path| self.folder.join(path))
    }

    /// The level that the file sets for a finding: for its tool, else for all if `for_all_tools`.
    pub(super) fn level(&self, subject: &Subject<'_>, for_all_tools: bool) -> Option<Level> {
        let of = |levels: &BTreeMap<String, Level>| levels.get(subject.key()).copied();
        let tool = subject.tool.unwrap_or_default();
        let tools = self
            .tools
            .iter()
            .filter(|one| name_matches(&one.name, tool));
        let own = tools.filter_map(|one| of(&one.levels)).next_back();
        own.or_else(|| of(&self.levels).filter(|_| for_all_tools))
    }

    /// The lint rules whose level the file sets for all tools; `None` disables a rule.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (&'static Rule, Option<Severity>)> + '_ {
        self.levels.iter().filter_map(|(code, level)| {
            let severity = match level {
                Level::Off => None,
                Level::Note => Some(Severity::Note),
                Level::Warning => Some(Severity::Warning),
                Level::Error => Some(Severity::Error),
            };
            Some((rule(code)?, severity))
        })
    }
}

/// A TOML value as JSON text; a date is a string.
fn json_of(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => json_string(text),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(flag) => flag.to_string(),
        toml::Value::Datetime(date) => json_string(&date.to_string()),
        toml::Value::Array(items) => {
            let items: Vec<String> = items.iter().map(json_of).collect();
            format!("[{}]", items.join(","))
        }
        toml::Value::Table(table) => {
            let members = table.iter();
            let members: Vec<String> = members
                .map(|(name, value)| format!("{}:{}", json_string(name), json_of(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

const NAME: &str = "toolsure.toml";
const MOST_BYTES: usize = 1 << 20;
