//! Open requests and their deadlines.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::{Era, ToolMethod};

use crate::id::IdKey;
use crate::policy::Terms;
use crate::record::{About, Peer};

/// A request of the client that has no answer yet.
#[derive(Debug)]
pub(super) struct Open {
    /// The id as the client wrote it, if that differs from how its key is written.
    raw: Option<Box<str>>,
    pub(super) method: Cow<'static, str>,
    pub(super) what: What,
    pub(super) era: Era,
    pub(super) since: Duration,
    pub(super) deadline: Option<Duration>,
    /// The sequence number of the request.
    pub(super) number: u64,
    pub(super) progress: Option<IdKey>,
    /// Whether the client no longer waits.
    pub(super) cancelled: bool,
    /// Whether it is a subscription that reports changes of tools.
    gets_list_changed: bool,
    /// The client that made it.
    pub(super) peer: Option<Arc<Peer>>,
    /// What it is about, for records, if it is no call.
    pub(super) about: Option<Box<About>>,
    /// What is recorded of the arguments of a call.
    pub(super) recorded: Option<Box<str>>,
}

/// What an answer will be checked against.
#[derive(Debug)]
pub(super) enum What {
    /// Nothing.
    Plain,
    /// It settles the version.
    Initialize,
    /// A page of tools.
    List {
        cursor: Option<String>,
        /// The value of the change counter when the page was requested.
        changes: u64,
    },
    /// A tool's contract.
    Call(Box<Called>),
    /// The contract of the tool that made a task.
    Task { task: String, method: ToolMethod },
    /// The call is parked until the list of tools arrives and was not sent.
    Parked,
}

/// A call that was sent.
#[derive(Debug)]
pub(super) struct Called {
    pub(super) name: Arc<str>,
    /// The name by which the client knows it, if that is another.
    pub(super) clients_name: Option<String>,
    /// The tool as it was when the call was checked; unknown if nothing is checked.
    pub(super) tool: Option<Arc<ToolContract>>,
    pub(super) terms: Terms,
    pub(super) as_task: bool,
}

impl Open {
    pub(super) fn new(
        raw: &str,
        key: &IdKey,
        method: Cow<'static, str>,
        era: Era,
        now: Duration,
    ) -> Self {
        let plain = match key {
            // Digits that are short enough for a plain number are written back the same way.
            IdKey::Number(_) => raw.bytes().all(|b| b == b'-' || b.is_ascii_digit()) && raw != "-0",
            IdKey::Text(text) => raw.len() == text.len() + 2,
            IdKey::Other(number) => raw == &**number,
        };
        Self {
            raw: (!plain).then(|| Box::from(raw)),
            method,
            what: What::Plain,
            era,
            since: now,
            deadline: None,
            number: 0,
            progress: None,
            cancelled: false,
            gets_list_changed: false,
            peer: None,
            about: None,
            recorded: None,
        }
    }

    /// Whether a client waits for the answer. A subscription has no answer until it ends, and it ends with
    /// its client.
    fn is_awaited(&self) -> bool {
        !self.cancelled && self.method != SUBSCRIBE
    }

    /// The id as the client wrote it.
    pub(super) fn raw(&self, key: &IdKey) -> String {
        self.raw.as_deref().map_or_else(|| key.raw(), str::to_owned)
    }
}

/// All open requests of the client.
#[derive(Debug, Default)]
pub(super) struct OpenTable {
    open: HashMap<IdKey, Open>,
    /// The request that a progress token belongs to.
    progress: HashMap<IdKey, IdKey>,
    /// The requests with a deadline, by deadline and number.
    deadlines: BTreeMap<(Duration, u64), IdKey>,
    /// How many of them have a waiting sender.
    awaited: usize,
    next: u64,
}

impl OpenTable {
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// How many of them have a waiting sender.
    pub(super) fn awaited(&self) -> usize {
        self.awaited
    }

    pub(super) fn contains(&self, key: &IdKey) -> bool {
        self.open.contains_key(key)
    }

    pub(super) fn get(&self, key: &IdKey) -> Option<&Open> {
        self.open.get(key)
    }

    /// Notes that a subscription reports changes of tools. `false` if there is no such subscription.
    pub(super) fn subscribe_to_tools(&mut self, key: &IdKey) -> bool {
        let open = self.open.get_mut(key);
        let subscription = open.filter(|open| open.method == SUBSCRIBE);
        subscription.is_some_and(|open| {
            open.gets_list_changed = true;
            true
        })
    }

