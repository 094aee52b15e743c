//! The guard's own `tools/list`: sent if a call comes before the client asked for the tools, or if the
//! known list is out of date.

use std::collections::HashSet;
use std::time::Duration;

use toolgate_json::{Key as _, Kind, Node as _, View};
use toolgate_mcp::catalog::Listing;
use toolgate_mcp::era::Era;

use super::answer::fault;
use super::{Conversation, Turn};
use crate::effect::{Effects, Outgoing, Purpose};
use crate::envelope::Envelope;
use crate::fault::Act;
use crate::filter::clients::known_form;
use crate::id::IdKey;
use crate::reading::{time_to_live, whole_message};
use crate::record::{Action, Filter};
use crate::scope::ListedPage;
use crate::side::Side;
use crate::text;

/// A list of tools that the guard is fetching, page by page.
#[derive(Debug)]
pub(super) struct Fetch {
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

impl Fetch {
    pub(super) fn id(&self) -> &IdKey {
        &self.id
    }

    pub(super) fn deadline(&self) -> Duration {
        self.deadline
    }

    fn message(&self) -> String {
        let mut params = Vec::new();
        if let Some(cursor) = &self.cursor {
            params.push(format!("\"cursor\":{}", text::string(cursor)));
        }
        if let Some(meta) = &self.meta {
            params.push(format!("\"_meta\":{meta}"));
        }
        let params = if params.is_empty() {
            String::new()
        } else {
            format!(",\"params\":{{{}}}", params.join(","))
        };
        format!(
            r#"{{"jsonrpc":"2.0","id":{},"method":"tools/list"{params}}}"#,
            self.id.raw()
        )
    }
}

impl Conversation {
    /// Asks for the list of tools, unless a fetch is under way.
    pub(super) fn fetch_tools(
        &mut self,
        turn: &Turn<'_>,
        era: Era,
        meta: Option<View<'_>>,
        out: &mut Effects<'_>,
    ) {
        if self.fetch.is_some() {
            return;
        }
        self.fetch = Some(Fetch {
            id: self.next_id(),
            era,
            meta: meta
                .filter(|_| era.declares_version())
                .and_then(borrowed_meta),
            cursor: None,
            changes: self.scope.changes(),
            seen: HashSet::new(),
            bytes: 0,
            deadline: turn.now,
            is_repeated: false,
        });
        self.ask(turn, out);
    }

    /// Whether an id belongs to a request of the guard.
    pub(super) fn is_own(&self, key: &IdKey) -> bool {
        self.fetch.as_ref().is_some_and(|fetch| fetch.id == *key)
    }

    /// Handles the answer to the guard's own request.
    pub(super) fn fetched(&mut self, turn: &Turn<'_>, message: &[u8], out: &mut Effects<'_>) {
        let Some(mut fetch) = self.fetch.take() else {
            return;
        };
        match self.next_page(turn, &mut fetch, message) {
            Ok(Some(next)) => {
                fetch.cursor = Some(next);
                fetch.id = self.next_id();
                self.fetch = Some(fetch);
                self.ask(turn, out);
            }
            // The tools changed meanwhile, and some of the waiting calls may have come after that. This is
            // not repeated again, because a server may announce a change with every list.
            Ok(None) if !fetch.is_repeated && self.scope.changes() != fetch.changes => {
                self.fetch = Some(Fetch {
                    id: self.next_id(),
                    cursor: None,
                    changes: self.scope.changes(),
                    seen: HashSet::new(),
                    bytes: 0,
                    is_repeated: true,
                    ..fetch
                });
                self.ask(turn, out);
            }
            Ok(None) => self.unpark_all(turn, None, out),
            Err(why) => {
                self.fetch = Some(fetch);
                self.fetch_failed(turn, &why, out);
            }
        }
    }

