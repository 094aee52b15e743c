//! What callers may use: rules for those whose verified identity matches.

use std::fmt;
use std::sync::Arc;

use toolsure_json::{Kind, Node as _, View, quote};

use super::error::PolicyError;
use super::mode::Mode;
use super::rule::Rate;
use crate::caller::VerifiedCaller;
use crate::text::name_matches;
use crate::uri_template::with_lower_host;

/// What the callers that match may use, and how their calls are handled.
///
/// A caller may use what at least one of the rules that match it allows, and none of them denies. A rule
/// without any of the three lists allows everything; a rule with one of them allows only what it lists. With
/// at least one rule in a policy, a caller that matches none may use nothing.
///
/// ```
/// use toolsure_guard::VerifiedCaller;
/// use toolsure_guard::policy::{AllowList, CallerRule, Policy};
///
/// let mut readers = CallerRule::new("readers");
/// readers.group = Some("readers".to_owned());
/// readers.tools = Some(AllowList::new(["files_*", "!files_delete"])?);
/// let mut policy = Policy::new();
/// policy.callers.push(readers.into());
///
/// let reader = VerifiedCaller { groups: vec!["readers".into()], ..VerifiedCaller::default() };
/// assert!(policy.tool_access(&reader, "files_read", None).is_allowed());
/// assert!(!policy.tool_access(&reader, "files_delete", None).is_allowed());
/// assert!(!policy.tool_access(&VerifiedCaller::default(), "files_read", None).is_allowed());
/// # Ok::<(), toolsure_guard::PolicyError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CallerRule {
    /// The rule's name, for explanations.
    pub name: String,
    /// A pattern of [`VerifiedCaller::token`]. In this pattern and the next, `*` matches any characters and
    /// `?` matches one; a caller must match all that are set.
    pub token: Option<String>,
    /// A pattern of [`VerifiedCaller::issuer`].
    pub issuer: Option<String>,
    /// A pattern of [`VerifiedCaller::subject`].
    pub subject: Option<String>,
    /// A pattern of one of [`VerifiedCaller::groups`].
    pub group: Option<String>,
    /// A pattern of one of [`VerifiedCaller::scopes`].
    pub scope: Option<String>,
    /// A pattern of one of [`VerifiedCaller::certificates`].
    pub certificate: Option<String>,
    /// The tools, by the names that clients know.
    pub tools: Option<AllowList>,
    /// The prompts, by the names that clients know.
    pub prompts: Option<AllowList>,
    /// The resources and skills by their URIs, and the resource templates by their URI templates.
    pub resources: Option<AllowList>,
    /// See [`Policy::arguments`](super::Policy::arguments). Of several rules that match, the last counts.
    pub arguments: Option<Mode>,
    /// See [`Policy::results`](super::Policy::results).
    pub results: Option<Mode>,
    /// See [`Policy::rate`](super::Policy::rate).
    pub rate: Option<Rate>,
}

/// Names that are allowed, and names that are denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowList(Vec<Entry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// As it was written.
    text: String,
    denies: bool,
    what: Names,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Names {
    /// Those that match a pattern.
    Like(String),
    /// Those of tools that have a hint.
    Hinted(Hint),
}

/// A hint in the annotations of a tool (2025-03-26, server/tools).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hint {
    ReadOnly,
    Destructive,
    Idempotent,
    OpenWorld,
}

/// The hints of a tool, with the protocol's defaults for those that are absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints([bool; 4]);

/// Whether a caller may use something, and by which entry of which rule.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Access<'p> {
    /// The rule allows it; without an entry, because it has no list or one that only denies.
    Allowed(&'p CallerRule, Option<&'p str>),
    /// The entry of the rule denies it.
    Denied(&'p CallerRule, &'p str),
    /// Rules match the caller, but none of them lists it.
    NotListed,
    /// No rule matches the caller.
    NoRule,
}

impl Access<'_> {
    /// Whether the caller may use it.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed(..))
    }
}

impl CallerRule {
    /// A rule for all callers that allows everything.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Whether the rule is for a caller.
    #[must_use]
    pub fn applies(&self, caller: &VerifiedCaller) -> bool {
        let one = |pattern: &Option<String>, found: &Option<Arc<str>>| match (pattern, found) {
            (None, _) => true,
            (Some(pattern), Some(found)) => name_matches(pattern, found),
            (Some(_), None) => false,
        };
        let any = |pattern: &Option<String>, found: &[Arc<str>]| match pattern {
            None => true,
            Some(pattern) => found.iter().any(|found| name_matches(pattern, found)),
        };
        one(&self.token, &caller.token)
            && one(&self.issuer, &caller.issuer)
            && one(&self.subject, &caller.subject)
            && any(&self.group, &caller.groups)
            && any(&self.scope, &caller.scopes)
            && any(&self.certificate, &caller.certificates)
    }

