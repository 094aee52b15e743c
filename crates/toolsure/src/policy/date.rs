//! Dates, as far as expiry dates need them.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day in UTC, ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date {
    year: u64,
    month: u64,
    day: u64,
}

impl Date {
    /// The current day.
    pub(crate) fn today() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = since.map_or(0, |since| since.as_secs());
        Self::of_day(seconds.div_euclid(86_400))
    }

    /// The day that is `days` days after 1 January 1970.
    fn of_day(mut days: u64) -> Self {
        let mut year = 1970_u64;
        loop {
            let length = if is_leap(year) { 366 } else { 365 };
            match days.checked_sub(length) {
                Some(rest) if year < 9999 => {
                    days = rest;
                    year = year.saturating_add(1);
                }
                _ => break,
            }
        }
        let mut month = 1;
        for (number, length) in (1..).zip(lengths(year)) {
            month = number;
            match days.checked_sub(length) {
                Some(rest) if number < 12 => days = rest,
                _ => break,
            }
        }
        Self {
            year,
            month,
            day: days.saturating_add(1),
        }
    }

    /// Parses a date such as `2027-03-31`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts.as_slice() else {
            return None;
        };
        let number = |text: &str, digits: usize| {
            let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| text.parse::<u64>().ok()).flatten()
        };
        let date = Self {
            year: number(year, 4)?,
            month: number(month, 2)?,
            day: number(day, 2)?,
        };
        let before = usize::try_from(date.month).ok()?.checked_sub(1)?;
        let length = *lengths(date.year).get(before)?;
        (1..=length).contains(&date.day).then_some(date)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn is_leap(year: u64) -> bool {
    let divides = |by: u64| year.checked_rem(by) == Some(0);
    divides(4) && (!divides(100) || divides(400))
}

fn lengths(year: u64) -> [u64; 12] {
    let february = if is_leap(year) { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_and_read() {
        for (days, text) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_779, "2026-11-22"),
            (20_818, "2026-12-31"),
        ] {
            assert_eq!(Date::of_day(days).to_string(), text);
            assert_eq!(Date::parse(text), Some(Date::of_day(days)));
        }
        for wrong in [
            "2026-02-29",
            "2026-13-01",
            "2026-1-01",
            "2026-00-10",
            "2026-01-00",
            "x",
        ] {
            assert_eq!(Date::parse(wrong), None, "{wrong}");
        }
        assert!(Date::parse("2026-12-31") < Date::parse("2027-01-01"));
    }
}
