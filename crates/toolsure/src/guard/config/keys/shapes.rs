//! Macros for the rows of the key tables.

/// A key that accepts the words of its field's type.
macro_rules! word {
    ($type:ty, $($field:ident).+) => {
        Slot::Word {
            words: <$type as Words>::WORDS,
            put: |target, word| put(&mut target.$($field).+, word),
            word: |target| Words::word(target.$($field).+),
        }
    };
}

/// The same for an optional field.
macro_rules! optional_word {
    ($type:ty, $($field:ident).+) => {
        Slot::Word {
            words: <$type as Words>::WORDS,
            put: |target, word| put_some(&mut target.$($field).+, word),
            word: |target| target.$($field).+.map_or("", Words::word),
        }
    };
}

/// A key with this kind of slot for its field.
macro_rules! field {
    ($kind:ident, $($field:ident).+) => { Slot::$kind(|target| &mut target.$($field).+) };
    ($kind:ident($range:expr), $($field:ident).+) => {
        Slot::$kind($range, |target| &mut target.$($field).+)
    };
}
