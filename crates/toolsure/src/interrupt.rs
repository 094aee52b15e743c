//! Handles Ctrl-C and, on Unix, SIGTERM and SIGHUP.

use tokio::runtime::Builder;
use tokio::sync::oneshot;

use crate::exit::Exit;
use crate::term::Term;

/// While it exists, an interrupt clears the progress line and ends the program.
///
/// A command needs it for its computations in two cases: if it shows progress, and if it waited for
/// [`interrupted`] before, because from then on the signal no longer ends the program by itself.
#[derive(Debug)]
pub(crate) struct ExitOnInterrupt {
    /// Dropping it ends the thread that waits for an interrupt.
    _alive: oneshot::Sender<()>,
}

impl ExitOnInterrupt {
    pub(crate) fn new(term: &Term) -> Self {
        let (alive, over) = oneshot::channel();
        let term = *term;
        // If there is no thread, the program is less responsive to signals, but still works.
        let _unwatched = std::thread::Builder::new().spawn(move || {
            let Ok(runtime) = Builder::new_current_thread().enable_all().build() else {
                return;
            };
            runtime.block_on(async {
                tokio::select! {
                    () = interrupted() => {
                        term.clear_progress();
                        std::process::exit(i32::from(Exit::Interrupted.code()));
                    }
                    _ = over => {}
                }
            });
        });
        Self { _alive: alive }
    }
}

/// Resolves at Ctrl-C or, on Unix, at SIGTERM, or at SIGHUP when the terminal is closed.
pub(crate) async fn interrupted() {
    let ctrl_c = async {
        // Without a handler there is nothing to wait for: the signal ends the program by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let ended = async {
        use tokio::signal::unix::SignalKind;
        tokio::select! {
            () = signal(SignalKind::terminate()) => {}
            () = signal(SignalKind::hangup()), if !ignores_hangup() => {}
        }
    };
    #[cfg(not(unix))]
    let ended = std::future::pending::<()>();
    tokio::select! {
        () = ctrl_c => {}
        () = ended => {}
    }
}

#[cfg(unix)]
async fn signal(kind: tokio::signal::unix::SignalKind) {
    match tokio::signal::unix::signal(kind) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

/// Whether the program was started by `nohup`, to outlive its terminal. A handler would undo that.
/// Only Linux tells.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit is for signal 1, which is SIGHUP.
    ignored.is_some_and(|mask| mask & 1 == 1)
}
