//! `\p{…}`: the property names that ECMA-262 lists, and their sets.
//!
//! ECMA-262 accepts names exactly as Unicode spells them (tables
//! `table-nonbinary-unicode-properties` and `table-binary-unicode-properties`): no other case, no
//! omitted underscore. The sets come from `regex-syntax`; without the feature `unicode` only the
//! sets that need no table are known.

#[cfg(feature = "unicode")]
use regex_syntax::hir::{Class, HirKind};

use crate::set::CodeSet;

/// The result of looking up a property expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// A property whose set can be built.
    Known,
    /// A property that ECMA-262 lists but the available tables lack.
    Unsupported,
    /// Not listed by ECMA-262.
    Unknown,
}

/// Whether ECMA-262 lists this expression, the text between the braces.
pub(crate) fn look_up(expression: &str) -> Lookup {
    let known = match expression.split_once('=') {
        Some(("General_Category" | "gc", value)) => listed(CATEGORIES, value),
        Some(("Script" | "sc" | "Script_Extensions" | "scx", value)) => listed(SCRIPTS, value),
        Some(_) => false,
        None if matches!(expression, "Changes_When_NFKC_Casefolded" | "CWKCF") => {
            return Lookup::Unsupported;
        }
        None => listed(CATEGORIES, expression) || listed(BINARY, expression),
    };
    match known {
        true if cfg!(feature = "unicode") || without_table(expression).is_some() => Lookup::Known,
        true => Lookup::Unsupported,
        false => Lookup::Unknown,
    }
}

/// The set of a property expression for which [`look_up`] returns `Known`.
#[cfg(not(feature = "unicode"))]
pub(crate) fn set(expression: &str) -> Option<CodeSet> {
    without_table(expression).map(CodeSet::of)
}

/// The properties whose ranges are simple enough to be written here.
fn without_table(expression: &str) -> Option<&'static [(u32, u32)]> {
    match expression {
        "Any" => Some(&[(0, 0x10_FFFF)]),
        "ASCII" => Some(&[(0, 0x7F)]),
        "ASCII_Hex_Digit" | "AHex" => Some(&[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
        _ => None,
    }
}

/// The set of a property expression for which [`look_up`] returns `Known`.
#[cfg(feature = "unicode")]
pub(crate) fn set(expression: &str) -> Option<CodeSet> {
    let category = match expression.split_once('=') {
        Some(("General_Category" | "gc", value)) => Some(value),
        Some(_) => None,
        None => listed(CATEGORIES, expression).then_some(expression),
    };
    // A table of scalar values has no surrogates.
    if let Some("Cs" | "Surrogate") = category {
        return Some(CodeSet::of(&[crate::set::SURROGATES]));
    }
    // Code points without a script (UAX 24, section 2.1), for which there is no table either.
    let unknown = matches!(expression.split_once('='), Some((_, "Unknown" | "Zzzz")));
    // A category name alone must not be read as a property or a script.
    let query = match category {
        Some(category) => format!("\\p{{gc={category}}}"),
        None if unknown => r"[\p{gc=Cn}\p{gc=Co}]".to_owned(),
        None => format!("\\p{{{expression}}}"),
    };
    let hir = regex_syntax::parse(&query).ok()?;
    let mut out = CodeSet::default();
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            for range in class.ranges() {
                out.add(u32::from(range.start()), u32::from(range.end()));
            }
        }
        HirKind::Class(Class::Bytes(class)) => {
            for range in class.ranges() {
                out.add(u32::from(range.start()), u32::from(range.end()));
            }
        }
        HirKind::Literal(literal) => {
            for c in std::str::from_utf8(&literal.0).ok()?.chars() {
                out.add(u32::from(c), u32::from(c));
            }
        }
        _ => return None,
    }
    // The tables contain scalar values; ECMA-262 has code points.
    if expression == "Any" || unknown || matches!(category, Some("C" | "Other")) {
        out.add(crate::set::SURROGATES.0, crate::set::SURROGATES.1);
    }
    out.normalise();
    Some(out)
}

