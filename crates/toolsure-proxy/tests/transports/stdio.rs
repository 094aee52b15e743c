//! Child processes that misbehave, one per fault. They are scripted in Python, which must be on
//! `PATH`.

use std::time::{Duration, Instant};

use crate::common::{limited, list_python, options};
use toolsure_mcp::era::Era;
use toolsure_proxy::{Fault, FaultKind, Launch, Party, Phase, Session};

async fn fault(script: &str) -> Fault {
    list_python(script, options()).await.unwrap_err()
}

#[tokio::test]
async fn a_legacy_server_is_paged_through_and_its_texts_kept() {
    let script = r#"
serve_init()
tools(read()["id"], ["a"], nextCursor="")
m = read(); assert m["params"] == {"cursor": ""}, m
raw('{"jsonrpc":"2.0","id":%d,"result":{"tools":[ {"n": 1e400,  "x":[1.10]}, 7 ]}}\n' % m["id"])
read()
"#;
    let (server, listing, notes) = list_python(script, options()).await.unwrap();
    assert_eq!((server.era, server.name.as_str()), (Era::V2025_11_25, "py"));
    assert_eq!(listing.tools[1..], [r#"{"n": 1e400,  "x":[1.10]}"#, "7"]);
    assert_eq!(
        (listing.pages.len(), notes.noise_lines, notes.restarted),
        (2, 0, false)
    );
}

#[tokio::test]
async fn a_modern_server_gets_its_meta() {
    let script = r#"
m = read(); meta = m["params"]["_meta"]
assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28", m
info = {"io.modelcontextprotocol/serverInfo": {"name": "new", "version": "2"}}
answer(m["id"], {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "_meta": info})
m = read(); assert m["params"]["_meta"] == meta and m["method"] == "tools/list", m
tools(m["id"], ["a"], resultType="complete", nextCursor="n")
m = read(); assert m["params"] == {"_meta": meta, "cursor": "n"}, m
tools(m["id"], ["b"], resultType="complete")
read()
"#;
    let (server, listing, _) = list_python(script, options()).await.unwrap();
    assert_eq!(
        (server.era, server.name.as_str(), listing.tools.len()),
        (Era::V2026_07_28, "new", 2)
    );
}

#[tokio::test]
async fn silence_at_the_probe_means_legacy_unless_the_answer_comes_late() {
    let silent = r#"
read(); m = read(); assert m["method"] == "initialize"
answer(m["id"], {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}})
read(); tools(read()["id"], ["a"]); read()
"#;
    let (server, ..) = list_python(silent, options()).await.unwrap();
    assert_eq!(server.era, Era::V2024_11_05);
    let late = r#"
m = read(); read()
answer(m["id"], {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
tools(read()["id"], ["a"]); read()
"#;
    let (server, ..) = list_python(late, options()).await.unwrap();
    assert_eq!(server.era, Era::V2026_07_28);
    // A late answer to a request that was given up is not a stray answer.
    let both = r#"
m = read(); n = read(); assert n["method"] == "initialize"
answer(n["id"], {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}})
read(); t = read(); error(m["id"], -32601); tools(t["id"], ["a"]); error(99, 1); read()
"#;
    let (_, _, notes) = list_python(both, options()).await.unwrap();
    assert_eq!((notes.stray_answers, notes.first_stray), (0, None));
}

/// Half a surrogate pair affects only the tool that contains it.
#[tokio::test]
async fn half_a_surrogate_pair_costs_no_listing() {
    let half = r#"
serve_init()
raw('{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","title":"\\ud83d"},{"name":"b"}]}}\n' % read()["id"])
read()
"#;
    let (_, listing, _) = list_python(half, options()).await.unwrap();
    assert_eq!(
        listing.tools,
        [r#"{"name":"a","title":"\ud83d"}"#, r#"{"name":"b"}"#]
    );
}

#[tokio::test]
async fn a_server_that_dies_of_the_probe_is_started_again() {
    let script = r#"
m = read()
if m["method"] != "initialize": sys.exit(1)
answer(m["id"], {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}})
read(); tools(read()["id"], ["a"]); read()
"#;
    let (server, _, notes) = list_python(script, options()).await.unwrap();
    assert_eq!((server.era, notes.restarted), (Era::V2025_06_18, true));
}

#[tokio::test]
async fn versions_that_do_not_meet_are_named() {
    let modern = fault(r#"send({"jsonrpc":"2.0","id":read()["id"],"error":{"code":-32022,"message":"no","data":{"supported":["2031-01-01"]}}}); read()"#).await;
    assert_eq!(
        modern.to_string(),
        "the server supports the protocol versions `2031-01-01`"
    );
    assert_eq!(modern.kind(), FaultKind::Version);
    let legacy = fault(r#"error(read()["id"], 1); answer(read()["id"], {"protocolVersion": "1999-01-01"}); read()"#).await;
    assert_eq!(
        legacy.to_string(),
        "the server answers `initialize` with protocol version `1999-01-01`"
    );
}

#[tokio::test]
async fn a_command_that_is_not_there_is_the_operators_fault() {
    let error = Session::stdio(Launch::new("no-such-program-7"), options())
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.by(), error.phase()),
        (FaultKind::Spawn, Party::Operator, Phase::Start)
    );
    assert!(
        error
            .to_string()
            .starts_with("cannot start `no-such-program-7`: "),
        "{error}"
    );
}

#[tokio::test]
async fn dying_at_the_start_shows_status_and_last_words() {
    let error =
        fault("sys.stderr.write('warming up\\nboom \\033[31mred\\033[0m\\n'); sys.exit(3)").await;
    assert_eq!(
        error.to_string(),
        "`python3` exited with status 3 before it answered"
    );
    assert_eq!(error.stderr(), ["warming up", "boom red"]);
    let error = fault("os.kill(os.getpid(), 9)").await;
    assert_eq!(
        error.to_string(),
        "`python3` was killed by signal 9 before it answered"
    );
}

#[tokio::test]
async fn dying_in_the_middle_of_the_list_is_told_apart() {
    let error = fault("serve_init(); read(); sys.exit(0)").await;
    assert_eq!(
        (error.kind(), error.phase()),
        (FaultKind::Exited, Phase::List)
    );
    assert_eq!(
        error.to_string(),
        "`python3` exited with status 0 before it answered"
    );
}

#[tokio::test]
async fn hanging_ends_at_the_deadline() {
    let start = Instant::now();
    let error = fault("serve_init(); time.sleep(60)").await;
    assert_eq!(
        (error.kind(), error.phase()),
        (FaultKind::Timeout, Phase::List)
    );
    assert_eq!(error.to_string(), "no answer to `tools/list` within 1.5 s");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn noise_is_kept_out_and_counted() {
    let script = r#"
raw("Server ready!\n\n{\"level\":\"info\"}\n[1]\n\x1b[2J\n")
serve_init(); raw("more\n"); tools(read()["id"], ["a"]); read()
"#;
    let (_, listing, notes) = list_python(script, options()).await.unwrap();
    assert_eq!(
        (
            listing.tools.len(),
            notes.noise_lines,
            notes.first_noise.as_deref()
        ),
        (1, 5, Some("Server ready!"))
    );
}

#[tokio::test]
async fn a_byte_order_mark_before_all_else_is_dropped() {
    let script = r#"
sys.stdout.buffer.write(b"\xef\xbb\xbf"); sys.stdout.buffer.flush()
serve_init(); tools(read()["id"], ["a"]); read()
"#;
    let (_, listing, notes) = list_python(script, options()).await.unwrap();
    assert_eq!((listing.tools.len(), notes.noise_lines), (1, 0));
}

#[tokio::test]
async fn garbage_for_an_answer_fails_at_once_or_explains_the_silence() {
    let start = Instant::now();
    let error =
        fault("serve_init(); read(); raw('{\"jsonrpc\": \"2.0\", oops}\\n'); time.sleep(60)").await;
    assert_eq!(error.kind(), FaultKind::Protocol);
    assert!(
        error
            .to_string()
            .ends_with(r#": `{"jsonrpc": "2.0", oops}`"#),
        "{error}"
    );
    assert!(start.elapsed() < Duration::from_secs(2));
    let error = fault("serve_init(); read(); raw('hello\\n'); time.sleep(60)").await;
    let text = error.to_string();
    let told =
        "no answer to `tools/list` within 1.5 s (1 line on stdout not JSON-RPC, first `hello`)";
    assert_eq!(text, told);
}

#[tokio::test]
async fn an_answer_with_a_wrong_id_is_no_answer() {
    let error = fault("serve_init(); read(); tools('3', ['a']); time.sleep(60)").await;
    let text = error.to_string();
    let told =
        "no answer to `tools/list` within 1.5 s (1 answer to no request of ours, first id `\"3\"`)";
    assert_eq!(text, told);
}

#[tokio::test]
async fn results_of_the_wrong_shape_are_quoted() {
    for (result, told) in [
        (
            "{}",
            "the result of `tools/list` has no array `tools`: `{}`",
        ),
        (
            "{'tools': [], 'nextCursor': 7}",
            "`nextCursor` in the result of `tools/list` is not a string: `7`",
        ),
        (
            "'text'",
            "the result of `tools/list` has no array `tools`: `\"text\"`",
        ),
    ] {
        let error = fault(&format!(
            "serve_init(); answer(read()['id'], {result}); time.sleep(9)"
        ))
        .await;
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (FaultKind::Protocol, told)
        );
    }
    let error = fault("serve_init(); error(read()['id'], -32603); read()").await;
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            FaultKind::Refused(-32603),
            "the server refuses `tools/list`: error -32603 `no`"
        )
    );
}

#[tokio::test]
async fn pages_without_end_and_cursors_that_repeat_are_refused() {
    let endless = "serve_init(); n = 0\nwhile True:\n  n += 1\n  m = read()\n  if not m: break\n  tools(m['id'], ['a'], nextCursor=str(n))";
    let error = list_python(endless, limited(|limits| limits.pages = 5))
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            FaultKind::TooLarge,
            "the number of pages of `tools/list` is over the limit of 5 (pages)"
        )
    );
    let error = list_python(endless, limited(|limits| limits.tools = 3))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the number of tools is over the limit of 3 (tools)"
    );
    let error =
        fault("serve_init()\nfor c in 'aba':\n  tools(read()['id'], ['a'], nextCursor=c)\nread()")
            .await;
    assert_eq!(
        error.to_string(),
        "`tools/list` gives the cursor `a` a second time"
    );
}

