//! Dates, times and durations as RFC 3339 writes them.
//!
//! A leap second (`:60`) is accepted where one can occur: in the last minute of a UTC day, whatever
//! the offset of the written time. Whether that day really had one is not checked.

/// `date-time`: a date, `T` or `t`, and a time with its offset.
pub(super) fn is_date_time(text: &str) -> bool {
    match text.as_bytes().split_first_chunk::<11>() {
        Some(([date @ .., b'T' | b't'], time)) => is_full_date(*date) && is_full_time(time),
        _ => false,
    }
}

/// `full-date`: `2024-02-29`, a day that exists in the Gregorian calendar.
pub(super) fn is_date(text: &str) -> bool {
    <[u8; 10]>::try_from(text.as_bytes()).is_ok_and(is_full_date)
}

/// `full-time`: `23:59:60.5Z` or `01:02:03+04:00`; the offset is required.
pub(super) fn is_time(text: &str) -> bool {
    is_full_time(text.as_bytes())
}

/// `duration`: `P1Y2M3DT4H5M6S` or `P2W`, in whole numbers, with no unit skipped between the first
/// and the last one of its date or its time.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else {
        return false;
    };
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    match time {
        None => units(date, b"YMD") || units(date, b"W"),
        Some(time) => (date.is_empty() || units(date, b"YMD")) && units(time, b"HMS"),
    }
}

