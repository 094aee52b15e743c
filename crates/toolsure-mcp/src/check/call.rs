//! Checks `tools/call` before it is sent, or before its handler runs.

use std::sync::Arc;

use toolsure_json::{Kind, Node, View};
use toolsure_schema::{AnyNode, Report, Verdict, Workspace};

use super::decision::{Checked, Decision, Fault, Refusal};
use super::{Checker, OnUndecided};
use crate::catalog::ToolSet;
use crate::contract::{Isolated, SchemaPart, ToolContract, UncompilableTool};
use crate::message::{MalformedCall, Message, Request, ToolCall};
use crate::refusal_text;

impl Checker {
    /// Checks a whole JSON-RPC message that should be a `tools/call` request.
    ///
    /// ```
    /// use toolsure_mcp::catalog::ToolSet;
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::SchemaStore;
    ///
    /// let page = br#"{"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}"#;
    /// let tools = ToolSet::of_pages([page.as_slice()], &SchemaStore::new())?;
    /// let mut checker = Checker::new();
    /// let call = br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "look"}}"#;
    /// let decision = checker.check_call_message(&tools, call);
    /// assert_eq!(decision.refusal().ok_or("unknown tool")?.fault.rpc_code(), -32602);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_call_message(&mut self, tools: &ToolSet, message: &[u8]) -> Decision {
        let decision = self.reading(message, |checker, document| {
            match Message::decode(document.root()) {
                Ok(Message::Request(request)) if request.method == "tools/call" => {
                    checker.check_request(tools, &request)
                }
                Ok(_) => not_a_message("the message is not a `tools/call` request"),
                Err(error) => not_a_message(&error.to_string()),
            }
        });
        decision.unwrap_or_else(unreadable)
    }

    /// Checks a `tools/call` request that is already parsed.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::catalog::ToolSet;
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::message::{Message, ToolCall};
    ///
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "look"}}"#;
    /// let call = OwnedDocument::read(call, &ReadLimits::default())?;
    /// let Ok(Message::Request(request)) = Message::decode(call.document().root()) else {
    ///     panic!("a request");
    /// };
    /// let (mut checker, tools) = (Checker::new(), ToolSet::new());
    /// let decision = checker.check_request(&tools, &request);
    /// assert_eq!(decision.refusal().map(|why| why.fault.kind()), Some("tool"));
    ///
    /// let call = ToolCall::decode(request.params).unwrap();
    /// assert!(checker.check_call(&tools, &call).refusal().is_some());
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    pub fn check_request(&mut self, tools: &ToolSet, request: &Request<'_>) -> Decision {
        match ToolCall::decode(request.params) {
            Ok(call) => self.check_call(tools, &call),
            Err(error) => {
                let tool = match error {
                    MalformedCall::Arguments { name, .. } => Some(name),
                    _ => None,
                };
                let text = error.to_string();
                Decision::refuse(Fault::MalformedCall(text.clone()), tool, text)
            }
        }
    }

    /// Checks a call: the tool exists, its schemas compile, and the arguments match. Absent
    /// arguments count as `{}`.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::catalog::ToolSet;
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::SchemaStore;
    /// use toolsure_mcp::message::ToolCall;
    ///
    /// let page = br#"{"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}"#;
    /// let tools = ToolSet::of_pages([page.as_slice()], &SchemaStore::new())?;
    /// let params = OwnedDocument::read(r#"{"name": "find"}"#, &ReadLimits::default())?;
    /// let call = ToolCall::decode(Some(params.document().root())).unwrap();
    /// assert!(Checker::new().check_call(&tools, &call).refusal().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_call(&mut self, tools: &ToolSet, call: &ToolCall<'_>) -> Decision {
        match tools.tool(call.name) {
            Some(tool) => self.check_arguments_view(tool, call.arguments),
            None => unknown(tools, call.name),
        }
    }

    /// Checks the arguments for a tool, given as part of a document.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "required": ["q"]}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let arguments = OwnedDocument::read(r#"{"q": 1}"#, &ReadLimits::default())?;
    /// let mut checker = Checker::new();
    /// let decision = checker.check_arguments_view(&tool, Some(arguments.document().root()));
    /// assert!(decision.refusal().is_none());
    /// assert!(checker.check_arguments_view(&tool, None).refusal().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_arguments_view(
        &mut self,
        tool: &Arc<ToolContract>,
        arguments: Option<View<'_>>,
    ) -> Decision {
        match arguments {
            Some(view) => self.judge_arguments(tool, view, |schema, workspace| {
                schema.explain_invalid(workspace, view)
            }),
            None => self.check_no_arguments(tool),
        }
    }

    /// Checks the arguments for a tool, given in any representation.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_schema::ValueNode;
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "required": ["q"]}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let arguments = serde_json::json!({"q": 1});
    /// let decision = Checker::new().check_arguments(&tool, Some(ValueNode::new(&arguments)));
    /// assert!(decision.refusal().is_none());
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    pub fn check_arguments<'i, N: Node<'i>>(
        &mut self,
        tool: &Arc<ToolContract>,
        arguments: Option<N>,
    ) -> Decision {
        match arguments {
            Some(node) => self.judge_arguments(tool, node, |schema, workspace| {
                schema.explain_invalid(workspace, AnyNode(node))
            }),
            None => self.check_no_arguments(tool),
        }
    }

    /// Checks the arguments for a tool, given as JSON text.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "required": ["q"]}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let decision = Checker::new().check_arguments_bytes(&tool, b"{}");
    /// assert_eq!(decision.refusal().map(|why| why.fault.code()), Some("arguments-invalid"));
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    pub fn check_arguments_bytes(
        &mut self,
        tool: &Arc<ToolContract>,
        arguments: &[u8],
    ) -> Decision {
        let decision = self.reading(arguments, |checker, document| {
            checker.check_arguments_view(tool, Some(document.root()))
        });
        decision.unwrap_or_else(unreadable)
    }

    fn check_no_arguments(&mut self, tool: &Arc<ToolContract>) -> Decision {
        let empty = self.empty.clone();
        self.check_arguments_view(tool, Some(empty.document().root()))
    }

    fn judge_arguments<'i, N: Node<'i>>(
        &mut self,
        tool: &Arc<ToolContract>,
        arguments: N,
        explain: impl FnOnce(&toolsure_schema::Schema, &mut Workspace) -> Report,
    ) -> Decision {
        let name = tool.name();
        if arguments.kind() != Kind::Object {
            let text = MalformedCall::Arguments {
                name,
                found: arguments.kind(),
            };
            let text = text.to_string();
            return Decision::refuse(Fault::MalformedCall(text.clone()), Some(name), text);
        }
        // Verifies both schemas: a call whose result could not be checked is not made.
        if let Some(engine) = self.engine.clone() {
            return match tool.verify_for_host() {
                Ok(()) => self
                    .refused_by_argument_schema(tool, arguments)
                    .unwrap_or_else(|| {
                        self.host_verdict(&engine, tool, SchemaPart::Input, arguments)
                    }),
                Err(why) => uncompilable(name, why),
            };
        }
        let schema = match tool.verify().and_then(|()| tool.input()) {
            Ok(schema) => schema,
            Err(why) => return uncompilable(name, why),
        };
        if let Some(refusal) = self.refused_by_argument_schema(tool, arguments) {
            return refusal;
        }
        match schema.check(&mut self.workspace, AnyNode(arguments)) {
            Verdict::Valid => Decision::pass(Some(tool), Checked::Valid),
            Verdict::Invalid => {
                let report = explain(&schema, &mut self.workspace);
                let text = refusal_text::invalid(name, SchemaPart::Input, &schema, &report);
                Decision::refuse(Fault::InvalidArguments, Some(name), text).reported(report)
            }
            Verdict::Undecided(why) => match self.on_undecided {
                OnUndecided::Pass => Decision::pass(Some(tool), Checked::Undecided(why)),
                OnUndecided::Refuse => {
                    let text = refusal_text::about(
                        name,
                        format_args!(
                            "was not called: its arguments are too costly to check ({why})"
                        ),
                    );
                    Decision::refuse(Fault::UndecidedArguments(why), Some(name), text)
                }
            },
        }
    }
}

