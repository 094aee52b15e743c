//! Tests of updates to the store, its answers, and their effects.

use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest as _, Sha256};

use super::*;
use crate::policy::Rate;
use crate::rate::Bucket;
use crate::text::hex;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn share() -> Share {
    let terms = ShareTerms {
        pins: DriftMode::Refuse,
        quarantine: true,
    };
    Share::new(terms, b"a secret of these guards", || ())
}

const RATE: Rate = Rate {
    calls: 10,
    per: Duration::from_secs(1),
    burst: 3,
};

/// A store that does what the script does: it holds buckets by key, on its own clock.
#[derive(Default)]
struct Store(std::collections::BTreeMap<String, Duration>);

impl Store {
    fn take(&mut self, share: &Share, now: Duration) {
        for charge in share.take_updates(now).charges {
            let full = self.0.entry(charge.key().to_owned()).or_default();
            *full = (*full).max(now).saturating_add(charge.cost());
            let ahead = full.saturating_sub(now);
            charge.settle(ahead, now);
        }
    }
}

struct Caller {
    share: Share,
    bucket: Arc<SharedBucket>,
    own: Bucket,
}

impl Caller {
    fn new() -> Self {
        let share = share();
        let shared = share.state_of("files");
        let bucket = shared.bucket(&shared.caller(Identity::Anonymous), Some("read"));
        Self {
            share,
            bucket,
            own: Bucket::default(),
        }
    }

    fn take(&mut self, now: Duration) -> Result<(), Duration> {
        self.bucket
            .take(&mut self.own, &RATE, now, &self.share.0.bucket_queue)
    }
}

#[test]
fn two_guards_have_one_bucket_between_them() {
    let (mut store, mut one, mut two) = (Store::default(), Caller::new(), Caller::new());
    let start = ms(1_000_000);
    // Before the guards know of each other, each has the full burst.
    for guard in [&mut one, &mut two] {
        let taken: Vec<bool> = (0..4).map(|_| guard.take(start).is_ok()).collect();
        assert_eq!(taken, [true, true, true, false]);
        store.take(&guard.share, start);
    }
    // Six calls were allowed instead of three: the bucket is 600 ms ahead, and the next token comes when
    // it is 200 ms ahead.
    assert_eq!(two.take(start), Err(ms(400)));
    // The first guard knows only its own three calls, and learns of the rest with its next update.
    assert_eq!(one.take(start), Err(ms(100)));
    assert_eq!(one.take(start + ms(100)), Ok(()));
    store.take(&one.share, start + ms(100));
    assert_eq!(one.take(start + ms(100)), Err(ms(400)));
    assert_eq!(store.0.len(), 1);
}

#[test]
fn over_a_long_time_the_rate_holds_and_the_excess_is_bounded() {
    let (mut store, mut guards) = (
        Store::default(),
        [Caller::new(), Caller::new(), Caller::new()],
    );
    let (mut let_through, start, each) = (0_u64, 1_000_000_u64, 100_u64);
    for at in start..start + 60_000 {
        for guard in &mut guards {
            let_through += u64::from(guard.take(ms(at)).is_ok());
        }
        if at % each == 0 {
            guards
                .iter()
                .for_each(|guard| store.take(&guard.share, ms(at)));
        }
    }
    // 10 a second for 60 s. docs/guard/sessions.md states the bound: the burst of each guard, and what
    // each allows between two batches.
    let least = 600;
    let most = 600 + 3 * 3 + 3;
    assert!((least..=most).contains(&let_through), "{let_through}");
}

