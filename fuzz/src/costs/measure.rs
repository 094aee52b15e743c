//! One measurement: CPU of this thread, allocations, fuel.

use std::time::Duration;

use allocation_counter::{AllocationInfo, measure};
use nix::time::{ClockId, clock_gettime};

use super::operations::Prepared;
use super::shape::Shape;

/// What one run took.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Cost {
    /// The bytes of the input.
    pub input: usize,
    /// Processor time of this thread, the least of a few runs.
    pub cpu: Duration,
    /// The most bytes allocated at once, beyond the input.
    pub peak: u64,
    /// All bytes allocated.
    pub allocated: u64,
    /// All allocations.
    pub allocations: u64,
    /// Fuel, where the entry point pays any.
    pub fuel: u64,
    /// Bytes of what came out, where that is text.
    pub output: usize,
}

impl Cost {
    /// Runs a shape of some size; `runs` times for the processor time.
    #[must_use]
    pub fn of(shape: &Shape, size: usize, runs: usize) -> Self {
        let texts = (shape.make)(size);
        let mut prepared = Prepared::new(shape.operation, texts);
        let mut cost = Self {
            input: prepared.len(),
            cpu: Duration::MAX,
            ..Self::default()
        };
        let info = counted(|| cost.note(shape, &mut prepared));
        cost.peak = info.bytes_max;
        cost.allocated = info.bytes_total;
        cost.allocations = info.count_total;
        for _ in 1..runs {
            if cost.cpu > LONG {
                break;
            }
            cost.note(shape, &mut prepared);
        }
        cost
    }

    fn note(&mut self, shape: &Shape, prepared: &mut Prepared) {
        let before = cpu();
        let ran = shape.operation.run(prepared);
        self.cpu = self.cpu.min(cpu().saturating_sub(before));
        self.fuel = ran.fuel;
        self.output = ran.output;
    }
}

/// How a figure grows: 1 where it doubles with the size, 2 where it is four times as much.
#[must_use]
pub fn growth(small: (usize, u64), large: (usize, u64)) -> f64 {
    let figure = |(size, cost): (usize, u64)| (real(size), real(cost).max(1.0));
    let ((small, less), (large, more)) = (figure(small), figure(large));
    // Inputs that their own bound keeps small do not grow.
    if small >= large {
        return 0.0;
    }
    (more / less).ln() / (large / small).ln()
}

/// A count as a real number, to 32 bits.
pub(super) fn real<N: TryInto<u64>>(number: N) -> f64 {
    let number = number.try_into().unwrap_or(u64::MAX);
    let (high, low) = (number >> 32, number & u64::from(u32::MAX));
    let part = |bits: u64| f64::from(u32::try_from(bits).unwrap_or(u32::MAX));
    part(high) * 4_294_967_296.0 + part(low)
}

fn counted(mut run: impl FnMut()) -> AllocationInfo {
    measure(&mut run)
}

/// The processor time of this thread.
fn cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// A run that is not repeated.
const LONG: Duration = Duration::from_millis(400);
