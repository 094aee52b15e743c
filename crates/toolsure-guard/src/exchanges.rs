//! Requests that were sent on under numbers of ours and have no answer yet.

use std::collections::BTreeMap;

use toolsure_json::View;

use crate::id::IdKey;
use crate::renumber::number_of;

/// The open requests of one part, by the number under which each was sent on
/// ([`Message::numbered`](crate::Message::numbered)).
///
/// `T` is what is known of a request: who sent it under which id ([`RequestOrigin`](crate::RequestOrigin)),
/// who has to answer it, and what its answer is for.
///
/// ```
/// use toolsure_guard::Exchanges;
///
/// let mut open = Exchanges::new();
/// for (number, connection) in [(1, "a"), (2, "b"), (3, "a")] {
///     open.begin(number, connection);
/// }
/// assert_eq!(open.end(2), Some("b"));
/// assert_eq!(open.end_all(|connection| *connection == "a"), [(1, "a"), (3, "a")]);
/// assert!(open.is_empty());
/// ```
#[derive(Debug)]
pub struct Exchanges<T>(BTreeMap<i64, T>);

impl<T> Exchanges<T> {
    /// No requests.
    #[must_use]
    pub fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// The number of open requests.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no request is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes that a request was sent on. The oldest is the one with the least number.
    pub fn begin(&mut self, number: i64, request: T) {
        self.0.insert(number, request);
    }

    /// The open requests, oldest first.
    pub fn requests(&self) -> impl Iterator<Item = &T> {
        self.0.values()
    }

    /// The request that a progress token or the id of a subscription is about.
    #[must_use]
    pub fn about(&self, number: View<'_>) -> Option<&T> {
        self.0.get(&number_of(number)?)
    }

    /// Ends the request that an answer with this id is for, if `is_from` says that the answer comes from where the
    /// request was sent.
    pub fn answered(&mut self, id: View<'_>, is_from: impl Fn(&T) -> bool) -> Option<T> {
        let number = number_of(id)?;
        self.0.get(&number).filter(|request| is_from(request))?;
        self.0.remove(&number)
    }

    /// The same for an id of which only the text is known, as in a message that could not be read.
    pub fn answered_raw(&mut self, id: &str) -> Option<T> {
        match IdKey::read(id)? {
            IdKey::Number(number) => self.0.remove(&number),
            IdKey::Text(number) => self.0.remove(&number.parse().ok()?),
            IdKey::Other(_) => None,
        }
    }

    /// Ends the request with this number, because it is answered, or needs no answer any more.
    pub fn end(&mut self, number: i64) -> Option<T> {
        self.0.remove(&number)
    }

    /// Ends the oldest request for which `is_over` returns `true`.
    pub fn end_first(&mut self, is_over: impl Fn(&T) -> bool) -> Option<(i64, T)> {
        let mut open = self.0.iter();
        let number = *open.find(|(_, request)| is_over(request))?.0;
        Some((number, self.0.remove(&number)?))
    }

    /// Ends the requests for which `is_over` returns `true`, oldest first: those that their sender cancels,
    /// or those on a connection that has ended.
    pub fn end_all(&mut self, is_over: impl Fn(&T) -> bool) -> Vec<(i64, T)> {
        let over = self.0.iter().filter(|(_, request)| is_over(request));
        let over: Vec<i64> = over.map(|(number, _)| *number).collect();
        let ended = over.into_iter();
        let ended = ended.filter_map(|number| Some((number, self.0.remove(&number)?)));
        ended.collect()
    }
}

impl<T> Default for Exchanges<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::kept;

    #[test]
    fn a_request_is_open_until_it_is_ended() {
        let mut open = Exchanges::new();
        for (number, sender) in [(3, 'a'), (4, 'b'), (7, 'a'), (9, 'a')] {
            open.begin(number, sender);
        }
        assert_eq!(open.end_first(|sender| *sender == 'a'), Some((3, 'a')));
        assert_eq!(open.end_first(|sender| *sender == 'c'), None);
        assert_eq!((open.end(3), open.end(4)), (None, Some('b')));
        open.begin(10, 'c');
        assert_eq!(open.len(), 3);
        assert_eq!(open.end_all(|sender| *sender == 'a'), [(7, 'a'), (9, 'a')]);
        assert_eq!(open.requests().collect::<String>(), "c");
        assert_eq!(open.end_all(|_| true), [(10, 'c')]);
        assert!(open.is_empty());
    }

    #[test]
    fn a_number_may_come_back_as_a_string() {
        let mut open = Exchanges::new();
        open.begin(4, 'a');
        for (token, expected) in [("4", true), (r#""4""#, true), ("5", false), ("[4]", false)] {
            let message = kept(token.as_bytes());
            let token = message.document().unwrap().root();
            assert_eq!(open.about(token).is_some(), expected, "{}", token.raw());
            assert!(open.answered(token, |_| false).is_none());
            assert_eq!(open.answered(token, |_| true).is_some(), expected);
            open.begin(4, 'a');
            assert_eq!(open.answered_raw(token.raw()).is_some(), expected);
            open.begin(4, 'a');
        }
    }
}
