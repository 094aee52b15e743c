//! What is told, what is heard, and what comes of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::lock::Pin;
use crate::policy::Rate;
use crate::rate::Bucket;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn share() -> Share {
    let terms = ShareTerms {
        pins: DriftMode::Refuse,
        set_aside: true,
    };
    Share::new(terms, b"a secret of these guards", || ())
}

const RATE: Rate = Rate {
    calls: 10,
    per: Duration::from_secs(1),
    burst: 3,
};

/// A store that does what the script does: buckets by key, in its own time.
#[derive(Default)]
struct Store(std::collections::BTreeMap<String, Duration>);

impl Store {
    fn take(&mut self, share: &Share, now: Duration) {
        for charge in share.post(now).charges {
            let full = self.0.entry(charge.key().to_owned()).or_default();
            *full = (*full).max(now).saturating_add(charge.cost());
            let ahead = full.saturating_sub(now);
            charge.settle(ahead, now);
        }
    }
}

struct Caller {
    share: Share,
    tab: Arc<Tab>,
    own: Bucket,
}

impl Caller {
    fn new() -> Self {
        let share = share();
        let board = share.board("files");
        let tab = board.tab(&board.caller(Identity::Anonymous), "read");
        Self {
            share,
            tab,
            own: Bucket::default(),
        }
    }

    fn take(&mut self, now: Duration) -> Result<(), Duration> {
        self.tab.take(&mut self.own, &RATE, now, &self.share)
    }
}

#[test]
fn two_guards_have_one_bucket_between_them() {
    let (mut store, mut one, mut two) = (Store::default(), Caller::new(), Caller::new());
    let start = ms(1_000_000);
    // Before they have heard of each other, each has the burst.
    for guard in [&mut one, &mut two] {
        let taken: Vec<bool> = (0..4).map(|_| guard.take(start).is_ok()).collect();
        assert_eq!(taken, [true, true, true, false]);
        store.take(&guard.share, start);
    }
    // Six calls were let through of the three there were: 600 ms ahead, and a
    // token comes when that is 200.
    assert_eq!(two.take(start), Err(ms(400)));
    // The first has heard of its own three only, and of the rest with its next.
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
    // 10 a second, 60 s; docs/guard.md has the bound: the burst of each guard, and what each lets
    // through between two posts.
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
        // The store is gone: what was to be told is dropped, and is told again.
        if at % 5 == 0 {
            drop(alone.share.post(ms(at)));
        }
    }
    let now = ms(1_060_000);
    let post = alone.share.post(now);
    let [charge] = post.charges.as_slice() else {
        panic!("{post:?}");
    };
    // Not the whole minute: a second and the burst.
    assert_eq!(charge.cost(), ms(1_300));
    drop(post);
    store.take(&alone.share, now);
    assert_eq!(alone.take(now), Err(ms(1_100)));
    assert!(alone.share.post(now).is_empty());
}

#[test]
fn what_is_heard_is_held_to_what_can_be() {
    let mut guard = Caller::new();
    let now = ms(5_000);
    guard.take(now).unwrap();
    let charge = guard.share.post(now).charges.pop().unwrap();
    let most = charge.most() + charge.cost();
    charge.settle(Duration::MAX, now);
    assert_eq!(guard.take(now), Err(most - ms(200)));
    // And what is heard later stands in its place.
    guard.take(now + most).unwrap();
    let charge = guard.share.post(now).charges.pop().unwrap();
    charge.settle(Duration::ZERO, now + most);
    assert!(guard.take(now + most).is_ok());
}

