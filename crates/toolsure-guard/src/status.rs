//! The tools that a guard knows, and what happens to them, for those who operate it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use toolsure_mcp::contract::ToolContract;

use crate::filter::drift;
use crate::policy::{ChangeMode, Mode, Policy};
use crate::scope::{Found, Known, ListSource, Scope, Tools};

/// What happens to a tool under the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ToolState {
    /// It waits for approval.
    Held,
    /// It is left out, because of the policy or because somebody rejected it.
    Refused,
    /// It is left out, because it is malformed or its schemas do not compile.
    Unusable,
    /// A rule hides it.
    Hidden,
    /// It differs from its approved definition, and passes.
    Changed,
    /// It can be called.
    Usable,
}

impl ToolState {
    /// Its name, such as `held`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Refused => "refused",
            Self::Unusable => "unusable",
            Self::Hidden => "hidden",
            Self::Changed => "changed",
            Self::Usable => "usable",
        }
    }
}

/// A tool that a guard knows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolStatus {
    /// The server's name of it; not escaped.
    pub name: String,
    /// What happens to it.
    pub state: ToolState,
    /// Why, without any value of the server.
    pub detail: String,
    contract: Option<Arc<ToolContract>>,
}

impl ToolStatus {
    /// Its definition as it was listed; `None` if it is malformed.
    #[must_use]
    pub fn definition(&self) -> Option<&str> {
        self.contract
            .as_ref()
            .map(|contract| contract.listed_text())
    }
}

/// The tools that a guard knows from the lists of its server.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ToolsStatus {
    /// The name and the version of the program that runs in the newest session, if it says them.
    pub server: Option<String>,
    /// The tools of that program, each definition once: those that need somebody first, then by name. Other kinds
    /// of clients may be shown others, so they are those of the newest session of each kind.
    pub tools: Vec<ToolStatus>,
    /// What runs in older sessions, and differs.
    pub older: Vec<OlderTools>,
}

/// The tools of sessions in which an older program still runs.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OlderTools {
    /// The name and the version of the program, if it says them.
    pub server: Option<String>,
    /// How many lists differ from those of the newest session.
    pub lists: usize,
    /// How many tools the largest of them has.
    pub tools: usize,
    /// How many tools are held in the one that has most of them.
    pub held: usize,
}

/// A list of tools, and who has sent it.
struct Listed<'s> {
    scope: &'s Scope,
    tools: Arc<Tools>,
    source: ListSource,
}

/// The tools of some scopes. A process keeps its program until it ends, also if a newer version was installed.
pub(crate) fn tools(policy: &Policy, scopes: &[Scope]) -> ToolsStatus {
    let mut lists: Vec<Listed<'_>> = Vec::new();
    // A thousand callers who are shown the same page share its tools.
    let mut known = HashSet::new();
    for scope in scopes {
        let tools = scope.tools();
        if !tools.is_empty() && known.insert(Arc::as_ptr(&tools)) {
            lists.push(Listed {
                scope,
                tools,
                source: scope.source(),
            });
        }
    }
    lists.sort_by_key(|list| std::cmp::Reverse(list.source.began));
    let server = lists.iter().find_map(|list| list.source.server.clone());
    let mut newest: Vec<&Listed<'_>> = Vec::new();
    let mut older: BTreeMap<Option<Arc<str>>, OlderTools> = BTreeMap::new();
    for list in &lists {
        if is_newest(list, &newest, server.as_ref()) {
            newest.push(list);
            continue;
        }
        if newest.iter().any(|newer| newer.has_same_tools(list)) {
            continue;
        }
        let states = list.states(policy, &mut HashSet::new());
        let held = states.iter().filter(|tool| tool.state == ToolState::Held);
        let of = older.entry(list.source.server.clone()).or_default();
        of.server = list.source.server.as_deref().map(str::to_owned);
        of.lists = of.lists.saturating_add(1);
        of.held = of.held.max(held.count());
        of.tools = of.tools.max(states.len());
    }
    let mut found: BTreeMap<(ToolState, String, String), ToolStatus> = BTreeMap::new();
    let mut known = HashSet::new();
    for tool in newest
        .iter()
        .flat_map(|list| list.states(policy, &mut known))
    {
        if found.len() >= MOST {
            break;
        }
        let definition = tool.definition().unwrap_or_default().to_owned();
        found.insert((tool.state, tool.name.clone(), definition), tool);
    }
    ToolsStatus {
        server: server.as_deref().map(str::to_owned),
        tools: found.into_values().collect(),
        older: older.into_values().collect(),
    }
}

/// Whether a list is of the program of the newest session. `newer` are those that are, which began later.
fn is_newest(list: &Listed<'_>, newer: &[&Listed<'_>], server: Option<&Arc<str>>) -> bool {
    let own = list.source.server.as_ref();
    if own.is_some() && own != server {
        return false;
    }
    // One server may answer several clients at once, and show each what it may see.
    !list.source.is_process
        || newer.iter().all(|newer| {
            let is_of_same_kind = newer.source.client == list.source.client;
            !is_of_same_kind && !newer.contradicts(list)
        })
}

