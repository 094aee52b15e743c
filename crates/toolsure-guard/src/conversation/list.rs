//! Pages of tools: those that a client asked for, on their way to it, and those that the guard fetches
//! itself.

use toolsure_json::{Node as _, View};
use toolsure_mcp::catalog::Listing;
use toolsure_mcp::era::Era;

use super::access::allows_tool;
use super::fetch::Fetch;
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
            self.listed_by(meta.and_then(|meta| meta.member(SERVER)));
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
            http: self.mirrors_headers(),
            is_allowed: &|names, known| allows_tool(turn.policy(), open, names, known),
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

    /// Asks for the list of tools, unless a fetch is under way.
    pub(super) fn fetch_tools(&mut self, turn: &mut Turn<'_>, era: Era, meta: Option<View<'_>>) {
        if self.fetch.is_none() {
            let fetch = Fetch::new(turn, self.next_id(), era, meta, self.scope.changes());
            self.ask(turn, fetch);
        }
    }

    fn ask(&mut self, turn: &mut Turn<'_>, fetch: Fetch) {
        turn.out.send(Side::Server, fetch.request());
        self.fetch = Some(fetch);
    }

    /// Whether an id belongs to a request of the guard.
    pub(super) fn is_own(&self, key: &IdKey) -> bool {
        self.fetch.as_ref().is_some_and(|fetch| fetch.id() == key)
    }

    /// Handles the answer to the guard's own request.
    pub(super) fn fetched(&mut self, turn: &mut Turn<'_>) {
        let Some(mut fetch) = self.fetch.take() else {
            return;
        };
        match fetch.learn_page(turn, &self.scope) {
            Ok(Some(next)) => {
                fetch.turn_page(turn, self.next_id(), next);
                self.ask(turn, fetch);
            }
            // Some of the waiting calls may have come after the change.
            Ok(None) if fetch.is_outdated(self.scope.changes()) => {
                let fetch = fetch.repeated(turn, self.next_id(), self.scope.changes());
                self.ask(turn, fetch);
            }
            Ok(None) => self.parked.release(None),
            Err(why) => {
                self.fetch = Some(fetch);
                self.fetch_failed(turn, &why);
            }
        }
    }

    /// Handles the failure of a fetch: no list will arrive.
    pub(super) fn fetch_failed(&mut self, turn: &mut Turn<'_>, why: &str) {
        if self.fetch.take().is_none() {
            return;
        }
        let act = Act::ServerUnlisted;
        let mut record = turn.fault(Side::Server, Filter::Admission, Action::Dropped, act);
        record.note(why);
        turn.audit(record);
        self.parked.release(Some(why));
    }

    /// An unused id for a request of the guard.
    fn next_id(&mut self) -> IdKey {
        loop {
            self.asks += 1;
            let key = IdKey::Text(format!("{}{}", self.mark, self.asks).into());
            if !self.open.contains(&key) {
                return key;
            }
        }
    }
}
