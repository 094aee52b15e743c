//! Our standard input and output. On Linux, pipes and sockets need no extra thread, unlike with
//! tokio's `stdin` and `stdout`.

use tokio::io::{AsyncRead, AsyncWrite};

/// Our standard input.
pub(crate) fn input() -> Box<dyn AsyncRead + Send + Unpin> {
    #[cfg(target_os = "linux")]
    if let Some(input) = linux::input() {
        return input;
    }
    Box::new(tokio::io::stdin())
}

/// Our standard output.
pub(crate) fn output() -> Box<dyn AsyncWrite + Send + Unpin> {
    #[cfg(target_os = "linux")]
    if let Some(output) = linux::output() {
        return output;
    }
    Box::new(tokio::io::stdout())
}

#[cfg(target_os = "linux")]
mod linux {
    //! A pipe is opened again, so that only our end becomes non-blocking, not that of other
    //! processes that share it. A socket cannot be opened again, and is not shared in practice.

    use std::fs::File;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;

    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::net::{UnixStream, unix::pipe};

    pub(super) fn input() -> Option<Box<dyn AsyncRead + Send + Unpin>> {
        match kind(std::io::stdin().as_fd())? {
            Kind::Pipe => {
                let pipe = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0");
                pipe.ok().map(reader)
            }
            Kind::Socket(socket) => stream(socket).map(reader),
        }
    }

    pub(super) fn output() -> Option<Box<dyn AsyncWrite + Send + Unpin>> {
        match kind(std::io::stdout().as_fd())? {
            Kind::Pipe => {
                let pipe = pipe::OpenOptions::new().open_sender("/proc/self/fd/1");
                pipe.ok().map(writer)
            }
            Kind::Socket(socket) => stream(socket).map(writer),
        }
    }

    fn reader(from: impl AsyncRead + Send + Unpin + 'static) -> Box<dyn AsyncRead + Send + Unpin> {
        Box::new(from)
    }

    fn writer(to: impl AsyncWrite + Send + Unpin + 'static) -> Box<dyn AsyncWrite + Send + Unpin> {
        Box::new(to)
    }

    enum Kind {
        Pipe,
        Socket(OwnedFd),
    }

    fn kind(fd: BorrowedFd<'_>) -> Option<Kind> {
        let file = File::from(fd.try_clone_to_owned().ok()?);
        let kind = file.metadata().ok()?.file_type();
        if kind.is_fifo() {
            Some(Kind::Pipe)
        } else if kind.is_socket() {
            Some(Kind::Socket(file.into()))
        } else {
            None
        }
    }

    fn stream(socket: OwnedFd) -> Option<UnixStream> {
        let stream = std::os::unix::net::UnixStream::from(socket);
        // A socket of another family is not a Unix stream and has no such address.
        stream.local_addr().ok()?;
        stream.set_nonblocking(true).ok()?;
        UnixStream::from_std(stream).ok()
    }
}
