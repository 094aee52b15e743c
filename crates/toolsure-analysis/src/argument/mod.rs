//! The argument schema, a notation for parameters that is not JSON Schema: its versions, and how it is
//! recognised where JSON Schema is expected. `toolsure-mcp` reads and converts it.

mod recognise;
mod version;

pub use recognise::{Sign, may_be_in, recognise};
pub use version::Version;
