//! Diagnostics on JSON texts, as every command prints them.
//!
//! A [`Diagnostic`] points into [`Source`]s; [`Diagnostic::draw`] shows it in cargo's style,
//! [`github`] writes it as a workflow command. Untrusted text is escaped and cut here, so that none
//! of it reaches a terminal as it is.

mod diagnostic;
pub(crate) mod github;
pub(crate) mod json;
pub(crate) mod sarif;
mod source;
mod window;

pub(crate) use crate::wrap::{count, count_of, hang, wrap};
pub(crate) use diagnostic::{Diagnostic, Mark, Severity};
pub(crate) use source::{LineIndex, Source};
