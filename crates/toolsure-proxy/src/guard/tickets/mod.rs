//! Tickets: the session ids that clients get for legacy sessions (`Mcp-Session-Id`).
//!
//! A ticket is encrypted and holds all that another replica needs to continue the session, so that
//! no store is needed: the upstream, the upstream's session id, the negotiated version, when the
//! session was opened and for whom. A client never sees the upstream's session id, and the upstream
//! never sees the client's.

pub(super) mod caller;
mod keys;
mod ticket;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::header::HeaderValue;

use super::http_server::Limit;
use super::identity::Identity;
pub use keys::SessionKeys;
use ticket::SessionTicket;
pub(super) use ticket::{NotMovable, SessionLocation};

/// How session ids for legacy HTTP sessions are made, and how long they are valid.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write some fields and `..Sessions::default()`; a new field breaks only those that write all"
)]
pub struct Sessions {
    /// The keys that encrypt session ids. Default a random secret of this process.
    pub keys: SessionKeys,
    /// How long a session may be used after it was opened. Default 7 days.
    pub age: Duration,
    /// Whether a session that was opened with an `Authorization` belongs to that caller: to the
    /// issuer and subject of a JSON Web Token, otherwise to that exact header. Default yes.
    pub bound: bool,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            keys: SessionKeys::default(),
            age: Duration::from_secs(7 * 24 * 3_600),
            bound: true,
        }
    }
}

/// Issues tickets and verifies them.
pub(super) struct TicketIssuer {
    sessions: Sessions,
    upstream: Arc<str>,
    replica: [u8; 16],
}

/// The session that a valid ticket describes.
#[derive(Clone)]
pub(super) struct VerifiedTicket {
    pub(super) contents: Arc<SessionTicket>,
    /// The generation of the keys that it was read with.
    generation: u64,
}

impl VerifiedTicket {
    /// Whether both are the same reading of the same session id.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.generation == other.generation && Arc::ptr_eq(&self.contents, &other.contents)
    }
}

/// Why a session id opens no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSession {
    /// It was not issued for this upstream and caller with these keys, or the session has ended.
    Unknown,
    Expired,
    /// The session cannot go on here, for this reason.
    OnOtherReplica(NotMovable),
    /// The session can be opened here, but is not open.
    NotOpenHere,
    /// The session cannot be opened here now.
    OpeningFailed,
    /// It would be one session too many.
    Limit(Limit),
}

/// Why a session gets no ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSessionId {
    TooLong,
    NoRandomness,
}

impl TicketIssuer {
    pub(super) fn new(sessions: Sessions, upstream: &Arc<str>, replica: [u8; 16]) -> Self {
        Self {
            sessions,
            upstream: Arc::clone(upstream),
            replica,
        }
    }

    /// A ticket for a session at the upstream, for the client that is `sender`.
    pub(super) fn of_upstream(
        &self,
        id: &HeaderValue,
        version: Option<&str>,
        sender: &Identity,
    ) -> Result<HeaderValue, NoSessionId> {
        let location = SessionLocation::Upstream {
            id: id.as_bytes().to_vec(),
            version: version
                .filter(|version| version.len() <= LONGEST_VERSION)
                .map(str::to_owned),
        };
        self.seal(location, sender)
    }

    /// A ticket for a session whose server is a process of this replica.
    pub(super) fn of_child(&self, sender: &Identity) -> Result<HeaderValue, NoSessionId> {
        self.seal(
            SessionLocation::Replica(self.replica, NotMovable::Process),
            sender,
        )
    }

    /// A ticket for a session that any replica can open with these parameters of `initialize`. If
    /// they are too long for a ticket, the session stays with this replica.
    pub(super) fn of_opening(
        &self,
        opening: String,
        sender: &Identity,
    ) -> Result<HeaderValue, NoSessionId> {
        let location = if opening.len() <= ticket::LONGEST_PART {
            SessionLocation::Anywhere(opening)
        } else {
            SessionLocation::Replica(self.replica, NotMovable::LongInitialize)
        };
        self.seal(location, sender)
    }

    fn seal(
        &self,
        location: SessionLocation,
        sender: &Identity,
    ) -> Result<HeaderValue, NoSessionId> {
        let ticket = SessionTicket {
            opened: now(),
            caller: self.caller(sender),
            upstream: self.upstream.as_ref().to_owned(),
            location,
        };
        let written = ticket.write().ok_or(NoSessionId::TooLong)?;
        let name = self.sessions.keys.seal(written);
        name.and_then(|name| HeaderValue::try_from(name).ok())
            .ok_or(NoSessionId::NoRandomness)
    }

