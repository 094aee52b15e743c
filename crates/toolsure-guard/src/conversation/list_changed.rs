//! What a conversation knows to send `notifications/tools/list_changed` after a reload.

use std::sync::Arc;

use crate::policy::Rules;

/// Whether the client gets the notification, and the rules that it was last sent for.
#[derive(Debug, Default)]
pub(super) struct ListChanged {
    /// Whether the client's session gets it.
    pub(super) session: bool,
    /// The rules by which the client's tools are shown. `None` if it gets no notification.
    pub(super) rules: Option<Arc<Rules>>,
}
