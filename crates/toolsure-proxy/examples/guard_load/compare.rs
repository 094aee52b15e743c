//! Compares the guard with a direct connection and with a proxy that only copies bytes,
//! interleaved.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::Done;
use crate::connections::{Connection, Running, call, http, listening, open, resident, stdio};

struct Measured {
    name: &'static str,
    connection: Box<dyn Connection>,
    process: Option<u32>,
    single: Vec<Duration>,
    concurrent: Vec<Duration>,
    memory: Option<u64>,
}

/// Compares all connections. Each round makes `calls` calls one by one, then `calls` concurrently.
pub(crate) fn compare(rounds: usize, calls: usize) -> Done<()> {
    let mut running = Running::default();
    let mut connections = Vec::new();
    for (name, mode) in [
        ("stdio direct", "echo-stdio"),
        ("stdio copy", "copy-stdio"),
        ("stdio guard", "guard-stdio"),
    ] {
        let (connection, id) = stdio(mode, 1, &mut running)?;
        connections.push((name, connection, (mode == "guard-stdio").then_some(id)));
    }
    let (server, _) = listening("echo-http", "1", &mut running)?;
    let (copy, _) = listening("copy-http", &server, &mut running)?;
    let (guard, id) = listening("guard-http", &server, &mut running)?;
    connections.push(("HTTP direct", http(&server)?, None));
    connections.push(("HTTP copy", http(&copy)?, None));
    connections.push(("HTTP guard", http(&guard)?, Some(id)));
    let mut measured: Vec<Measured> = Vec::new();
    for (name, mut connection, process) in connections {
        open(connection.as_mut())?;
        measured.push(Measured {
            name,
            connection,
            process,
            single: Vec::new(),
            concurrent: Vec::new(),
            memory: None,
        });
    }
    for round in 0..rounds {
        for one in &mut measured {
            one.round(calls)?;
            if round == 0 {
                one.memory = one.process.and_then(resident);
            }
        }
    }
    report(&mut measured, calls);
    Ok(())
}

impl Measured {
    fn round(&mut self, calls: usize) -> Done<()> {
        for id in 0..calls {
            let message = call(id, 1);
            let begun = Instant::now();
            self.connection.send(&message)?;
            let answer = self.connection.receive()?;
            self.single.push(begun.elapsed());
            if !answer.contains("structuredContent") {
                return Err(format!("{}: {answer}", self.name).into());
            }
        }
        // An HTTP connection answers its requests one at a time.
        let most = if self.name.starts_with("HTTP") { 1 } else { 64 };
        let begun = Instant::now();
        let (mut sent, mut received) = (0, 0);
        while received < calls {
            while sent < calls && sent - received < most {
                self.connection.send(&call(sent, 1))?;
                sent += 1;
            }
            self.connection.receive()?;
            received += 1;
        }
        self.concurrent.push(begun.elapsed());
        Ok(())
    }
}

fn report(measured: &mut [Measured], calls: usize) {
    println!(
        "connection              median µs   p99 µs   calls/s   memory MiB: first round, last"
    );
    let mut medians = BTreeMap::new();
    for one in measured.iter_mut() {
        one.single.sort_unstable();
        one.concurrent.sort_unstable();
        let (median, late) = (at(&one.single, 50), at(&one.single, 99));
        let concurrent = at(&one.concurrent, 50).as_secs_f64().max(1e-9);
        let rate = u32::try_from(calls).map_or(0.0, |calls| f64::from(calls) / concurrent);
        let memory = match (one.memory, one.process.and_then(resident)) {
            (Some(first), Some(last)) => format!("{} KiB, {} KiB", first, last),
            _ => String::new(),
        };
        println!(
            "{:<16} {:>9.1} {:>8.1} {rate:>9.0}   {memory}",
            one.name,
            micros(median),
            micros(late)
        );
        medians.insert(one.name, micros(median));
    }
    for kind in ["stdio", "HTTP"] {
        let of = |connection: &str| {
            medians
                .iter()
                .find(|(name, _)| **name == format!("{kind} {connection}"))
        };
        if let (Some(direct), Some(copy), Some(guard)) = (of("direct"), of("copy"), of("guard")) {
            println!(
                "{kind}: the guard adds {:.1} µs to a direct call, {:.1} µs to a copied one",
                guard.1 - direct.1,
                guard.1 - copy.1
            );
        }
    }
}

fn at(sorted: &[Duration], percent: usize) -> Duration {
    let index = sorted.len().saturating_mul(percent) / 100;
    sorted
        .get(index.min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