    /// The ids of these subscriptions, oldest first, as their clients wrote them.
    pub(super) fn subscribed_to_tools(&self) -> Vec<String> {
        let open = self.open.iter();
        let mut list_changed: Vec<_> = open
            .filter(|(_, open)| open.gets_list_changed && !open.cancelled)
            .collect();
        list_changed.sort_unstable_by_key(|(_, open)| open.number);
        list_changed
            .into_iter()
            .map(|(key, open)| open.raw(key))
            .collect()
    }

    pub(super) fn insert(&mut self, key: IdKey, mut open: Open) {
        open.number = self.next;
        self.next += 1;
        if let Some(deadline) = open.deadline {
            self.deadlines.insert((deadline, open.number), key.clone());
        }
        if let Some(token) = &open.progress {
            self.progress.insert(token.clone(), key.clone());
        }
        self.awaited += usize::from(open.is_awaited());
        match self.open.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(open);
            }
            Entry::Occupied(mut entry) => {
                let key = entry.key().clone();
                let keeps_token = entry.get().progress == open.progress;
                let mut replaced = entry.insert(open);
                if keeps_token {
                    replaced.progress = None;
                }
                self.release(&key, &replaced);
            }
        }
    }

    pub(super) fn remove(&mut self, key: &IdKey) -> Option<Open> {
        let open = self.open.remove(key)?;
        self.release(key, &open);
        Some(open)
    }

    /// Removes a request from the deadlines, the progress tokens and the counter.
    fn release(&mut self, key: &IdKey, open: &Open) {
        self.awaited -= usize::from(open.is_awaited());
        if let Some(deadline) = open.deadline {
            self.deadlines.remove(&(deadline, open.number));
        }
        if let Some(token) = &open.progress
            && self.progress.get(token) == Some(key)
        {
            self.progress.remove(token);
        }
    }

    /// Removes a request that was sent. The server never saw a parked request, so nothing that the server
    /// does is about it.
    pub(super) fn remove_sent(&mut self, key: &IdKey) -> Option<Open> {
        let open = self.open.get(key)?;
        if matches!(open.what, What::Parked) {
            return None;
        }
        self.remove(key)
    }

    /// The client no longer waits; the server has time to answer until `until`.
    pub(super) fn cancel(&mut self, key: &IdKey, until: Duration) {
        if let Some(open) = self.open.get_mut(key) {
            self.awaited -= usize::from(open.is_awaited());
            open.cancelled = true;
        }
        self.extend(key, until);
    }

    /// The request that a progress token belongs to.
    pub(super) fn request_of_token(&self, token: &IdKey) -> Option<&IdKey> {
        self.progress.get(token)
    }

    /// Handles progress: the timeout starts anew.
    pub(super) fn progress(&mut self, token: &IdKey, until: Duration) {
        if let Some(key) = self.progress.get(token).cloned()
            && self
                .open
                .get(&key)
                .is_some_and(|open| !open.cancelled && open.deadline.is_some())
        {
            self.extend(&key, until);
        }
    }

    fn extend(&mut self, key: &IdKey, until: Duration) {
        if let Some(open) = self.open.get_mut(key) {
            if let Some(before) = open.deadline.replace(until) {
                self.deadlines.remove(&(before, open.number));
            }
            self.deadlines.insert((until, open.number), key.clone());
        }
    }

    /// The earliest deadline of all requests.
    pub(super) fn next_deadline(&self) -> Option<Duration> {
        let ((at, _), _) = self.deadlines.first_key_value()?;
        Some(*at)
    }

    /// Returns a request whose deadline has passed.
    pub(super) fn due(&mut self, now: Duration) -> Option<(IdKey, Open)> {
        let first = self.deadlines.first_entry()?;
        if first.key().0 > now {
            return None;
        }
        let key = first.remove();
        let open = self.remove(&key)?;
        Some((key, open))
    }

    /// Removes and returns all requests, oldest first.
    pub(super) fn drain(&mut self) -> Vec<(IdKey, Open)> {
        let mut all: Vec<(IdKey, Open)> = self.open.drain().collect();
        all.sort_by_key(|(_, open)| open.number);
        self.awaited = 0;
        self.progress.clear();
        self.deadlines.clear();
        all
    }
}

/// The last requests that were answered, for answers that arrive again.
#[derive(Debug, Default)]
pub(super) struct Answered(VecDeque<(IdKey, Open)>);

