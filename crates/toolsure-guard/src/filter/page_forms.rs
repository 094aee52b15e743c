//! The forms of a page of tools: as the server sent it, as the guard checks against it, and as its
//! reader gets it.

use std::sync::Arc;

use toolsure_mcp::catalog::{Listing, UnreadableListing};
use toolsure_mcp::clients::{sanitize, simplify, unify_dialects};
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::era::Era;
use toolsure_mcp::project::Lost;
use toolsure_mcp::provider::ProviderTools;

use super::remarks::Remarks;
use crate::fault::Act;
use crate::policy::Rules;
use crate::policy::{BadTools, Mode, Policy};
use crate::record::Filter;
use crate::scope::Scope;

/// The forms of one page. Each tool has the same position in all of them.
pub(crate) struct PageForms {
    sent: Listing,
    known: Option<Listing>,
    /// Set only if it differs from the form that the guard checks against.
    for_reader: Option<ForReader>,
    /// The tools in the form for the provider that the policy names.
    provider: Option<Arc<ProviderTools>>,
    lost: Vec<Lost>,
}

enum ForReader {
    AsSent,
    Own(Listing),
}

/// The form that the guard checks against, for a page that goes to no client.
///
/// # Errors
///
/// The rewritten form exceeds a limit.
pub(crate) fn known_form(
    listing: Listing,
    policy: &Policy,
    store: &SchemaStore,
) -> Result<Listing, UnreadableListing> {
    let listing = as_the_operator_wants(listing, policy)?;
    Ok(match sanitize(&listing, store, true, |_| true)? {
        Some(mended) => mended.listing,
        None => listing,
    })
}

/// A page with the schemas that the operator set in place of the server's.
fn as_the_operator_wants(sent: Listing, policy: &Policy) -> Result<Listing, UnreadableListing> {
    sent.replacing_inputs(|tool| policy.replaced_input(tool))?
        .without_outputs(|tool| policy.hides_output(tool))
}

impl PageForms {
    /// # Errors
    ///
    /// A rewritten form exceeds a limit.
    pub(crate) fn of(
        sent: Listing,
        rules: &Rules,
        store: &SchemaStore,
    ) -> Result<Self, UnreadableListing> {
        let policy = &rules.policy;
        let of_tool = |name: &str| mode(policy, Some(name)) == Mode::Enforce;
        let mut forms = Self {
            sent: as_the_operator_wants(sent, policy)?,
            known: None,
            for_reader: None,
            provider: None,
            lost: Vec::new(),
        };
        if let Some(mended) = sanitize(&forms.sent, store, true, |_| true)? {
            let enforced = |lost: &Lost| mode(policy, lost.tool()) == Mode::Enforce;
            if !mended.lost.iter().all(enforced) {
                let of_page = mode(policy, None) == Mode::Enforce;
                let own = sanitize(&forms.sent, store, of_page, of_tool)?;
                forms.for_reader =
                    Some(own.map_or(ForReader::AsSent, |own| ForReader::Own(own.listing)));
            }
            forms.known = Some(mended.listing);
            forms.lost = mended.lost;
        }
        Ok(forms)
    }

    /// Writes the form for the reader: in the form for the provider, if the policy names one, and then
    /// with schemas that popular clients of its version can compile, and read as they are meant.
    ///
    /// # Errors
    ///
    /// A rewritten form exceeds a limit.
    pub(crate) fn rewrite(
        &mut self,
        rules: &Rules,
        store: &SchemaStore,
        provider: Option<Arc<ProviderTools>>,
        reader: Era,
    ) -> Result<(), UnreadableListing> {
        if let Some(provider) = provider {
            self.for_reader = Some(ForReader::Own(provider.page(self.for_reader())?));
            self.provider = Some(provider);
        }
        let policy = &rules.policy;
        let of_tool = |name: &str| mode(policy, Some(self.original(name))) == Mode::Enforce;
        let unified = unify_dialects(self.for_reader(), store, reader, of_tool)?;
        let listing = unified.as_ref().map_or(self.for_reader(), |it| &it.listing);
        let simplified = simplify(listing, store, policy.costly_schemas, of_tool)?;
        if let Some(unified) = unified {
            self.for_reader = Some(ForReader::Own(unified.listing));
            self.lost.extend(unified.lost);
        }
        if let Some(simplified) = simplified {
            self.for_reader = Some(ForReader::Own(simplified.listing));
            self.lost.extend(simplified.lost);
        }
        Ok(())
    }

    /// The tools in the form for the provider that the policy names.
    pub(crate) fn provider(&self) -> Option<&ProviderTools> {
        self.provider.as_deref()
    }

    /// The server's name for a tool in the form for the reader.
    fn original<'n>(&'n self, name: &'n str) -> &'n str {
        original(self.provider(), name)
    }

    /// The page as the server sent it.
    pub(crate) fn sent(&self) -> &Listing {
        &self.sent
    }

    /// The page that calls and results are checked against.
    pub(crate) fn known(&self) -> &Listing {
        self.known.as_ref().unwrap_or(&self.sent)
    }

    /// The page from which the reader's projection is made.
    pub(crate) fn for_reader(&self) -> &Listing {
        match &self.for_reader {
            Some(ForReader::AsSent) => &self.sent,
            Some(ForReader::Own(listing)) => listing,
            None => self.known(),
        }
    }

    /// Remarks on everything that the server sent and that readers, or the guard itself, do not get.
    pub(crate) fn remarks(&self, rules: &Rules, scope: &Scope) -> Remarks {
        let mut remarks = Remarks::default();
        for found in self.sent.recognised() {
            let (tool, what) = (found.tool.as_deref(), found.schema.to_string());
            let mode = mode(&rules.policy, tool);
            if mode != Mode::Off && scope.is_first(tool.unwrap_or_default(), &what) {
                let left_out = mode == Mode::Enforce && found.schema.json_schema().is_ok();
                let act = Act::InputIsArgumentSchema;
                remarks.push(Filter::Admission, act, left_out, || {
                    (tool.map(Arc::from), what)
                });
            }
        }
        for lost in &self.lost {
            let tool = lost.tool().map(|name| self.original(name));
            let mode = mode(&rules.policy, tool);
            if mode != Mode::Off {
                let left_out = mode == Mode::Enforce;
                remarks.push(Filter::Admission, act(lost), left_out, || {
                    (tool.map(Arc::from), lost.to_string())
                });
            }
        }
        remarks
    }
}

/// The server's name for a tool that a reader knows by this name.
pub(crate) fn original<'n>(provider: Option<&'n ProviderTools>, name: &'n str) -> &'n str {
    let tool = provider.and_then(|provider| provider.tool(name));
    tool.map_or(name, |contract| contract.name())
}

/// How bad members of a tool are handled, or of the page if they belong to no tool.
fn mode(policy: &Policy, tool: Option<&str>) -> Mode {
    let mode = tool.map_or(policy.listing, |tool| policy.terms(tool).listing);
    if mode == Mode::Enforce && policy.bad_tools == BadTools::Pass {
        return Mode::Audit;
    }
    mode
}

/// The code of a record about a difference for the reader.
fn act(lost: &Lost) -> Act {
    match lost {
        Lost::Schema { .. } => Act::SchemaSimplified,
        Lost::Withdrawn { .. } => Act::OutputSchemaRemoved,
        _ => Act::ServerListedBadMember,
    }
}
