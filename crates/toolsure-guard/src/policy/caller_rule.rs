//! What callers may use: rules for those whose verified identity matches.

use std::fmt;
use std::sync::Arc;

use toolsure_json::{Kind, Node as _, View, quote};

use super::{Mode, Policy, PolicyError, Rate, Terms, name_matches};
use crate::caller::VerifiedCaller;

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
    /// See [`Policy::arguments`]. Of several rules that match, the last counts.
    pub arguments: Option<Mode>,
    /// See [`Policy::results`].
    pub results: Option<Mode>,
    /// See [`Policy::rate`].
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

    fn has_lists(&self) -> bool {
        self.tools.is_some() || self.prompts.is_some() || self.resources.is_some()
    }

    /// Whether the annotations of tools decide what is allowed.
    fn has_hints(&self) -> bool {
        let entries = self.tools.iter().flat_map(|list| &list.0);
        entries
            .map(|entry| &entry.what)
            .any(|what| matches!(what, Names::Hinted(..)))
    }

    pub(super) fn check(&self, index: usize) -> Result<(), PolicyError> {
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
    fn find(&self, name: &str, hints: Option<Hints>) -> Option<Result<Option<&str>, &str>> {
        let has = |entry: &&Entry| match &entry.what {
            Names::Like(pattern) => name_matches(pattern, name),
            Names::Hinted(hint) => match hints {
                Some(hints) => hints.get(*hint),
                None => entry.denies,
            },
        };
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

impl Policy {
    /// Whether a caller may use a tool that clients know by this name, and why.
    #[must_use]
    pub fn tool_access(
        &self,
        caller: &VerifiedCaller,
        name: &str,
        hints: Option<Hints>,
    ) -> Access<'_> {
        self.access(caller, name, hints, |rule| &rule.tools)
    }

    /// Whether a caller may use a prompt that clients know by this name, and why.
    #[must_use]
    pub fn prompt_access(&self, caller: &VerifiedCaller, name: &str) -> Access<'_> {
        self.access(caller, name, None, |rule| &rule.prompts)
    }

    /// Whether a caller may use a resource with this URI, or a template with this URI template, and why.
    ///
    /// A URI is judged as it is written and as a server may read it, with its percent-encoding decoded and its dot
    /// segments removed (RFC 3986, section 6.2): both must be allowed.
    #[must_use]
    pub fn resource_access(&self, caller: &VerifiedCaller, uri: &str) -> Access<'_> {
        let access = |uri: &str| self.access(caller, uri, None, |rule| &rule.resources);
        let written = access(uri);
        if !written.is_allowed() {
            return written;
        }
        match resolved(uri) {
            Some(resolved) => {
                let read = access(&resolved);
                if read.is_allowed() { written } else { read }
            }
            None => written,
        }
    }

    fn access<'p>(
        &'p self,
        caller: &VerifiedCaller,
        name: &str,
        hints: Option<Hints>,
        list: fn(&CallerRule) -> &Option<AllowList>,
    ) -> Access<'p> {
        let mut access = Access::NoRule;
        for rule in self.rules_of(caller) {
            let found = match list(rule) {
                Some(list) => list.find(name, hints),
                None => (!rule.has_lists()).then_some(Ok(None)),
            };
            match found {
                Some(Err(entry)) => return Access::Denied(rule, entry),
                Some(Ok(entry)) if !access.is_allowed() => access = Access::Allowed(rule, entry),
                None if access == Access::NoRule => access = Access::NotListed,
                Some(Ok(_)) | None => {}
            }
        }
        access
    }

    /// Whether a rule without lists is for a caller: it may use what has no name, too.
    pub(crate) fn allows_everything(&self, caller: &VerifiedCaller) -> bool {
        self.rules_of(caller).any(|rule| !rule.has_lists())
    }

    /// The rules for a caller, in order.
    pub fn rules_of<'p>(&'p self, caller: &VerifiedCaller) -> impl Iterator<Item = &'p CallerRule> {
        let rules = self.callers.iter().map(|rule| &**rule);
        rules.filter(|rule| rule.applies(caller))
    }

    /// Whether the annotations of tools decide what callers may use.
    #[must_use]
    pub fn has_hint_rules(&self) -> bool {
        self.callers.iter().any(|rule| rule.has_hints())
    }

    /// The settings for one tool and one caller.
    pub(crate) fn terms_of(&self, caller: &VerifiedCaller, tool: &str) -> Terms {
        let mut terms = self.terms(tool);
        for rule in self.rules_of(caller) {
            terms.arguments = rule.arguments.unwrap_or(terms.arguments);
            terms.results = rule.results.unwrap_or(terms.results);
            terms.rate = rule.rate.or(terms.rate);
        }
        terms
    }
}

/// A URI as servers may read it: scheme and host in lower case, everything decoded once, `\\` as `/`, and without
/// dot segments. `None` if that is the URI as it is written.
fn resolved(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    let text = String::from_utf8_lossy(&bytes).replace('\\', "/");
    let (scheme, rest) = text.split_once(':').unwrap_or(("", &text));
    let (host, path) = match rest.strip_prefix("//") {
        Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
        None => ("", rest),
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "." => {}
            // The first segment is empty, or what is before the first slash.
            ".." => segments.truncate(segments.len().saturating_sub(1).max(1)),
            other => segments.push(other),
        }
    }
    let mut out = String::new();
    if text.contains(':') {
        out.push_str(&scheme.to_ascii_lowercase());
        out.push(':');
    }
    if rest.starts_with("//") {
        out.push_str("//");
        out.push_str(&host.to_ascii_lowercase());
    }
    out.push_str(&segments.join("/"));
    (out != uri).then_some(out)
}