#[tokio::test]
async fn floods_and_giant_lines_stop_at_the_limit() {
    let options = || limited(|limits| limits.message_bytes = 1 << 20);
    let start = Instant::now();
    let error = list_python("while True: raw('x' * 65536)", options())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), FaultKind::TooLarge);
    assert!(
        error
            .to_string()
            .contains("is over the limit of 1048576 (message bytes)"),
        "{error}"
    );
    let error = list_python(
        "serve_init(); answer(read()['id'], 'y' * (2 << 20)); read()",
        options(),
    )
    .await
    .unwrap_err();
    assert_eq!(
        (error.kind(), error.phase()),
        (FaultKind::TooLarge, Phase::List)
    );
    assert!(start.elapsed() < Duration::from_secs(6));
}

#[tokio::test]
async fn a_flood_of_noise_lines_ends_at_the_deadline() {
    let start = Instant::now();
    let error = fault("while True: raw('noise\\n' * 10000)").await;
    assert_eq!(error.kind(), FaultKind::Timeout);
    assert!(start.elapsed() < Duration::from_secs(12));
}

#[tokio::test]
async fn stderr_spam_neither_blocks_nor_grows() {
    let script = "sys.stderr.write('s' * (4 << 20) + '\\nlast\\n'); sys.stderr.flush(); serve_init(); read(); sys.exit(1)";
    let error = fault(script).await;
    assert_eq!(error.stderr().last().map(String::as_str), Some("last"));
    assert!(error.stderr().iter().map(String::len).sum::<usize>() < 1_000);
}

