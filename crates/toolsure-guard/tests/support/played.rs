//! A test for each dialogue of a folder, and one that none is left out.

/// `dialogues! { "FOLDER": NAME… }` plays `FOLDER/NAME.txt`, beside the file that says so, with the
/// function `play` of that file.
macro_rules! dialogues {
    ($folder:literal: $($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                play(include_str!(concat!($folder, "/", stringify!($name), ".txt")));
            }
        )*

        #[test]
        fn every_dialogue_is_played() {
            let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
            let mut files: Vec<String> = std::fs::read_dir(tests.join($folder))
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