/// The message of an internal error if a set is requested that [`look_up`] does not know, or that
/// the tables lack after all.
pub(crate) const MISSING: &str = "a table of Unicode is missing";

/// Whether a space-separated list contains exactly this name.
fn listed(list: &str, name: &str) -> bool {
    list.split(' ').any(|entry| entry == name)
}

/// The values of `General_Category`, short and long.
const CATEGORIES: &str = "C Other Cc Control cntrl Cf Format Cn Unassigned Co Private_Use Cs \
    Surrogate L Letter LC Cased_Letter Ll Lowercase_Letter Lm Modifier_Letter Lo Other_Letter \
    Lt Titlecase_Letter Lu Uppercase_Letter M Mark Combining_Mark Mc Spacing_Mark Me \
    Enclosing_Mark Mn Nonspacing_Mark N Number Nd Decimal_Number digit Nl Letter_Number No \
    Other_Number P Punctuation punct Pc Connector_Punctuation Pd Dash_Punctuation Pe \
    Close_Punctuation Pf Final_Punctuation Pi Initial_Punctuation Po Other_Punctuation Ps \
    Open_Punctuation S Symbol Sc Currency_Symbol Sk Modifier_Symbol Sm Math_Symbol So \
    Other_Symbol Z Separator Zl Line_Separator Zp Paragraph_Separator Zs Space_Separator";

/// The binary properties, long and short.
const BINARY: &str = "ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control \
    Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable CI Cased Changes_When_Casefolded CWCF \
    Changes_When_Casemapped CWCM Changes_When_Lowercased CWL Changes_When_Titlecased CWT \
    Changes_When_Uppercased CWU Dash Default_Ignorable_Code_Point DI Deprecated Dep Diacritic \
    Dia Emoji Emoji_Component EComp Emoji_Modifier EMod Emoji_Modifier_Base EBase \
    Emoji_Presentation EPres Extended_Pictographic ExtPict Extender Ext Grapheme_Base Gr_Base \
    Grapheme_Extend Gr_Ext Hex_Digit Hex IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST \
    ID_Continue IDC ID_Start IDS Ideographic Ideo Join_Control Join_C Logical_Order_Exception \
    LOE Lowercase Lower Math Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn \
    Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI \
    Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph UIdeo \
    Uppercase Upper Variation_Selector VS White_Space space XID_Continue XIDC XID_Start XIDS";

