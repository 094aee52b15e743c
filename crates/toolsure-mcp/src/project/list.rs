//! Projects `tools/list` for one reader.

use std::collections::HashSet;

use toolsure_json::{Kind, Node as _, OwnedDocument, View};

use super::schema::{enclose, lower_booleans, wrap};
use super::{Lost, Projection, Treatment};
use crate::catalog::Listing;
use crate::contract::{
    Definition, Isolated, MalformedTool, OutputShape, ToolContract, definition_limits,
    header_parameters, may_have_headers,
};
use crate::era::{ERA_MEMBERS, Structured};
use crate::message::{Edits, ToolList};

/// A tool list in the form that its reader gets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectedList {
    /// The message.
    pub text: String,
    /// What the reader does not get, by tool in the order of the list.
    pub lost: Vec<Lost>,
}

/// One entry of a page, as judged for one reader.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Listed<'l> {
    /// Its index on the page, not counting tools that cannot be parsed.
    pub index: usize,
    /// Its name, if it has one.
    pub name: Option<&'l str>,
    /// Why the reader must not see it.
    pub fault: Option<&'l MalformedTool>,
}

/// What happens to one entry.
enum Fate {
    Kept,
    /// The reader does not get it, for this reason.
    Lost(MalformedTool),
    /// The caller does not want it listed.
    LeftOut,
}

/// A tool in the form that its reader gets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectedTool {
    /// The tool's definition.
    pub text: String,
    /// What the reader does not get.
    pub lost: Vec<Lost>,
}

impl Projection {
    /// Projects a page of tools. Malformed tools are left out.
    #[must_use]
    pub fn list(&self, listing: &Listing) -> ProjectedList {
        self.list_without(listing, |_| None)
    }

    /// The same without the tools for which `refused` returns a reason, for example because their
    /// schemas do not compile or a policy hides them. `refused` is called with names.
    ///
    /// ```
    /// use toolsure_mcp::catalog::Listing;
    /// use toolsure_mcp::contract::MalformedTool;
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::Projection;
    ///
    /// let page = r#"{"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}"#;
    /// let refused = |name: &str| (name == "find").then_some(MalformedTool::DuplicateName);
    /// let list = Projection::to(Era::NEWEST).list_without(&Listing::read(page)?, refused);
    /// assert!(!list.text.contains("find"));
    /// assert_eq!(list.lost[0].tool(), Some("find"));
    /// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
    /// ```
    #[must_use]
    pub fn list_without(
        &self,
        listing: &Listing,
        refused: impl Fn(&str) -> Option<MalformedTool>,
    ) -> ProjectedList {
        self.rewrite(listing, |listed| {
            match listed.fault.cloned().or_else(|| refused(listed.name?)) {
                Some(reason) => Fate::Lost(reason),
                None => Fate::Kept,
            }
        })
    }

