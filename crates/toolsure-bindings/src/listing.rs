//! Listings: what `toolsure lint`, `check` and `diff` find in them.
//!
//! A listing is an array of tools, `{"tools": […]}`, or an answer to `tools/list`, as JSON text.

use std::fmt;

use toolsure_analysis::diff::{Aspect, Change, Differ};
use toolsure_analysis::lint::{
    Finding, Linter, PROFILES, Profile, Rule, Safety, Severity, profile, rule,
};
use toolsure_json::{
    DuplicateKeys, Kind, Node as _, OwnedDocument, ReadError, ReadLimits, View, quote,
};
use toolsure_schema::Compiler;

use crate::options::Options;
use crate::report;
use crate::write::{Object, array};

/// Why there is no report.
#[derive(Debug)]
#[non_exhaustive]
pub enum NoReport {
    /// An option is unknown, or has a value that it does not take.
    Option(String),
    /// The listing is not JSON, or is over a limit.
    Unread(ReadError),
    /// It is JSON, but not a listing.
    NotAListing,
}

impl NoReport {
    /// Writes it as an object with `code` and `message`.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Option(message) => report::option(out, message),
            Self::Unread(error) => report::not_json(out, error),
            Self::NotAListing => {
                let mut object = Object::new(out);
                object.text("code", "listing");
                object.text("message", &self.to_string());
            }
        }
    }
}

impl fmt::Display for NoReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option(message) => f.write_str(message),
            Self::Unread(error) => error.fmt(f),
            Self::NotAListing => f.write_str(
                "a listing is an array of tools, an object with `tools`, or an answer to `tools/list`",
            ),
        }
    }
}

impl std::error::Error for NoReport {}

/// Lints a listing and returns the findings. The options are `profiles`, `allow`, `deny`, and those of a
/// validator.
///
/// # Errors
///
/// The listing or an option cannot be read.
pub fn lint(listing: &[u8], options: &[u8]) -> Result<String, NoReport> {
    let options = options_of(options, &[PROFILES_OPTION, ALLOW, DENY])?;
    let mut linter = Linter::new();
    for name in options
        .own_names(PROFILES_OPTION)
        .map_err(NoReport::Option)?
    {
        linter = linter.profile(named_profile(name).map_err(NoReport::Option)?);
    }
    for name in options.own_names(ALLOW).map_err(NoReport::Option)? {
        linter = linter.allow(named_rule(name).map_err(NoReport::Option)?);
    }
    for name in options.own_names(DENY).map_err(NoReport::Option)? {
        linter = linter.deny(named_rule(name).map_err(NoReport::Option)?);
    }
    // Without settings of the compiler, the linter uses its own, which asserts formats.
    if let Some(compiler) = options.given_compiler() {
        linter = linter.compiler(compiler);
    }
    let tools = Tools::read(listing)?;
    let found = linter.lint(tools.texts());
    let mut out = String::new();
    let mut object = Object::new(&mut out);
    object.array("findings", &found.findings, finding);
    object.number("more", found.more());
    object.array("tokens", &found.tokens, |out, tokens| {
        out.push_str(&tokens.to_string());
    });
    drop(object);
    Ok(out)
}

/// Returns for each tool of a listing whether it can be used, and why not. The options are those of a validator.
///
/// # Errors
///
/// The listing or an option cannot be read.
pub fn check(listing: &[u8], options: &[u8]) -> Result<String, NoReport> {
    let options = options_of(options, &[])?;
    let mut linter = Linter::admission();
    if let Some(compiler) = options.given_compiler() {
        linter = linter.compiler(compiler);
    }
    let tools = Tools::read(listing)?;
    let found = linter.lint(tools.texts());
    let worst = found.worst_of_tools(tools.views().count());
    let of = |tool: Option<usize>| found.findings.iter().filter(move |one| one.tool == tool);
    let mut out = String::new();
    let mut object = Object::new(&mut out);
    object.array("tools", tools.views().enumerate(), |out, (index, tool)| {
        let mut object = Object::new(out);
        object.nullable("name", name_of(tool));
        object.text("verdict", verdict(worst.get(index).copied().flatten()));
        object.array("findings", of(Some(index)), finding);
    });
    object.array("findings", of(None), finding);
    object.number("more", found.more());
    drop(object);
    Ok(out)
}

/// Compares two listings and returns what changed. The options are `open`, `partial`, and those of a validator.
///
/// # Errors
///
/// A listing or an option cannot be read.
pub fn diff(old: &[u8], new: &[u8], options: &[u8]) -> Result<String, NoReport> {
    let options = options_of(options, &[OPEN, PARTIAL])?;
    let mut differ = Differ::new()
        .open(options.own_flag(OPEN).map_err(NoReport::Option)?)
        .partial(options.own_flag(PARTIAL).map_err(NoReport::Option)?);
    if let Some(compiler) = options.given_compiler() {
        differ = differ.compiler(compiler);
    }
    let (old, new) = (Tools::read(old)?, Tools::read(new)?);
    let found = differ.diff(old.texts(), new.texts());
    let mut out = String::new();
    let mut object = Object::new(&mut out);
    let class = found.class().map(|class| class.to_string());
    object.nullable("class", class.as_deref());
    object.number("same", found.same);
    object.array("tools", &found.tools, |out, tool| {
        let mut object = Object::new(out);
        object.text("name", &tool.name);
        object.number("index", tool.index);
        object.text("class", &tool.class().to_string());
        object.array("changes", &tool.changes, change);
    });
    drop(object);
    Ok(out)
}

