//! Pages of tools that a client asked for, on their way to it.

use toolsure_json::Node as _;
use toolsure_mcp::catalog::Listing;

use super::open::{Open, What};
use super::turn::Turn;
use super::{Conversation, SERVER};
use crate::envelope::Envelope;
use crate::fault::Act;
use crate::filter::listing::{PageCase, idle_rules, present, removed};
use crate::filter::page_forms::PageForms;
use crate::id::IdKey;
use crate::policy::{BadTools, Mode};
use crate::reading::whole_message;
use crate::record::{Action, Filter, Record};
use crate::side::Side;

impl Conversation {
    /// Whether some tools are withheld from clients in any mode, so that no page may pass unread.
    fn leaves_tools_out(&self, turn: &Turn<'_>) -> bool {
        let policy = turn.policy();
        let hides = policy.tools.iter().any(|rule| rule.hidden == Some(true));
        hides
            || !policy.callers.is_empty()
            || policy.project_for.is_some()
            || policy.drift.refuses()
            || self.scope.is_pinned()
    }

    /// Handles a page of tools that the client asked for.
    pub(super) fn page(&mut self, turn: &mut Turn<'_>, key: IdKey, open: &Open) {
        let What::List { cursor, changes } = &open.what else {
            return turn.forward_answer(key, None);
        };
        let bytes = turn.message.bytes();
        let cursor = cursor.as_deref();
        let listing = match Listing::read_within(whole_message(bytes), &turn.listing_limits()) {
            Ok(listing) => listing,
            Err(error) if turn.policy().listing == Mode::Enforce || self.leaves_tools_out(turn) => {
                let act = Act::ServerUnlisted;
                let said = format!("the server's list of tools cannot be read: {error}");
                return turn.fail(key, open, act, &said);
            }
            Err(error) => {
                let act = Act::ServerUnlisted;
                let mut record = turn.fault(Side::Server, Filter::Admission, Action::Reported, act);
                record.describe(&key, open, turn);
                record.note(&error.to_string());
                turn.audit(record);
                return turn.forward_answer(key, None);
            }
        };
        let unwritten = |error| format!("the list of tools cannot be rewritten: {error}");
        let mut forms = match PageForms::of(listing, turn.rules, self.scope.store()) {
            Ok(forms) => forms,
            Err(error) => {
                let why = unwritten(error);
                return turn.fail(key, open, Act::ServerUnlisted, &why);
            }
        };
        if open.era.declares_version() {
            let meta = forms.known().result().member("_meta");
            let info = meta.and_then(|meta| meta.member(SERVER));
            self.negotiation.listed_by(&self.scope, info);
        }
        let page = turn.listed_page(forms.known(), cursor, open.era, *changes);
        let (tools, own) = match self.scope.learn(&page, &turn.policy().limits) {
            Ok(learned) => learned,
            Err(error) => {
                let act = Act::ServerUnlisted;
                return turn.fail(key, open, act, &error.to_string());
            }
        };
        let provider = own.projected(turn.rules);
        if let Err(error) = forms.rewrite(turn.rules, self.scope.store(), provider, open.era) {
            let why = unwritten(error);
            return turn.fail(key, open, Act::ServerUnlisted, &why);
        }
        // Tools that cannot be read were cut out of the listing's text. A listing for a provider has none of
        // them.
        let policy = turn.policy();
        let enforced = policy.listing == Mode::Enforce && policy.bad_tools != BadTools::Pass
            || policy.project_for.is_some();
        let as_it_came = !enforced && forms.sent().text().len() != bytes.len();
        let access = self.access(turn, open);
        let case = PageCase {
            keeps_unreadable: as_it_came,
            rules: turn.rules,
            listing: forms.for_reader(),
            provider: forms.provider(),
            tools: &tools,
            own: own
                .tools
                .iter()
                .map(|tool| (tool.contract.name(), tool))
                .collect(),
            scope: &self.scope,
            cursor,
            reader: open.era,
            http: self.negotiation.mirrors_headers(),
            is_allowed: &|names, known| access.allows_tool(names, known),
            parser: self.scope.store().compiler().parser(),
        };
        match present(&case, forms.remarks(turn.rules, &self.scope)) {
            Err(why) => turn.fail(key, open, Act::ServerListedBadTool, &why),
            Ok(mut page) => {
                removed(turn.rules, &tools, &self.scope, &mut page.remarks);
                idle_rules(turn.rules, &tools, &mut page.remarks);
                for remark in page.remarks.finish() {
                    let record = remark.record(turn, &key, open);
                    turn.audit(record);
                }
                let same = page.keeps_unreadable || page.text.as_bytes() == bytes;
                if turn.policy().record_passes {
                    let action = if same {
                        Action::Passed
                    } else {
                        Action::Altered
                    };
                    let mut record = Record::new(turn.now, Side::Server, Filter::Admission, action);
                    record.describe(&key, open, turn);
                    if cursor.is_none() && forms.known().next_cursor().is_none() {
                        record.digest = own.digest();
                    }
                    if page.rewritten > 0 {
                        record.note(&format!("{} things rewritten", page.rewritten));
                    }
                    turn.audit(record);
                }
                if same {
                    turn.forward_answer(key, None);
                } else {
                    // The page was made of the message as it leaves.
                    let envelope = Envelope::answer(Some(key), None);
                    turn.out.altered(Side::Client, page.text, envelope);
                }
            }
        }
    }
}