pub(super) fn uncompilable(name: &str, why: UncompilableTool) -> Decision {
    let text = refusal_text::about(name, format_args!("has an {why}"));
    Decision::refuse(Fault::Uncompilable(why), Some(name), text)
}

pub(super) fn unreadable(error: toolsure_json::ReadError) -> Decision {
    let text = error.to_string();
    Decision::refuse(Fault::Unreadable(error), None, text)
}

pub(super) fn not_a_message(why: &str) -> Decision {
    Decision::refuse(Fault::NotAMessage(why.to_owned()), None, why.to_owned())
}

fn unknown(tools: &ToolSet, name: &str) -> Decision {
    match tools.isolated_tool(name) {
        Some(isolated) => Decision::Refuse(Box::new(Refusal::isolated_tool(isolated))),
        None => Decision::Refuse(Box::new(Refusal::unknown_tool(name))),
    }
}

impl Refusal {
    /// The refusal of a call whose tool is malformed in its server's list.
    ///
    /// ```
    /// use toolsure_mcp::catalog::Listing;
    /// use toolsure_mcp::check::Refusal;
    ///
    /// let isolated = Listing::read(r#"{"tools": [{"name": "find"}]}"#)?.isolated();
    /// assert!(Refusal::isolated_tool(&isolated[0]).text().contains("`inputSchema` is missing"));
    /// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
    /// ```
    #[must_use]
    pub fn isolated_tool(isolated: &Isolated) -> Self {
        let text = refusal_text::about(
            isolated.name.as_deref().unwrap_or_default(),
            format_args!("is malformed in its server's list: {}", isolated.reason),
        );
        Self {
            fault: Fault::MalformedTool(isolated.clone()),
            tool: isolated.name.clone(),
            report: None,
            text,
        }
    }

    /// The refusal of a call whose tool may be in a part of its server's list that could not be
    /// read.
    #[must_use]
    pub fn unread_list(name: &str, reason: &str) -> Self {
        let reason = toolsure_json::quote(reason, REASON).to_string();
        let text = refusal_text::about(
            name,
            format_args!("was not called: its server's list of tools could not be read: {reason}"),
        );
        Self {
            fault: Fault::UnreadList(reason),
            tool: Some(name.to_owned()),
            report: None,
            text,
        }
    }

    /// The refusal of a call of an unknown tool.
    #[must_use]
    pub fn unknown_tool(name: &str) -> Self {
        Self {
            fault: Fault::UnknownTool,
            tool: Some(name.to_owned()),
            report: None,
            text: format!("unknown tool: {}", toolsure_json::quote(name, NAME)),
        }
    }
}

/// The maximum number of characters of an unknown tool's name in a message.
const NAME: usize = 128;
/// The maximum number of characters of the reason why a list could not be read in a message.
const REASON: usize = 500;
