//! The fixture client.
//!
//! `everything-client URL` does what the suite's environment variables say.
//! `everything-client --report VERSION http URL` and `... --report VERSION stdio COMMAND...`
//! print a report on the cases in the file that `INTEROP_CASES` names.

use everything::Target;
use everything::client::{self, Orders};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [option, version, transport, target @ ..] if option == "--report" => {
            let target = match (transport.as_str(), target) {
                ("http", [url]) => Target::Http(url.clone()),
                ("stdio", [_, ..]) => Target::Stdio(target.to_vec()),
                _ => return Err("--report VERSION http URL, or stdio COMMAND...".into()),
            };
            let cases = std::env::var("INTEROP_CASES")?;
            println!("{}", everything::report(&target, version, &cases).await?);
            Ok(())
        }
        [url] => client::run(url, &Orders::from_environment()?).await,
        _ => Err("usage: everything-client URL".into()),
    }
}