    pub(super) fn has_lists(&self) -> bool {
        self.tools.is_some() || self.prompts.is_some() || self.resources.is_some()
    }

    /// Whether the annotations of tools decide what is allowed.
    pub(super) fn has_hints(&self) -> bool {
        let entries = self.tools.iter().flat_map(|list| &list.0);
        entries
            .map(|entry| &entry.what)
            .any(|what| matches!(what, Names::Hinted(..)))
    }

    pub(super) fn check(&self, index: usize) -> Result<(), PolicyError> {
        for (kind, list) in [("prompts", &self.prompts), ("resources", &self.resources)] {
            let entries = list.iter().flat_map(|list| &list.0);
            let mut hinted = entries.filter(|entry| matches!(entry.what, Names::Hinted(_)));
            if let Some(entry) = hinted.next() {
                let why = format!("`{}` stands for tools; {kind} have no hints", entry.text);
                return Err(PolicyError::new(format!("callers[{index}].{kind}"), why));
            }
        }
        match &self.rate {
            Some(rate) => rate.check(&format!("callers[{index}].rate")),
            None => Ok(()),
        }
    }
}

impl AllowList {
    /// Reads the entries of a list. Each is a pattern of names, in which `*` matches any characters and `?`
    /// matches one, or `@` and the name of a hint, for the tools that have it: `@readOnlyHint`,
    /// `@destructiveHint`, `@idempotentHint`, `@openWorldHint`. After a `!` it denies. A list that only denies
    /// allows all other names.
    ///
    /// # Errors
    ///
    /// An entry is empty, or names an unknown hint.
    pub fn new<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Result<Self, PolicyError> {
        let read = entries.into_iter().map(|entry| Entry::read(entry.as_ref()));
        let entries: Result<Vec<Entry>, String> = read.collect();
        let entries = entries.map_err(|why| PolicyError::new("callers", why))?;
        Ok(Self(entries))
    }

    /// The entry that decides about a name: `Err` if it denies, `Ok(None)` if the list only denies, and not
    /// this; `None` if the list does not have it. Without the hints of a tool, an entry that denies by one
    /// denies it.
    pub(super) fn find(
        &self,
        name: &str,
        hints: Option<Hints>,
    ) -> Option<Result<Option<&str>, &str>> {
        self.find_by(|entry| match &entry.what {
            Names::Like(pattern) => name_matches(pattern, name),
            Names::Hinted(hint) => match hints {
                Some(hints) => hints.get(*hint),
                None => entry.denies,
            },
        })
    }

    /// The same for a URI, where an entry also stands for the one with its scheme and host in lower case.
    pub(super) fn find_uri(&self, uri: &str) -> Option<Result<Option<&str>, &str>> {
        self.find_by(|entry| match &entry.what {
            Names::Like(pattern) => {
                let lower = || with_lower_host(pattern).is_some_and(|it| name_matches(&it, uri));
                name_matches(pattern, uri) || lower()
            }
            Names::Hinted(_) => entry.denies,
        })
    }

    fn find_by(&self, has: impl Fn(&Entry) -> bool) -> Option<Result<Option<&str>, &str>> {
        let has = |entry: &&Entry| has(entry);
        let (denying, allowing): (Vec<&Entry>, Vec<&Entry>) =
            self.0.iter().partition(|entry| entry.denies);
        if let Some(entry) = denying.into_iter().find(has) {
            return Some(Err(&entry.text));
        }
        if allowing.is_empty() && !self.0.is_empty() {
            return Some(Ok(None));
        }
        let entry = allowing.into_iter().find(has)?;
        Some(Ok(Some(&entry.text)))
    }
}

impl fmt::Display for AllowList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.0.iter().map(|entry| entry.text.as_str()).collect();
        f.write_str(&texts.join(", "))
    }
}

impl Entry {
    fn read(text: &str) -> Result<Self, String> {
        let (denies, name) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let what = match name.strip_prefix('@') {
            Some(hint) => {
                let hint = Hint::read(hint).ok_or_else(|| {
                    let known: Vec<&str> = Hint::ALL.map(|(_, name)| name).into();
                    let shown = quote(hint, SHOWN);
                    format!("`@{shown}` is not a hint; hints are {}", known.join(", "))
                })?;
                Names::Hinted(hint)
            }
            None if name.is_empty() => return Err("an entry must not be empty".to_owned()),
            None => Names::Like(name.to_owned()),
        };
        Ok(Self {
            text: text.to_owned(),
            denies,
            what,
        })
    }
}

