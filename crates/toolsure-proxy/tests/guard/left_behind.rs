//! Processes that outlive the one that was started: what a dead server left behind, and the server of a
//! wrapper.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolsure_proxy::Launch;
use toolsure_proxy::guard::{GuardOptions, Listener, Restart, Upstream};

use crate::common::{
    Lined, PRELUDE, Served, call, modern, options, policy, python, restarting, text_of,
};

/// Leaves a process behind that holds its standard output.
const LEAVES: &str = r#"
import subprocess
left = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
for m, id, name, args in calls():
    if name == "die": os._exit(7)
    text(id, json.dumps([os.getpid(), left.pid]), **MORE)
    if name == "hang": os._exit(7)
"#;

/// Answers `hang` after more than the `after_exit` of its test.
const SLOW: &str = r#"
for m, id, name, args in calls():
    if name == "hang": time.sleep(6)
    text(id, "heard", **MORE)
"#;

/// How clients reach the server.
#[derive(Clone, Copy, Debug)]
enum Over {
    Stdio,
    LegacyHttp,
    ModernHttp,
}

enum Client {
    Lined(Box<Lined>),
    Legacy(Served, String),
    Modern(Served),
}

impl Client {
    async fn open(over: Over, upstream: Upstream, after_exit: Duration) -> Self {
        if matches!(over, Over::Stdio) {
            let mut options = options(Listener::Stdio, upstream);
            options.times.after_exit = after_exit;
            let mut client = Lined::with(options, policy());
            client.open().await;
            return Self::Lined(Box::new(client));
        }
        let change = |options: &mut GuardOptions| {
            options.times.after_exit = after_exit;
        };
        let served = Served::with(upstream, policy(), change).await;
        if matches!(over, Over::ModernHttp) {
            return Self::Modern(served);
        }
        let session = served.open().await;
        Self::Legacy(served, session)
    }

    async fn call(&mut self, id: i64, tool: &str) -> Value {
        let message = call(id, tool, json!({}));
        match self {
            Self::Lined(client) => client.ask(&message).await,
            Self::Legacy(served, session) => served.in_session(session, &message).await.message(),
            Self::Modern(served) => served.modern(&modern(message)).await.message(),
        }
    }
}

/// Whether a process runs; one that only waits to be reaped does not.
fn runs(process: &Value, zombies: bool) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| zombies || !stat.contains(") Z "))
}

#[tokio::test]
async fn a_dead_server_is_noticed_although_its_child_holds_its_output() {
    for over in [Over::Stdio, Over::LegacyHttp, Over::ModernHttp] {
        let mut client = Client::open(over, python(LEAVES), Duration::from_millis(500)).await;
        let heard = client.call(1, "echo").await;
        let processes: Value = serde_json::from_str(text_of(&heard)).unwrap();
        assert!(runs(&processes[1], false), "{over:?}: {processes}");
        let lost = client.call(2, "die").await;
        let why = lost["error"]["message"].as_str().unwrap_or_default();
        assert!(why.contains("status 7"), "{over:?}: {lost}");
        ended(over, &processes).await;
    }
}

#[tokio::test]
async fn a_dead_server_is_noticed_while_nobody_waits_for_it() {
    for over in [Over::Stdio, Over::LegacyHttp, Over::ModernHttp] {
        // Longer than this test waits: no call is what it is noticed by.
        let after_exit = Duration::from_secs(600);
        let upstream = restarting(python(LEAVES));
        let mut client = Client::open(over, upstream, after_exit).await;
        let heard = client.call(1, "hang").await;
        let processes: Value = serde_json::from_str(text_of(&heard)).unwrap();
        ended(over, &processes).await;
        if !matches!(over, Over::LegacyHttp) {
            let heard = client.call(2, "echo").await;
            let fresh: Value = serde_json::from_str(text_of(&heard)).unwrap();
            assert_ne!(fresh[0], processes[0], "{over:?}");
        }
    }
}

/// Waits until a server and what it left behind have ended. Whoever adopts what was left behind also
/// reaps it.
async fn ended(over: Over, processes: &Value) {
    for (process, zombies) in [(&processes[0], true), (&processes[1], false)] {
        let gone = Instant::now() + Duration::from_secs(10);
        while runs(process, zombies) {
            assert!(Instant::now() < gone, "{over:?}: {processes}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn the_server_of_a_wrapper_lives_on() {
    let script = &format!("{PRELUDE}\n{SLOW}");
    for (wrapper, tools) in [
        ("exec python3 -u -c \"$0\"", &["echo"][..]),
        ("python3 -u -c \"$0\"; exit 3", &["echo"]),
        (
            "exec 3<&0; python3 -u -c \"$0\" <&3 &",
            &["echo", "hang", "echo"],
        ),
    ] {
        let calls = [Over::Stdio, Over::LegacyHttp, Over::ModernHttp].map(|over| async move {
            let launch = Launch::new("sh").args(["-c", wrapper, script]);
            let restart = Restart::NEVER;
            let upstream = Upstream::Child { launch, restart };
            // Long enough for the server to begin.
            let mut client = Client::open(over, upstream, Duration::from_secs(30)).await;
            for (id, tool) in (1..).zip(tools) {
                let heard = client.call(id, tool).await;
                assert_eq!(text_of(&heard), "heard", "{wrapper} {over:?}: {heard}");
            }
        });
        let [one, two, three] = calls;
        tokio::join!(one, two, three);
    }
}
