//! The names that clients have for legacy sessions (`Mcp-Session-Id`).
//!
//! A name is sealed and holds all that another replica needs to go on with the session, so that
//! there is no store: the upstream, its own name for the session, the version that was agreed on,
//! when it was opened and for whom. A client never sees the upstream's name, nor the upstream the
//! client's.

pub(super) mod caller;
mod claim;
mod keys;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::header::{HeaderMap, HeaderValue};

use claim::Claim;
pub(super) use claim::{Place, Stays};
pub use keys::SessionKeys;

/// How the sessions of the legacy era over HTTP are named, and how long a name is good.
#[derive(Clone, Debug)]
pub struct Sessions {
    /// What names are sealed with. Default a secret of this process.
    pub keys: SessionKeys,
    /// How long after it was opened a session may be used. Default 7 days.
    pub age: Duration,
    /// Whether a session that was opened with an `Authorization` is for that caller only: for the
    /// issuer and subject of a JSON Web Token, otherwise for that very header. Default yes.
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

/// Gives names and reads them.
pub(super) struct Names {
    sessions: Sessions,
    upstream: Arc<str>,
    replica: [u8; 16],
}

/// A session as a name tells it.
#[derive(Clone)]
pub(super) struct Told {
    pub(super) claim: Arc<Claim>,
    /// The keys under which it was read.
    generation: u64,
}

/// Why a name opens no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSession {
    /// It was not given here, or is another caller's, or the session is over.
    Unknown,
    Expired,
    /// It cannot go on here, for this reason.
    Elsewhere(Stays),
    /// It can be opened here and is not.
    Asleep,
    /// It cannot be opened here now.
    Unopened,
    /// There are too many.
    NoRoom,
}

/// Why a session gets no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unnamed {
    TooLong,
    NoRandomness,
}

impl Names {
    pub(super) fn new(sessions: Sessions, upstream: &Arc<str>, replica: [u8; 16]) -> Self {
        Self {
            sessions,
            upstream: Arc::clone(upstream),
            replica,
        }
    }

