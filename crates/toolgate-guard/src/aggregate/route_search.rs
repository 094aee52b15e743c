//! Requests that go to one server after the other.

use std::collections::VecDeque;
use std::sync::Arc;

use super::known::Subject;
use crate::effect::HttpRefusal;
use crate::renumber::RequestOrigin;

/// A request that goes to one server after the other.
#[derive(Debug)]
pub(super) struct RouteSearch {
    pub(super) client: RequestOrigin,
    pub(super) subject: Subject,
    pub(super) name: String,
    pub(super) text: String,
    /// The servers to ask next.
    pub(super) rest: VecDeque<usize>,
    /// The first error, which becomes the answer if no server has it.
    pub(super) error: Option<(String, Option<Arc<HttpRefusal>>)>,
}
