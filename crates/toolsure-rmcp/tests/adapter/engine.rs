//! A program's own JSON Schema engine checks the contracts of a layer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::schemars::JsonSchema;
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::json;
use toolsure_rmcp::{HostSchema, HostVerdict, OnUndecided, ServerLayer, Validator};

use crate::support::Wire;

/// Counts the schemas it compiles, and decides by words in the value.
struct Words(Arc<AtomicUsize>);

struct Word;

impl Validator for Words {
    fn compile(&self, schema: &str) -> Result<Box<dyn HostSchema>, String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        if schema.contains("never") {
            return Err("this engine does not like it".to_owned());
        }
        Ok(Box::new(Word))
    }
}

impl HostSchema for Word {
    fn check(&self, instance: &str) -> HostVerdict {
        if instance.contains("bad") {
            HostVerdict::Invalid(vec!["/word is bad".to_owned()])
        } else if instance.contains("odd") {
            HostVerdict::Undecided("it is odd".to_owned())
        } else {
            HostVerdict::Valid
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Query {
    word: serde_json::Value,
}

struct Echo;

#[tool_router]
impl Echo {
    #[tool(description = "the word")]
    fn echo(&self, Parameters(query): Parameters<Query>) -> Json<Vec<String>> {
        Json(vec![query.word.to_string().replace("worse", "bad")])
    }

    #[tool(description = "never")]
    fn other(&self, Parameters(_query): Parameters<Never>) -> Json<Vec<String>> {
        Json(Vec::new())
    }
}

#[derive(Deserialize, JsonSchema)]
struct Never {
    #[expect(dead_code, reason = "its name is what the engine does not like")]
    never: Option<u8>,
}

#[tool_handler]
impl ServerHandler for Echo {}

#[tokio::test]
async fn a_host_keeps_its_own_engine() {
    let compiled = Arc::new(AtomicUsize::new(0));
    for policy in [OnUndecided::Refuse, OnUndecided::Pass] {
        let layer = ServerLayer::new()
            .validator(Words(Arc::clone(&compiled)))
            .on_undecided(policy);
        let mut wire = Wire::modern(layer.wrap(Echo));
        for (tool, word, expected) in [
            ("echo", "good", None),
            ("echo", "bad", Some("/word is bad")),
            ("echo", "worse", Some("`structuredContent` does not match")),
            (
                "echo",
                "odd",
                (policy == OnUndecided::Refuse).then_some("it is odd"),
            ),
            ("other", "good", Some("does not like it")),
        ] {
            let answer = wire.call(tool, json!({"word": word})).await;
            let text = answer.to_string();
            match expected {
                None => assert_eq!(answer["isError"], json!(false), "{word} {text}"),
                Some(part) => assert!(text.contains(part), "{word} {text}"),
            }
        }
    }
    // For each layer: two schemas of one tool, and one schema that does not compile.
    assert_eq!(compiled.load(Ordering::Relaxed), 6);
}
