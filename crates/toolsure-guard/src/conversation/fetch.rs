//! The guard's own `tools/list`, page by page: sent if a call comes before the client asked for the
//! tools, or if the known list is out of date. Such calls are parked until the list is there.

use std::collections::HashSet;
use std::time::Duration;

use toolsure_json::{Key as _, Kind, Node as _, View, json_string};
use toolsure_mcp::catalog::Listing;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::write;

use super::open::OpenTable;
use super::parked_calls::ParkedCalls;
use super::turn::Turn;
use crate::envelope::Envelope;
use crate::fault::Act;
use crate::filter::page_forms::known_form;
use crate::id::IdKey;
use crate::message::{Message, Purpose};
use crate::reading::whole_message;
use crate::record::{Action, Filter};
use crate::scope::Scope;
use crate::side::Side;

/// Fetches the list of tools for the calls that are parked until it is there.
#[derive(Debug)]
pub(super) struct ListFetch {
    /// The fetch that is under way.
    fetch: Option<Fetch>,
    pub(super) parked: ParkedCalls,
    /// How many requests were sent.
    requests: u64,
    /// The prefix of their ids.
    mark: Box<str>,
}

/// A list of tools that the guard is fetching, page by page.
#[derive(Debug)]
struct Fetch {
    id: IdKey,
    era: Era,
    /// `_meta` of the caller, without the members about its own request.
    meta: Option<String>,
    cursor: Option<String>,
    changes: u64,
    seen: HashSet<String>,
    bytes: usize,
    deadline: Duration,
    /// Whether the tools changed during a fetch before this one.
    is_repeated: bool,
}

impl Default for ListFetch {
    fn default() -> Self {
        Self {
            fetch: None,
            parked: ParkedCalls::default(),
            requests: 0,
            mark: OWN.into(),
        }
    }
}

impl ListFetch {
    /// Puts `mark` into the ids of the requests.
    pub(super) fn mark(&mut self, mark: &str) {
        self.mark = format!("{OWN}{mark}-").into();
    }

    /// Whether a fetch is under way.
    pub(super) fn is_open(&self) -> bool {
        self.fetch.is_some()
    }

    /// When the answer to the current request must be there.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.fetch.as_ref().map(|fetch| fetch.deadline)
    }

    /// The current request: its id and version, and when the answer must be there.
    pub(super) fn current(&self) -> Option<(IdKey, Era, Duration)> {
        let fetch = self.fetch.as_ref()?;
        Some((fetch.id.clone(), fetch.era, fetch.deadline))
    }

    /// Whether an id belongs to the current request.
    pub(super) fn is_own(&self, key: &IdKey) -> bool {
        self.fetch.as_ref().is_some_and(|fetch| fetch.id == *key)
    }

    /// Asks for the list of tools, unless a fetch is under way. `meta` is `_meta` of the caller.
    pub(super) fn begin(
        &mut self,
        turn: &mut Turn<'_>,
        (scope, open): (&Scope, &OpenTable),
        era: Era,
        meta: Option<View<'_>>,
    ) {
        if self.fetch.is_none() {
            let fetch = Fetch::new(turn, self.next_id(open), era, meta, scope.changes());
            self.ask(turn, fetch);
        }
    }

    fn ask(&mut self, turn: &mut Turn<'_>, fetch: Fetch) {
        turn.out.send(Side::Server, fetch.request());
        self.fetch = Some(fetch);
    }

    /// Handles the answer to the current request.
    pub(super) fn answered(&mut self, turn: &mut Turn<'_>, scope: &Scope, open: &OpenTable) {
        let Some(mut fetch) = self.fetch.take() else {
            return;
        };
        match fetch.learn_page(turn, scope) {
            Ok(Some(next)) => {
                fetch.turn_page(turn, self.next_id(open), next);
                self.ask(turn, fetch);
            }
            // Some of the waiting calls may have come after the change.
            Ok(None) if fetch.is_outdated(scope.changes()) => {
                let fetch = fetch.repeated(turn, self.next_id(open), scope.changes());
                self.ask(turn, fetch);
            }
            Ok(None) => self.parked.release(None),
            Err(why) => {
                self.fetch = Some(fetch);
                self.fail(turn, &why);
            }
        }
    }

    /// Handles the failure of the fetch: no list will arrive.
    pub(super) fn fail(&mut self, turn: &mut Turn<'_>, why: &str) {
        if self.fetch.take().is_none() {
            return;
        }
        let act = Act::ServerUnlisted;
        let mut record = turn.fault(Side::Server, Filter::Admission, Action::Dropped, act);
        record.note(why);
        turn.audit(record);
        self.parked.release(Some(why));
    }

    /// Forgets the fetch and the parked calls.
    pub(super) fn clear(&mut self) {
        self.fetch = None;
        self.parked.clear();
    }

    /// An unused id for a request.
    fn next_id(&mut self, open: &OpenTable) -> IdKey {
        loop {
            self.requests += 1;
            let key = IdKey::Text(format!("{}{}", self.mark, self.requests).into());
            if !open.contains(&key) {
                return key;
            }
        }
    }
}

