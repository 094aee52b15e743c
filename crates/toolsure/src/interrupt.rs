//! Handles Ctrl-C and, on Unix, SIGTERM.

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

/// Resolves at Ctrl-C or, on Unix, SIGTERM.
pub(crate) async fn interrupted() {
    let ctrl_c = async {
        // Without a handler there is nothing to wait for: the signal ends the program by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = ctrl_c => {}
        () = terminated => {}
    }
}