#[tokio::test]
async fn the_servers_requests_are_answered_or_declined() {
    let script = r#"
serve_init(); m = read()
send({"jsonrpc": "2.0", "id": "p", "method": "ping"})
assert read() == {"jsonrpc": "2.0", "id": "p", "result": {}}
send({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
assert read()["error"]["code"] == -32601
send({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
raw('[{"jsonrpc":"2.0","id":9,"result":{}},{"jsonrpc":"2.0","id":%d,"result":{"tools":[]}}]\n' % m["id"]); read()
"#;
    let (_, listing, notes) = list_python(script, options()).await.unwrap();
    assert_eq!(
        (
            listing.tools.len(),
            notes.first_declined.as_deref(),
            notes.stray_answers
        ),
        (0, Some("roots/list"), 1)
    );
}

#[tokio::test]
async fn a_server_without_tools_lists_none() {
    let (_, listing, _) = list_python(
        "serve_init({}); error(read()['id'], -32601); read()",
        options(),
    )
    .await
    .unwrap();
    assert!(listing.tools.is_empty());
}

#[tokio::test]
async fn the_whole_group_is_gone_afterwards_even_if_it_ignores_sigterm() {
    let dir = std::env::temp_dir().join(format!("toolsure-proxy-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("pids");
    let script = format!(
        r#"
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child == 0:
    time.sleep(60); os._exit(0)
open({path:?}, "w").write(f"{{os.getpid()}} {{child}}")
serve_init(); tools(read()["id"], ["a"])
while True: time.sleep(1)
"#
    );
    list_python(&script, options()).await.unwrap();
    let pids = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    for pid in pids.split_whitespace() {
        // The grandchild is reaped by its new parent, which may take a moment.
        let gone = (0..50).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            let stat = std::process::Command::new("ps")
                .args(["-o", "stat=", "-p", pid])
                .output()
                .unwrap();
            let stat = String::from_utf8(stat.stdout).unwrap();
            stat.trim().is_empty() || stat.trim().starts_with('Z')
        });
        assert!(gone, "process {pid} is still there");
    }
}
