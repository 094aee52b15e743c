//! A tool's contract as the server lists it now, for headers that the server did not take.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use toolgate_json::{Node as _, View};
use toolgate_mcp::catalog::Listing;
use toolgate_mcp::catalog::ToolSet;
use toolgate_mcp::contract::{SchemaStore, ToolContract};
use toolgate_mcp::message::Message;

use super::facts::{Facts, answered, read};
use super::flight::{Flight, Heard};
use super::mirror::{mirrored, write};
use super::porter::House;
use crate::http::Endpoint;
use crate::message::string;

/// Lists the server's tools until the called one is among them.
pub(super) async fn contract_of(
    house: &House,
    endpoint: &Arc<Endpoint>,
    facts: &Facts,
    call: &[u8],
) -> Option<Arc<ToolContract>> {
    let name = facts.name.as_deref()?;
    let meta = read(call, |message| match message {
        Message::Request(request) => {
            let meta: View<'_> = request.params?.member("_meta")?;
            Some(meta.raw().to_owned())
        }
        _ => None,
    })??;
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES {
        let at = cursor.map_or_else(String::new, |cursor| {
            format!(r#","cursor":{}"#, string(&cursor))
        });
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":"{ID}","method":"tools/list","params":{{"_meta":{meta}{at}}}}}"#
        );
        let page = ask(house, endpoint, request.into_bytes()).await?;
        let listing = Listing::read(page).ok()?;
        cursor = listing.next_cursor().map(str::to_owned);
        let mut tools = ToolSet::new();
        tools.add(&listing, &SchemaStore::new()).ok()?;
        if let Some(tool) = tools.tool(name) {
            return Some(Arc::clone(tool));
        }
        cursor.as_ref()?;
    }
    None
}

async fn ask(house: &House, endpoint: &Arc<Endpoint>, request: Vec<u8>) -> Option<Vec<u8>> {
    let facts = Facts::read(&request);
    let mut headers = endpoint.headers();
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, text/event-stream"),
    );
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    write(&mirrored(&facts, &request, None), &mut headers);
    let limit = house.bounds.message_bytes;
    let mut flight = Flight::post(endpoint, headers, Bytes::from(request), limit, false);
    let answer = async {
        loop {
            let message = match flight.next().await {
                Heard::Head { .. } => continue,
                Heard::Whole(body) => return Some(body),
                Heard::Event(event) => event.data,
                Heard::End | Heard::Broken(_) => return None,
            };
            if let Some(message) = message.filter(|message| answered(message).is_some()) {
                return Some(message);
            }
        }
    };
    tokio::time::timeout(house.times.notify, answer)
        .await
        .ok()?
}

const ID: &str = "toolgate/headers";
const PAGES: usize = 100;
