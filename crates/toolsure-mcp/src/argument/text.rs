//! Writes JSON text, piece by piece.

pub(super) use toolsure_json::push_json_string as push_string;

/// Appends `"name":`, after a comma unless it is the first member.
pub(super) fn push_key(out: &mut String, name: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    push_string(out, name);
    out.push(':');
}
