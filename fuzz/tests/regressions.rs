//! Inputs that failed once.

use std::fs;
use std::path::Path;

use toolsure_fuzz::TARGETS;

#[test]
fn what_failed_once_does_not_fail_again() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut replayed = 0;
    for folder in fs::read_dir(&root).unwrap() {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let target = TARGETS.iter().find(|target| target.name == name);
        let target = target.unwrap_or_else(|| panic!("no target `{name}`"));
        for file in fs::read_dir(&folder).unwrap() {
            let path = file.unwrap().path();
            let outcome = (target.run)(&fs::read(&path).unwrap());
            assert_eq!(outcome, Ok(()), "{}", path.display());
            replayed += 1;
        }
    }
    assert!(replayed > 0, "there are regressions");
}
