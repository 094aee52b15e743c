//! How a command ends: exit codes shared with other MCP tools, and failures with help.

use std::process::ExitCode;

/// The exit codes; 3 to 6 are those of MCP Inspector, so that scripts work with both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: success.
    Ok,
    /// 1: an instance does not match its schema, or a caller may not use a tool.
    Invalid,
    /// 2: the command line or its input cannot be used.
    Usage,
    /// 3: the server requires authorization (HTTP 401, 403).
    Auth,
    /// 4: the server cannot be reached, died, did not answer or sent invalid messages.
    Unreachable,
    /// 6: a schema was refused.
    Schema,
    /// 7: a limit was reached before the verdict on an instance.
    Undecided,
    /// 130: interrupted, as shells report it.
    Interrupted,
    /// 141: the output was closed before the end of a stream, as shells report SIGPIPE.
    Closed,
}

impl Exit {
    /// The number of the exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Invalid => 1,
            Self::Usage => 2,
            Self::Auth => 3,
            Self::Unreachable => 4,
            Self::Schema => 6,
            Self::Undecided => 7,
            Self::Interrupted => 130,
            Self::Closed => 141,
        }
    }

    /// The more urgent of two: what prevented a check ranks above what a check found.
    pub(crate) fn worst(self, other: Self) -> Self {
        let rank = |exit: Self| match exit {
            Self::Ok => 0,
            Self::Invalid => 1,
            Self::Undecided => 2,
            Self::Schema => 3,
            Self::Unreachable => 4,
            Self::Auth => 5,
            Self::Usage => 6,
            Self::Interrupted => 7,
            Self::Closed => 8,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command could not do its work. Untrusted text in it is already escaped.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
