//! The fixture server: on HTTP with `--http` (prints where), else on standard input and output.

use everything::http;
use everything::server::Everything;
use rmcp::ServiceExt;
use rmcp::transport::io::stdio;
use toolsure_rmcp::ServerLayer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut key = [0_u8; 32];
    getrandom::fill(&mut key).map_err(|error| error.to_string())?;
    let server = ServerLayer::new()
        .fixed_tools()
        .wrap(Everything::new(&key)?);
    match std::env::args().nth(1).as_deref() {
        Some("--http") => http::serve(server).await?,
        None => {
            server.serve(stdio()).await?.waiting().await?;
        }
        Some(other) => return Err(format!("`{other}`: the only option is --http").into()),
    }
    Ok(())
}
