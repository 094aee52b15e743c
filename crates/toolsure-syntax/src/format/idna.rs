//! Which code points IDNA 2008 allows in a label, and where (RFC 5892), and in
//! which direction they may run (RFC 5893).

use unicode_bidi::BidiClass;
use unicode_joining_type::{JoiningType, get_joining_type};
use unicode_normalization::char::canonical_combining_class;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

/// Whether every code point of `label`, which normalization to NFKC does not change, is allowed
/// where it is: `PVALID`, or `CONTEXTJ` or `CONTEXTO` with its rule met.
pub(super) fn allows(label: &[char]) -> bool {
    label.iter().enumerate().all(|(at, c)| match property(*c) {
        Property::Valid => true,
        Property::Contextual => label
            .split_at_checked(at)
            .and_then(|(before, from)| Some((before, from.split_first()?.1)))
            .is_some_and(|(before, after)| context_allows(*c, before, after)),
        Property::Disallowed => false,
    })
}

/// Whether `label` begins with a combining mark (RFC 5891 section 4.2.3.2).
pub(super) fn begins_with_mark(label: &[char]) -> bool {
    label.first().is_some_and(|c| {
        matches!(
            c.general_category(),
            GeneralCategory::NonspacingMark
                | GeneralCategory::SpacingMark
                | GeneralCategory::EnclosingMark
        )
    })
}

/// Whether `label` makes its domain name a bidi domain name: it has a character
/// written from right to left, or an Arabic number.
pub(super) fn is_right_to_left(label: &[char]) -> bool {
    label
        .iter()
        .any(|c| is_in_right_to_left_block(*c) && has_right_to_left_class(*c))
}

fn has_right_to_left_class(c: char) -> bool {
    matches!(
        unicode_bidi::bidi_class(c),
        BidiClass::R | BidiClass::AL | BidiClass::AN
    )
}

/// Whether a character may have such a class: Unicode reserves blocks for right-to-left scripts, so
/// that other scripts need no lookup in the table.
fn is_in_right_to_left_block(c: char) -> bool {
    matches!(
        c,
        '\u{590}'..='\u{8FF}'
            | '\u{200F}'
            | '\u{FB1D}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFF}'
            | '\u{10800}'..='\u{10FFF}'
            | '\u{1E800}'..='\u{1EFFF}'
    )
}

/// The bidi rule for one label of a bidi domain name (RFC 5893 section 2).
pub(super) fn meets_bidi_rule(label: &[char]) -> bool {
    use BidiClass::{AL, AN, BN, CS, EN, ES, ET, L, NSM, ON, R};
    let class = |c: &char| unicode_bidi::bidi_class(*c);
    let last = label.iter().rev().map(class).find(|class| *class != NSM);
    match label.first().map(class) {
        Some(R | AL) => {
            let has = |number| label.iter().any(|c| class(c) == number);
            label
                .iter()
                .all(|c| matches!(class(c), R | AL | AN | EN | ES | CS | ET | ON | BN | NSM))
                && matches!(last, Some(R | AL | EN | AN))
                && !(has(EN) && has(AN))
        }
        Some(L) => {
            label
                .iter()
                .all(|c| matches!(class(c), L | EN | ES | CS | ET | ON | BN | NSM))
                && matches!(last, Some(L | EN))
        }
        _ => false,
    }
}

/// The derived property of a code point that normalization to NFKC does not change (RFC 5892
/// section 3). The two kinds of contextual code points are one here, as both have a rule to check.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Property {
    Valid,
    Contextual,
    Disallowed,
}

/// The algorithm of RFC 5892 section 3, computed from the Unicode tables of this crate's
/// dependencies, so that it follows them to later versions.
fn property(c: char) -> Property {
    if matches!(c, 'a'..='z' | '0'..='9' | '-') {
        return Property::Valid;
    }
    if let Some(property) = exception(c) {
        return property;
    }
    if matches!(c, '\u{200C}' | '\u{200D}') {
        return Property::Contextual;
    }
    if folds(c) || is_ignorable(c) || is_in_ignorable_block(c) || is_old_hangul_jamo(c) {
        return Property::Disallowed;
    }
    match c.general_category() {
        GeneralCategory::LowercaseLetter
        | GeneralCategory::OtherLetter
        | GeneralCategory::DecimalNumber
        | GeneralCategory::ModifierLetter
        | GeneralCategory::NonspacingMark
        | GeneralCategory::SpacingMark => Property::Valid,
        // Capital letters fold to lower case, except those of Cherokee.
        GeneralCategory::UppercaseLetter if matches!(c, '\u{13A0}'..='\u{13F5}') => Property::Valid,
        _ => Property::Disallowed,
    }
}

