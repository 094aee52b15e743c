//! The contents of a session id, which only replicas with the key can read.

/// The contents of a session id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guard) struct SessionTicket {
    /// When the session was opened, in seconds since 1970 (UTC).
    pub(super) opened: u64,
    /// A digest of the caller; `None` if the session belongs to no caller.
    pub(super) caller: Option<[u8; 32]>,
    /// The upstream's name in the configuration.
    pub(super) upstream: String,
    pub(in crate::guard) location: SessionLocation,
}

/// Where the session can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guard) enum SessionLocation {
    /// At an HTTP upstream, so any replica can go on with it.
    Upstream {
        /// The upstream's session id.
        id: Vec<u8>,
        /// The negotiated protocol version, if it was known in time.
        version: Option<String>,
    },
    /// Only at the replica with this id, for this reason.
    Replica([u8; 16], NotMovable),
    /// At any replica, which opens its own upstream with these parameters of the client's
    /// `initialize`.
    Anywhere(String),
}

/// Why a session cannot move to another replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard) enum NotMovable {
    /// Its server is a process.
    Process,
    /// The parameters of the client's `initialize` do not fit into a session id.
    LongInitialize,
    /// A server behind it has a session of its own. No ticket contains this reason.
    UpstreamSession,
}

impl SessionTicket {
    /// Encodes the ticket; `None` if a part is too long.
    pub(super) fn write(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        out.extend_from_slice(&self.opened.to_be_bytes());
        part(&mut out, self.caller.as_ref().map_or(&[][..], |own| own))?;
        part(&mut out, self.upstream.as_bytes())?;
        match &self.location {
            SessionLocation::Upstream { id, version } => {
                out.push(AT_UPSTREAM);
                part(&mut out, version.as_deref().unwrap_or_default().as_bytes())?;
                part(&mut out, id)?;
            }
            SessionLocation::Replica(name, stays) => {
                out.push(match stays {
                    NotMovable::LongInitialize => AT_REPLICA_LONG_INITIALIZE,
                    NotMovable::Process | NotMovable::UpstreamSession => AT_REPLICA,
                });
                part(&mut out, name)?;
            }
            SessionLocation::Anywhere(opening) => {
                out.push(ANYWHERE);
                part(&mut out, opening.as_bytes())?;
            }
        }
        Some(out)
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (opened, rest) = bytes.split_first_chunk()?;
        let (caller, rest) = take(rest)?;
        let (upstream, rest) = take(rest)?;
        let (kind, rest) = rest.split_first()?;
        let (first, rest) = take(rest)?;
        let (location, rest) = match *kind {
            AT_UPSTREAM => {
                let (id, rest) = take(rest)?;
                let version = String::from_utf8(first.to_vec()).ok()?;
                let location = SessionLocation::Upstream {
                    id: id.to_vec(),
                    version: (!version.is_empty()).then_some(version),
                };
                (location, rest)
            }
            AT_REPLICA => (
                SessionLocation::Replica(first.try_into().ok()?, NotMovable::Process),
                rest,
            ),
            AT_REPLICA_LONG_INITIALIZE => (
                SessionLocation::Replica(first.try_into().ok()?, NotMovable::LongInitialize),
                rest,
            ),
            ANYWHERE => {
                let opening = String::from_utf8(first.to_vec()).ok()?;
                (SessionLocation::Anywhere(opening), rest)
            }
            _ => return None,
        };
        let ticket = Self {
            opened: u64::from_be_bytes(*opened),
            caller: match caller {
                [] => None,
                own => Some(own.try_into().ok()?),
            },
            upstream: String::from_utf8(upstream.to_vec()).ok()?,
            location,
        };
        rest.is_empty().then_some(ticket)
    }
}

fn part(out: &mut Vec<u8>, part: &[u8]) -> Option<()> {
    let length = u16::try_from(part.len()).ok()?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(part);
    (part.len() <= LONGEST_PART).then_some(())
}

fn take(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
}

const AT_UPSTREAM: u8 = 1;
const AT_REPLICA: u8 = 2;
const ANYWHERE: u8 = 3;
const AT_REPLICA_LONG_INITIALIZE: u8 = 4;
/// Maximum bytes of one part. The longest parts are the upstream's session id, for which SDKs use
/// 36, and the client's parameters of `initialize`, which mostly have less than 500. The whole must
/// fit into a header beside others: a session id has at most 3,000 characters, and proxies allow 8
/// KiB.
pub(super) const LONGEST_PART: usize = 2_048;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else_is() {
        let places = [
            SessionLocation::Upstream {
                id: vec![b'x'; LONGEST_PART],
                version: None,
            },
            SessionLocation::Upstream {
                id: b"s-1".to_vec(),
                version: Some("2025-11-25".to_owned()),
            },
            SessionLocation::Replica([7; 16], NotMovable::Process),
            SessionLocation::Replica([7; 16], NotMovable::LongInitialize),
            SessionLocation::Anywhere(r#"{"capabilities":{}}"#.to_owned()),
        ];
        let callers = [None, Some([9; 32]), None, None, Some([8; 32])];
        for (location, caller) in places.into_iter().zip(callers) {
            let ticket = SessionTicket {
                opened: 1_795_000_000,
                caller,
                upstream: "tools".to_owned(),
                location,
            };
            let mut written = ticket.write().unwrap();
            assert_eq!(SessionTicket::read(&written), Some(ticket));
            for at in 0..written.len() {
                assert_eq!(
                    SessionTicket::read(written.get(..at).unwrap()),
                    None,
                    "{at}"
                );
            }
            written.push(0);
            assert_eq!(SessionTicket::read(&written), None);
        }
    }

    #[test]
    fn the_length_of_a_part_is_bounded() {
        let ticket = SessionTicket {
            opened: 0,
            caller: None,
            upstream: "tools".to_owned(),
            location: SessionLocation::Upstream {
                id: vec![b'x'; LONGEST_PART + 1],
                version: None,
            },
        };
        assert_eq!(ticket.write(), None);
    }
}
