//! The setting of the C library's allocator with which a guard gives memory back.
//!
//! Without it, glibc takes the memory of large messages from the arenas of its threads, where it stays
//! after they have gone: a guard remains about as large as it ever was. The setting is read from the
//! environment when a process starts, and a call that changes it later would be unsafe code.

/// Starts the program again in this process, with the setting, unless the environment has it. If that
/// is not possible, it goes on without.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn give_memory_back() {
    use std::os::unix::process::CommandExt as _;

    let has_it = std::env::var_os(MMAP_THRESHOLD).is_some();
    let (Ok(program), false) = (std::env::current_exe(), has_it) else {
        return;
    };
    let mut arguments = std::env::args_os();
    let mut command = std::process::Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    let _goes_on_without = command.args(arguments).env(MMAP_THRESHOLD, BYTES).exec();
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_memory_back() {}

/// The variable that holds the setting, if this program has set it: it is not for the servers.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn own_variable() -> Option<&'static str> {
    let is_own = std::env::var_os(MMAP_THRESHOLD).is_some_and(|value| value == BYTES);
    is_own.then_some(MMAP_THRESHOLD)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn own_variable() -> Option<&'static str> {
    None
}

/// The size from which memory comes from the system, and goes back to it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MMAP_THRESHOLD: &str = "MALLOC_MMAP_THRESHOLD_";
/// Above nearly all messages, so that they cost no system calls.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const BYTES: &str = "1048576";