impl Listed<'_> {
    /// What happens to its tools, except to those that are `known` already.
    fn states(&self, policy: &Policy, known: &mut HashSet<*const Known>) -> Vec<ToolStatus> {
        let bad = self.tools.isolated().filter_map(|isolated| {
            let name = isolated.name.clone()?;
            Some(ToolStatus {
                name,
                state: ToolState::Unusable,
                detail: isolated.reason.to_string(),
                contract: None,
            })
        });
        let new = self
            .tools
            .all()
            .filter(|tool| known.insert(Arc::as_ptr(tool)));
        let good = new.map(|tool| status(policy, self.scope, tool));
        good.chain(bad).take(MOST).collect()
    }

    /// Whether both have the same definitions.
    fn has_same_tools(&self, other: &Self) -> bool {
        let (own, others) = (self.tools.all().count(), other.tools.all().count());
        own == others && other.tools.all().all(|tool| self.has(tool) == Some(true))
    }

    /// Whether a tool of both has two definitions, for clients of one protocol.
    fn contradicts(&self, other: &Self) -> bool {
        self.source.client.is_modern == other.source.client.is_modern
            && other.tools.all().any(|tool| self.has(tool) == Some(false))
    }

    /// Whether it has this definition of a tool; `None` if it does not have the tool.
    fn has(&self, tool: &Known) -> Option<bool> {
        match self.tools.find(tool.contract.name()) {
            Found::Tool(own) => Some(own.contract.listed_text() == tool.contract.listed_text()),
            _ => None,
        }
    }
}

fn status(policy: &Policy, scope: &Scope, tool: &Known) -> ToolStatus {
    let name = tool.contract.name();
    let drifted = drift::compare(&policy.drift, scope, tool, false);
    let (state, detail) = if policy.terms(name).hidden {
        (ToolState::Hidden, String::new())
    } else if let Err(why) = tool.contract.verify() {
        (ToolState::Unusable, why.to_string())
    } else {
        match drifted {
            None => (ToolState::Usable, String::new()),
            Some(drifted) if drifted.mode != Mode::Enforce => (ToolState::Changed, drifted.detail),
            Some(drifted) => match drifted.approval {
                Some((_, ChangeMode::Hold)) => (ToolState::Held, drifted.detail),
                _ => (ToolState::Refused, drifted.detail),
            },
        }
    };
    ToolStatus {
        name: name.to_owned(),
        state,
        detail,
        contract: Some(Arc::clone(&tool.contract)),
    }
}

/// Tools that are shown: a server may list any number to each caller.
const MOST: usize = 5_000;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::conversation::{Carrier, Conversation, Link};
    use crate::guard::Guard;
    use crate::lock::Lock;
    use crate::scope::{Context, ScopeKey};
    use crate::side::Side;

    /// A session of a client with these capabilities, in which a program with this version lists these tools.
    fn session(guard: &Guard, number: u64, capabilities: &str, version: &str, tools: &str) {
        let scope = guard.scope(&ScopeKey {
            upstream: "s".into(),
            context: Context::Session(number),
        });
        let link = Link {
            client: Carrier::Http,
            server: Carrier::Stdio,
            version: None,
        };
        let mut conversation = Conversation::new(guard, scope, link);
        for (from, message) in [
            (
                Side::Client,
                format!(
                    r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
                ),
            ),
            (
                Side::Server,
                format!(
                    r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"{version}"}}}}}}"#
                ),
            ),
            (
                Side::Client,
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(),
            ),
            (
                Side::Server,
                format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tools}]}}}}"#),
            ),
        ] {
            conversation.on_message(from, message.as_bytes(), Duration::ZERO);
        }
    }

    fn tool(name: &str, text: &str) -> String {
        format!(r#"{{"name":"{name}","description":"{text}","inputSchema":{{"type":"object"}}}}"#)
    }

    fn shown(guard: &Guard) -> Vec<String> {
        let tools = guard.tools().tools;
        let shown = tools
            .iter()
            .map(|tool| format!("{} {}", tool.name, tool.state.name()));
        shown.collect()
    }

    #[test]
    fn the_state_is_that_of_the_newest_program() {
        let old = format!("{},{}", tool("a", "one"), tool("gone", "one"));
        let lock = format!(r#"{{"tools":[{old}]}}"#);
        let mut policy = Policy::new();
        policy.drift.lock = Some(Arc::new(Lock::read(lock.as_bytes(), None).unwrap()));
        // The same whether the program says its version or not.
        for version in ["1", "2"] {
            let guard = Guard::new(policy.clone()).unwrap();
            session(&guard, 1, "{}", "1", &old);
            session(&guard, 2, "{}", "1", &old);
            assert_eq!(shown(&guard), ["a usable", "gone usable"]);
            assert!(guard.tools().older.is_empty());
            session(&guard, 3, "{}", version, &tool("a", "two"));
            assert_eq!(shown(&guard), ["a held"]);
            let status = guard.tools();
            assert_eq!(status.server, Some(format!("s {version}")));
            let [older] = &status.older[..] else {
                panic!("{:?}", status.older)
            };
            assert_eq!(older.server.as_deref(), Some("s 1"));
            assert_eq!((older.tools, older.held), (2, 0));
            // The old sessions end.
            for number in [1, 2] {
                guard.forget(&ScopeKey {
                    upstream: "s".into(),
                    context: Context::Session(number),
                });
            }
            assert!(guard.tools().older.is_empty());
        }
    }

    #[test]
    fn other_kinds_of_clients_are_shown_others() {
        let guard = Guard::new(Policy::new()).unwrap();
        let both = format!("{},{}", tool("a", "one"), tool("asks", "one"));
        session(&guard, 1, r#"{"sampling":{}}"#, "1", &both);
        session(&guard, 2, "{}", "1", &tool("a", "one"));
        assert_eq!(shown(&guard), ["a usable", "asks usable"]);
        // Its definition shows that another program runs there.
        session(&guard, 3, "{}", "1", &tool("a", "two"));
        assert_eq!(shown(&guard), ["a usable"]);
        assert_eq!(guard.tools().older.len(), 1);
        session(&guard, 4, r#"{"sampling":{}}"#, "1", &tool("asks", "two"));
        assert_eq!(shown(&guard), ["a usable", "asks usable"]);
    }
}
