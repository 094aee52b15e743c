//! Former names.

#[cfg(feature = "server")]
use rmcp::ServerHandler;

/// The former name of [`ClientLayer`](crate::ClientLayer).
#[cfg(feature = "client")]
#[deprecated(note = "renamed to `ClientLayer`")]
pub type ClientGate = crate::ClientLayer;

/// The former name of [`ServerLayer`](crate::ServerLayer).
#[cfg(feature = "server")]
#[deprecated(note = "renamed to `ServerLayer`")]
pub type ServerGate = crate::ServerLayer;

/// The former name of [`ServerHandlerExt`](crate::ServerHandlerExt).
#[cfg(feature = "server")]
#[deprecated(note = "renamed to `ServerHandlerExt`")]
pub trait GateServer: ServerHandler {
    /// The former name of [`checked`](crate::ServerHandlerExt::checked).
    fn gated(self) -> crate::CheckedHandler<Self> {
        crate::ServerLayer::new().wrap(self)
    }
}

#[cfg(feature = "server")]
#[expect(deprecated, reason = "it works as before")]
impl<H: ServerHandler> GateServer for H {}
