//! Tool results inside the messages of `sampling/createMessage`.
#![expect(
    deprecated,
    reason = "clients of older versions are asked so as long as rmcp has the request"
)]

use rmcp::model::{CreateMessageRequestParams, ProtocolVersion};
use toolsure_json::{OwnedDocument, ReadLimits};

use super::{ServerEvent, ServerLayer};
use crate::era;

impl ServerLayer {
    /// Projects a `sampling/createMessage` for a client of this version. If the version cannot
    /// express the structured content of a `tool_result` block, it is changed as in the result of a
    /// call.
    ///
    /// A handler sends requests itself, without the layer, and [`transport`](Self::transport) projects
    /// them on their way. Over HTTP a handler keeps a clone of the layer and sends the result of this
    /// method:
    ///
    /// ```
    /// # use rmcp::{ErrorData, RoleServer, model::CreateMessageRequestParams, service::RequestContext};
    /// # use toolsure_rmcp::ServerLayer;
    /// # #[expect(deprecated, reason = "sampling is for clients of older versions")]
    /// async fn ask(
    ///     layer: &ServerLayer,
    ///     params: CreateMessageRequestParams,
    ///     context: &RequestContext<RoleServer>,
    /// ) -> Result<(), ErrorData> {
    ///     let params = layer.sampling(params, context.protocol_version().as_ref())?;
    ///     let _answer = context.peer.create_message(params).await;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// This version cannot express a message.
    pub fn sampling(
        &self,
        params: CreateMessageRequestParams,
        version: Option<&ProtocolVersion>,
    ) -> Result<CreateMessageRequestParams, rmcp::ErrorData> {
        let reader = era::of_version(version);
        let failed = |why: String| {
            rmcp::ErrorData::internal_error(
                format!("sampling messages cannot be projected: {why}"),
                None,
            )
        };
        let text = serde_json::to_vec(&params).map_err(|error| failed(error.to_string()))?;
        let document = OwnedDocument::read(text, &ReadLimits::default())
            .map_err(|error| failed(error.to_string()))?;
        let projected = self.projection(reader).sampling(document.document().root());
        if projected.lost.is_empty() {
            return Ok(params);
        }
        for lost in &projected.lost {
            self.emit_event(&ServerEvent::Lost {
                reader,
                tool: "sampling/createMessage",
                lost,
            });
        }
        serde_json::from_str(&projected.text).map_err(|error| failed(error.to_string()))
    }
}
