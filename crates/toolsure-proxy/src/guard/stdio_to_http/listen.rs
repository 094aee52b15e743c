//! The stream for a legacy server's own messages.

use std::sync::Arc;
use std::time::Duration;

use hyper::header::{ACCEPT, HeaderValue};
use toolsure_guard::Side;

use super::StdioToHttp;
use crate::guard::upstream_request::{UpstreamEvent, UpstreamRequest};
use crate::http::{EVENT_STREAM, LAST_EVENT_ID, SESSION};

impl StdioToHttp {
    /// Opens the stream for a legacy server's own messages, and keeps it open.
    pub(super) fn listen(self: &Arc<Self>) {
        let mut state = self.state();
        if state.listening.is_some() || state.version.is_none() {
            return;
        }
        let task = tokio::spawn(Arc::clone(self).read_stream());
        state.listening = Some(task.abort_handle());
    }

    async fn read_stream(self: Arc<Self>) {
        let mut last_id: Option<String> = None;
        let mut quiet = 0_u32;
        loop {
            let mut headers = self.common();
            headers.insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
            if let Some(id) = last_id
                .as_deref()
                .and_then(|id| HeaderValue::from_str(id).ok())
            {
                headers.insert(LAST_EVENT_ID, id);
            }
            let session = headers.get(SESSION).cloned();
            let mut upstream_request =
                UpstreamRequest::listen(&self.endpoint, headers, self.ctx.read_limit());
            loop {
                match upstream_request.next().await {
                    // 405: there is no such stream; 404: no such session.
                    UpstreamEvent::Head {
                        stream: false,
                        status,
                        ..
                    } if status < 500 => {
                        if let Some(lost) = session.filter(|_| status == 404) {
                            // If no session can be opened, the next request fails with the reason.
                            let _said_then = self.reopen_session(&lost).await;
                            self.settle().await;
                        }
                        return;
                    }
                    UpstreamEvent::Head { .. } => {}
                    UpstreamEvent::Event(event) => {
                        quiet = 0;
                        if let Some(data) = event.data.filter(|data| !data.trim_ascii().is_empty())
                        {
                            self.take(Side::Server, data);
                            self.settle().await;
                        }
                    }
                    UpstreamEvent::Whole(_) | UpstreamEvent::End | UpstreamEvent::Broken(_) => {
                        break;
                    }
                }
            }
            let (id, retry) = upstream_request.place();
            last_id = id.or(last_id);
            quiet = quiet.saturating_add(1).min(6);
            let pause = retry.unwrap_or(RETRY).saturating_mul(1 << (quiet - 1));
            tokio::time::sleep(pause.min(LONGEST_RETRY)).await;
        }
    }
}

const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(30);