/// The values of `Script` and `Script_Extensions`, long and short.
const SCRIPTS: &str = "Adlam Adlm Ahom Anatolian_Hieroglyphs Hluw Arabic Arab Armenian Armn Avestan Avst \
    Balinese Bali Bamum Bamu Bassa_Vah Bass Batak Batk Bengali Beng Bhaiksuki Bhks Bopomofo \
    Bopo Brahmi Brah Braille Brai Buginese Bugi Buhid Buhd Canadian_Aboriginal Cans Carian \
    Cari Caucasian_Albanian Aghb Chakma Cakm Cham Cherokee Cher Chorasmian Chrs Common Zyyy \
    Coptic Copt Qaac Cuneiform Xsux Cypriot Cprt Cypro_Minoan Cpmn Cyrillic Cyrl Deseret \
    Dsrt Devanagari Deva Dives_Akuru Diak Dogra Dogr Duployan Dupl Egyptian_Hieroglyphs Egyp \
    Elbasan Elba Elymaic Elym Ethiopic Ethi Garay Gara Georgian Geor Glagolitic Glag Gothic \
    Goth Grantha Gran Greek Grek Gujarati Gujr Gunjala_Gondi Gong Gurmukhi Guru Gurung_Khema \
    Gukh Han Hani Hangul Hang Hanifi_Rohingya Rohg Hanunoo Hano Hatran Hatr Hebrew Hebr \
    Hiragana Hira Imperial_Aramaic Armi Inherited Qaai Zinh Inscriptional_Pahlavi Phli \
    Inscriptional_Parthian Prti Javanese Java Kaithi Kthi Kannada Knda Katakana Kana Kawi \
    Kayah_Li Kali Kharoshthi Khar Khitan_Small_Script Kits Khmer Khmr Khojki Khoj Khudawadi \
    Sind Kirat_Rai Krai Lao Laoo Latin Latn Lepcha Lepc Limbu Limb Linear_A Lina Linear_B \
    Linb Lisu Lycian Lyci Lydian Lydi Mahajani Mahj Makasar Maka Malayalam Mlym Mandaic Mand \
    Manichaean Mani Marchen Marc Masaram_Gondi Gonm Medefaidrin Medf Meetei_Mayek Mtei \
    Mende_Kikakui Mend Meroitic_Cursive Merc Meroitic_Hieroglyphs Mero Miao Plrd Modi \
    Mongolian Mong Mro Mroo Multani Mult Myanmar Mymr Nabataean Nbat Nag_Mundari Nagm \
    Nandinagari Nand New_Tai_Lue Talu Newa Nko Nkoo Nushu Nshu Nyiakeng_Puachue_Hmong Hmnp \
    Ogham Ogam Ol_Chiki Olck Ol_Onal Onao Old_Hungarian Hung Old_Italic Ital \
    Old_North_Arabian Narb Old_Permic Perm Old_Persian Xpeo Old_Sogdian Sogo \
    Old_South_Arabian Sarb Old_Turkic Orkh Old_Uyghur Ougr Oriya Orya Osage Osge Osmanya \
    Osma Pahawh_Hmong Hmng Palmyrene Palm Pau_Cin_Hau Pauc Phags_Pa Phag Phoenician Phnx \
    Psalter_Pahlavi Phlp Rejang Rjng Runic Runr Samaritan Samr Saurashtra Saur Sharada Shrd \
    Shavian Shaw Siddham Sidd SignWriting Sgnw Sinhala Sinh Sogdian Sogd Sora_Sompeng Sora \
    Soyombo Soyo Sundanese Sund Sunuwar Sunu Syloti_Nagri Sylo Syriac Syrc Tagalog Tglg \
    Tagbanwa Tagb Tai_Le Tale Tai_Tham Lana Tai_Viet Tavt Takri Takr Tamil Taml Tangsa Tnsa \
    Tangut Tang Telugu Telu Thaana Thaa Thai Tibetan Tibt Tifinagh Tfng Tirhuta Tirh Todhri \
    Todr Toto Tulu_Tigalari Tutg Ugaritic Ugar Unknown Zzzz Vai Vaii Vithkuqi Vith Wancho \
    Wcho Warang_Citi Wara Yezidi Yezi Yi Yiii Zanabazar_Square Zanb";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_without_a_table_are_those_of_the_tables() {
        for expression in ["Any", "ASCII", "ASCII_Hex_Digit", "AHex"] {
            assert_eq!(look_up(expression), Lookup::Known);
            let written = CodeSet::of(without_table(expression).unwrap());
            assert_eq!(set(expression).unwrap().ranges(), written.ranges());
        }
    }

    /// No listed name may cause an internal error when a pattern is read.
    #[cfg(feature = "unicode")]
    #[test]
    fn each_listed_property_has_a_set() {
        let names = |list: &'static str| list.split(' ');
        let categories = names(CATEGORIES)
            .flat_map(|name| ["", "gc=", "General_Category="].map(|key| format!("{key}{name}")));
        let scripts = names(SCRIPTS).flat_map(|name| {
            ["sc=", "Script=", "scx=", "Script_Extensions="].map(|key| format!("{key}{name}"))
        });
        let binary = names(BINARY).map(str::to_owned);
        for expression in categories.chain(scripts).chain(binary) {
            assert_eq!(look_up(&expression), Lookup::Known, "{expression}");
            assert!(set(&expression).is_some(), "{expression}");
        }
    }

    #[test]
    fn a_property_without_its_table_is_unsupported_and_not_unknown() {
        let expected = match cfg!(feature = "unicode") {
            true => Lookup::Known,
            false => Lookup::Unsupported,
        };
        for expression in ["L", "Letter", "Script=Greek", "gc=Lu", "Emoji"] {
            assert_eq!(look_up(expression), expected, "{expression}");
        }
        assert_eq!(look_up("Leter"), Lookup::Unknown);
    }
}