    /// The ticket in a session id, if it is valid for the caller who is `sender`. `known` is an
    /// earlier reading of this id.
    pub(super) fn read(
        &self,
        name: &str,
        known: Option<&VerifiedTicket>,
        sender: &Identity,
    ) -> Result<VerifiedTicket, NoSession> {
        let known = known.filter(|verified| verified.generation == self.sessions.keys.generation());
        let verified = match known {
            Some(verified) => verified.clone(),
            None => self.open(name).ok_or(NoSession::Unknown)?,
        };
        let ticket = &verified.contents;
        let is_of_sender = ticket.caller == self.caller(sender);
        // One that was opened without authorization belongs to nobody, unless callers are verified.
        let is_of_nobody = ticket.caller.is_none() && sender.verified.is_none();
        if ticket.upstream != *self.upstream || !(is_of_sender || is_of_nobody) {
            return Err(NoSession::Unknown);
        }
        if self.is_old(ticket) {
            return Err(NoSession::Expired);
        }
        Ok(verified)
    }

    /// Whether the session cannot be used any more, by any caller.
    pub(super) fn is_over(&self, name: &str, ticket: &VerifiedTicket) -> bool {
        let same = ticket.generation == self.sessions.keys.generation();
        self.is_old(&ticket.contents) || !(same || self.open(name).is_some())
    }

    /// Why a session that is not open here cannot be used.
    pub(super) fn absent(&self, location: &SessionLocation) -> NoSession {
        match location {
            SessionLocation::Replica(replica, stays) if *replica != self.replica => {
                NoSession::OnOtherReplica(*stays)
            }
            SessionLocation::Anywhere(_) => NoSession::NotOpenHere,
            SessionLocation::Replica(..) | SessionLocation::Upstream { .. } => NoSession::Unknown,
        }
    }

    fn open(&self, name: &str) -> Option<VerifiedTicket> {
        let (ticket, generation) = self.sessions.keys.open(name)?;
        let contents = Arc::new(SessionTicket::read(&ticket)?);
        Some(VerifiedTicket {
            contents,
            generation,
        })
    }

    fn is_old(&self, ticket: &SessionTicket) -> bool {
        // The clock of the replica that opened it may be ahead of ours.
        now().saturating_sub(ticket.opened) >= self.sessions.age.as_secs()
    }

    fn caller(&self, sender: &Identity) -> Option<[u8; 32]> {
        let is_bound = self.sessions.bound || sender.verified.is_some();
        sender.owner.filter(|_| is_bound)
    }
}

impl NoSession {
    /// The status of the answer, a stable code, and its text. 404 makes a client open another
    /// session (2025-11-25, basic/transports, session management).
    pub(super) fn response(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Unknown | Self::NotOpenHere => (
                404,
                "session",
                "there is no such session; open one with `initialize`",
            ),
            Self::Expired => (
                404,
                "session-age",
                "the session is too old; open another with `initialize`",
            ),
            Self::OnOtherReplica(NotMovable::Process) => (
                404,
                "session-replica",
                "the session belongs to another replica of the guard and cannot move, because its server is a process of that replica; open another with `initialize`, or let the load balancer keep each client on its replica",
            ),
            Self::OnOtherReplica(NotMovable::LongInitialize) => (
                404,
                "session-replica",
                "the session belongs to another replica of the guard and cannot move, because the client's `initialize` is longer than the limit of 2048 bytes for a session that can; open another, or let the load balancer keep each client on its replica",
            ),
            Self::OnOtherReplica(NotMovable::UpstreamSession) => (
                404,
                "session-replica",
                "the session cannot continue here, because a server behind it keeps a session of its own; open another with `initialize`, or let the load balancer keep each client on its replica",
            ),
            Self::OpeningFailed => (
                503,
                "session-unopened",
                "the servers of the session cannot be opened here now; try again",
            ),
            Self::Limit(limit) => (limit.status(), limit.code(), limit.text()),
        }
    }
}

impl NoSessionId {
    pub(super) fn response(self) -> (u16, String) {
        match self {
            Self::TooLong => (
                502,
                format!(
                    "the server's own session id has more than {} bytes",
                    ticket::LONGEST_PART
                ),
            ),
            Self::NoRandomness => (503, "the system provides no random numbers".to_owned()),
        }
    }
}