    /// A name for a session at the upstream, for whoever sent `headers`.
    pub(super) fn of_upstream(
        &self,
        id: &HeaderValue,
        version: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<HeaderValue, Unnamed> {
        let place = Place::Upstream {
            id: id.as_bytes().to_vec(),
            version: version
                .filter(|version| version.len() <= LONGEST_VERSION)
                .map(str::to_owned),
        };
        self.seal(place, headers)
    }

    /// A name for a session in a process beside this replica.
    pub(super) fn of_child(&self, headers: &HeaderMap) -> Result<HeaderValue, Unnamed> {
        self.seal(Place::Replica(self.replica, Stays::Process), headers)
    }

    /// A name for a session that any replica can open with these parameters of `initialize`. If
    /// they are too long for a name it stays here.
    pub(super) fn of_opening(
        &self,
        opening: String,
        headers: &HeaderMap,
    ) -> Result<HeaderValue, Unnamed> {
        let place = if opening.len() <= claim::LONGEST_PART {
            Place::Anywhere(opening)
        } else {
            Place::Replica(self.replica, Stays::Wordy)
        };
        self.seal(place, headers)
    }

    fn seal(&self, place: Place, headers: &HeaderMap) -> Result<HeaderValue, Unnamed> {
        let claim = Claim {
            opened: now(),
            caller: self.caller(headers),
            upstream: self.upstream.as_ref().to_owned(),
            place,
        };
        let written = claim.write().ok_or(Unnamed::TooLong)?;
        let name = self.sessions.keys.seal(written);
        name.and_then(|name| HeaderValue::try_from(name).ok())
            .ok_or(Unnamed::NoRandomness)
    }

    /// What a name says, if it may be said to whoever sent `headers`. `known` is what it said
    /// before.
    pub(super) fn read(
        &self,
        name: &str,
        known: Option<&Told>,
        headers: &HeaderMap,
    ) -> Result<Told, NoSession> {
        let known = known.filter(|told| told.generation == self.sessions.keys.generation());
        let told = match known {
            Some(told) => told.clone(),
            None => self.open(name).ok_or(NoSession::Unknown)?,
        };
        let claim = &told.claim;
        if claim.upstream != *self.upstream
            || (claim.caller.is_some() && claim.caller != self.caller(headers))
        {
            return Err(NoSession::Unknown);
        }
        if self.is_old(claim) {
            return Err(NoSession::Expired);
        }
        Ok(told)
    }

    /// Whether nobody can use the session any more, with any authorization.
    pub(super) fn is_over(&self, name: &str, told: &Told) -> bool {
        let same = told.generation == self.sessions.keys.generation();
        self.is_old(&told.claim) || !(same || self.open(name).is_some())
    }

    /// Why a session that is not open here is none.
    pub(super) fn absent(&self, place: &Place) -> NoSession {
        match place {
            Place::Replica(replica, stays) if *replica != self.replica => {
                NoSession::Elsewhere(*stays)
            }
            Place::Anywhere(_) => NoSession::Asleep,
            Place::Replica(..) | Place::Upstream { .. } => NoSession::Unknown,
        }
    }

    fn open(&self, name: &str) -> Option<Told> {
        let (claim, generation) = self.sessions.keys.open(name)?;
        let claim = Arc::new(Claim::read(&claim)?);
        Some(Told { claim, generation })
    }

    fn is_old(&self, claim: &Claim) -> bool {
        // The clock of the replica that opened it may be ahead of ours.
        now().saturating_sub(claim.opened) >= self.sessions.age.as_secs()
    }

    fn caller(&self, headers: &HeaderMap) -> Option<[u8; 32]> {
        caller::caller(headers).filter(|_| self.sessions.bound)
    }
}

impl NoSession {
    /// The status of the answer, a stable word, and what is said. 404 makes a client open another
    /// session (2025-11-25, basic/transports, session management).
    pub(super) fn told(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Unknown | Self::Asleep => (
                404,
                "session",
                "there is no such session; open one with `initialize`",
            ),
            Self::Expired => (
                404,
                "session-age",
                "the session is too old; open another with `initialize`",
            ),
            Self::Elsewhere(Stays::Process) => (
                404,
                "session-replica",
                "the session is with another replica of the guard, whose server is a process beside it, and cannot move; open another with `initialize`, or let the balancer keep a client with its replica",
            ),
            Self::Elsewhere(Stays::Wordy) => (
                404,
                "session-replica",
                "the session is with another replica of the guard and cannot move, because the client's `initialize` is longer than the limit of 2048 bytes for a session that can; open another, or let the balancer keep a client with its replica",
            ),
            Self::Elsewhere(Stays::Kept) => (
                404,
                "session-replica",
                "the session cannot go on here, because a server behind it keeps a session of its own; open another with `initialize`, or let the balancer keep a client with its replica",
            ),
            Self::Unopened => (
                503,
                "session-unopened",
                "the servers of the session cannot be opened here now; try again",
            ),
            Self::NoRoom => (503, "sessions", "too many sessions"),
        }
    }
}

impl Unnamed {
    pub(super) fn told(self) -> (u16, String) {
        match self {
            Self::TooLong => (
                502,
                format!(
                    "the server's own name for the session has more than {} bytes",
                    claim::LONGEST_PART
                ),
            ),
            Self::NoRandomness => (503, "the system has no randomness to give".to_owned()),
        }
    }
}

