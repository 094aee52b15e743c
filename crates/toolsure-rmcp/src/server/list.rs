//! `tools/list`, projected for one client.

use std::collections::HashSet;
use std::sync::Arc;

use rmcp::model::{ListToolsResult, Tool};
use toolsure_mcp::contract::{MalformedTool, ToolContract};
use toolsure_mcp::era::Era;
use toolsure_mcp::project::Lost;
use toolsure_mcp::publish::{Refused, RefusedTool};

use super::ServerEvent;
use super::checks::Checks;
use super::contracts::Outcome;

impl Checks {
    /// The contract of a definition. If there is none, one event tells the author.
    pub(super) fn contract(&self, tool: &Tool) -> Outcome {
        let (outcome, is_new) = self.shared.contracts.of(tool);
        if let (Err(why), true) = (&outcome, is_new) {
            self.emit_event(&ServerEvent::ToolRefused(why));
        }
        outcome
    }

    /// Projects a page of tools for a client of `era`: removes the tools that can never work, and
    /// changes schemas that the client cannot read.
    pub(super) fn projected_list(
        &self,
        mut page: ListToolsResult,
        era: Era,
        over_http: bool,
    ) -> ListToolsResult {
        let mut names = HashSet::new();
        let tools = std::mem::take(&mut page.tools);
        for tool in tools {
            let Ok(contract) = self.contract(&tool) else {
                continue;
            };
            let projected = if names.insert(tool.name.clone()) {
                self.projected_tool(&contract, tool, era, over_http)
            } else {
                Err(MalformedTool::DuplicateName)
            };
            match projected {
                Ok(tool) => page.tools.push(tool),
                Err(reason) => self.hidden(&contract, reason),
            }
        }
        if let (Some((ttl, scope)), true) = (self.options.caching, era.is_modern()) {
            page.ttl_ms = Some(ttl);
            page.cache_scope = Some(scope);
        }
        page
    }

    fn projected_tool(
        &self,
        contract: &Arc<ToolContract>,
        tool: Tool,
        era: Era,
        over_http: bool,
    ) -> Result<Tool, MalformedTool> {
        let projection = self.projection(era);
        let projection = if over_http {
            projection.over_http()
        } else {
            projection
        };
        let projected = projection.tool(contract)?;
        for lost in &projected.lost {
            self.report_lost(contract, era, lost);
        }
        if projected.text == contract.listed_text() {
            return Ok(tool);
        }
        // A projected tool differs from rmcp's only in its schemas, which are objects, so rmcp can
        // read it. If it cannot, the tool is not listed.
        serde_json::from_str(&projected.text).map_err(|_| MalformedTool::Era {
            version: era.version(),
            expected: "a definition in the SDK's own types",
        })
    }

    fn hidden(&self, contract: &ToolContract, reason: MalformedTool) {
        let refused = RefusedTool::new(contract.name(), Refused::Malformed(reason));
        self.emit_event(&ServerEvent::ToolRefused(&refused));
    }

    fn report_lost(&self, contract: &ToolContract, reader: Era, lost: &Lost) {
        let tool = contract.name();
        self.emit_event(&ServerEvent::Lost { reader, tool, lost });
    }
}
