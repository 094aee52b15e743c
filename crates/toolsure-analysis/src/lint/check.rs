//! How a rule is checked.

use super::out::Out;
use super::page::Page;
use super::rules::Listing;
use super::subschema::Subschema;
use super::tool::Tool;

/// How a rule is checked.
#[derive(Debug)]
pub(super) enum Check {
    /// By the parser, or by another rule that reports it.
    Text,
    /// By the compiler.
    Engine(fn(&Tool<'_>, &mut Out<'_>)),
    One(fn(&Tool<'_>, &mut Out<'_>)),
    Each(for<'a> fn(&Tool<'a>, &Subschema<'a>, &mut Out<'_>)),
    Page(fn(&Page<'_>, &mut Out<'_>)),
    Whole(fn(&Listing, &mut Out<'_>)),
}
