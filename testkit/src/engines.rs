//! The engines by name, for the `--engine` of the runners.

use crate::engine::Engine;
use crate::ours::{Bytes, Value};
use crate::peers::{Boon, Jsonschema};

/// The engine with this name; without a name, both of ours.
///
/// # Errors
///
/// One line that lists the names.
pub fn named(name: Option<&str>) -> Result<Vec<Box<dyn Engine>>, String> {
    Ok(match name {
        None => vec![Box::new(Bytes), Box::new(Value)],
        Some("bytes") => vec![Box::new(Bytes)],
        Some("value") => vec![Box::new(Value)],
        Some("jsonschema") => vec![Box::new(Jsonschema::default())],
        Some("boon") => vec![Box::new(Boon)],
        Some(other) => {
            return Err(format!(
                "no engine is called `{other}`; there are bytes, value, jsonschema, boon"
            ));
        }
    })
}
