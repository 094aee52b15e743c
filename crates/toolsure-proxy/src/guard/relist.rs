//! Fetches the current contract of a tool after the server has rejected the mirrored headers.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use toolsure_guard::Message;
use toolsure_json::{Node as _, View, json_string};
use toolsure_mcp::catalog::Listing;
use toolsure_mcp::catalog::ToolSet;
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::message::{Message as Decoded, write as written};

use super::context::GuardContext;
use super::upstream_request::{ResponsePart, UpstreamRequest};
use crate::http::Endpoint;
use crate::http::header_mirroring::{mirrored_headers, write};

/// Lists the server's tools until the called one is found.
pub(super) async fn contract_of(
    ctx: &GuardContext,
    endpoint: &Arc<Endpoint>,
    call: &Message,
) -> Option<Arc<ToolContract>> {
    let name = call.envelope().name.as_deref()?;
    let meta = call.decode(|message, _| match message {
        Decoded::Request(request) => {
            let meta: View<'_> = request.params?.member("_meta")?;
            Some(meta.raw().to_owned())
        }
        _ => None,
    })??;
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES {
        let at = cursor.map_or_else(String::new, |cursor| {
            format!(r#","cursor":{}"#, json_string(&cursor))
        });
        let params = format!(r#"{{"_meta":{meta}{at}}}"#);
        let request = written::request(ID, "tools/list", Some(&params));
        let page = ask(ctx, endpoint, request.into()).await?;
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

async fn ask(ctx: &GuardContext, endpoint: &Arc<Endpoint>, request: Message) -> Option<Vec<u8>> {
    let mut headers = endpoint.headers();
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, text/event-stream"),
    );
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    write(&mirrored_headers(&request, None), &mut headers);
    let limit = ctx.read_limit();
    let mut upstream_request = UpstreamRequest::post(
        endpoint,
        headers,
        Bytes::from(request.into_bytes()),
        limit,
        false,
    );
    let answer = async {
        loop {
            let ResponsePart::Message { bytes, is_whole } =
                upstream_request.receive().await.ok()??
            else {
                continue;
            };
            if is_whole {
                return Some(bytes);
            }
            let message = ctx.guard.read(bytes);
            let envelope = message.envelope();
            if envelope.is_answer() && envelope.id.is_some() {
                return Some(message.into_bytes());
            }
        }
    };
    tokio::time::timeout(ctx.times.notify, answer).await.ok()?
}

/// The id of our requests, as JSON text.
const ID: &str = "\"toolsure/headers\"";
const PAGES: usize = 100;
