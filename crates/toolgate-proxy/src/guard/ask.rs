//! Messages to an HTTP upstream that belong to no request of a client: the guard's own, notices.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use toolgate_guard::Side;

use super::facts::{Facts, answered};
use super::flight::{Flight, Heard};
use super::hub::Hub;
use super::mirror::{mirrored, write};
use super::porter::{Order, Parcel};

/// Carries one there, and what it is answered with to the conversation.
pub(super) async fn ask(
    hub: Arc<Hub>,
    endpoint: Arc<crate::http::Endpoint>,
    mut headers: HeaderMap,
    parcel: Parcel,
) {
    let facts = Facts::read(&parcel.bytes);
    let house = Arc::clone(&hub.porter.house);
    for name in headers.keys().cloned().collect::<Vec<_>>() {
        if name.as_str().starts_with("mcp-param-") {
            headers.remove(name);
        }
    }
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, text/event-stream"),
    );
    if facts.version.is_some() {
        write(
            &mirrored(&facts, &parcel.bytes, parcel.call.as_deref()),
            &mut headers,
        );
    }
    if let Some(named) = hub.named() {
        headers.insert(crate::http::SESSION, named.theirs);
    }
    let message = Bytes::from(parcel.bytes);
    let limit = house.bounds.message_bytes;
    let mut flight = Flight::post(&endpoint, headers, message, limit, false);
    let mut head = (200, HeaderMap::new());
    let carried = async {
        loop {
            match flight.next().await {
                Heard::Head {
                    status, headers, ..
                } => head = (status, headers),
                Heard::Whole(body) if answered(&body).is_some() => {
                    hub.take(Side::Server, &body, None);
                    return None;
                }
                Heard::Whole(_) => return Some(format!("HTTP status {}", head.0)),
                Heard::Event(event) => {
                    let data = event.data.unwrap_or_default();
                    if !data.trim_ascii().is_empty() {
                        hub.take(Side::Server, &data, None);
                    }
                    if facts.id.is_some() && answered(&data) == facts.id {
                        return None;
                    }
                }
                Heard::End => return Some("the answer ended before it was complete".to_owned()),
                Heard::Broken(fault) => return Some(fault.to_string()),
            }
        }
    };
    let failed = match tokio::time::timeout(house.times.notify, carried).await {
        Ok(failed) => failed,
        Err(_) => Some("no answer in time".to_owned()),
    };
    if let (Some(why), Some(id)) = (failed, &facts.id) {
        // The client can renew its authorization, or open another session; only its own server's
        // refusal tells it to.
        let refused = matches!(head.0, 401 | 403 | 404).then(|| Box::new(head));
        let deliver = &mut |order| {
            hub.route(
                match order {
                    Order::Send(parcel) if parcel.to == Side::Client => Order::Send(Parcel {
                        refused: refused.clone(),
                        ..parcel
                    }),
                    order => order,
                },
                None,
            );
        };
        hub.porter.request_failed(id, &why, deliver);
    }
}
