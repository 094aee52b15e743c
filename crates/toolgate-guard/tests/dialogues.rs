//! Plays the dialogues of `cases/`: what each side says, and what the guard must
//! do about it, line by line. `cases/README.md` says how a dialogue is written.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic is how a test fails"
)]

mod support;

use support::script::play;

macro_rules! dialogues {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                play(include_str!(concat!("cases/", stringify!($name), ".txt")));
            }
        )*

        #[test]
        fn every_dialogue_is_played() {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
            let mut files: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter_map(|name| name.strip_suffix(".txt").map(str::to_owned))
                .collect();
            files.sort();
            let mut played = vec![$(stringify!($name).to_owned()),*];
            played.sort();
            assert_eq!(files, played);
        }
    };
}

dialogues! {
    arguments
    batches
    cancel
    drift
    elsewhere
    endings
    envelope
    ids
    knowledge
    legacy_list
    listing
    modern
    noise
    passes
    rates
    repair
    results
    tasks
    tools_unlisted
    traces
}