/// Maximum characters of an entry that a message repeats.
const SHOWN: usize = 60;

#[cfg(test)]
mod tests {
    use toolsure_json::OwnedDocument;

    use super::*;

    fn rule(group: &str, tools: &[&str]) -> Arc<CallerRule> {
        let mut rule = CallerRule::new(group);
        rule.group = Some(group.to_owned());
        rule.tools = (!tools.is_empty()).then(|| AllowList::new(tools).unwrap());
        Arc::new(rule)
    }

    fn of(groups: &[&str]) -> VerifiedCaller {
        VerifiedCaller {
            groups: groups.iter().map(|group| Arc::from(*group)).collect(),
            ..VerifiedCaller::default()
        }
    }

    #[test]
    fn what_no_rule_allows_is_not_allowed_and_what_one_denies_neither() {
        let mut policy = Policy::new();
        policy.callers = vec![
            rule("admins", &[]),
            rule("readers", &["read_*", "list"]),
            rule("writers", &["write_*", "!write_all"]),
            rule("most", &["!read_secret"]),
        ];
        for (groups, tool, expected) in [
            (&["admins"][..], "anything", true),
            (&["readers"], "read_file", true),
            (&["readers"], "list", true),
            (&["readers"], "lists", false),
            (&["readers"], "write_file", false),
            (&["readers", "writers"], "read_file", true),
            (&["readers", "writers"], "write_file", true),
            (&["writers"], "write_all", false),
            (&["admins", "writers"], "write_all", false),
            (&["most"], "write_all", true),
            (&["most"], "read_secret", false),
            (&["readers", "most"], "read_secret", false),
            (&["nobody"], "read_file", false),
            (&[], "read_file", false),
        ] {
            let found = policy.tool_access(&of(groups), tool, None);
            assert_eq!(found.is_allowed(), expected, "{groups:?} {tool}: {found:?}");
        }
        // A rule that lists tools allows no prompts and resources.
        assert!(policy.prompt_access(&of(&["admins"]), "p").is_allowed());
        assert!(!policy.prompt_access(&of(&["readers"]), "p").is_allowed());
        assert!(!policy.resource_access(&of(&["most"]), "a:b").is_allowed());
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
    fn an_unknown_tool_has_no_hint_that_allows_and_each_that_denies() {
        let mut policy = Policy::new();
        policy.callers = vec![
            rule("a", &["@readOnlyHint"]),
            rule("b", &["*", "!@destructiveHint"]),
        ];
        let reads = Some(Hints([true, false, true, true]));
        let writes = Some(Hints([false, true, false, true]));
        for (group, hints, expected) in [
            ("a", reads, true),
            ("a", writes, false),
            ("a", None, false),
            ("b", reads, true),
            ("b", writes, false),
            ("b", None, false),
        ] {
            let found = policy.tool_access(&of(&[group]), "t", hints);
            assert_eq!(found.is_allowed(), expected, "{group} {hints:?}");
        }
        assert!(policy.has_hint_rules());
    }

    #[test]
    fn a_uri_is_also_what_a_server_reads() {
        let mut public = CallerRule::new("");
        public.resources = Some(AllowList::new(["file:///data/public/*"]).unwrap());
        let mut most = CallerRule::new("");
        most.subject = Some("most".to_owned());
        most.resources = Some(AllowList::new(["!file:///data/secret/*"]).unwrap());
        let mut policy = Policy::new();
        policy.callers = vec![public.into()];
        let nobody = VerifiedCaller::default();
        for (uri, expected) in [
            ("file:///data/public/a", true),
            ("file:///data/public/a%20b", true),
            ("file:///data/public/./a", true),
            ("file:///data/public/../private/key", false),
            ("file:///data/public/%2e%2e/private/key", false),
            ("file:///data/public/..%2fprivate/key", false),
            ("file:///data/public/..\\private/key", false),
            ("file:///data/public/a/../../private/key", false),
            ("file:///data/public/..", false),
            ("FILE:///data/public/a", false),
        ] {
            let access = policy.resource_access(&nobody, uri);
            assert_eq!(access.is_allowed(), expected, "{uri}: {access:?}");
        }
        policy.callers = vec![most.into()];
        let most = VerifiedCaller {
            subject: Some("most".into()),
            ..VerifiedCaller::default()
        };
        for (uri, expected) in [
            ("file:///data/other/x", true),
            ("file:///data/secret/x", false),
            ("FILE:///data/secret/x", false),
            ("file:///data/./secret/x", false),
            ("file:///data/%73ecret/x", false),
            ("file:///../data/secret/x", false),
            ("file:///a/../data/secret/x", false),
        ] {
            let access = policy.resource_access(&most, uri);
            assert_eq!(access.is_allowed(), expected, "{uri}: {access:?}");
        }
        for uri in [
            "a",
            "a:b",
            "%",
            "%2",
            "x:{a}",
            "..",
            "",
            "file://host",
            "a:../b",
        ] {
            let _no_panic = resolved(uri);
        }
    }

    #[test]
    fn entries_that_mean_nothing_are_refused() {
        for entry in ["", "!", "@readonly", "!@"] {
            assert!(AllowList::new([entry]).is_err(), "{entry}");
        }
        let list = AllowList::new(["a", "!b"]).unwrap();
        assert_eq!(list.to_string(), "a, !b");
        let none = AllowList::new([""; 0]).unwrap();
        assert_eq!(none.find("a", None), None);
    }
}
