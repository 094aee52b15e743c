//! The three Lua scripts that a store runs. Each reads and writes atomically.
//!
//! The contents of the store are untrusted: scripts return a limited amount of them, and values
//! that no guard wrote are ignored and counted. Every key expires.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{RedisError, Script};
use toolsure_guard::{Charge, NEXT, PinReport, QuarantineUpdate, StoreUpdates};

use super::StoreOptions;
use crate::guard::Clock;

/// The scripts, and the arguments that are the same in every call.
pub(super) struct Scripts {
    rates: Script,
    pins: Script,
    quarantine: Script,
    prefix: String,
    keep_pins: u64,
    keep_quarantine: u64,
}

/// How many updates of each kind were written.
#[derive(Default)]
pub(super) struct Written {
    pub(super) buckets: usize,
    pub(super) pins: usize,
    pub(super) quarantine: usize,
    pub(super) garbled: Garbled,
}

/// Values that no guard wrote.
#[derive(Default)]
pub(super) struct Garbled {
    pub(super) rates: usize,
    pub(super) pins: usize,
    pub(super) quarantine: usize,
}

/// What was written before a failure, and the failure if there was one.
pub(super) struct WriteResult {
    pub(super) written: Written,
    pub(super) end: Result<(), RedisError>,
}

impl Scripts {
    pub(super) fn new(options: &StoreOptions) -> Self {
        Self {
            rates: Script::new(RATES),
            pins: Script::new(PINS),
            quarantine: Script::new(QUARANTINE),
            prefix: format!("{}:{FORMAT}:", options.prefix),
            keep_pins: millis(options.keep_pins),
            keep_quarantine: millis(options.quarantine),
        }
    }

    /// Writes the updates, and passes to each what was read. After a failure the remaining updates
    /// are dropped, so that they are sent again later.
    pub(super) async fn write(
        &self,
        connection: &mut MultiplexedConnection,
        updates: StoreUpdates,
        clock: Clock,
    ) -> WriteResult {
        let mut written = Written::default();
        let end = self
            .write_all(connection, updates, clock, &mut written)
            .await;
        WriteResult { written, end }
    }

    async fn write_all(
        &self,
        connection: &mut MultiplexedConnection,
        updates: StoreUpdates,
        clock: Clock,
        written: &mut Written,
    ) -> Result<(), RedisError> {
        if !updates.charges.is_empty() {
            self.charge(connection, updates.charges, clock, written)
                .await?;
        }
        if !updates.pins_seen.is_empty() {
            self.report_pins(connection, updates.pins_seen, written)
                .await?;
        }
        for quarantine in updates.quarantine {
            self.quarantine(connection, quarantine, written).await?;
        }
        Ok(())
    }

    async fn charge(
        &self,
        connection: &mut MultiplexedConnection,
        charges: Vec<Charge>,
        clock: Clock,
        written: &mut Written,
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
            written.buckets += 1;
            written.garbled.rates += usize::from(*odd != 0);
        }
        Ok(())
    }

    async fn report_pins(
        &self,
        connection: &mut MultiplexedConnection,
        pins_seen: Vec<PinReport>,
        written: &mut Written,
    ) -> Result<(), RedisError> {
        let mut call = self.pins.prepare_invoke();
        call.arg(self.keep_pins).arg(NEXT);
        for report in &pins_seen {
            call.key(self.key(report.key()));
            call.arg(report.pin()).arg(report.seen());
        }
        let heard: Vec<Vec<u8>> = call.invoke_async(connection).await?;
        for (report, stored) in pins_seen.into_iter().zip(heard) {
            let understood = report.settle(&String::from_utf8_lossy(&stored));
            written.pins += 1;
            written.garbled.pins += usize::from(!understood);
        }
        Ok(())
    }

    async fn quarantine(
        &self,
        connection: &mut MultiplexedConnection,
        quarantine: QuarantineUpdate,
        written: &mut Written,
    ) -> Result<(), RedisError> {
        let mut call = self.quarantine.prepare_invoke();
        call.key(self.key(quarantine.key()));
        call.arg(self.keep_quarantine);
        call.arg(QuarantineUpdate::MOST)
            .arg(QuarantineUpdate::LONGEST);
        for entry in quarantine.add() {
            call.arg(entry);
        }
        let (odd, entries): (usize, Vec<Vec<u8>>) = call.invoke_async(connection).await?;
        written.quarantine += quarantine.add().len();
        written.garbled.quarantine += odd;
        let entries = entries.into_iter().map(String::from_utf8);
        quarantine.settle(entries.filter_map(Result::ok));
        Ok(())
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}

/// Microseconds, rounded up, so that a short time does not become 0.
fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000)).unwrap_or(u64::MAX)
}

/// The version of the stored format. It is part of every key, so guards with another format use
/// other keys.
const FORMAT: u32 = 1;

/// KEYS: buckets. ARGV: for each, by how much to move it, and how far ahead it can be, in
/// microseconds. Returns for each how far ahead it is, and whether its value was invalid.
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

/// KEYS: pins. ARGV: how long to keep them in milliseconds, and the word `NEXT`; for each pin, the
/// value to store if there is none, and the value to store instead of the word, if it differs from
/// the first. Returns the values.
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

/// KEYS: the sorted set of quarantined tools, by expiry. ARGV: the time of quarantine in
/// milliseconds, the maximum number of entries, the maximum bytes of an entry, and entries to add.
/// Returns the number of invalid values, and the entries.
const QUARANTINE: &str = r"
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
