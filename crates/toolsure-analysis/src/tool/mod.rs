//! What the protocol requires of a tool object, beside its schemas: its name, its members, and the
//! annotations that make parameters HTTP headers; and of the members of results and other lists.
//!
//! Each rule stands here once, for readers that reject tools and for [`lint`](crate::lint), which
//! reports all that is wrong with one.

mod allowed_members;
mod header;
mod lookalike;
mod name;
mod results;

pub use allowed_members::{ANNOTATIONS, AllowedMembers, Form, ICON, SCHEMA, TOOL};
pub(crate) use header::is_token_char;
pub use header::{HEADER, HeaderFaultKind, HeaderKind, HeaderNames};
pub use lookalike::{CONTRACT, lookalike};
pub use name::{NameFault, is_unseen};
pub use results::{BLOCK, BLOCKS, CACHED_PAGE, LISTS, ListResult, PAGE, RESULT};
