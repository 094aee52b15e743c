//! The three scripts that a store runs: each reads and writes in one step, whatever others do.
//!
//! What stands in the store is a stranger's: scripts give back only so much of it, and what is no
//! value of a guard's is passed over and counted. Every key has an end.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{RedisError, Script};
use toolgate_guard::{Charge, Claim, NEXT, Post, SetAside};

use super::StoreOptions;
use crate::guard::Clock;

/// The scripts, and what they are told beside a post.
pub(super) struct Scripts {
    rates: Script,
    pins: Script,
    aside: Script,
    prefix: String,
    keep_pins: u64,
    keep_aside: u64,
}

/// What a store was told.
#[derive(Default)]
pub(super) struct Told {
    pub(super) buckets: usize,
    pub(super) pins: usize,
    pub(super) aside: usize,
    pub(super) garbled: Garbled,
}

/// Values that no guard wrote.
#[derive(Default)]
pub(super) struct Garbled {
    pub(super) rates: usize,
    pub(super) pins: usize,
    pub(super) aside: usize,
}

/// What a store was told before something failed, and what that was.
pub(super) struct Telling {
    pub(super) told: Told,
    pub(super) end: Result<(), RedisError>,
}

impl Scripts {
    pub(super) fn new(options: &StoreOptions) -> Self {
        Self {
            rates: Script::new(RATES),
            pins: Script::new(PINS),
            aside: Script::new(ASIDE),
            prefix: format!("{}:{FORMAT}:", options.prefix),
            keep_pins: millis(options.keep_pins),
            keep_aside: millis(options.keep_aside),
        }
    }

    /// Tells a post, and lets its parts know what was heard. After a failure the rest of it is
    /// dropped, which lets it be told again.
    pub(super) async fn tell(
        &self,
        connection: &mut MultiplexedConnection,
        post: Post,
        clock: Clock,
    ) -> Telling {
        let mut told = Told::default();
        let end = self.tell_all(connection, post, clock, &mut told).await;
        Telling { told, end }
    }

    async fn tell_all(
        &self,
        connection: &mut MultiplexedConnection,
        post: Post,
        clock: Clock,
        told: &mut Told,
    ) -> Result<(), RedisError> {
        if !post.charges.is_empty() {
            self.charge(connection, post.charges, clock, told).await?;
        }
        if !post.claims.is_empty() {
            self.claim(connection, post.claims, told).await?;
        }
        for aside in post.aside {
            self.set_aside(connection, aside, told).await?;
        }
        Ok(())
    }

    async fn charge(
        &self,
        connection: &mut MultiplexedConnection,
        charges: Vec<Charge>,
        clock: Clock,
        told: &mut Told,
    ) -> Result<(), RedisError> {
        let mut call = self.rates.prepare_invoke();
        for charge in &charges {
            call.key(self.key(charge.key()));
            call.arg(micros(charge.cost())).arg(micros(charge.most()));
        }
        let heard: Vec<i64> = call.invoke_async(connection).await?;
        let (pairs, _) = heard.as_chunks::<2>();
        for (charge, [ahead, odd]) in charges.into_iter().zip(pairs) {
            let ahead = Duration::from_micros(u64::try_from(*ahead).unwrap_or(0));
            charge.settle(ahead, clock.now());
            told.buckets += 1;
            told.garbled.rates += usize::from(*odd != 0);
        }
        Ok(())
    }

    async fn claim(
        &self,
        connection: &mut MultiplexedConnection,
        claims: Vec<Claim>,
        told: &mut Told,
    ) -> Result<(), RedisError> {
        let mut call = self.pins.prepare_invoke();
        call.arg(self.keep_pins).arg(NEXT);
        for claim in &claims {
            call.key(self.key(claim.key()));
            call.arg(claim.pin()).arg(claim.seen());
        }
        let heard: Vec<Vec<u8>> = call.invoke_async(connection).await?;
        for (claim, stands) in claims.into_iter().zip(heard) {
            let understood = claim.settle(&String::from_utf8_lossy(&stands));
            told.pins += 1;
            told.garbled.pins += usize::from(!understood);
        }
        Ok(())
    }

