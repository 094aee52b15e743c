//! The proxies in front of the guard, and the client's address that they report.

use std::net::{IpAddr, SocketAddr};

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use ipnet::{IpNet, Ipv4Net};
use toolsure_json::quote;

use crate::fault::{Fault, FaultKind, Party, Phase};

/// The networks of proxies whose `X-Forwarded-For` is believed.
#[derive(Debug, Default)]
pub(in crate::guard) struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Reads addresses (`192.0.2.1`) and networks (`192.0.2.0/24`).
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] for the first text that is neither.
    pub(in crate::guard) fn read(texts: &[String]) -> Result<Self, Fault> {
        let network = |text: &String| {
            let address = text.parse::<IpAddr>();
            let address = address.map(|ip| IpNet::from(ip.to_canonical()));
            let network = address.or_else(|_| text.parse().map(canonical));
            network.map_err(|_| {
                let shown = quote(text, 64);
                let why = format!(
                    "`{shown}` is neither an address nor a network, as in `192.0.2.1` and `192.0.2.0/24`"
                );
                Fault::new(Party::Operator, FaultKind::Config, Phase::Start, why)
            })
        };
        texts
            .iter()
            .map(network)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub(super) fn contains(&self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        self.0.iter().any(|network| network.contains(&ip))
    }

    /// The client of a request that a trusted proxy sent: the last address in `X-Forwarded-For` that is not
    /// that of a trusted proxy, since clients may write anything before it. If there is none, or what
    /// should be an address is none, the last trusted one.
    pub(super) fn client(&self, proxy: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = proxy.to_canonical();
        let lines: Vec<&HeaderValue> = headers.get_all(FORWARDED_FOR).iter().collect();
        for line in lines.into_iter().rev() {
            let Ok(line) = line.to_str() else {
                return client;
            };
            for hop in line.rsplit(',').map(str::trim) {
                let Some(ip) = address(hop) else {
                    return client;
                };
                client = ip;
                if !self.contains(ip) {
                    return client;
                }
            }
        }
        client
    }
}

/// A network of IPv4-mapped IPv6 addresses as one of IPv4 addresses, which is what addresses are compared as.
fn canonical(network: IpNet) -> IpNet {
    let mapped = match network {
        IpNet::V6(network) => network
            .addr()
            .to_ipv4_mapped()
            .zip(network.prefix_len().checked_sub(96)),
        IpNet::V4(_) => None,
    };
    let mapped = mapped.and_then(|(ip, prefix)| Ipv4Net::new(ip, prefix).ok());
    mapped.map_or(network, IpNet::from)
}

/// An address, which some proxies write with a port or in brackets.
fn address(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']'));
    let ip = bare.unwrap_or(hop).parse::<IpAddr>();
    let ip = ip.or_else(|_| hop.parse().map(|socket: SocketAddr| socket.ip()));
    ip.ok().map(|ip| ip.to_canonical())
}

pub(super) const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_last_that_no_trusted_proxy_is() {
        let trusted = ["::ffff:10.0.0.0/104", "2001:db8::1", "::ffff:192.0.2.1"];
        let trusted = trusted.map(str::to_owned);
        let trusted = TrustedProxies::read(&trusted).unwrap();
        let proxy = IpAddr::from([10, 0, 0, 1]);
        for (lines, client) in [
            (&[][..], "10.0.0.1"),
            (&["198.51.100.1"], "198.51.100.1"),
            (&["198.51.100.1:4711, 10.1.1.1"], "198.51.100.1"),
            // What a client wrote itself stands before its address.
            (&["203.0.113.9, 198.51.100.1"], "198.51.100.1"),
            (&["203.0.113.9", "198.51.100.1, 192.0.2.1"], "198.51.100.1"),
            (&["[2001:db8:1::1]:80,2001:db8::1"], "2001:db8:1::1"),
            (&["[2001:db8:1::2]"], "2001:db8:1::2"),
            (&["10.2.2.2, 10.1.1.1"], "10.2.2.2"),
            (&["198.51.100.1, unknown, 10.1.1.1"], "10.1.1.1"),
            (&[""], "10.0.0.1"),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
            }
            let expected: IpAddr = client.parse().unwrap();
            assert_eq!(trusted.client(proxy, &headers), expected, "{lines:?}");
        }
        assert!(!trusted.contains([192, 0, 2, 2].into()));
        for wrong in ["", "10.0.0.0/33", "proxy.example", "10.0.0.1:80"] {
            assert!(
                TrustedProxies::read(&[wrong.to_owned()]).is_err(),
                "{wrong}"
            );
        }
    }
}