#[test]
fn it_is_woken_once_and_buckets_wait_in_bounds() {
    let woken = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&woken);
    let terms = ShareTerms {
        pins: DriftMode::Off,
        set_aside: false,
    };
    let share = Share::new(terms, b"secret", move || {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let board = share.board("files");
    for number in 0..20_000 {
        let tab = board.tab("someone", &format!("tool{number}"));
        tab.take(&mut Bucket::default(), &RATE, ms(1), &share)
            .unwrap();
    }
    assert_eq!(woken.load(Ordering::Relaxed), 1);
    let mut told = 0;
    loop {
        let post = share.post(ms(2));
        if post.is_empty() {
            break;
        }
        assert!(post.charges.len() <= POST);
        for charge in post.charges {
            told += 1;
            charge.settle(ms(100), ms(2));
        }
    }
    assert_eq!(told, 16_384);
    assert_eq!(woken.load(Ordering::Relaxed), 1 + told / POST);
}

#[test]
fn keys_are_plain_and_tell_no_secret() {
    let share = share();
    let board = share.board("files");
    let token = [7; 32];
    let names: Vec<Arc<str>> = [
        Identity::Anonymous,
        Identity::Authorization(&token),
        Identity::Session(&token),
    ]
    .map(|who| board.caller(who))
    .to_vec();
    for (index, name) in names.iter().enumerate() {
        assert_eq!(name.len(), 32);
        assert!(names.iter().skip(index + 1).all(|other| other != name));
        assert_ne!(**name, hex(token.iter().take(16)));
        assert_ne!(**name, hex(Sha256::digest(token).iter().take(16)));
    }
    assert_eq!(field("read_file"), "read_file");
    for odd in ["", "a:b", "a b", "\u{202e}", &"x".repeat(129), "a*"] {
        let named = field(odd);
        assert!(named.starts_with('#') && named.len() == 33, "{odd} {named}");
    }
}

fn pin(description: &str) -> Pin {
    let text = format!(r#"{{"name":"a","inputSchema":{{}},"description":"{description}"}}"#);
    let lock = crate::lock::Lock::read(format!(r#"{{"tools":[{text}]}}"#).as_bytes()).unwrap();
    *lock.pin("a").unwrap()
}

#[test]
fn the_first_pin_holds_everywhere() {
    let share = share();
    let board = share.board("files");
    let (first, second) = (pin("first"), pin("second"));
    // Seen here before anything is heard: this is what it is held to.
    assert_eq!(board.pinned("a", &second), Some(second));
    let claim = share.post(ms(1)).claims.pop().unwrap();
    assert_eq!(claim.key(), "pin:files:a");
    // Another guard was first.
    assert!(claim.settle(&format!("{} {}", first.contract, first.description)));
    assert_eq!(board.pinned("a", &second), Some(first));
    // What is not as it is pinned is asked about again, for somebody may approve of it.
    let claim = share.post(ms(2)).claims.pop().unwrap();
    assert_eq!(
        claim.pin(),
        format!("{} {}", first.contract, first.description)
    );
    assert_eq!(
        claim.seen(),
        format!("{} {}", second.contract, second.description)
    );
    // Dropped: told again.
    drop(claim);
    let mut claim = share.post(ms(3)).claims.pop().unwrap();
    for garbled in [
        "",
        "sha256:00 sha256:11",
        "\0\0",
        NEXT,
        "\u{1f4a5} not a pin",
    ] {
        assert!(!claim.settle(garbled), "{garbled}");
        assert_eq!(board.pinned("a", &second), Some(first));
        claim = share.post(ms(3)).claims.pop().unwrap();
    }
    assert!(share.post(ms(3)).claims.is_empty());
}

#[test]
fn every_pin_is_told_again_in_rounds() {
    let share = share();
    let board = share.board("files");
    for number in 0..600 {
        assert!(board.pinned(&format!("tool{number}"), &pin("d")).is_some());
    }
    let told = |now| {
        let mut told = Vec::new();
        loop {
            let claims = share.post(now).claims;
            if claims.is_empty() {
                return told;
            }
            assert!(claims.len() <= POST);
            for claim in claims {
                told.push(claim.key().to_owned());
                let pin = claim.pin();
                assert!(claim.settle(&pin));
            }
        }
    };
    // New ones, and the first round.
    let mut first = told(ms(1));
    first.sort();
    first.dedup();
    assert_eq!(first.len(), 600);
    assert_eq!(told(ms(29_000)).len(), 0);
    assert_eq!(told(ms(31_000)).len(), 600);
    // No more than so many are held to anything.
    for number in 600..20_000 {
        assert!(board.pinned(&format!("tool{number}"), &pin("d")).is_some());
    }
    assert_eq!(board.pinned("one too many", &pin("d")), None);
}

#[test]
fn what_one_guard_sets_aside_all_do_under_the_same_pin() {
    let (one, two) = (share(), share());
    let (here, there) = (one.board("files"), two.board("files"));
    let (pinned, other) = (pin("first"), pin("second"));
    assert!(!there.is_aside("a", &pinned));
    here.put_aside("a", &pinned);
    let told = one.post(ms(1)).aside.pop().unwrap();
    assert_eq!(told.key(), "aside:files");
    let entries = told.add().to_vec();
    told.settle(entries.clone());
    assert!(here.is_aside("a", &pinned));
    let asked = two.post(ms(1)).aside.pop().unwrap();
    assert!(asked.add().is_empty());
    let odd = ["".to_owned(), "x".repeat(10_000), "\u{0}".to_owned()];
    asked.settle(entries.into_iter().chain(odd));
    assert!(there.is_aside("a", &pinned));
    assert!(!there.is_aside("a", &other) && !there.is_aside("b", &pinned));
    // It is asked for in a while, and over when the store has forgotten it.
    assert!(two.post(ms(900)).aside.is_empty());
    two.post(ms(1_001)).aside.pop().unwrap().settle([]);
    assert!(!there.is_aside("a", &pinned));
    // What nobody heard of is told again.
    here.put_aside("b", &other);
    drop(one.post(ms(2)));
    assert_eq!(one.post(ms(3)).aside.pop().unwrap().add().len(), 1);
}
