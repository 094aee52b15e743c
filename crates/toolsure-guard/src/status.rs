//! The tools that a guard knows, and what happens to them, for those who operate it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use toolsure_mcp::contract::ToolContract;

use crate::filter::drift;
use crate::policy::{ChangeMode, Mode, Policy};
use crate::scope::{Known, Scope};

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

/// The tools of some scopes, each definition once: those that need somebody first, then by name.
pub(crate) fn tools(policy: &Policy, scopes: &[Scope]) -> Vec<ToolStatus> {
    let mut found: BTreeMap<(ToolState, String, String), ToolStatus> = BTreeMap::new();
    // A thousand callers who are shown the same page share its tools.
    let (mut lists, mut known) = (HashSet::new(), HashSet::new());
    let all: Vec<_> = scopes.iter().map(|scope| (scope, scope.tools())).collect();
    for (scope, tools) in &all {
        if !lists.insert(Arc::as_ptr(tools)) {
            continue;
        }
        let bad = tools.isolated().filter_map(|isolated| {
            let name = isolated.name.clone()?;
            Some(ToolStatus {
                name,
                state: ToolState::Unusable,
                detail: isolated.reason.to_string(),
                contract: None,
            })
        });
        let new = tools.all().filter(|tool| known.insert(Arc::as_ptr(tool)));
        let good = new.map(|tool| status(policy, scope, tool));
        for tool in good.chain(bad) {
            if found.len() >= MOST {
                break;
            }
            let definition = tool.definition().unwrap_or_default().to_owned();
            found.insert((tool.state, tool.name.clone(), definition), tool);
        }
    }
    found.into_values().collect()
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
