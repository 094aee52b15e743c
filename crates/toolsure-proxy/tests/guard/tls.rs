//! HTTPS on both sides of a guard: whom it trusts, what it serves, certificates that are replaced.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolsure_proxy::guard::{Exit, Listener, ServerCertificate, Upstream};
use toolsure_proxy::{FaultKind, HttpTarget};

use crate::common::{Lined, Served, call, initialize, options, policy, python, text_of};

/// A certificate authority, and a server's certificate from it, as PEM files.
struct Signed {
    authority: PathBuf,
    certificate: PathBuf,
    key: PathBuf,
}

impl Signed {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(names).unwrap();
        let own = own.signed_by(&key, &authority).unwrap();
        Self {
            authority: file(&format!("{name}-ca.pem"), &authority.pem()),
            certificate: file(&format!("{name}.pem"), &own.pem()),
            key: file(&format!("{name}.key"), &key.serialize_pem()),
        }
    }

    fn read(&self) -> ServerCertificate {
        ServerCertificate::read(&self.certificate, &self.key).unwrap()
    }
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{name}"));
    std::fs::write(&path, text).unwrap();
    path
}

/// A guard that serves HTTPS, in front of a child that answers every call.
async fn serving(certificate: &ServerCertificate) -> Served {
    let child = python("for m, id, name, args in calls(): text(id, name, **MORE)");
    Served::with(child, policy(), |options| {
        if let Listener::Http(http) = &mut options.listener {
            http.tls = Some(certificate.clone());
        }
    })
    .await
}

/// A client on stdio with a guard of its own, which speaks HTTPS to `served`.
fn client(served: &Served, believed: Option<&Path>) -> Lined {
    let url = format!("https://127.0.0.1:{}/mcp", served.port);
    let mut target = HttpTarget::new(&url).unwrap();
    if let Some(believed) = believed {
        target = target.trusting(believed).unwrap();
    }
    Lined::with(options(Listener::Stdio, Upstream::Http(target)), policy())
}

async fn calls_well(client: &mut Lined) {
    let answer = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&answer), "echo", "{answer}");
}

/// The error that answers `initialize` if no session can be opened.
async fn refused(mut client: Lined) -> String {
    let answer = client.ask(&initialize(0)).await;
    answer["error"]["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_guard_speaks_https_on_both_sides() {
    let signed = Signed::new("both");
    let served = serving(&signed.read()).await;
    let mut client = client(&served, Some(&signed.authority));
    client.open().await;
    calls_well(&mut client).await;
    assert!(matches!(client.finished().await, Exit::ClientGone));
    assert!(matches!(served.stop().await, Exit::Stopped));
}

#[tokio::test]
async fn a_server_that_nobody_vouches_for_gets_nothing() {
    let (signed, other) = (Signed::new("alone"), Signed::new("other"));
    let served = serving(&signed.read()).await;
    for believed in [None, Some(other.authority.as_path())] {
        let why = refused(client(&served, believed)).await;
        assert!(why.contains("certificate"), "{why}");
    }
    let seen = served.seen.0.lock().unwrap().clone();
    assert!(
        !seen.iter().any(|word| word.contains("Started")),
        "{seen:?}"
    );
}

#[tokio::test]
async fn plain_http_on_a_port_of_https_ends_that_connection_only() {
    let signed = Signed::new("plain");
    let served = serving(&signed.read()).await;
    let mut plain = TcpStream::connect(("127.0.0.1", served.port))
        .await
        .unwrap();
    plain
        .write_all(b"POST /mcp HTTP/1.1\r\n\r\n")
        .await
        .unwrap();
    let mut answer = Vec::new();
    // The system chooses whether the connection ends regularly or with a reset.
    let _end = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP/"), "{answer:?}");
    let mut client = client(&served, Some(&signed.authority));
    client.open().await;
    calls_well(&mut client).await;
}

#[tokio::test]
async fn a_certificate_is_replaced_while_it_is_served() {
    let (old, new) = (Signed::new("old"), Signed::new("new"));
    let shown = old.read();
    let served = serving(&shown).await;
    let mut before = client(&served, Some(&old.authority));
    before.open().await;
    calls_well(&mut before).await;
    shown.replace(&new.read());
    let why = refused(client(&served, Some(&old.authority))).await;
    assert!(why.contains("certificate"), "{why}");
    let mut after = client(&served, Some(&new.authority));
    after.open().await;
    calls_well(&mut after).await;
    // The connection that was open goes on.
    calls_well(&mut before).await;
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let (one, other) = (Signed::new("mine"), Signed::new("theirs"));
    let (empty, gone) = (file("empty.pem", ""), PathBuf::from("/nowhere/a.pem"));
    for (certificate, key, named) in [
        (&gone, &one.key, "a.pem"),
        (&empty, &one.key, "empty.pem"),
        (&one.key, &one.key, "mine.key"),
        (&one.certificate, &one.certificate, "mine.pem"),
        (&one.certificate, &other.key, "theirs.key"),
    ] {
        let fault = ServerCertificate::read(certificate, key).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::Config);
        assert!(fault.to_string().contains(named), "{fault}");
    }
    for authorities in [&gone, &empty, &one.key] {
        let target = HttpTarget::new("https://localhost/").unwrap();
        let fault = target.trusting(authorities).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::Config);
        let name = authorities.file_name().unwrap().to_str().unwrap();
        assert!(fault.to_string().contains(name), "{fault}");
    }
}
