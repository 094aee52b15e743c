//! What the rules for callers decide.

use super::caller_rule::{Access, CallerRule, Hints};
use super::{Policy, Terms};
use crate::caller::{NOBODY, VerifiedCaller};

impl Policy {
    /// Whether a transport may let a caller in; `None` is one that it has not verified. A caller that no rule
    /// is for may use nothing, so it gets no session and starts no server.
    #[must_use]
    pub fn admits(&self, caller: Option<&VerifiedCaller>) -> bool {
        let rules = match self.callers.as_slice() {
            [] => &self.admission,
            _ => &self.callers,
        };
        let caller = caller.unwrap_or(&NOBODY);
        rules.is_empty() || rules.iter().any(|rule| rule.applies(caller))
    }

    /// Whether a caller may use a tool that clients know by this name, and why.
    #[must_use]
    pub fn tool_access(
        &self,
        caller: &VerifiedCaller,
        name: &str,
        hints: Option<Hints>,
    ) -> Access<'_> {
        self.access(caller, |rule| {
            let list = rule.tools.as_ref();
            list.map(|list| list.find(name, hints))
        })
    }

    /// Whether a caller may use a prompt that clients know by this name, and why.
    #[must_use]
    pub fn prompt_access(&self, caller: &VerifiedCaller, name: &str) -> Access<'_> {
        self.access(caller, |rule| {
            let list = rule.prompts.as_ref();
            list.map(|list| list.find(name, None))
        })
    }

    /// Whether a caller may use a resource with this URI, or a template with this URI template, and why.
    ///
    /// A URI is judged as it is written and as servers may read it (`readings` in `uri_template.rs`): all must be
    /// allowed. The scheme and host of an entry are also compared in lower case.
    #[must_use]
    pub fn resource_access(&self, caller: &VerifiedCaller, uri: &str) -> Access<'_> {
        let access = |uri: &str| {
            self.access(caller, |rule| {
                let list = rule.resources.as_ref();
                list.map(|list| list.find_uri(uri))
            })
        };
        let written = access(uri);
        if !written.is_allowed() {
            return written;
        }
        let readings = readings(uri);
        let mut read = readings.iter().map(|reading| access(reading));
        read.find(|access| !access.is_allowed()).unwrap_or(written)
    }

    fn access<'p>(
        &'p self,
        caller: &VerifiedCaller,
        find: impl Fn(&'p CallerRule) -> Option<Option<Result<Option<&'p str>, &'p str>>>,
    ) -> Access<'p> {
        let mut access = Access::NoRule;
        for rule in self.rules_of(caller) {
            let found = match find(rule) {
                Some(found) => found,
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

/// A URI as servers may read it, where that is not what is written: [`resolved`], and the same with its query and
/// fragment left as they are, so that dot segments in those remove nothing of the path.
pub(crate) fn readings(uri: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let whole = resolved(uri);
    if whole != uri {
        all.push(whole);
    }
    if let Some(end) = uri.find(['?', '#'])
        && let Some((path, rest)) = uri.split_at_checked(end)
    {
        let reading = resolved(path) + rest;
        if reading != uri && !all.contains(&reading) {
            all.push(reading);
        }
    }
    all
}

/// A URI with scheme and host in lower case, everything decoded once, `\\` as `/`, and without dot segments. Of the
/// schemes that URL parsers know, any number of slashes is before the host; of `file:`, before the path (WHATWG URL
/// Standard, section 4.4), in which repeated slashes are one, as they are for file systems.
fn resolved(uri: &str) -> String {
    let text = decoded(uri).replace('\\', "/");
    let (scheme, rest) = match text.split_once(':') {
        Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
        None => (None, text.as_str()),
    };
    let is_file = scheme.as_deref() == Some("file");
    let is_web = scheme.as_deref().is_some_and(|it| WEB.contains(&it));
    let after = match is_web {
        true => Some(rest.trim_start_matches('/')),
        false => rest.strip_prefix("//"),
    };
    let (host, path) = match after {
        Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
        None => ("", rest),
    };
    let mut host = host.to_ascii_lowercase();
    if is_file && host == "localhost" {
        host.clear();
    }
    let mut segments: Vec<&str> = Vec::new();
    if is_file {
        segments.push("");
    }
    let mut left = path.split('/').peekable();
    while let Some(segment) = left.next() {
        match segment {
            "." => {}
            // The first segment is empty, or what is before the first slash.
            ".." => segments.truncate(segments.len().saturating_sub(1).max(1)),
            "" if is_file && left.peek().is_some() => {}
            other => segments.push(other),
        }
    }
    let mut out = String::new();
    if let Some(scheme) = scheme {
        out.push_str(&scheme);
        out.push(':');
    }
    if after.is_some() || is_file {
        out.push_str("//");
        out.push_str(&host);
    }
    out.push_str(&segments.join("/"));
    out
}

/// A text with its percent-encoding decoded once.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
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
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The schemes besides `file` for which URL parsers need no slashes before the host.
const WEB: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::caller_rule::AllowList;
    use super::*;

    fn rule(group: &str, tools: &[&str]) -> Arc<CallerRule> {
        let mut rule = CallerRule::new(group);
        rule.group = Some(group.to_owned());
        rule.tools = (!tools.is_empty()).then(|| AllowList::new(tools).unwrap());
        Arc::new(rule)
    }

    /// The hints of a tool that only reads, or of one without annotations.
    fn hints(reads: bool) -> Option<Hints> {
        let text = format!(r#"{{"annotations":{{"readOnlyHint":{reads}}}}}"#);
        let tool = toolsure_json::OwnedDocument::read(text, &toolsure_json::ReadLimits::default());
        Some(Hints::of(tool.unwrap().document().root()))
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
    fn a_caller_that_no_rule_is_for_is_not_let_in() {
        let mut policy = Policy::new();
        assert!(policy.admits(None));
        let rules = vec![rule("admins", &[]), rule("readers", &["read_*"])];
        policy.admission.clone_from(&rules);
        let mut own = Policy::new();
        own.callers = rules;
        for policy in [&policy, &own] {
            assert!(policy.admits(Some(&of(&["readers"]))));
            assert!(!policy.admits(Some(&of(&["others"]))));
            assert!(!policy.admits(None));
        }
        // A rule for everybody is for those, too, whom nobody has verified.
        own.callers.push(Arc::new(CallerRule::new("all")));
        assert!(own.admits(None));
        // Its own rules are narrower than those of the servers behind it.
        own.callers = vec![rule("admins", &[])];
        own.admission.clone_from(&policy.admission);
        assert!(!own.admits(Some(&of(&["readers"]))));
    }

    #[test]
    fn an_unknown_tool_has_no_hint_that_allows_and_each_that_denies() {
        let mut policy = Policy::new();
        policy.callers = vec![
            rule("a", &["@readOnlyHint"]),
            rule("b", &["*", "!@destructiveHint"]),
        ];
        let reads = hints(true);
        let writes = hints(false);
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
            ("file:/data/public/a", false),
            ("file:///data/public//a", true),
            ("file:///data/public/a?/../../private", false),
            ("file:///data/public/../private/x?/../../public/y", false),
            ("file:///data/public/../private/x#/../../public/y", false),
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
            ("file:/data/secret/x", false),
            ("file:data/secret/x", false),
            ("file:\\data/secret/x", false),
            ("file:\\\\\\data\\secret\\x", false),
            ("file:////data/secret/x", false),
            ("file:///data//secret/x", false),
            ("file://localhost/data/secret/x", false),
            ("FILE://LocalHost/data/secret/x", false),
            ("file://%6cocalhost/data/secret/x", false),
            ("file:/%64ata/secret/x", false),
            ("file://localhost/data/other/x", true),
        ] {
            let access = policy.resource_access(&most, uri);
            assert_eq!(access.is_allowed(), expected, "{uri}: {access:?}");
        }
        // Of entries, too, the case of scheme and host does not matter.
        let mut docs = CallerRule::new("");
        docs.resources = Some(AllowList::new(["!Cap://Docs/Secret/*", "Cap://Docs/*"]).unwrap());
        policy.callers = vec![docs.into()];
        for (uri, expected) in [
            ("Cap://Docs/1", true),
            ("cap://docs/1", true),
            ("cap://docs/Secret/1", false),
            ("Cap://Docs/Secret/1", false),
            ("cap://other/1", false),
        ] {
            let access = policy.resource_access(&nobody, uri);
            assert_eq!(access.is_allowed(), expected, "{uri}: {access:?}");
        }
        for (uri, expected) in [
            ("https:a/b", "https://a/b"),
            ("HTTP:\\\\A\\b", "http://a/b"),
            ("x:a//b", ""),
            ("x:///a/../b", "x:///b"),
        ] {
            let expected: Vec<_> = Some(expected)
                .filter(|it| !it.is_empty())
                .into_iter()
                .collect();
            assert_eq!(readings(uri), expected, "{uri}");
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
            let _no_panic = readings(uri);
        }
    }
}