#[test]
fn without_an_answer_a_guard_goes_on_alone_and_tells_later() {
    let (mut store, mut alone) = (Store::default(), Caller::new());
    let mut plain = Bucket::default();
    for at in (1_000_000..1_060_000).step_by(7) {
        assert_eq!(alone.take(ms(at)), plain.take(&RATE, ms(at)), "{at}");
        // The store is down: the updates are dropped, and are sent again.
        if at % 5 == 0 {
            drop(alone.share.take_updates(ms(at)));
        }
    }
    let now = ms(1_060_000);
    let updates = alone.share.take_updates(now);
    let [charge] = updates.charges.as_slice() else {
        panic!("{updates:?}");
    };
    // The cost is not the whole minute, but a second and the burst.
    assert_eq!(charge.cost(), ms(1_300));
    drop(updates);
    store.take(&alone.share, now);
    assert_eq!(alone.take(now), Err(ms(1_100)));
    // A bucket that refuses is read again, but nothing is added to it.
    let updates = alone.share.take_updates(now);
    let costs: Vec<Duration> = updates.charges.iter().map(Charge::cost).collect();
    assert_eq!(costs, [Duration::ZERO]);
}

#[test]
fn what_is_heard_is_held_to_what_can_be() {
    let mut guard = Caller::new();
    let now = ms(5_000);
    guard.take(now).unwrap();
    let charge = guard.share.take_updates(now).charges.pop().unwrap();
    let most = charge.most();
    charge.settle(Duration::MAX, now);
    assert_eq!(guard.take(now), Err(most - ms(200)));
    // A later report replaces it.
    guard.take(now + most).unwrap();
    let charge = guard.share.take_updates(now).charges.pop().unwrap();
    charge.settle(Duration::ZERO, now + most);
    assert!(guard.take(now + most).is_ok());
}