    /// The same with only the tools for which `keep` returns true. A malformed tool that is kept
    /// stays as written; a well-formed tool that is not kept is not reported as lost, since the
    /// caller knows. Tools that cannot be parsed are never kept: they are no longer in the
    /// listing's text.
    ///
    /// ```
    /// use toolsure_mcp::catalog::Listing;
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::Projection;
    ///
    /// let page = r#"{"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}"#;
    /// let list = Projection::to(Era::NEWEST).list_keeping(&Listing::read(page)?, |_| false);
    /// assert!(!list.text.contains("find"));
    /// assert!(list.lost.iter().all(|lost| lost.tool().is_none()));
    /// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
    /// ```
    #[must_use]
    pub fn list_keeping(
        &self,
        listing: &Listing,
        mut keep: impl FnMut(&Listed<'_>) -> bool,
    ) -> ProjectedList {
        self.rewrite(listing, |listed| match (keep(listed), listed.fault) {
            (true, _) => Fate::Kept,
            (false, Some(fault)) => Fate::Lost(fault.clone()),
            (false, None) => Fate::LeftOut,
        })
    }

    fn rewrite(
        &self,
        listing: &Listing,
        mut judge: impl FnMut(&Listed<'_>) -> Fate,
    ) -> ProjectedList {
        let mut edits = Edits::new();
        let unreadable = listing.unreadable().iter().cloned();
        let mut lost: Vec<Lost> = unreadable.map(Lost::Tool).collect();
        let mut names = HashSet::new();
        let mut dropped = HashSet::new();
        for (index, (view, definition)) in listing.definitions().enumerate() {
            let admitted = definition.and_then(|definition| {
                self.admits(view, &definition)?;
                if !names.insert(definition.name) {
                    return Err(MalformedTool::DuplicateName);
                }
                Ok(definition)
            });
            let fate = judge(&Listed {
                index,
                name: name(view),
                fault: admitted.as_ref().err(),
            });
            if !matches!(fate, Fate::Kept) {
                dropped.insert(index);
            }
            match (fate, admitted) {
                (Fate::Kept, Ok(definition)) => {
                    self.tool_edits(view, &definition, &mut edits, &mut lost);
                }
                (Fate::Lost(reason), _) => lost.push(Lost::Tool(Isolated::of(view, index, reason))),
                (Fate::Kept | Fate::LeftOut, _) => {}
            }
        }
        if let (Ok(list), false) = (ToolList::decode(listing.result()), dropped.is_empty()) {
            edits.reshape(list.tools, |index, _| dropped.contains(&index), &[]);
        }
        self.era_members(listing.result(), true, &mut edits, &mut lost, &[]);
        ProjectedList {
            text: edits.apply(listing.text()),
            lost,
        }
    }

    /// Rewrites one tool.
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::Projection;
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}"#;
    /// let tool = ToolContract::read(tool, &SchemaStore::new())?;
    /// let shown = Projection::to(Era::V2025_03_26).tool(&tool)?;
    /// assert!(!shown.text.contains("outputSchema"));
    /// assert_eq!(shown.lost[0].tool(), Some("find"));
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The reader must not get it: readers of its era could not read it.
    pub fn tool(&self, contract: &ToolContract) -> Result<ProjectedTool, MalformedTool> {
        let document = OwnedDocument::read(contract.text(), &definition_limits())
            .map_err(MalformedTool::Json)?;
        let view = document.document().root();
        let definition = Definition::read(view)?;
        self.admits(view, &definition)?;
        let (mut edits, mut lost) = (Edits::new(), Vec::new());
        self.tool_edits(view, &definition, &mut edits, &mut lost);
        Ok(ProjectedTool {
            text: edits.apply(contract.text()),
            lost,
        })
    }

    /// Whether readers of the era can read the list with this tool in it.
    fn admits(&self, tool: View<'_>, definition: &Definition<'_>) -> Result<(), MalformedTool> {
        if self.as_written {
            return Ok(());
        }
        if let Some(expected) = self.reader.refuses(tool) {
            let version = self.reader.version();
            return Err(MalformedTool::Era { version, expected });
        }
        if self.http && self.reader.is_modern() && may_have_headers(definition.input.raw()) {
            header_parameters(definition.input).map_err(MalformedTool::Header)?;
        }
        Ok(())
    }

    fn tool_edits(
        &self,
        tool: View<'_>,
        definition: &Definition<'_>,
        edits: &mut Edits,
        lost: &mut Vec<Lost>,
    ) {
        if self.as_written {
            return;
        }
        let named = || definition.name.to_owned();
        let treatment = self.treatment(OutputShape::of(definition.output));
        if self.reader.structured() != Structured::Any {
            let mut count = lower_booleans(definition.input, edits);
            if let Some(output) = definition.output.filter(|_| treatment != Treatment::Drop) {
                count += lower_booleans(output, edits);
            }
            if count > 0 {
                lost.push(Lost::BooleanProperties {
                    tool: named(),
                    count,
                });
            }
        }
        let Some(output) = definition.output else {
            return;
        };
        match treatment {
            Treatment::Keep => {}
            Treatment::Wrap => {
                wrap(output, edits);
                lost.push(Lost::Wrapped { tool: named() });
            }
            Treatment::Enclose => {
                enclose(output, edits);
                lost.push(Lost::Enclosed { tool: named() });
            }
            Treatment::Stamp => {
                edits.prepend_member(output, "\"type\":\"object\"");
                lost.push(Lost::Stamped { tool: named() });
            }
            Treatment::Drop => {
                edits.remove_member(tool, "outputSchema");
                lost.push(Lost::OutputSchema { tool: named() });
            }
        }
    }

    /// Adds the members that the reader's era requires of a result, removes those that it does not
    /// have, and appends others.
    pub(super) fn era_members(
        &self,
        result: View<'_>,
        is_list: bool,
        edits: &mut Edits,
        lost: &mut Vec<Lost>,
        also: &[super::result::Member],
    ) {
        if self.as_written && also.is_empty() {
            return;
        }
        let wanted = self.reader.result_members(is_list);
        let mut removed = Vec::new();
        if !self.reader.is_modern() {
            let foreign = ERA_MEMBERS.iter().map(|(name, _)| *name);
            removed.extend(foreign.filter(|name| result.member(name).is_some()));
        }
        let mut appended: Vec<String> = Vec::new();
        for (name, value) in wanted {
            if result.member(name).is_none() {
                appended.push(format!("\"{name}\":{value}"));
            }
        }
        if !removed.is_empty() {
            lost.push(Lost::Members(removed.clone()));
        }
        for member in also {
            match member {
                super::result::Member::Remove(name) => removed.push(name),
                super::result::Member::Append(text) => appended.push(text.clone()),
            }
        }
        if !(removed.is_empty() && appended.is_empty()) {
            let gone = |_, value: View<'_>| {
                let name = value.name().map_or("", |name| name.string());
                removed.contains(&name)
            };
            edits.reshape(result, gone, &appended);
        }
    }
}

fn name(tool: View<'_>) -> Option<&str> {
    let name = tool
        .member("name")
        .filter(|name| name.kind() == Kind::String);
    name.map(|name| name.string())
}