    /// Handles the failure of a fetch: no list will arrive.
    pub(super) fn fetch_failed(&mut self, turn: &Turn<'_>, why: &str, out: &mut Effects<'_>) {
        if self.fetch.take().is_none() {
            return;
        }
        let act = Act::ServerUnlisted;
        let mut record = fault(turn, Side::Server, Filter::Admission, Action::Dropped, act);
        record.note(why);
        out.audit(record);
        self.unpark_all(turn, Some(why), out);
    }

    /// Learns a page. Returns where the next one begins.
    fn next_page(
        &self,
        turn: &Turn<'_>,
        fetch: &mut Fetch,
        message: &[u8],
    ) -> Result<Option<String>, String> {
        let limits = &turn.policy().limits;
        let listing = Listing::read_within(whole_message(message), &listing_limits(turn))
            .map_err(|error| format!("the answer to `tools/list` cannot be read: {error}"))?;
        let listing = known_form(listing, self.scope.store())
            .map_err(|error| format!("the list of tools cannot be rewritten: {error}"))?;
        fetch.bytes = fetch.bytes.saturating_add(message.len());
        if fetch.bytes > limits.listing_bytes {
            let allowed = limits.listing_bytes;
            return Err(format!(
                "more bytes of tools than the limit of {allowed} (listing_bytes)"
            ));
        }
        let page = page(
            turn,
            &listing,
            fetch.cursor.as_deref(),
            fetch.era,
            fetch.changes,
        );
        let tools = self.scope.learn(&page, limits);
        tools.map_err(|error| error.to_string())?;
        let Some(next) = listing.next_cursor() else {
            return Ok(None);
        };
        if !fetch.seen.insert(next.to_owned()) {
            return Err("the pages of the list form a cycle".to_owned());
        }
        if fetch.seen.len() >= limits.pages {
            let allowed = limits.pages;
            return Err(format!(
                "more pages of tools than the limit of {allowed} (pages)"
            ));
        }
        Ok(Some(next.to_owned()))
    }

    fn ask(&mut self, turn: &Turn<'_>, out: &mut Effects<'_>) {
        let Some(fetch) = &mut self.fetch else {
            return;
        };
        fetch.deadline = turn.now.saturating_add(turn.policy().list_timeout);
        let envelope = Envelope {
            version: fetch.meta.as_ref().map(|_| fetch.era.version().into()),
            ..Envelope::request(fetch.id.clone(), "tools/list")
        };
        out.send(Outgoing::new(
            Side::Server,
            fetch.message().into_bytes(),
            Purpose::Ask,
            envelope,
        ));
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

/// The parts of a page that the scope caches.
pub(super) fn page<'l>(
    turn: &Turn<'_>,
    listing: &'l Listing,
    cursor: Option<&'l str>,
    era: Era,
    changes: u64,
) -> ListedPage<'l> {
    let result = listing.result();
    let ttl = match era.has_cacheable_lists() {
        true => Some(time_to_live(result)),
        false => turn.ttl,
    };
    let scope = result
        .member("cacheScope")
        .map_or("", |scope| scope.string());
    ListedPage {
        listing,
        cursor,
        ttl,
        public: era.has_cacheable_lists() && scope == "public",
        asked: changes,
        now: turn.now,
    }
}

/// Limits for reading pages: deeper than messages, so that the depth of one tool's schema is reported
/// as that tool's fault when the schema is compiled.
pub(super) fn listing_limits(turn: &Turn<'_>) -> toolgate_json::ReadLimits {
    let limits = &turn.policy().limits;
    toolgate_json::ReadLimits {
        bytes: limits.message_bytes,
        depth: limits.depth.max(DEPTH),
        nodes: limits.nodes,
        ..toolgate_json::ReadLimits::default()
    }
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
            members.push(format!("{}:{}", text::string(key.text()), value.raw()));
        }
    }
    // On stdio a message is one line, and JSON has line breaks between tokens only.
    let text = format!("{{{}}}", members.join(","));
    Some(text.replace(['\n', '\r'], " "))
}

/// The depth to which the catalog reads definitions.
const DEPTH: usize = 16_384;
