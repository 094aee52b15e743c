//! 2025-11-25: tasks in the core, structured output that is an object, invalid arguments reported
//! as a tool result. Its predecessors are in `older`.

mod older;

use toolsure_json::{Kind, Node as _, View};

pub(super) use older::{V2024_11_05, V2025_03_26, V2025_06_18};

use super::capabilities::{Capabilities, Structured, ToolMethod};

pub(super) const V2025_11_25: Capabilities = Capabilities {
    version: "2025-11-25",
    sessions: true,
    cancels_by_closing: false,
    cacheable_lists: false,
    tasks_unasked: false,
    tasks_on_request: true,
    structured: Structured::Object,
    errors_as_results: true,
    result_types: false,
    batches: false,
    methods: &[
        ("tools/list", ToolMethod::List),
        ("tools/call", ToolMethod::Call),
        ("tasks/get", ToolMethod::TaskGet),
        ("notifications/tools/list_changed", ToolMethod::ListChanged),
    ],
};

/// What `Tool` in this era's schema.json requires of schemas beyond their root: `properties` is an
/// object of objects (booleans can be written as objects), and `required` is an array of strings. A
/// reader with types from that schema loses the whole list if one tool breaks this.
pub(super) fn refuses(tool: View<'_>) -> Option<&'static str> {
    for schema in ["inputSchema", "outputSchema"] {
        let Some(schema) = tool.member(schema) else {
            continue;
        };
        if let Some(properties) = schema.member("properties") {
            if properties.kind() != Kind::Object {
                return Some("`properties` must be an object");
            }
            let speakable = |kind| matches!(kind, Kind::Object | Kind::Boolean);
            if !properties
                .members()
                .all(|(_, value)| speakable(value.kind()))
            {
                return Some("each of `properties` must be a schema");
            }
        }
        if let Some(required) = schema.member("required") {
            let strings = required.items().all(|name| name.kind() == Kind::String);
            if required.kind() != Kind::Array || !strings {
                return Some("`required` must be an array of strings");
            }
        }
    }
    None
}
