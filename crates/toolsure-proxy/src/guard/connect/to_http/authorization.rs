//! What a client without HTTP is told of a server that wants a token.

use hyper::header::HeaderMap;
use toolsure_json::quote;

use super::ToHttp;
use crate::http::Standing;

impl ToHttp {
    /// Where the client's user can log in, if the server refused a request for want of a token. A
    /// client over HTTP finds that out itself. Adds it to `why`.
    pub(super) async fn authorization_servers(
        &self,
        (status, headers): &(u16, HeaderMap),
        why: &mut String,
    ) -> Vec<String> {
        let is_only_client = matches!(self.endpoint.caller().stands(), Standing::Somebody);
        if *status != 401 || !is_only_client {
            return Vec::new();
        }
        self.endpoint.learn_metadata_url(headers);
        let metadata = self.endpoint.resource_metadata().await;
        let servers = metadata.map_or_else(|_| Vec::new(), |it| it.authorization_servers());
        if !servers.is_empty() {
            why.push_str(&format!(
                ": the server takes tokens from `{}`; get one there and send it as a header of the upstream",
                quote(&servers.join("`, `"), SHOWN)
            ));
        }
        servers
    }
}

/// Maximum characters of untrusted text in an error.
const SHOWN: usize = 300;
