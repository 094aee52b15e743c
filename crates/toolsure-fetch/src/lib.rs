//! Fetches the external references of schemas, for operators who ask for it.
//!
//! The engine never fetches. A program that needs references to other documents first fetches these
//! documents with a [`Fetcher`], and registers them with the compiler. Nothing in a schema can
//! start a request: the operator names the hosts, and a URI is fetched only if
//!
//! * its scheme is `https`, it has no user or password, its host is in the list, and its port is
//!   443, unless the list names another;
//! * every address of the host is public. The connection is made to the addresses that were
//!   checked, so a second answer of the name server has no effect;
//! * each redirect leads to a URI that passes the same checks;
//! * the answer is plain JSON text without a content encoding, within the limits on size, time and
//!   number;
//! * its SHA-256 digest matches the [`Lock`], if there is one.
//!
//! References in fetched documents are fetched under the same rules. Proxies from the environment
//! are not used. Each requested URI leads to one [`Event`].
//!
//! ```no_run
//! use toolsure_fetch::{Fetcher, Host};
//! use toolsure_schema::Compiler;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = r#"{"$ref": "https://schemas.example.com/address.json"}"#;
//! let fetcher = Fetcher::new([Host::parse("schemas.example.com")?]);
//! let fetched = fetcher.references(&[schema], &[]).await;
//! let mut compiler = Compiler::new();
//! for document in &fetched.documents {
//!     compiler = compiler.register(&document.uri, &document.bytes)?;
//! }
//! let schema = compiler.compile(schema.as_bytes())?;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]
#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod address;
mod dangerous;
mod error;
mod fetcher;
mod hop;
mod host;
mod limits;
mod lock;

pub use address::is_public;
pub use dangerous::{Addresses, Dangerous, Resolve, Resolving};
pub use error::FetchError;
pub use fetcher::{Document, Event, Fetched, Fetcher};
pub use host::{Host, HostError};
pub use limits::Limits;
pub use lock::{Digest, Lock, LockError};