/// RFC 5892 section 2.6.
fn exception(c: char) -> Option<Property> {
    match c {
        '\u{DF}' | '\u{3C2}' | '\u{6FD}' | '\u{6FE}' | '\u{F0B}' | '\u{3007}' => {
            Some(Property::Valid)
        }
        '\u{B7}' | '\u{375}' | '\u{5F3}' | '\u{5F4}' | '\u{30FB}' => Some(Property::Contextual),
        '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => Some(Property::Contextual),
        '\u{640}' | '\u{7FA}' | '\u{302E}' | '\u{302F}' | '\u{3031}'..='\u{3035}' | '\u{303B}' => {
            Some(Property::Disallowed)
        }
        _ => None,
    }
}

/// Whether case folding changes `c`, which is not a capital letter (RFC 5892 section 2.2).
///
/// These letters are few, and Unicode's stability policy lets no assigned character become one or
/// stop being one.
fn folds(c: char) -> bool {
    match c {
        // Cherokee folds the other way: small letters become capitals.
        '\u{13F8}'..='\u{13FD}' | '\u{AB70}'..='\u{ABBF}' => true,
        // The ypogegrammeni, and letters with one: it becomes an iota.
        '\u{345}'
        | '\u{1F80}'..='\u{1FAF}'
        | '\u{1FB2}'..='\u{1FB4}'
        | '\u{1FB7}'
        | '\u{1FC2}'..='\u{1FC4}'
        | '\u{1FC7}'
        | '\u{1FF2}'..='\u{1FF4}'
        | '\u{1FF7}' => true,
        // Historic shapes of Cyrillic letters.
        '\u{1C80}'..='\u{1C88}' => true,
        _ => false,
    }
}

/// The letters, marks and digits among `Default_Ignorable_Code_Point` (RFC 5892 section 2.3); its
/// other members, white space and noncharacters, are neither.
fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{34F}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{17B4}'
            | '\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FFA0}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Combining Diacritical Marks for Symbols, Musical Symbols, Ancient Greek
/// Musical Notation (RFC 5892 section 2.4).
fn is_in_ignorable_block(c: char) -> bool {
    matches!(c, '\u{20D0}'..='\u{20FF}' | '\u{1D100}'..='\u{1D1FF}' | '\u{1D200}'..='\u{1D24F}')
}

/// Conjoining Hangul jamo of any kind (RFC 5892 section 2.9).
fn is_old_hangul_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11FF}' | '\u{A960}'..='\u{A97C}' | '\u{D7B0}'..='\u{D7FB}')
}

/// The contextual rules (RFC 5892 appendix A) for `c` between `before` and
/// `after`.
fn context_allows(c: char, before: &[char], after: &[char]) -> bool {
    let has_script = |c: &char, script| c.script() == script;
    match c {
        '\u{200C}' => {
            follows_virama(before)
                || (joins(before.iter().rev(), JoiningType::LeftJoining)
                    && joins(after.iter(), JoiningType::RightJoining))
        }
        '\u{200D}' => follows_virama(before),
        '\u{B7}' => before.last() == Some(&'l') && after.first() == Some(&'l'),
        '\u{375}' => after.first().is_some_and(|c| has_script(c, Script::Greek)),
        '\u{5F3}' | '\u{5F4}' => before.last().is_some_and(|c| has_script(c, Script::Hebrew)),
        '\u{30FB}' => before.iter().chain(after).any(|c| {
            matches!(
                c.script(),
                Script::Hiragana | Script::Katakana | Script::Han
            )
        }),
        '\u{660}'..='\u{669}' => !before
            .iter()
            .chain(after)
            .any(|c| matches!(c, '\u{6F0}'..='\u{6F9}')),
        '\u{6F0}'..='\u{6F9}' => !before
            .iter()
            .chain(after)
            .any(|c| matches!(c, '\u{660}'..='\u{669}')),
        _ => false,
    }
}

