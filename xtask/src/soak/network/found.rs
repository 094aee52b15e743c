//! What the scenes found: claims, times, and lines to print.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use toolsure_testkit::tally::Tally;

/// What one scene found, or several.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) tally: Tally,
    /// The longest time of each kind.
    times: BTreeMap<String, Duration>,
    lines: BTreeSet<String>,
}

impl Found {
    pub(super) fn time(&mut self, what: String, took: Duration) {
        let longest = self.times.entry(what).or_default();
        *longest = took.max(*longest);
    }

    pub(super) fn line(&mut self, line: String) {
        self.lines.insert(line);
    }

    pub(super) fn add(&mut self, other: Self) {
        self.tally.add(other.tally);
        for (what, took) in other.times {
            self.time(what, took);
        }
        self.lines.extend(other.lines);
    }

    /// Adds what a scene found. One that could not go on is a failed claim.
    pub(super) fn scene(&mut self, scene: Result<Self, String>) {
        match scene {
            Ok(found) => self.add(found),
            Err(why) => self.tally.fail(why),
        }
    }

    /// Runs scenes at the same time, and adds what they found.
    pub(super) fn at_once(&mut self, scenes: &[&(dyn Fn() -> Result<Self, String> + Sync)]) {
        std::thread::scope(|scope| {
            let running: Vec<_> = scenes.iter().map(|scene| scope.spawn(scene)).collect();
            for scene in running {
                let found = scene.join();
                self.scene(found.unwrap_or_else(|_| Err("a scene panicked".to_owned())));
            }
        });
    }

    /// Prints everything but the claims.
    pub(super) fn print(&self) {
        for (what, took) in &self.times {
            println!("{what}: {:.1} s", took.as_secs_f64());
        }
        for line in &self.lines {
            println!("{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_time_is_kept() {
        let second = Duration::from_secs(1);
        let (mut one, mut other) = (Found::default(), Found::default());
        one.time("a".to_owned(), second);
        one.time("a".to_owned(), second * 3);
        other.time("a".to_owned(), second * 2);
        other.time("b".to_owned(), second);
        one.add(other);
        let times: Vec<Duration> = one.times.into_values().collect();
        assert_eq!(times, [second * 3, second]);
    }
}
