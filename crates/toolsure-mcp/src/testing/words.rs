//! What the texts of errors say, as the SDKs and languages of servers write them.

/// Whether a text says that the arguments of a call are wrong.
pub(super) fn is_about_arguments(text: &str) -> bool {
    // The text of a system call is about a file.
    let text = text
        .to_ascii_lowercase()
        .replace("einval: invalid argument", "");
    ARGUMENTS.iter().any(|part| text.contains(part))
}

/// Whether a text says that the SDK of the server has refused the result of the tool: that of
/// `McpServer` in the TypeScript SDKs 1.32.2 and 2.4.0.
pub(super) fn is_about_result(text: &str) -> bool {
    text.to_ascii_lowercase()
        .contains("output validation error")
}

/// Whether a text is that of an exception that nobody caught.
pub(super) fn is_exception(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    // What a validator quotes of the arguments says nothing.
    let is_certain = lower.contains("traceback (most recent call last)");
    if is_certain || !is_about_arguments(text) && EXCEPTIONS.iter().any(|part| lower.contains(part))
    {
        return true;
    }
    // Python's `KeyError` says only the key, alone or after what its SDKs put in front of errors.
    let text = text.trim();
    let is_prefixed =
        lower.starts_with("error executing tool") || lower.starts_with("error calling tool");
    let key = match text.split_once(": ") {
        Some((_, rest)) if is_prefixed => rest.trim(),
        _ => text,
    };
    let division = [
        "division by zero",
        "float division by zero",
        "integer division or modulo by zero",
    ];
    if division.iter().any(|text| key.eq_ignore_ascii_case(text)) {
        return true;
    }
    let name = key
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    name.is_some_and(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Whether a text says that there is no tool with this name.
pub(super) fn is_about_tool(text: &str, name: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    text.contains(name) && TOOLS.iter().any(|part| lower.contains(part))
}

const ARGUMENTS: [&str; 24] = [
    "validation error",
    "validationerror",
    "invalid arguments",
    "invalid_arguments",
    "invalid argument",
    "invalid params",
    "invalid input",
    "invalid_type",
    "unrecognized key",
    "unrecognized_keys",
    "unexpected keyword argument",
    "missing 1 required",
    "is a required property",
    "is not of type",
    "must be string",
    "must be integer",
    "must be number",
    "must be boolean",
    "must have required property",
    "must not have additional properties",
    "expected string, received",
    "expected number, received",
    "input should be",
    "required positional argument",
];

const EXCEPTIONS: [&str; 25] = [
    "traceback (most recent call last)",
    "cannot read propert",
    "is not a function",
    "is not iterable",
    "undefined is not",
    "cannot destructure",
    "maximum call stack",
    "invalid array length",
    "zerodivisionerror",
    "object has no attribute",
    "object is not subscriptable",
    "object is not callable",
    "object is not iterable",
    "unsupported operand type",
    "not supported between instances",
    "list index out of range",
    "'nonetype' object",
    "keyerror",
    "attributeerror",
    "recursion depth exceeded",
    "codec can't encode",
    "codec can't decode",
    "surrogates not allowed",
    "uri malformed",
    "panicked at",
];

const TOOLS: [&str; 4] = [
    "unknown tool",
    "tool not found",
    "no such tool",
    "no tool named",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_known_servers_are_told_apart() {
        for text in [
            "Error executing tool get: 'note'",
            "Error calling tool 'divide': float division by zero",
            "Cannot read properties of undefined (reading 'id')",
        ] {
            assert!(is_exception(text), "{text}");
        }
        for text in [
            "Error executing tool byte_order: invalid hex input: 'a'",
            "EINVAL: invalid argument, rename '/a' -> '/b'",
            "Order not found: 'A7'",
            "b must not be 0: division by zero has no result",
            "no file `x`",
            "not found",
        ] {
            assert!(!is_exception(text) && !is_about_arguments(text), "{text}");
        }
        assert!(is_about_arguments(
            "Input validation error: '' is too short"
        ));
        for text in [
            "MCP error -32602: Output validation error: Invalid structured content for tool add: [{\"code\":\"invalid_type\"}]",
            "MCP error -32602: Output validation error: Tool add has an output schema but no structured content was provided",
        ] {
            assert!(is_about_result(text), "{text}");
        }
        assert!(!is_about_result(
            "Input validation error: 1 is not of type 'string'"
        ));
        assert!(is_about_tool("Unknown tool: get", "get"));
        assert!(!is_about_tool("No such tool: hammer", "find_tools"));
    }
}