impl Fetch {
    /// A fetch that begins with the first page. `meta` is `_meta` of the caller.
    fn new(turn: &Turn<'_>, id: IdKey, era: Era, meta: Option<View<'_>>, changes: u64) -> Self {
        Self {
            id,
            era,
            meta: meta
                .filter(|_| era.declares_version())
                .and_then(borrowed_meta),
            cursor: None,
            changes,
            seen: HashSet::new(),
            bytes: 0,
            deadline: deadline(turn),
            is_repeated: false,
        }
    }

    /// The same fetch from the first page on, because the tools changed.
    fn repeated(self, turn: &Turn<'_>, id: IdKey, changes: u64) -> Self {
        Self {
            id,
            cursor: None,
            changes,
            seen: HashSet::new(),
            bytes: 0,
            deadline: deadline(turn),
            is_repeated: true,
            ..self
        }
    }

    /// Whether it must be repeated, because the tools have changed since it began. It is repeated only
    /// once, because a server may announce a change with every list.
    fn is_outdated(&self, changes: u64) -> bool {
        !self.is_repeated && changes != self.changes
    }

    /// Goes on to another page.
    fn turn_page(&mut self, turn: &Turn<'_>, id: IdKey, cursor: String) {
        self.cursor = Some(cursor);
        self.id = id;
        self.deadline = deadline(turn);
    }

    /// The request for the current page.
    fn request(&self) -> Message {
        let envelope = Envelope {
            version: self.meta.as_ref().map(|_| self.era.version().into()),
            ..Envelope::request(self.id.clone(), "tools/list")
        };
        Message::made(self.message(), Purpose::Ask, envelope)
    }

    fn message(&self) -> String {
        let mut params = Vec::new();
        if let Some(cursor) = &self.cursor {
            params.push(format!("\"cursor\":{}", json_string(cursor)));
        }
        if let Some(meta) = &self.meta {
            params.push(format!("\"_meta\":{meta}"));
        }
        let params = (!params.is_empty()).then(|| format!("{{{}}}", params.join(",")));
        write::request(&self.id.raw(), "tools/list", params.as_deref())
    }

    /// Learns the page that arrived. Returns the cursor of the next one.
    fn learn_page(&mut self, turn: &Turn<'_>, scope: &Scope) -> Result<Option<String>, String> {
        let message = turn.message.bytes();
        let limits = &turn.policy().limits;
        let listing = Listing::read_within(whole_message(message), &turn.listing_limits())
            .map_err(|error| format!("the answer to `tools/list` cannot be read: {error}"))?;
        let listing = known_form(listing, turn.policy(), scope.store())
            .map_err(|error| format!("the list of tools cannot be rewritten: {error}"))?;
        self.bytes = self.bytes.saturating_add(message.len());
        if self.bytes > limits.listing_bytes {
            let allowed = limits.listing_bytes;
            return Err(format!(
                "more bytes of tools than the limit of {allowed} (listing_bytes)"
            ));
        }
        let page = turn.listed_page(&listing, self.cursor.as_deref(), self.era, self.changes);
        let tools = scope.learn(&page, limits);
        tools.map_err(|error| error.to_string())?;
        let Some(next) = listing.next_cursor() else {
            return Ok(None);
        };
        if !self.seen.insert(next.to_owned()) {
            return Err("the pages of the list form a cycle".to_owned());
        }
        if self.seen.len() >= limits.pages {
            let allowed = limits.pages;
            return Err(format!(
                "more pages of tools than the limit of {allowed} (pages)"
            ));
        }
        Ok(Some(next.to_owned()))
    }
}

/// When the answer to a request that is sent now must be there.
fn deadline(turn: &Turn<'_>) -> Duration {
    turn.now.saturating_add(turn.policy().list_timeout)
}

/// The caller's `_meta` for a request of the guard: version and capabilities,
/// but no progress token.
fn borrowed_meta(meta: View<'_>) -> Option<String> {
    if meta.kind() != Kind::Object {
        return None;
    }
    let mut members = Vec::new();
    for (key, value) in meta.members() {
        if key.text() != "progressToken" {
            members.push(format!("{}:{}", json_string(key.text()), value.raw()));
        }
    }
    // On stdio a message is one line, and JSON has line breaks between tokens only.
    let text = format!("{{{}}}", members.join(","));
    Some(text.replace(['\n', '\r'], " "))
}

/// The prefix of the ids of the guard's own requests.
const OWN: &str = "toolsure-";
