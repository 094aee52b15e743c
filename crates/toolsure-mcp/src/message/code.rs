//! The error codes of JSON-RPC and MCP that are written or read here.

/// The text is not JSON (JSON-RPC 2.0, section 5.1).
pub const PARSE_ERROR: i64 = -32700;
/// The JSON is not a request (JSON-RPC 2.0, section 5.1).
pub const INVALID_REQUEST: i64 = -32600;
/// The method is unknown or not available (JSON-RPC 2.0, section 5.1).
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are invalid: an unknown tool, a malformed call (JSON-RPC 2.0, section 5.1).
pub const INVALID_PARAMS: i64 = -32602;
/// A failure that the caller did not cause: no answer, or a limit (JSON-RPC 2.0, section 5.1).
pub const INTERNAL_ERROR: i64 = -32603;
/// The HTTP headers contradict the body (MCP 2026-07-28, basic).
pub const HEADER_MISMATCH: i64 = -32020;
/// The client did not declare a capability that the answer needs (MCP 2026-07-28, basic).
pub const MISSING_CAPABILITY: i64 = -32021;
/// The receiver does not speak the declared protocol version (MCP 2026-07-28, basic).
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// There is no such resource (MCP 2025-11-25, server/resources). Not sent to clients of 2026-07-28.
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// A person has to visit a URL first (MCP 2025-11-25, client/elicitation). Not sent to clients of
/// 2026-07-28.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;
/// A tool's result breaks its contract. The code is our own, outside the range that JSON-RPC and MCP
/// reserve, since neither has a code for it.
pub const INVALID_RESULT: i64 = -31_602;
