//! Results of tools inside the messages of `sampling/createMessage`.
#![expect(
    deprecated,
    reason = "clients of older versions are asked so as long as rmcp has the request"
)]

use rmcp::model::{CreateMessageRequestParams, ProtocolVersion};
use toolgate_json::{OwnedDocument, ReadLimits};

use super::{ServerEvent, ServerGate};
use crate::era;

impl ServerGate {
    /// What may be sent of a `sampling/createMessage` to a client of this
    /// version: in blocks of the type `tool_result`, structured content that
    /// the version cannot say is told as in the result of a call.
    ///
    /// A handler sends requests by itself, past the gate; it keeps a clone of
    /// the gate and sends what this returns:
    ///
    /// ```
    /// # use rmcp::{ErrorData, RoleServer, model::CreateMessageRequestParams, service::RequestContext};
    /// # use toolgate_rmcp::ServerGate;
    /// # #[expect(deprecated, reason = "sampling is for clients of older versions")]
    /// async fn ask(
    ///     gate: &ServerGate,
    ///     params: CreateMessageRequestParams,
    ///     context: &RequestContext<RoleServer>,
    /// ) -> Result<(), ErrorData> {
    ///     let params = gate.sampling(params, context.protocol_version().as_ref())?;
    ///     let _answer = context.peer.create_message(params).await;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// A message cannot be told to this version.
    pub fn sampling(
        &self,
        params: CreateMessageRequestParams,
        version: Option<&ProtocolVersion>,
    ) -> Result<CreateMessageRequestParams, rmcp::ErrorData> {
        let reader = era::of_version(version);
        let failed = |why: String| {
            rmcp::ErrorData::internal_error(
                format!("sampling messages cannot be told: {why}"),
                None,
            )
        };
        let text = serde_json::to_vec(&params).map_err(|error| failed(error.to_string()))?;
        let document = OwnedDocument::read(text, &ReadLimits::default())
            .map_err(|error| failed(error.to_string()))?;
        let told = self.projection(reader).sampling(document.document().root());
        if told.lost.is_empty() {
            return Ok(params);
        }
        for lost in &told.lost {
            self.emit_event(&ServerEvent::Lost {
                reader,
                tool: "sampling/createMessage",
                lost,
            });
        }
        serde_json::from_str(&told.text).map_err(|error| failed(error.to_string()))
    }
}
