//! Which URIs a URI template (RFC 6570) can expand to.

/// Whether a text has an expression.
pub(crate) fn is_template(text: &str) -> bool {
    text.contains('{')
}

/// A URI, template or pattern with its scheme and host in lower case, except in expressions; `None` if they are.
pub(crate) fn with_lower_host(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once(':')?;
    let mut lower = String::with_capacity(text.len());
    let mut is_expression = false;
    let has_host = rest.starts_with("//");
    let mut is_before_path = true;
    for (at, c) in text.char_indices() {
        is_expression = c == '{' || is_expression && c != '}';
        let in_scheme = at <= scheme.len();
        // The colon and two slashes.
        let in_slashes = at <= scheme.len().saturating_add(2);
        is_before_path &= in_scheme || has_host && (in_slashes || is_expression || c != '/');
        match is_before_path && !is_expression {
            true => lower.push(c.to_ascii_lowercase()),
            false => lower.push(c),
        }
    }
    (lower != text).then_some(lower)
}

/// Whether a template may expand to a URI. Too much rather than too little: each expression is any text. Takes
/// time in proportion to both lengths together, because servers choose templates.
pub(crate) fn may_expand_to(template: &str, uri: &str) -> bool {
    let mut parts = Parts::of(template);
    let Some(rest) = uri.strip_prefix(parts.first) else {
        return false;
    };
    let Some(last) = parts.others.pop() else {
        return rest.is_empty();
    };
    let Some(mut rest) = rest.strip_suffix(last.1) else {
        return false;
    };
    parts.others.iter().all(|(_, literal)| {
        let found = rest.find(literal);
        rest = found
            .and_then(|at| rest.get(at.saturating_add(literal.len())..))
            .unwrap_or_default();
        found.is_some()
    })
}

/// Whether a template surely expands to a URI: most expressions percent-encode reserved characters in their values
/// (RFC 6570, section 3.2.1), so that these are not theirs. For templates that somebody approved.
pub(crate) fn must_expand_to(template: &str, uri: &str) -> bool {
    let parts = Parts::of(template);
    let Some(rest) = uri.strip_prefix(parts.first) else {
        return false;
    };
    // The ends of what the parts so far may stand for.
    let mut ends = vec![uri.len().saturating_sub(rest.len())];
    for (expression, literal) in &parts.others {
        let mut next = Vec::new();
        let mut reach = 0;
        let mut until = 0;
        for start in ends {
            // Before the end of the last one there is no other, as long as none is behind it.
            if start > until || until == 0 {
                let rest = uri.get(start..).unwrap_or_default();
                let end = rest.find(|c| !may_contain(expression, c));
                until = end.map_or(uri.len(), |end| start.saturating_add(end));
            }
            // No place is looked at twice.
            for at in start.max(reach)..=until {
                if uri.get(at..).is_some_and(|rest| rest.starts_with(literal)) {
                    next.push(at.saturating_add(literal.len()));
                }
            }
            reach = reach.max(until.saturating_add(1));
        }
        next.dedup();
        ends = next;
    }
    ends.contains(&uri.len())
}

/// Whether what an expression expands to may contain a character as it is.
fn may_contain(expression: &str, c: char) -> bool {
    if !RESERVED.contains(c) {
        return true;
    }
    match expression.chars().next() {
        Some('+' | '#') => true,
        // Between several values, and between the names and values of some.
        Some('/') => matches!(c, '/' | ',' | '='),
        Some(';') => matches!(c, ';' | ',' | '='),
        Some('?' | '&') => matches!(c, '?' | '&' | ',' | '='),
        _ => expression.contains([',', '*']) && matches!(c, ',' | '='),
    }
}

/// The reserved characters (RFC 3986, section 2.2).
const RESERVED: &str = ":/?#[]@!$&'()*+,;=";

/// A template in parts: the text before the first expression, then expressions, each with the text after it.
struct Parts<'t> {
    first: &'t str,
    others: Vec<(&'t str, &'t str)>,
}

impl<'t> Parts<'t> {
    fn of(template: &'t str) -> Self {
        let mut parts = template.split('{');
        let first = parts.next().unwrap_or_default();
        let others = parts.map(|part| part.split_once('}').unwrap_or((part, "")));
        Self {
            first,
            others: others.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_templates_expand_to() {
        for (template, uri, may, must) in [
            ("a://{b}", "a://x", true, true),
            ("a://{b}", "a://", true, true),
            ("a://{b}", "a://x/y", true, false),
            ("a://{+b}", "a://x/y", true, true),
            ("a://{b}", "b://x", false, false),
            ("a://{b}/c/{d}", "a://x/c/y", true, true),
            ("a://{b}/c/{d}", "a://x/c", false, false),
            ("a://{b}/c/{d}", "a://c/c/c", true, true),
            ("a://{b}/c/{d}", "a://x/y/c/z", true, false),
            ("a://{b}{c}/", "a://x/y/", true, false),
            ("a://{b}{?c}", "a://x?c=1", true, true),
            ("a://{b}", "a://x?c=1", true, false),
            ("a://{b}", "a://x#f", true, false),
            ("a://{b}", "a://1,2", true, false),
            ("a://{b,c}", "a://1,2", true, true),
            ("a://{b*}", "a://1,2", true, true),
            ("a://{b},{c}", "a://1,2", true, true),
            ("a://{b}{/c*}", "a://1/2/3", true, true),
            ("a://{b}{/c}", "a://1/2?x", true, false),
            ("a://{b}{?c,d}", "a://1?c=1&d=2", true, true),
            ("a://{b}{?c}", "a://1?c=1#f", true, false),
            ("a://{b}@{c}", "a://1@2", true, true),
            ("a://{b}-{c}-z", "a://1-2-3-z", true, true),
            ("a://{b}-z", "a://1-z-z", true, true),
            ("a://b", "a://b", true, true),
            ("a://b", "a://bc", false, false),
            ("a://{b", "a://x", true, true),
            ("{+all}", "anything at all", true, true),
            ("é{b}é", "éxé", true, true),
        ] {
            assert_eq!(may_expand_to(template, uri), may, "{template} {uri}");
            assert_eq!(must_expand_to(template, uri), must, "{template} {uri}");
        }
        let template = "{a}a".repeat(100);
        let uri = "a".repeat(4_000);
        assert!(may_expand_to(&template, &uri) && must_expand_to(&template, &uri));
    }
}
