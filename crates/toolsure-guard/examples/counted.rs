//! A call and its answer through each kind of pipeline, for an instruction counter.
//!
//! `cargo build --release -p toolsure-guard --example counted`, then
//! `valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/counted KIND COUNT`
//! with two counts: the difference of the totals, divided by that of the counts, is what one call and
//! its answer take, with the little that the client and the server here do. `nothing` is a pipeline
//! without stages.

use std::process::ExitCode;

#[expect(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "shared with the tests, where a panic is how one fails"
)]
#[path = "../tests/support/simulated.rs"]
mod simulated;

use simulated::{KINDS, Kind, Sent, Session};
use toolsure_guard::Connection;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let kind = words.next().and_then(|word| {
        let mut kinds = KINDS.into_iter();
        kinds.find(|kind| kind.name() == word)
    });
    let count = words.next().and_then(|word| word.parse().ok());
    let (Some(kind), Some(count)) = (kind, count) else {
        let names = KINDS.map(Kind::name).join(", ");
        eprintln!("error: counted KIND COUNT; KIND is one of {names}");
        return ExitCode::from(2);
    };
    let mut session = Session::new(kind, &kind.guard(), 1);
    for message in kind.opening() {
        let sent = session.say(Connection::Client, message.as_bytes());
        settle(&mut session, sent);
    }
    // The first call shows what the answer is; only its id changes.
    let answered = kind.answer(kind.call(0).as_bytes()).unwrap_or_default();
    let call = Template::of(&kind.call(0));
    let answer = Template::of(&answered);
    let mut answers = 0_u64;
    for id in 1..=count {
        answers += one_call(&mut session, &call, &answer, id);
    }
    if answers == count {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: {count} calls have {answers} answers");
    ExitCode::FAILURE
}

/// A call, the server's answer, and how many answers reach the client.
fn one_call(session: &mut Session, call: &Template, answer: &Template, id: u64) -> u64 {
    let mut answers = 0;
    let mut sent = session.say(Connection::Client, call.with(&id.to_string()).as_bytes());
    while let Some(one) = sent.pop() {
        match one.to {
            Connection::Client => answers += 1,
            Connection::Server(_) => {
                let text = answer.with(id_of(&one.bytes));
                sent.extend(session.say(one.to, text.as_bytes()));
            }
        }
    }
    answers
}

/// Answers what the opening of a session leads to.
fn settle(session: &mut Session, mut sent: Vec<Sent>) {
    while let Some(one) = sent.pop() {
        if let (Connection::Server(_), Some(answer)) = (one.to, session.kind.answer(&one.bytes)) {
            sent.extend(session.say(one.to, answer.as_bytes()));
        }
    }
}

/// A message but for its id.
struct Template {
    before: String,
    after: String,
}

impl Template {
    fn of(message: &str) -> Self {
        let (before, after) = message.split_once(ID_0).unwrap_or((message, ""));
        Self {
            before: format!("{before}\"id\":"),
            after: after.to_owned(),
        }
    }

    fn with(&self, id: &str) -> String {
        [self.before.as_str(), id, self.after.as_str()].concat()
    }
}

/// The id of a message as it was written.
fn id_of(message: &[u8]) -> &str {
    let text = std::str::from_utf8(message).unwrap_or_default();
    let after = text.split_once("\"id\":").map_or("", |(_, after)| after);
    let end = after.find([',', '}']).unwrap_or(after.len());
    after.get(..end).unwrap_or_default()
}

const ID_0: &str = "\"id\":0";