    async fn set_aside(
        &self,
        connection: &mut MultiplexedConnection,
        aside: SetAside,
        told: &mut Told,
    ) -> Result<(), RedisError> {
        let mut call = self.aside.prepare_invoke();
        call.key(self.key(aside.key()));
        call.arg(self.keep_aside);
        call.arg(SetAside::MOST).arg(SetAside::LONGEST);
        for entry in aside.add() {
            call.arg(entry);
        }
        let (odd, entries): (usize, Vec<Vec<u8>>) = call.invoke_async(connection).await?;
        told.aside += aside.add().len();
        told.garbled.aside += odd;
        let entries = entries.into_iter().map(String::from_utf8);
        aside.settle(entries.filter_map(Result::ok));
        Ok(())
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}

/// Rounded up: what is told must not be nothing.
fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000)).unwrap_or(u64::MAX)
}

/// What is kept and how, which every key says: guards that keep it otherwise have other keys.
const FORMAT: u32 = 1;

/// KEYS: buckets. ARGV: for each, by how much it moves, and how far it can be ahead, in
/// microseconds. Answers for each how far it is ahead, and whether something else stood there.
const RATES: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local out = {}
for i, key in ipairs(KEYS) do
  local cost, most = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local held, full, odd = redis.pcall('GETRANGE', key, 0, 31), now, 0
  if held ~= '' then
    full = type(held) == 'string' and tonumber(held) or nil
    if not full or full ~= full or full < 0 or full > now + most then
      full, odd = now, 1
    end
  end
  local ahead = math.max(full - now, 0) + cost
  redis.call('SET', key, string.format('%.0f', now + ahead), 'PX', string.format('%.0f', math.floor(ahead / 1000) + 1))
  out[2 * i - 1], out[2 * i] = ahead, odd
end
return out
";

/// KEYS: pins. ARGV: how long to keep them in milliseconds, the word for the next; for each what to
/// put where nothing stands, and where that word does, if that is something else. Answers what
/// stands there.
const PINS: &str = r"
local out = {}
for i, key in ipairs(KEYS) do
  local first, seen = ARGV[2 * i + 1], ARGV[2 * i + 2]
  local held = redis.pcall('GETRANGE', key, 0, 255)
  if type(held) ~= 'string' then
    held = '?'
  elseif held == '' or string.match(held, '^%s*(.-)%s*$') == ARGV[2] then
    local next = held ~= ''
    held = next and seen or first
    if not next or seen ~= first then
      redis.call('SET', key, held, 'PX', ARGV[1])
    end
  elseif #held <= 200 then
    redis.call('PEXPIRE', key, ARGV[1])
  end
  out[i] = held
end
return out
";

/// KEYS: what is set aside, sorted by when that ends. ARGV: how long it is, in milliseconds; how
/// many entries there can be, and how long each; entries to add. Answers how much else stood there,
/// and the entries.
const ASIDE: &str = r"
local key, keep, most, longest = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local odd = 0
local kind = redis.call('TYPE', key).ok
if kind ~= 'zset' and kind ~= 'none' then
  redis.call('DEL', key)
  odd = 1
end
redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
for i = 4, #ARGV do
  redis.call('ZADD', key, string.format('%.0f', now + keep), ARGV[i])
end
redis.call('ZREMRANGEBYRANK', key, 0, -1 - most)
local left = redis.call('PTTL', key)
if left == -1 or (#ARGV > 3 and left >= 0 and left < keep) then
  redis.call('PEXPIRE', key, ARGV[1])
end
local entries = {}
for _, entry in ipairs(redis.call('ZRANGE', key, 0, most - 1)) do
  if #entry <= longest then
    entries[#entries + 1] = entry
  else
    odd = odd + 1
  end
end
return {odd, entries}
";