fn is_full_date(date: [u8; 10]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = date else {
        return false;
    };
    let (Some(century), Some(year), Some(month), Some(day)) =
        (two(y1, y2), two(y3, y4), two(m1, m2), two(d1, d2))
    else {
        return false;
    };
    // A century is a leap year when it is itself a multiple of four.
    let leap = if year == 0 {
        century % 4 == 0
    } else {
        year % 4 == 0
    };
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_full_time(time: &[u8]) -> bool {
    let Some((&[h1, h2, b':', m1, m2, b':', s1, s2], rest)) = time.split_first_chunk::<8>() else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (two(h1, h2), two(m1, m2), two(s1, s2)) else {
        return false;
    };
    let rest = match rest.strip_prefix(b".") {
        None => rest,
        Some(fraction) => {
            let digits = fraction
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            match fraction.split_at_checked(digits) {
                Some((_, rest)) if digits > 0 => rest,
                _ => return false,
            }
        }
    };
    let Some(offset) = offset_minutes(rest) else {
        return false;
    };
    if hour > 23 || minute > 59 || second > 60 {
        return false;
    }
    let utc = (i32::from(hour) * 60 + i32::from(minute) - offset).rem_euclid(MINUTES_OF_DAY);
    second < 60 || utc == MINUTES_OF_DAY - 1
}

/// Minutes east of UTC, from `Z`, `z` or a signed `hh:mm`.
fn offset_minutes(offset: &[u8]) -> Option<i32> {
    match *offset {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (two(h1, h2)?, two(m1, m2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = i32::from(hours) * 60 + i32::from(minutes);
            Some(if sign == b'-' { -offset } else { offset })
        }
        _ => None,
    }
}

/// Whether `text` is one or more numbers, each followed by its unit, the units being consecutive in
/// `order`.
fn units(text: &str, order: &[u8]) -> bool {
    let mut order = order.iter();
    let mut last: Option<()> = None;
    let mut digits = false;
    for byte in text.bytes() {
        if byte.is_ascii_digit() {
            digits = true;
            continue;
        }
        let fits = match last {
            // The first unit may be any of them, the next one must be its neighbour.
            None => order.any(|unit| *unit == byte),
            Some(()) => order.next() == Some(&byte),
        };
        if !digits || !fits {
            return false;
        }
        last = Some(());
        digits = false;
    }
    last.is_some() && !digits
}

/// The number with these two decimal digits.
fn two(tens: u8, ones: u8) -> Option<u8> {
    if tens.is_ascii_digit() && ones.is_ascii_digit() {
        Some((tens - b'0') * 10 + (ones - b'0'))
    } else {
        None
    }
}

const MINUTES_OF_DAY: i32 = 24 * 60;

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn dates() {
        check(
            Format::Date,
            &[
                "0000-01-01",
                "0000-02-29",
                "0001-12-31",
                "9999-12-31",
                "1600-02-29",
                "2000-02-29",
                "2024-02-29",
                "2023-02-28",
                "2023-04-30",
                "2023-06-30",
                "2023-09-30",
                "2023-11-30",
                "2023-01-31",
                "2023-03-31",
                "2023-05-31",
                "2023-07-31",
                "2023-08-31",
                "2023-10-31",
            ],
            &[
                "2023-02-29",
                "1900-02-29",
                "2100-02-29",
                "2023-02-30",
                "2023-04-31",
                "2023-06-31",
                "2023-09-31",
                "2023-11-31",
                "2023-00-01",
                "2023-13-01",
                "2023-01-00",
                "2023-01-32",
                "2023-1-01",
                "2023-01-1",
                "23-01-01",
                "02023-01-01",
                "-2023-01-01",
                "+2023-01-01",
                "2023/01/01",
                "2023-01–01",
                "20230101",
                "2023-W01-1",
                "2023-001",
                "2023-01-01T",
                "2023-01-0a",
                "２０２３-01-01",
                "2023-01-01Z",
                "2023-01",
                "not a date",
            ],
        );
    }

    #[test]
    fn times() {
        check(
            Format::Time,
            &[
                "00:00:00Z",
                "23:59:59z",
                "12:34:56+00:00",
                "12:34:56-00:00",
                "12:34:56+23:59",
                "12:34:56-23:59",
                "12:34:56.7Z",
                "12:34:56.012345678901234567890Z",
                "23:59:60Z",
                "23:59:60.999Z",
                "00:00:60+00:01",
                "23:58:60-00:01",
                "05:29:60+05:30",
                "12:59:60-11:00",
                "11:59:60+12:00",
            ],
            &[
                "24:00:00Z",
                "12:60:00Z",
                "12:00:61Z",
                "12:34:56",
                "12:34Z",
                "12:34:56.Z",
                "12:34:56,7Z",
                "12:34:56 Z",
                "12:34:56+24:00",
                "12:34:56+00:60",
                "12:34:56+0100",
                "12:34:56+01",
                "12:34:56+1:00",
                "12:34:56−01:00",
                "12:34:56Z+01:00",
                "12:34:56ZZ",
                "1:34:56Z",
                "12:34:5Z",
                "012:34:56Z",
                "T12:34:56Z",
                "12-34-56Z",
                "12:34:60Z",
                "00:00:60Z",
                "23:59:60+00:01",
                "23:59:60-00:01",
                "22:59:60Z",
                "١٢:34:56Z",
                "12:34:56.7",
                "12:34:56.+01:00",
                "99:99:99Z",
            ],
        );
    }

    #[test]
    fn date_times() {
        check(
            Format::DateTime,
            &[
                "2024-02-29T00:00:00Z",
                "2024-02-29t00:00:00z",
                "1985-04-12T23:20:50.52Z",
                "1996-12-19T16:39:57-08:00",
                "2016-12-31T23:59:60Z",
                "2017-01-01T08:59:60+09:00",
                "2015-06-30T16:59:60-07:00",
                "9999-12-31T23:59:59+23:59",
                "0000-01-01T00:00:00-23:59",
            ],
            &[
                "2023-02-29T00:00:00Z",
                "2024-02-29 00:00:00Z",
                "2024-02-29_00:00:00Z",
                "2024-02-29T00:00:00",
                "2024-02-29",
                "00:00:00Z",
                "2024-02-29TT00:00:00Z",
                "2024-02-29T24:00:00Z",
                "2024-02-29T00:00Z",
                "20240229T000000Z",
                "2024-02-29T",
                "T00:00:00Z",
                "2024-060T00:00:00Z",
                "2024-02-29T00:00:00+0000",
                "2024-02-29T00:00:00 +00:00",
                "2024-02-29T00:00:60Z",
                "2024-02-29T00:00:00Z[UTC]",
                "2024-02-2৪T00:00:00Z",
                "12024-02-29T00:00:00Z",
                "2024-2-29T00:00:00Z",
            ],
        );
    }

    #[test]
    fn durations() {
        check(
            Format::Duration,
            &[
                "P1Y",
                "P1M",
                "P1D",
                "P1W",
                "PT1H",
                "PT1M",
                "PT1S",
                "P1Y2M",
                "P1Y2M3D",
                "P2M3D",
                "PT1H2M",
                "PT1H2M3S",
                "PT2M3S",
                "P1DT1H",
                "P1YT1S",
                "P1Y2M3DT4H5M6S",
                "P1MT1M",
                "P0D",
                "P00001D",
                "PT0S",
                "P9999999999999999999999Y",
                "P52W",
            ],
            &[
                "P",
                "PT",
                "P1",
                "1D",
                "p1d",
                "P1d",
                "-P1D",
                "+P1D",
                "P-1D",
                "P1.5D",
                "PT1.5S",
                "PT1,5S",
                "P1H",
                "P1S",
                "PT1D",
                "PT1Y",
                "PT1W",
                "P1D1Y",
                "P1M1Y",
                "P1Y1D",
                "PT1H1S",
                "PT1S1M",
                "P1Y1Y",
                "PT1M1M",
                "P1W1D",
                "P1Y1W",
                "P1WT1H",
                "P1DT",
                "PT1H1",
                "P1DT1",
                "P1DT1HT1M",
                "PD",
                "PTS",
                "P1DD",
                "PT1HH",
                "P٣D",
                "P 1D",
                "P1D/P1D",
                "P0001-02-03",
                "P1D T1H",
                "PW",
                "T1H",
            ],
        );
    }
}