impl Hint {
    const ALL: [(Self, &'static str); 4] = [
        (Self::ReadOnly, "readOnlyHint"),
        (Self::Destructive, "destructiveHint"),
        (Self::Idempotent, "idempotentHint"),
        (Self::OpenWorld, "openWorldHint"),
    ];

    fn read(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, known)| *known == name).map(|(hint, _)| hint)
    }
}

impl Hints {
    /// All that a tool can have.
    pub fn all() -> impl Iterator<Item = Self> {
        let bit = |bits: u8, at: u8| bits >> at & 1 == 1;
        (0..16_u8)
            .map(move |bits| [0, 1, 2, 3].map(|at| bit(bits, at)))
            // A tool that only reads is not destructive, and is idempotent.
            .filter(|[reads, destructive, idempotent, _]| !reads || !destructive && *idempotent)
            .map(Self)
    }

    /// The hints of a tool, from its definition. `destructiveHint` and `openWorldHint` are true if they are
    /// absent; a tool that only reads is neither destructive nor not idempotent.
    #[must_use]
    pub fn of(tool: View<'_>) -> Self {
        let annotations = tool.member("annotations");
        let hint = |name: &str, default: bool| {
            let hint = annotations.and_then(|annotations| annotations.member(name));
            let hint = hint.filter(|hint| hint.kind() == Kind::Boolean);
            hint.map_or(default, |hint| hint.raw() == "true")
        };
        let reads = hint("readOnlyHint", false);
        Self([
            reads,
            !reads && hint("destructiveHint", true),
            reads || hint("idempotentHint", false),
            hint("openWorldHint", true),
        ])
    }

    fn get(self, hint: Hint) -> bool {
        let [read_only, destructive, idempotent, open_world] = self.0;
        match hint {
            Hint::ReadOnly => read_only,
            Hint::Destructive => destructive,
            Hint::Idempotent => idempotent,
            Hint::OpenWorld => open_world,
        }
    }
}

/// Maximum characters of an entry that a message repeats.
const SHOWN: usize = 60;

#[cfg(test)]
mod tests {
    use toolsure_json::OwnedDocument;

    use super::*;

    fn of(groups: &[&str]) -> VerifiedCaller {
        VerifiedCaller {
            groups: groups.iter().map(|group| Arc::from(*group)).collect(),
            ..VerifiedCaller::default()
        }
    }

    #[test]
    fn a_caller_must_match_all_that_a_rule_names() {
        let mut rule = CallerRule::new("");
        rule.subject = Some("svc-*".to_owned());
        rule.scope = Some("mcp".to_owned());
        let caller = |subject: &str, scopes: &[&str]| VerifiedCaller {
            subject: Some(subject.into()),
            scopes: scopes.iter().map(|scope| Arc::from(*scope)).collect(),
            ..VerifiedCaller::default()
        };
        assert!(rule.applies(&caller("svc-a", &["a", "mcp"])));
        assert!(!rule.applies(&caller("svc-a", &["a"])));
        assert!(!rule.applies(&caller("a", &["mcp"])));
        assert!(!rule.applies(&of(&["svc-a"])));
    }

    #[test]
    fn hints_have_the_defaults_of_the_protocol() {
        for (annotations, hints) in [
            ("{}", [false, true, false, true]),
            (r#"{"readOnlyHint":true}"#, [true, false, true, true]),
            (
                r#"{"readOnlyHint":true,"destructiveHint":true}"#,
                [true, false, true, true],
            ),
            (r#"{"readOnlyHint":"yes"}"#, [false, true, false, true]),
            (
                r#"{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#,
                [false, false, true, false],
            ),
        ] {
            let text = format!(r#"{{"annotations":{annotations}}}"#);
            let tool = OwnedDocument::read(text, &toolsure_json::ReadLimits::default()).unwrap();
            assert_eq!(
                Hints::of(tool.document().root()),
                Hints(hints),
                "{annotations}"
            );
        }
    }

    #[test]
    fn entries_that_mean_nothing_are_refused() {
        for entry in ["", "!", "@readonly", "!@"] {
            assert!(AllowList::new([entry]).is_err(), "{entry}");
        }
        let list = AllowList::new(["a", "!b"]).unwrap();
        assert_eq!(list.to_string(), "a, !b");
        let mut rule = CallerRule::new("x");
        rule.tools = AllowList::new(["!@destructiveHint"]).ok();
        assert!(rule.check(0).is_ok());
        rule.resources = rule.tools.clone();
        let why = rule.check(0).unwrap_err().to_string();
        assert!(
            why.contains("`!@destructiveHint` stands for tools"),
            "{why}"
        );
        let none = AllowList::new([""; 0]).unwrap();
        assert_eq!(none.find("a", None), None);
    }
}