#[test]
fn it_is_woken_once_and_buckets_wait_in_bounds() {
    let woken = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&woken);
    let terms = ShareTerms {
        pins: DriftMode::Off,
        quarantine: false,
    };
    let share = Share::new(terms, b"secret", move || {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let shared = share.state_of("files");
    for number in 0..20_000 {
        let bucket = shared.bucket("someone", Some(&format!("tool{number}")));
        bucket
            .take(&mut Bucket::default(), &RATE, ms(1), shared.bucket_queue())
            .unwrap();
    }
    assert_eq!(woken.load(Ordering::Relaxed), 1);
    let mut written = 0;
    loop {
        let updates = share.take_updates(ms(2));
        if updates.is_empty() {
            break;
        }
        assert!(updates.charges.len() <= MAX_UPDATES);
        for charge in updates.charges {
            written += 1;
            charge.settle(ms(100), ms(2));
        }
    }
    assert_eq!(written, 16_384);
    assert_eq!(woken.load(Ordering::Relaxed), 1 + written / MAX_UPDATES);
}

#[test]
fn keys_are_plain_and_tell_no_secret() {
    let share = share();
    let shared = share.state_of("files");
    let token = [7; 32];
    let names: Vec<Arc<str>> = [
        Identity::Anonymous,
        Identity::Authorization(&token),
        Identity::Session(&token),
    ]
    .map(|who| shared.caller(who))
    .to_vec();
    for (index, name) in names.iter().enumerate() {
        assert_eq!(name.len(), 32);
        assert!(names.iter().skip(index + 1).all(|other| other != name));
        assert_ne!(**name, hex(&token[..16]));
        assert_ne!(**name, hex(&Sha256::digest(token)[..16]));
    }
    assert_eq!(field("read_file"), "read_file");
    for odd in ["", "a:b", "a b", "\u{202e}", &"x".repeat(129), "a*"] {
        let named = field(odd);
        assert!(named.starts_with('#') && named.len() == 33, "{odd} {named}");
    }
}

fn pin(description: &str) -> Pin {
    let text = format!(r#"{{"name":"a","inputSchema":{{}},"description":"{description}"}}"#);
    let lock =
        crate::lock::Lock::read(format!(r#"{{"tools":[{text}]}}"#).as_bytes(), None).unwrap();
    *lock.pin("a").unwrap()
}

#[test]
fn the_first_pin_holds_everywhere() {
    let share = share();
    let shared = share.state_of("files");
    let (first, second) = (pin("first"), pin("second"));
    // The store has reported nothing yet, so the tool is pinned as it was seen here.
    assert_eq!(shared.pinned("a", &second), Some(second));
    let report = share.take_updates(ms(1)).pins_seen.pop().unwrap();
    assert_eq!(report.key(), "pin:files:a");
    // Another guard was first.
    assert!(report.settle(&format!("{} {}", first.contract, first.description)));
    assert_eq!(shared.pinned("a", &second), Some(first));
    // A tool that differs from its pin is queried again, because the change may be approved.
    let report = share.take_updates(ms(2)).pins_seen.pop().unwrap();
    assert_eq!(
        report.pin(),
        format!("{} {}", first.contract, first.description)
    );
    assert_eq!(
        report.seen(),
        format!("{} {}", second.contract, second.description)
    );
    // A dropped report is sent again.
    drop(report);
    let mut report = share.take_updates(ms(3)).pins_seen.pop().unwrap();
    for garbled in [
        "",
        "sha256:00 sha256:11",
        "\0\0",
        NEXT,
        "\u{1f4a5} not a pin",
    ] {
        assert!(!report.settle(garbled), "{garbled}");
        assert_eq!(shared.pinned("a", &second), Some(first));
        report = share.take_updates(ms(3)).pins_seen.pop().unwrap();
    }
    assert!(share.take_updates(ms(3)).pins_seen.is_empty());
}

#[test]
fn every_pin_is_written_again_in_rounds() {
    let share = share();
    let shared = share.state_of("files");
    for number in 0..600 {
        assert!(shared.pinned(&format!("tool{number}"), &pin("d")).is_some());
    }
    let written = |now| {
        let mut written = Vec::new();
        loop {
            let pins_seen = share.take_updates(now).pins_seen;
            if pins_seen.is_empty() {
                return written;
            }
            assert!(pins_seen.len() <= MAX_UPDATES);
            for report in pins_seen {
                written.push(report.key().to_owned());
                let pin = report.pin();
                assert!(report.settle(&pin));
            }
        }
    };
    // The new tools, and the first round.
    let mut first = written(ms(1));
    first.sort();
    first.dedup();
    assert_eq!(first.len(), 600);
    assert_eq!(written(ms(29_000)).len(), 0);
    assert_eq!(written(ms(31_000)).len(), 600);
    // The number of pinned tools is limited.
    for number in 600..20_000 {
        assert!(shared.pinned(&format!("tool{number}"), &pin("d")).is_some());
    }
    assert_eq!(shared.pinned("one too many", &pin("d")), None);
}

#[test]
fn what_one_guard_quarantines_all_do_under_the_same_pin() {
    let (one, two) = (share(), share());
    let (here, there) = (one.state_of("files"), two.state_of("files"));
    let (pinned, other) = (pin("first"), pin("second"));
    assert!(!there.is_quarantined("a", &pinned));
    here.quarantine("a", &pinned);
    let written = one.take_updates(ms(1)).quarantine.pop().unwrap();
    assert_eq!(written.key(), "quarantine:files");
    let entries = written.add().to_vec();
    written.settle(entries.clone());
    assert!(here.is_quarantined("a", &pinned));
    let asked = two.take_updates(ms(1)).quarantine.pop().unwrap();
    assert!(asked.add().is_empty());
    let odd = ["".to_owned(), "x".repeat(10_000), "\u{0}".to_owned()];
    asked.settle(entries.into_iter().chain(odd));
    assert!(there.is_quarantined("a", &pinned));
    assert!(!there.is_quarantined("a", &other) && !there.is_quarantined("b", &pinned));
    // The entries are queried again after a second, and the quarantine ends when the store has none.
    assert!(two.take_updates(ms(900)).quarantine.is_empty());
    two.take_updates(ms(1_001))
        .quarantine
        .pop()
        .unwrap()
        .settle([]);
    assert!(!there.is_quarantined("a", &pinned));
    // An entry that was not settled is sent again.
    here.quarantine("b", &other);
    drop(one.take_updates(ms(2)));
    assert_eq!(
        one.take_updates(ms(3))
            .quarantine
            .pop()
            .unwrap()
            .add()
            .len(),
        1
    );
}