fn follows_virama(before: &[char]) -> bool {
    before
        .last()
        .is_some_and(|c| canonical_combining_class(*c) == VIRAMA)
}

/// Whether the nearest character that is not transparent joins on that side.
fn joins<'a>(mut chars: impl Iterator<Item = &'a char>, side: JoiningType) -> bool {
    chars
        .find(|c| get_joining_type(**c) != JoiningType::Transparent)
        .is_some_and(|c| {
            let joining = get_joining_type(*c);
            joining == side || joining == JoiningType::DualJoining
        })
}

/// The canonical combining class of viramas.
const VIRAMA: u8 = 9;

#[cfg(test)]
mod tests {
    use super::{
        Property, exception, has_right_to_left_class, is_in_right_to_left_block, property,
    };
    use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

    /// The property of any code point.
    fn derived(c: char) -> Property {
        match is_stable(c) {
            true => property(c),
            false => Property::Disallowed,
        }
    }

    fn is_stable(c: char) -> bool {
        is_nfkc_quick(std::iter::once(c)) != IsNormalized::No
    }

    #[test]
    fn derived_properties() {
        for (c, expected) in [
            ('a', Property::Valid),
            ('A', Property::Disallowed),
            ('-', Property::Valid),
            ('.', Property::Disallowed),
            ('_', Property::Disallowed),
            ('\u{B7}', Property::Contextual),
            ('ß', Property::Valid),
            ('ẞ', Property::Disallowed),
            ('ς', Property::Valid),
            ('ŉ', Property::Disallowed),
            ('ǰ', Property::Valid),
            ('\u{345}', Property::Disallowed),
            ('\u{34F}', Property::Disallowed),
            ('ᾳ', Property::Disallowed),
            ('\u{1F76}', Property::Valid),
            ('\u{1F77}', Property::Disallowed),
            ('Ꭰ', Property::Valid),
            ('ꭰ', Property::Disallowed),
            ('ᲀ', Property::Disallowed),
            ('ა', Property::Valid),
            ('Ა', Property::Disallowed),
            ('٠', Property::Contextual),
            ('०', Property::Valid),
            ('²', Property::Disallowed),
            ('\u{200C}', Property::Contextual),
            ('\u{2010}', Property::Disallowed),
            ('\u{1160}', Property::Disallowed),
            ('가', Property::Valid),
            ('ㄱ', Property::Disallowed),
            ('中', Property::Valid),
            ('〆', Property::Valid),
            ('\u{302A}', Property::Valid),
            ('\u{302E}', Property::Disallowed),
            ('ｱ', Property::Disallowed),
            ('\u{F900}', Property::Disallowed),
            ('\u{1D165}', Property::Disallowed),
            ('\u{E0100}', Property::Disallowed),
            ('\u{FFFF}', Property::Disallowed),
        ] {
            assert_eq!(derived(c), expected, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn case_folding_is_the_only_reason_beside_normalization() {
        // Whatever the standard library turns to lower case must be unstable, except Cherokee.
        for c in '\u{80}'..=char::MAX {
            let folds = c.to_lowercase().ne(std::iter::once(c));
            if folds && !('\u{13A0}'..='\u{13F5}').contains(&c) {
                assert_eq!(derived(c), Property::Disallowed, "U+{:04X}", u32::from(c));
            }
        }
    }

    #[test]
    fn quick_checks_know_what_normalization_changes() {
        for c in '\0'..=char::MAX {
            let once = || std::iter::once(c);
            let changes = once().nfkc().ne(once());
            assert_eq!(!is_stable(c), changes, "U+{:04X}", u32::from(c));
            let exception = matches!(exception(c), Some(Property::Valid | Property::Contextual));
            assert!(!(changes && exception), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn no_character_outside_their_blocks_runs_from_right_to_left() {
        for c in '\0'..=char::MAX {
            let in_block = is_in_right_to_left_block(c);
            assert!(
                in_block || !has_right_to_left_class(c),
                "U+{:04X}",
                u32::from(c)
            );
        }
    }
}
