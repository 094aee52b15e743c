//! What a layer wraps: transports, byte streams, and HTTP clients.

use rmcp::RoleClient;
use rmcp::transport::{IntoTransport, Transport};
use tokio::io::{AsyncRead, AsyncWrite};

#[cfg(feature = "http-client")]
use super::CheckedHttp;
use super::{CheckedTransport, ClientLayer, Lines};

impl ClientLayer {
    /// Wraps a transport of rmcp.
    ///
    /// The transport has already read messages as rmcp's types. It has dropped messages that it
    /// could not read, and misread results that look like another kind. Therefore prefer
    /// [`lines`](Self::lines) over pipes, and over HTTP also use `http` (feature `http-client`)
    /// below it.
    ///
    /// ```no_run
    /// use rmcp::ServiceExt as _;
    /// use rmcp::transport::StreamableHttpClientTransport;
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// # async fn connect() -> Result<(), Box<dyn std::error::Error>> {
    /// let http = StreamableHttpClientTransport::from_uri("http://127.0.0.1:8000/mcp");
    /// let client = ().serve(ClientLayer::new().transport(http)).await?;
    /// # client.cancel().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn transport<T, E, A>(
        &self,
        transport: T,
    ) -> CheckedTransport<impl Transport<RoleClient, Error = E> + use<T, E, A>>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        CheckedTransport::new(self.clone(), transport.into_transport())
    }

    /// Checks messages on a server's output and input, for example the standard streams of a child
    /// process. Each answer is read as the result of its request.
    ///
    /// ```no_run
    /// use rmcp::ServiceExt as _;
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// # async fn connect(
    /// #     stdout: impl tokio::io::AsyncRead + Send + Unpin + 'static,
    /// #     stdin: impl tokio::io::AsyncWrite + Send + Unpin + 'static,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let client = ().serve(ClientLayer::new().lines(stdout, stdin)).await?;
    /// # client.cancel().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn lines<R, W>(&self, read: R, write: W) -> CheckedTransport<Lines<R, W>>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        CheckedTransport::new(self.clone(), Lines::new(read, write))
    }

    /// Wraps the HTTP client below rmcp's Streamable HTTP transport, where answers are
    /// still text. Give it to `StreamableHttpClientTransport::with_client`, and that
    /// transport to [`transport`](Self::transport).
    ///
    /// ```no_run
    /// use rmcp::ServiceExt as _;
    /// use rmcp::transport::StreamableHttpClientTransport;
    /// use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// # async fn connect() -> Result<(), Box<dyn std::error::Error>> {
    /// let layer = ClientLayer::new();
    /// let http = layer.http(reqwest::Client::new());
    /// let config = StreamableHttpClientTransportConfig::with_uri("http://127.0.0.1:8000/mcp");
    /// let transport = layer.transport(StreamableHttpClientTransport::with_client(http, config));
    /// let client = ().serve(transport).await?;
    /// # client.cancel().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "http-client")]
    #[must_use]
    pub fn http<C>(&self, client: C) -> CheckedHttp<C> {
        CheckedHttp::new(client)
    }
}
