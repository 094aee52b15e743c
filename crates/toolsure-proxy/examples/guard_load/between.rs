//! The proxies between client and server: one that only copies bytes, and the guard.

use std::process::Stdio;
use std::sync::Arc;

use toolsure_guard::{Guard, Policy};
use toolsure_proxy::guard::{
    GuardOptions, HttpListener, Listener, Restart, Unobserved, Upstream, serve,
};
use toolsure_proxy::{HttpTarget, Launch};

use crate::{Done, itself};

pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

pub(crate) async fn copy_stdio(tools: usize) -> Done<()> {
    use tokio::net::unix::pipe::OpenOptions;
    let mut child = tokio::process::Command::new(itself()?)
        .args(["echo-stdio", &tools.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let mut input = OpenOptions::new().open_receiver("/proc/self/fd/0")?;
    let mut output = OpenOptions::new().open_sender("/proc/self/fd/1")?;
    let there = async move { tokio::io::copy(&mut input, &mut to).await.map(drop) };
    let back = async move { tokio::io::copy(&mut from, &mut output).await.map(drop) };
    tokio::try_join!(there, back)?;
    Ok(())
}

pub(crate) async fn copy_http(upstream: &str) -> Done<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (mut client, _) = listener.accept().await?;
        let mut server = tokio::net::TcpStream::connect(upstream).await?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut server).await });
    }
}

pub(crate) async fn guard_stdio(tools: usize) -> Done<()> {
    let upstream = Upstream::Child {
        launch: Launch::new(itself()?).args(["echo-stdio", &tools.to_string()]),
        restart: Restart::NEVER,
    };
    let options = GuardOptions::new("load", Listener::Stdio, upstream);
    let running = serve(options, guard()?, Arc::new(Unobserved)).await?;
    running.finished().await;
    Ok(())
}

pub(crate) async fn guard_http(upstream: &str) -> Done<()> {
    let target = HttpTarget::new(&format!("http://{upstream}/mcp"))?;
    let listener = Listener::Http(HttpListener::new("127.0.0.1:0".parse()?));
    let options = GuardOptions::new("load", listener, Upstream::Http(target));
    let running = serve(options, guard()?, Arc::new(Unobserved)).await?;
    if let Some(address) = running.address() {
        println!("{address}");
    }
    running.finished().await;
    Ok(())
}

fn guard() -> Done<Guard> {
    Ok(Guard::new(Policy::default())?)
}
