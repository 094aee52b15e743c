//! `toolsure guard` over HTTPS: what a client with the platform's trust store sees, and a renewed
//! certificate.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::guard::Guard;
use crate::reload::{Listening, upstream};
use crate::run::{Dir, Run, toolsure, toolsure_with};

/// Writes a certificate for 127.0.0.1 with its key, and its authority's certificate as `NAME.pem`.
fn issue(dir: &Dir, name: &str) -> String {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let own = own.signed_by(&key, &authority).unwrap();
    dir.file("tls.crt", &own.pem());
    dir.file("tls.key", &key.serialize_pem());
    dir.file(&format!("{name}.pem"), &authority.pem())
}

fn check(guard: &Guard, believed: &str) -> Run {
    check_url(&guard.url, believed)
}

fn check_url(url: &str, believed: &str) -> Run {
    toolsure_with(&[("SSL_CERT_FILE", believed)], &["check", url])
}

#[test]
fn a_renewed_certificate_is_served_after_a_reload() {
    let dir = Dir::new();
    let old = issue(&dir, "old");
    let config = dir.file(
        "guard.toml",
        "[listen]\ntls_certificate = \"tls.crt\"\ntls_key = \"tls.key\"\n",
    );
    let summed_up = toolsure(&[
        "guard",
        "--config",
        &config,
        "--listen",
        "127.0.0.1:1",
        "--check-config",
        "--",
        "cat",
    ]);
    let told = "server: https://127.0.0.1:1/mcp -> cat";
    assert!(summed_up.stderr.contains(told), "{}", summed_up.stderr);

    let mut guard = Guard::start(&config);
    assert!(guard.url.starts_with("https://"), "{}", guard.url);
    let run = check(&guard, &old);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);

    let new = issue(&dir, "new");
    // The files are not read again before a reload.
    assert_eq!(check(&guard, &old).code, 0);
    guard.signal("-HUP");
    guard.until("the settings were read again");
    let run = check(&guard, &new);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let run = check(&guard, &old);
    assert_eq!(run.code, 4, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.contains("certificate"),
        "{}{}",
        run.stdout,
        run.stderr
    );

    // With an invalid key, the settings are invalid, and the good certificate stays.
    dir.file("tls.key", "no key");
    guard.signal("-HUP");
    guard.until("the TLS key");
    guard.until("the settings are not changed");
    assert_eq!(check(&guard, &new).code, 0);
}

#[test]
fn a_server_that_a_reload_added_serves_the_renewed_certificate_too() {
    let dir = Dir::new();
    let old = issue(&dir, "old");
    let listen = "[listen]\ntls_certificate = \"tls.crt\"\ntls_key = \"tls.key\"\n";
    let config = dir.file("guard.toml", &(listen.to_owned() + &upstream("one")));
    let mut guard = Listening::start(&config);
    let one = guard.url();
    guard.until("ready");
    dir.file(
        "guard.toml",
        &(listen.to_owned() + &upstream("one") + &upstream("two")),
    );
    guard.reload();
    let two = guard.url();
    guard.until("the settings were read again");
    for url in [&one, &two] {
        assert_eq!(check_url(url, &old).code, 0, "{url}");
    }
    let new = issue(&dir, "new");
    guard.reload();
    guard.until("the settings were read again");
    for url in [&one, &two] {
        assert_eq!(check_url(url, &new).code, 0, "{url}");
        assert_eq!(check_url(url, &old).code, 4, "{url}");
    }
}
