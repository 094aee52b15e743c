//! Subscriptions to changes of lists (2026-07-28): which one a message belongs to, and the
//! notifications to its client.

use toolsure_json::{Node as _, View};
use toolsure_mcp::message::write;

/// The subscription that a notification's `params` or a result belongs to (2026-07-28).
#[must_use]
pub fn subscription<'a>(holder: Option<View<'a>>) -> Option<View<'a>> {
    holder?.member("_meta")?.member(SUBSCRIPTION)
}

/// The notification that a subscription has begun. `granted` are the lists whose changes it reports.
pub(crate) fn acknowledgement(id: &str, granted: &str) -> String {
    let params = format!(r#"{{"_meta":{{"{SUBSCRIPTION}":{id}}},"notifications":{granted}}}"#);
    write::notification("notifications/subscriptions/acknowledged", Some(&params))
}

/// A notification of a subscription that a list has changed.
pub(crate) fn list_changed(id: &str, method: &str) -> String {
    let params = format!(r#"{{"_meta":{{"{SUBSCRIPTION}":{id}}}}}"#);
    write::notification(method, Some(&params))
}

/// The result that ends a subscription, as a server that shuts down sends it (2026-07-28,
/// basic/patterns/subscriptions). `id` is the JSON text of the subscription's id.
#[must_use]
pub fn end_of_subscription(id: &str) -> String {
    let result = format!(r#"{{"resultType":"complete","_meta":{{"{SUBSCRIPTION}":{id}}}}}"#);
    write::result(id, &result)
}

/// The member of `_meta` that names a subscription.
pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
