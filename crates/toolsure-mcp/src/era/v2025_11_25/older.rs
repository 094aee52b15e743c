//! 2025-06-18, 2025-03-26 and 2024-11-05: 2025-11-25 without the later additions.

use super::V2025_11_25;
use crate::era::capabilities::{Capabilities, Structured, ToolMethod};

/// Invalid arguments are a protocol error here (its server/tools, "Error Handling"; changed by
/// SEP-1303), and there are no tasks.
pub(in crate::era) const V2025_06_18: Capabilities = Capabilities {
    version: "2025-06-18",
    tasks_on_request: false,
    errors_as_results: false,
    methods: METHODS,
    ..V2025_11_25
};

/// No structured output; receivers must accept batches.
pub(in crate::era) const V2025_03_26: Capabilities = Capabilities {
    version: "2025-03-26",
    structured: Structured::None,
    batches: true,
    ..V2025_06_18
};

/// No structured output, no batches.
pub(in crate::era) const V2024_11_05: Capabilities = Capabilities {
    version: "2024-11-05",
    structured: Structured::None,
    ..V2025_06_18
};

const METHODS: &[(&str, ToolMethod)] = &[
    ("tools/list", ToolMethod::List),
    ("tools/call", ToolMethod::Call),
    ("notifications/tools/list_changed", ToolMethod::ListChanged),
];
