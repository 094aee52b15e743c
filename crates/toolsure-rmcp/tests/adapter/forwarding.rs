//! The wrapper has every method of rmcp's `ServerHandler`. If it lacked one that a new rmcp adds,
//! calls of it would be answered with "method not found".
#![expect(clippy::unwrap_used, reason = "tests say what they expect by stopping")]

use std::collections::BTreeSet;
use std::process::Command;

/// The names of the methods that a text declares.
fn methods(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().map(str::trim_start);
    let declared = lines.filter_map(|line| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.strip_prefix("fn ")?.split(['(', '<']).next()
    });
    declared.collect()
}

/// This platform, as cargo names it. The packages of other platforms may be missing.
fn host() -> String {
    let output = Command::new(env!("CARGO")).arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.unwrap().to_owned()
}

/// The folder of rmcp's source, and its version.
fn rmcp() -> (std::path::PathBuf, String) {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .args(["--filter-platform", &host()])
        // A manifest path, no working folder: `cargo xtask rmcp` tests in a folder of links.
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ])
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata.get("packages").and_then(|p| p.as_array()).unwrap();
    let named = |package: &&serde_json::Value| package.get("name").unwrap() == "rmcp";
    let package = packages.iter().find(named).unwrap();
    let text = |member| package.get(member).unwrap().as_str().unwrap().to_owned();
    let manifest = std::path::PathBuf::from(text("manifest_path"));
    (manifest.parent().unwrap().to_owned(), text("version"))
}

#[test]
fn every_method_of_the_trait_is_forwarded() {
    let (folder, version) = rmcp();
    let source = std::fs::read_to_string(folder.join("src/handler/server.rs")).unwrap();
    let declared = source
        .split_once("macro_rules! server_handler_methods")
        .and_then(|(_, rest)| rest.split_once("\n}\n"))
        .map(|(trait_body, _)| methods(trait_body))
        .unwrap();
    assert!(
        declared.len() >= 32,
        "found only {declared:?} in rmcp {version}"
    );
    let ours = include_str!("../../src/server/handler.rs");
    let (_, ours) = ours
        .split_once("ServerHandler for CheckedHandler<H> {")
        .unwrap();
    let (ours, _) = ours.split_once("\n}\n").unwrap();
    let packed: String = ours.split_whitespace().collect();
    assert_eq!(declared, methods(ours), "rmcp {version}");
    for method in methods(ours) {
        assert!(
            packed.contains(&format!("handler.{method}(")),
            "{method} does not reach the handler"
        );
    }
}

/// The layer below rmcp's HTTP client has all methods that the oldest version has. By default,
/// newer methods call these.
#[test]
fn every_method_of_the_http_client_is_forwarded() {
    let (folder, version) = rmcp();
    let source = folder.join("src/transport/streamable_http_client.rs");
    let source = std::fs::read_to_string(source).unwrap();
    let (_, declared) = source.split_once("pub trait StreamableHttpClient").unwrap();
    let (declared, _) = declared.split_once("\n}\n").unwrap();
    let newer = BTreeSet::from(["post_message_with_response_limits"]);
    let declared: BTreeSet<&str> = &methods(declared) - &newer;
    let ours = include_str!("../../src/client/http.rs");
    let (_, ours) = ours
        .split_once("StreamableHttpClient for CheckedHttp<C> {")
        .unwrap();
    let (ours, _) = ours.split_once("\n}\n").unwrap();
    assert_eq!(declared, methods(ours), "rmcp {version}");
}
