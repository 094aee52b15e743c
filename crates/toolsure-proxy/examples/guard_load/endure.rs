//! A long run of the guard alone: many calls of many tools on both transports, with its memory over
//! time.

use crate::Done;
use crate::connections::{Connection, Running, call, http, listening, open, resident, stdio};

/// How many times the memory is measured.
const LOOKS: usize = 10;

/// Makes `calls` calls on each transport, and prints the guard's resident memory ten times.
pub(crate) fn endure(calls: usize, tools: usize) -> Done<()> {
    let mut running = Running::default();
    let (mut line, process) = stdio("guard-stdio", tools, &mut running)?;
    watched("stdio", line.as_mut(), process, (calls, tools, 64))?;
    let (server, _) = listening("echo-http", &tools.to_string(), &mut running)?;
    let (address, process) = listening("guard-http", &server, &mut running)?;
    // An HTTP connection answers its requests one at a time.
    watched("HTTP", http(&address)?.as_mut(), process, (calls, tools, 1))
}

fn watched(
    name: &str,
    connection: &mut dyn Connection,
    process: u32,
    (calls, tools, concurrent): (usize, usize, usize),
) -> Done<()> {
    open(connection)?;
    println!("{name}: {calls} calls of {tools} tools, resident KiB");
    for look in 1..=LOOKS {
        let (from, to) = (calls * (look - 1) / LOOKS, calls * look / LOOKS);
        some(connection, from..to, tools, concurrent)?;
        let resident = resident(process).ok_or("no resident memory to read")?;
        println!("{to:>9} {resident}");
    }
    Ok(())
}

fn some(
    connection: &mut dyn Connection,
    ids: std::ops::Range<usize>,
    tools: usize,
    concurrent: usize,
) -> Done<()> {
    let (mut sent, mut received) = (ids.start, ids.start);
    while received < ids.end {
        while sent < ids.end && sent - received < concurrent {
            connection.send(&call(sent, tools))?;
            sent += 1;
        }
        let answer = connection.receive()?;
        if !answer.contains("structuredContent") {
            return Err(answer.into());
        }
        received += 1;
    }
    Ok(())
}
