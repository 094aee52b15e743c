//! The stack that the engine is tested in.

/// Runs a test in a thread whose stack has 256 KiB, the most that the engine needs.
pub(crate) fn in_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(run);
    assert!(
        thread.is_ok_and(|thread| thread.join().is_ok()),
        "it failed in its thread"
    );
}
