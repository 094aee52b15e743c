//! What a layer without an observer writes to the program's log.
#![expect(clippy::unwrap_used, reason = "tests say what they expect by stopping")]

use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomNotification,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use toolsure_rmcp::{ServerHandlerExt as _, ServerLines};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::support::Wire;

/// Keeps the level and the text of each event of this crate.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<(Level, String)>>>);

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            write!(self.0, "{value:?}").unwrap();
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("toolsure_rmcp")
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let level = *event.metadata().level();
        self.0.lock().unwrap().push((level, message.0));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Every result of its tool `count` is a string instead of an integer; its tool `array` can never
/// work.
struct Wrong;

impl ServerHandler for Wrong {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = match name {
            "count" => json!({"name": name, "inputSchema": {"type": "object", "required": ["a"]},
                "outputSchema": {"type": "integer"}}),
            "array" => json!({"name": name, "inputSchema": {"type": "array"}}),
            _ => return None,
        };
        Some(serde_json::from_value(tool).unwrap())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::structured(json!("secret")).into())
    }
}

/// The server's author finds a refused result, and a tool that can never work, in the log as an
/// error that names the tool and the fault. A refused call is the client's fault, and is logged for
/// debugging only.
#[tokio::test]
async fn faults_of_the_server_are_logged_as_errors() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let mut wire = Wire::modern(Wrong.checked());
    let refused = wire.call("count", json!({"a": 1})).await;
    assert_eq!(refused["isError"], true, "{refused}");
    // A test beside this one may have met an event for the first time while this log was set, and then nobody hears of it.
    tracing::callsite::rebuild_interest_cache();
    wire.call("count", json!({})).await;
    for _ in 0..2 {
        let refused = wire.call("array", json!({})).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let log = log.0.lock().unwrap();
    let with = |level: Level| {
        let events = log.iter().filter(move |(of, _)| *of == level);
        events.map(|(_, text)| text.as_str()).collect::<Vec<&str>>()
    };
    let [result, tool] = *with(Level::ERROR) else {
        unreachable!("{log:?}")
    };
    assert!(
        result.starts_with("result refused: ") && result.contains("tool `count`"),
        "{result}"
    );
    assert!(
        result.contains("expected integer, found string"),
        "{result}"
    );
    assert!(
        tool.starts_with("not published: tool `array`") && tool.contains("`inputSchema`"),
        "{tool}"
    );
    assert!(with(Level::WARN).is_empty(), "{log:?}");
    let called = with(Level::DEBUG);
    assert!(
        called.iter().any(|text| text.contains("tool `count`")),
        "{log:?}"
    );
}

/// Counts the calls and the notifications that reach it.
#[derive(Clone, Default)]
struct Counted {
    calls: Arc<AtomicUsize>,
    notifications: Arc<AtomicUsize>,
}

impl ServerHandler for Counted {
    fn get_info(&self) -> ServerConfig {
        Wrong.get_info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Wrong.get_tool(name)
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(CallToolResult::structured(json!(1)).into())
    }

    async fn on_custom_notification(
        &self,
        _: CustomNotification,
        _: NotificationContext<RoleServer>,
    ) {
        self.notifications.fetch_add(1, Ordering::Relaxed);
    }
}

/// A message whose method is a request's but that has no id is refused and recorded, by our transport and
/// by a checked handler on rmcp's. A custom notification still reaches the handler.
#[tokio::test]
async fn requests_without_an_id_are_logged_and_reach_no_handler() {
    for lines in [true, false] {
        let log = Log::default();
        let _guard = tracing::subscriber::set_default(log.clone());
        let counted = Counted::default();
        let handler = counted.clone();
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(async move {
            // Each of the two refuses by itself.
            if lines {
                let running = handler.serve(ServerLines::new(read, write)).await;
                running.unwrap().waiting().await.unwrap();
            } else {
                let running = handler.checked().serve((read, write)).await;
                running.unwrap().waiting().await.unwrap();
            }
        });
        let (read, mut write) = tokio::io::split(ours);
        let mut answers = BufReader::new(read).lines();
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "t", "version": "0"}});
        let called = json!({"name": "count", "arguments": {"a": 1}});
        let messages = [
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "method": "tools/call", "params": called}),
            json!({"jsonrpc": "2.0", "method": "tools/list"}),
            json!({"jsonrpc": "2.0", "method": "notifications/own"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}),
        ];
        for message in &messages {
            write
                .write_all(format!("{message}\n").as_bytes())
                .await
                .unwrap();
        }
        for id in [0, 1] {
            let answer = answers.next_line().await.unwrap().unwrap();
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["id"], id, "{answer}");
            assert!(answer["result"].is_object(), "{answer}");
        }
        // rmcp handles notifications in tasks of their own.
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        let log = log.0.lock().unwrap();
        let warned = |method: &str| {
            let text = format!("message refused: `{method}` is a request and must have an `id`");
            let events = log.iter().filter(|(level, _)| *level == Level::WARN);
            events.filter(|(_, said)| *said == text).count()
        };
        assert_eq!(
            (warned("tools/call"), warned("tools/list")),
            (1, 1),
            "{lines} {log:?}"
        );
        assert_eq!(counted.calls.load(Ordering::Relaxed), 1, "{lines}");
        assert_eq!(counted.notifications.load(Ordering::Relaxed), 1, "{lines}");
    }
}
