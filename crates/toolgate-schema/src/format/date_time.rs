//! Dates, times and durations as RFC 3339 writes them.
//!
//! A leap second (`:60`) is accepted where one can fall: in the last minute of
//! a UTC day, whatever the offset of the written time. Whether that day really
//! had one is not asked.

/// `date-time`: a date, `T` or `t`, and a time with its offset.
pub(super) fn is_date_time(text: &str) -> bool {
    match text.as_bytes().split_first_chunk::<11>() {
        Some(([date @ .., b'T' | b't'], time)) => is_full_date(*date) && is_full_time(time),
        _ => false,
    }
}

/// `full-date`: `2024-02-29`, a day that the Gregorian calendar has.
pub(super) fn is_date(text: &str) -> bool {
    <[u8; 10]>::try_from(text.as_bytes()).is_ok_and(is_full_date)
}

/// `full-time`: `23:59:60.5Z` or `01:02:03+04:00`; the offset is required.
pub(super) fn is_time(text: &str) -> bool {
    is_full_time(text.as_bytes())
}

/// `duration`: `P1Y2M3DT4H5M6S` or `P2W`, in whole numbers, leaving out no
/// unit between the first and the last one of its date or its time.
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

/// Whether `text` is one or more numbers, each followed by its unit, the units
/// being neighbours in `order`.
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
            // The first unit may be any of them, the next one is its neighbour.
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

/// The number that two decimal digits write.
fn two(tens: u8, ones: u8) -> Option<u8> {
    if tens.is_ascii_digit() && ones.is_ascii_digit() {
        Some((tens - b'0') * 10 + (ones - b'0'))
    } else {
        None
    }
}

const MINUTES_OF_DAY: i32 = 24 * 60;
