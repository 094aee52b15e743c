//! Starts a server as a child process, which ends with the connection.

use std::future::Future;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::{CheckedTransport, ClientLayer, Lines};

/// The standard streams of a child process that was started for this connection.
/// Made by [`ClientLayer::command`].
///
/// Closing the connection closes the child's standard input, waits three
/// seconds for it to exit, and then kills it. Dropping the connection kills it.
#[derive(Debug)]
pub struct ChildLines {
    lines: Lines<ChildStdout, ChildStdin>,
    child: Child,
}

impl ChildLines {
    /// The child's process id, while it runs.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }
}

impl ClientLayer {
    /// Starts a server and checks the messages on its standard streams.
    ///
    /// ```no_run
    /// use rmcp::ServiceExt as _;
    /// use tokio::process::Command;
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// # async fn connect() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = ClientLayer::new().command(Command::new("weather-server"))?;
    /// let client = ().serve(server).await?;
    /// # drop(client);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The server cannot be started.
    pub fn command(&self, mut command: Command) -> io::Result<CheckedTransport<ChildLines>> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn()?;
        let pipes = child.stdout.take().zip(child.stdin.take());
        let (stdout, stdin) = pipes.ok_or_else(|| io::Error::other("the program has no pipes"))?;
        let lines = Lines::new(stdout, stdin);
        Ok(CheckedTransport::new(
            self.clone(),
            ChildLines { lines, child },
        ))
    }
}

impl Transport<RoleClient> for ChildLines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.lines.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.lines.receive().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        let closed = self.lines.close().await;
        match tokio::time::timeout(GRACE, self.child.wait()).await {
            Ok(ended) => closed.and(ended.map(|_| ())),
            Err(_) => closed.and(self.child.kill().await),
        }
    }
}

/// How long a child may take to exit after its input is closed.
const GRACE: Duration = Duration::from_secs(3);