/// The tools of a listing.
pub(crate) struct Tools(OwnedDocument);

impl Tools {
    /// Reads a listing.
    pub(crate) fn read(text: &[u8]) -> Result<Self, NoReport> {
        let read = OwnedDocument::read(text, &LIMITS).map(Self);
        let tools = read.map_err(NoReport::Unread)?;
        match tools.array() {
            Some(_) => Ok(tools),
            None => Err(NoReport::NotAListing),
        }
    }

    fn array(&self) -> Option<View<'_>> {
        let root = self.0.document().root();
        let inner = root
            .member("result")
            .and_then(|result| result.member("tools"));
        let candidates = [Some(root), root.member("tools"), inner];
        let mut arrays = candidates.into_iter().flatten();
        arrays.find(|value| value.kind() == Kind::Array)
    }

    pub(crate) fn views(&self) -> impl Iterator<Item = View<'_>> {
        self.array().into_iter().flat_map(View::items)
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.views().map(View::raw)
    }
}

fn name_of(tool: View<'_>) -> Option<&str> {
    let name = tool
        .member("name")
        .filter(|name| name.kind() == Kind::String);
    name.map(View::string)
}

pub(crate) fn options_of(text: &[u8], others: &[&str]) -> Result<Options, NoReport> {
    let read = Options::read_with(Compiler::new(), text, others);
    read.map_err(|why| NoReport::Option(why.to_string()))
}

fn named_profile(name: &str) -> Result<&'static Profile, String> {
    profile(name).ok_or_else(|| {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        let names = names.join(", ");
        format!(
            "unknown profile `{}`; there are {names}",
            quote(name, SHOWN)
        )
    })
}

fn named_rule(name: &str) -> Result<&'static Rule, String> {
    rule(name).ok_or_else(|| format!("unknown rule `{}`", quote(name, SHOWN)))
}

/// What the worst finding makes of a tool.
fn verdict(worst: Option<Severity>) -> &'static str {
    match worst {
        Some(Severity::Error) => "refused",
        Some(Severity::Warning) => "warned",
        Some(Severity::Note) | None => "ok",
    }
}

fn finding(out: &mut String, finding: &Finding) {
    let mut object = Object::new(out);
    object.text("code", finding.rule.code);
    object.text("name", finding.rule.name);
    object.text("severity", &finding.severity.to_string());
    if let Some(tool) = finding.tool {
        object.number("tool", tool);
    }
    object.text("pointer", &finding.pointer);
    object.text("message", &finding.message);
    object.maybe("help", finding.help.as_deref());
    object.maybe("setting", finding.setting);
    if let Some(span) = &finding.span {
        object.number("start", span.start);
        object.number("end", span.end);
    }
    if let Some(fix) = &finding.fix {
        object.object("fix", |object| {
            object.boolean("safe", fix.safety == Safety::Safe);
            object.member("edits", |out| {
                array(out, &fix.edits, |out, edit| {
                    let mut object = Object::new(out);
                    object.number("start", edit.span.start);
                    object.number("end", edit.span.end);
                    object.text("text", &edit.text);
                });
            });
        });
    }
}

fn change(out: &mut String, change: &Change) {
    let mut object = Object::new(out);
    object.text("class", &change.class.to_string());
    object.text("kind", change.kind.name());
    object.text("category", change.kind.category().name());
    object.text("side", &change.side.to_string());
    let is_words = change.aspect == Aspect::Words;
    object.text("aspect", if is_words { "words" } else { "contract" });
    object.text("place", &change.place);
    object.text("message", &change.message);
    if let Some(witness) = &change.witness {
        object.member("witness", |out| out.push_str(witness));
    }
    object.maybe("before", change.before.as_deref());
    object.maybe("after", change.after.as_deref());
    object.maybe("setting", change.setting);
}

/// The limits on listings. They are wide, because an error of one tool must not make the listing unreadable.
pub const LIMITS: ReadLimits = ReadLimits {
    bytes: 64 << 20,
    depth: 16_384,
    nodes: 8_000_000,
    digits: usize::MAX,
    duplicate_keys: DuplicateKeys::KeepLast,
};
const PROFILES_OPTION: &str = "profiles";
const ALLOW: &str = "allow";
const DENY: &str = "deny";
const OPEN: &str = "open";
const PARTIAL: &str = "partial";
/// Characters of an unknown name that an error shows.
pub(crate) const SHOWN: usize = 100;