/// Maximum bytes of a version that is remembered; all that exist have ten.
const LONGEST_VERSION: usize = 32;

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use hyper::header::{AUTHORIZATION, HeaderMap};
    use toolsure_guard::VerifiedCaller;

    use super::*;

    fn names(sessions: &Sessions, upstream: &str, replica: u8) -> TicketIssuer {
        TicketIssuer::new(sessions.clone(), &Arc::from(upstream), [replica; 16])
    }

    fn bearer(token: &str) -> Arc<Identity> {
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
        headers.insert(AUTHORIZATION, value);
        Identity::unverified(&headers)
    }

    fn nobody() -> Arc<Identity> {
        Identity::unverified(&HeaderMap::new())
    }

    #[test]
    fn the_session_of_a_verified_caller_is_of_no_other() {
        let of = |subject: &str| {
            let caller = VerifiedCaller {
                subject: Some(subject.into()),
                ..VerifiedCaller::default()
            };
            Identity::verified(caller, None, None)
        };
        let loose = Sessions {
            bound: false,
            ..Sessions::default()
        };
        let one = names(&loose, "tools", 1);
        let name = one.of_child(&of("a")).unwrap();
        let name = name.to_str().unwrap();
        assert!(one.read(name, None, &of("a")).is_ok());
        for other in [of("b"), bearer("a"), nobody()] {
            assert!(one.read(name, None, &other).is_err(), "{other:?}");
        }
        // One that was opened before callers were verified.
        let name = one.of_child(&nobody()).unwrap();
        let name = name.to_str().unwrap();
        assert!(one.read(name, None, &bearer("a")).is_ok());
        assert!(one.read(name, None, &of("a")).is_err());
    }

    #[test]
    fn a_name_is_good_with_any_replica_for_its_caller_and_its_upstream() {
        let sessions = Sessions::default();
        let (one, two) = (names(&sessions, "tools", 1), names(&sessions, "tools", 2));
        let id = HeaderValue::from_static("s-1");
        let name = one
            .of_upstream(&id, Some("2025-03-26"), &bearer("a"))
            .unwrap();
        let name = name.to_str().unwrap();
        let verified = two.read(name, None, &bearer("a")).ok().unwrap();
        let location = SessionLocation::Upstream {
            id: b"s-1".to_vec(),
            version: Some("2025-03-26".to_owned()),
        };
        assert_eq!(verified.contents.location, location);
        let other = names(&sessions, "others", 1);
        for (at, headers) in [(&two, bearer("b")), (&two, nobody()), (&other, bearer("a"))] {
            let verified = at.read(name, None, &headers);
            assert_eq!(verified.err(), Some(NoSession::Unknown));
            let verified = at.read(name, Some(&told_of(&two, name)), &headers);
            assert_eq!(verified.err(), Some(NoSession::Unknown));
        }
        // A session that was opened without authorization has no owner.
        let name = one.of_upstream(&id, None, &nobody()).unwrap();
        assert!(two.read(name.to_str().unwrap(), None, &bearer("b")).is_ok());
        let loose = Sessions {
            bound: false,
            ..sessions
        };
        let name = names(&loose, "tools", 1).of_upstream(&id, None, &bearer("a"));
        let name = name.unwrap();
        assert!(two.read(name.to_str().unwrap(), None, &bearer("b")).is_ok());
    }

    fn told_of(names: &TicketIssuer, name: &str) -> VerifiedTicket {
        names.open(name).unwrap()
    }

    #[test]
    fn names_end() {
        let mut sessions = Sessions::default();
        let one = names(&sessions, "tools", 1);
        let name = one.of_child(&nobody()).unwrap();
        let name = name.to_str().unwrap();
        let verified = told_of(&one, name);
        assert_eq!(one.absent(&verified.contents.location), NoSession::Unknown);
        assert!(!one.is_over(name, &verified));
        let away = names(&sessions, "tools", 2).absent(&verified.contents.location);
        assert_eq!(away, NoSession::OnOtherReplica(NotMovable::Process));
        sessions.age = Duration::ZERO;
        let short = names(&sessions, "tools", 1);
        let read = short.read(name, Some(&verified), &nobody());
        assert_eq!(read.err(), Some(NoSession::Expired));
        assert!(short.is_over(name, &verified));
        // Known sessions end with the key that encrypted them.
        let secret = "a secret of more than thirty-two bytes";
        sessions.keys.replace(&[secret]).unwrap();
        let read = one.read(name, Some(&verified), &nobody());
        assert_eq!(read.err(), Some(NoSession::Unknown));
        assert!(one.is_over(name, &verified));
    }

    #[test]
    fn an_opening_moves_if_it_is_short_enough() {
        let sessions = Sessions::default();
        let (one, two) = (names(&sessions, "tools", 1), names(&sessions, "tools", 2));
        for (length, expected) in [
            (2_048, NoSession::NotOpenHere),
            (2_049, NoSession::OnOtherReplica(NotMovable::LongInitialize)),
        ] {
            let name = one.of_opening("x".repeat(length), &bearer("a")).unwrap();
            assert!(name.len() <= 3_000, "{}", name.len());
            let verified = two.read(name.to_str().unwrap(), None, &bearer("a"));
            let verified = verified.ok().unwrap();
            assert_eq!(two.absent(&verified.contents.location), expected);
        }
    }

    #[test]
    fn the_upstream_may_not_be_wordy() {
        let one = names(&Sessions::default(), "tools", 1);
        let id = HeaderValue::try_from("x".repeat(2_049)).unwrap();
        let name = one.of_upstream(&id, None, &nobody());
        assert_eq!(name.err(), Some(NoSessionId::TooLong));
        let id = HeaderValue::try_from("x".repeat(2_048)).unwrap();
        let name = one.of_upstream(&id, None, &nobody()).unwrap();
        assert!(one.read(name.to_str().unwrap(), None, &nobody()).is_ok());
    }
}
