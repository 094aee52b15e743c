//! Who hears that the tools of a server have changed.

use std::sync::Arc;

use crate::policy::Rules;

/// Who hears that the tools have changed.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    /// Whether the session does: the server declared it (2025-11-25, server/tools, "Capabilities").
    pub(super) session: bool,
    /// The rules by which tools are shown. `None` if nobody hears.
    pub(super) shown_by: Option<Arc<Rules>>,
}