/// Bytes of a version that is remembered; all that exist have ten.
const LONGEST_VERSION: usize = 32;

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use hyper::header::AUTHORIZATION;

    use super::*;

    fn names(sessions: &Sessions, upstream: &str, replica: u8) -> Names {
        Names::new(sessions.clone(), &Arc::from(upstream), [replica; 16])
    }

    fn bearer(token: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
        headers.insert(AUTHORIZATION, value);
        headers
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
        let told = two.read(name, None, &bearer("a")).ok().unwrap();
        let place = Place::Upstream {
            id: b"s-1".to_vec(),
            version: Some("2025-03-26".to_owned()),
        };
        assert_eq!(told.claim.place, place);
        let other = names(&sessions, "others", 1);
        for (at, headers) in [
            (&two, bearer("b")),
            (&two, HeaderMap::new()),
            (&other, bearer("a")),
        ] {
            let told = at.read(name, None, &headers);
            assert_eq!(told.err(), Some(NoSession::Unknown));
            let told = at.read(name, Some(&told_of(&two, name)), &headers);
            assert_eq!(told.err(), Some(NoSession::Unknown));
        }
        // Opened without authorization, it is nobody's.
        let name = one.of_upstream(&id, None, &HeaderMap::new()).unwrap();
        assert!(two.read(name.to_str().unwrap(), None, &bearer("b")).is_ok());
        let loose = Sessions {
            bound: false,
            ..sessions
        };
        let name = names(&loose, "tools", 1).of_upstream(&id, None, &bearer("a"));
        let name = name.unwrap();
        assert!(two.read(name.to_str().unwrap(), None, &bearer("b")).is_ok());
    }

    fn told_of(names: &Names, name: &str) -> Told {
        names.open(name).unwrap()
    }

    #[test]
    fn names_end() {
        let mut sessions = Sessions::default();
        let one = names(&sessions, "tools", 1);
        let name = one.of_child(&HeaderMap::new()).unwrap();
        let name = name.to_str().unwrap();
        let told = told_of(&one, name);
        assert_eq!(one.absent(&told.claim.place), NoSession::Unknown);
        assert!(!one.is_over(name, &told));
        let away = names(&sessions, "tools", 2).absent(&told.claim.place);
        assert_eq!(away, NoSession::Elsewhere(Stays::Process));
        sessions.age = Duration::ZERO;
        let short = names(&sessions, "tools", 1);
        let read = short.read(name, Some(&told), &HeaderMap::new());
        assert_eq!(read.err(), Some(NoSession::Expired));
        assert!(short.is_over(name, &told));
        // Keys that are gone end what is known, too.
        let secret = "a secret of more than thirty-two bytes";
        sessions.keys.replace(&[secret]).unwrap();
        let read = one.read(name, Some(&told), &HeaderMap::new());
        assert_eq!(read.err(), Some(NoSession::Unknown));
        assert!(one.is_over(name, &told));
    }

    #[test]
    fn an_opening_moves_if_it_is_short_enough() {
        let sessions = Sessions::default();
        let (one, two) = (names(&sessions, "tools", 1), names(&sessions, "tools", 2));
        for (length, expected) in [
            (2_048, NoSession::Asleep),
            (2_049, NoSession::Elsewhere(Stays::Wordy)),
        ] {
            let name = one.of_opening("x".repeat(length), &bearer("a")).unwrap();
            assert!(name.len() <= 3_000, "{}", name.len());
            let told = two.read(name.to_str().unwrap(), None, &bearer("a"));
            let told = told.ok().unwrap();
            assert_eq!(two.absent(&told.claim.place), expected);
        }
    }

    #[test]
    fn the_upstream_may_not_be_wordy() {
        let one = names(&Sessions::default(), "tools", 1);
        let id = HeaderValue::try_from("x".repeat(2_049)).unwrap();
        let name = one.of_upstream(&id, None, &HeaderMap::new());
        assert_eq!(name.err(), Some(Unnamed::TooLong));
        let id = HeaderValue::try_from("x".repeat(2_048)).unwrap();
        let name = one.of_upstream(&id, None, &HeaderMap::new()).unwrap();
        assert!(
            one.read(name.to_str().unwrap(), None, &HeaderMap::new())
                .is_ok()
        );
    }
}