impl Answered {
    pub(super) fn insert(&mut self, key: IdKey, open: Open) {
        if self.0.len() >= ANSWERED {
            self.0.pop_front();
        }
        self.0.push_back((key, open));
    }

    /// Also `None` if two requests had the id: it is unknown which of them the answer is for.
    pub(super) fn take(&mut self, key: &IdKey) -> Option<Open> {
        let mut at = (0..)
            .zip(&self.0)
            .filter(|(_, (answered, _))| answered == key);
        match (at.next(), at.next()) {
            (Some((at, _)), None) => self.0.remove(at).map(|(_, open)| open),
            _ => None,
        }
    }
}

const SUBSCRIBE: &str = "subscriptions/listen";
/// How many of them are kept.
const ANSWERED: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answered_requests_are_kept() {
        let mut answered = Answered::default();
        for key in 0..40 {
            answered.insert(IdKey::Number(key), open(1));
        }
        assert_eq!(answered.0.len(), ANSWERED);
        assert!(answered.take(&IdKey::Number(7)).is_none());
        assert!(answered.take(&IdKey::Number(8)).is_some());
        assert!(answered.take(&IdKey::Number(8)).is_none());
        answered.insert(IdKey::Number(39), open(1));
        assert!(answered.take(&IdKey::Number(39)).is_none());
        assert!(answered.take(&IdKey::Number(38)).is_some());
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn open(deadline: u64) -> Open {
        let mut open = Open::new("1", &IdKey::Number(1), "m".into(), Era::V2025_11_25, ms(0));
        open.deadline = Some(ms(deadline));
        open
    }

    #[test]
    fn the_soonest_is_due_first() {
        let mut table = OpenTable::default();
        for (key, deadline) in [(1, 30), (2, 10), (3, 20)] {
            table.insert(IdKey::Number(key), open(deadline));
        }
        assert_eq!(table.next_deadline(), Some(ms(10)));
        assert!(table.due(ms(9)).is_none());
        assert!(table.remove(&IdKey::Number(2)).is_some());
        assert_eq!(table.next_deadline(), Some(ms(20)));
        table.extend(&IdKey::Number(3), ms(40));
        let due: Vec<IdKey> = std::iter::from_fn(|| table.due(ms(100)).map(|due| due.0)).collect();
        assert_eq!(due, [IdKey::Number(1), IdKey::Number(3)]);
        assert_eq!(table.len(), 0);
        assert_eq!(table.next_deadline(), None);
    }

    #[test]
    fn nobody_waits_for_what_is_cancelled_or_a_subscription() {
        let mut table = OpenTable::default();
        let mut listen = open(10);
        listen.method = "subscriptions/listen".into();
        table.insert(IdKey::Number(1), listen);
        assert_eq!((table.len(), table.awaited()), (1, 0));
        for key in [2, 3, 3] {
            table.insert(IdKey::Number(key), open(10));
        }
        assert_eq!((table.awaited(), table.deadlines.len()), (2, 3));
        table.cancel(&IdKey::Number(2), ms(20));
        table.cancel(&IdKey::Number(2), ms(20));
        assert_eq!((table.len(), table.awaited()), (3, 1));
        assert!(table.remove(&IdKey::Number(1)).is_some());
        assert!(table.remove(&IdKey::Number(2)).is_some());
        assert_eq!((table.len(), table.awaited()), (1, 1));
        table.drain();
        assert_eq!(table.awaited(), 0);
    }

    #[test]
    fn answered_requests_leave_nothing_behind() {
        let mut table = OpenTable::default();
        for key in 0..100_000 {
            let mut one = open(300_000);
            one.progress = Some(IdKey::Number(key));
            table.insert(IdKey::Number(key), one);
            table.progress(&IdKey::Number(key), ms(400_000));
            assert_eq!(table.next_deadline(), Some(ms(400_000)));
            assert!(table.remove(&IdKey::Number(key)).is_some());
        }
        assert!(table.deadlines.is_empty() && table.progress.is_empty());
    }

    #[test]
    fn an_id_is_written_back_as_it_came() {
        for raw in [
            "1",
            "1.0",
            "-0",
            "1e2",
            "\"a\"",
            r#""\u0061""#,
            "12345678901234567890",
        ] {
            let key = IdKey::read(raw).unwrap();
            let open = Open::new(raw, &key, "m".into(), Era::V2025_11_25, ms(0));
            assert_eq!(open.raw(&key), raw);
        }
    }
}
