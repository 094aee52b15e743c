//! Harmless irregularities of a server that its author may want to know about.

use toolsure_json::quote;

/// Harmless irregularities in a session: how many, and the first of each kind.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Notes {
    /// Lines on the child's standard output that are not JSON-RPC. They were ignored.
    pub noise_lines: u64,
    /// The first such line, escaped and cut.
    pub first_noise: Option<String>,
    /// Answers whose id belongs to no request.
    pub stray_answers: u64,
    /// The first such id as it was written, escaped and cut.
    pub first_stray: Option<String>,
    /// Requests of the server that were declined with -32601.
    pub declined_requests: u64,
    /// The method of the first such request, escaped and cut.
    pub first_declined: Option<String>,
    /// Notifications that the list of tools has changed.
    pub list_changed: u64,
    /// Whether the server's process was started again, because it ended or hung at a
    /// `server/discover` that it did not know.
    pub restarted: bool,
}

impl Notes {
    pub(crate) fn noise(&mut self, line: &[u8]) {
        self.noise_lines = self.noise_lines.saturating_add(1);
        if self.first_noise.is_none() {
            self.first_noise = Some(excerpt(line));
        }
    }

    pub(crate) fn stray(&mut self, id: &str) {
        self.stray_answers = self.stray_answers.saturating_add(1);
        self.first_stray
            .get_or_insert_with(|| quote(id, QUOTED).to_string());
    }

    pub(crate) fn notified(&mut self, method: &str) {
        if method == "notifications/tools/list_changed" {
            self.list_changed = self.list_changed.saturating_add(1);
        }
    }

    pub(crate) fn declined(&mut self, method: &str) {
        self.declined_requests = self.declined_requests.saturating_add(1);
        self.first_declined
            .get_or_insert_with(|| quote(method, QUOTED).to_string());
    }

    /// The notes that explain a missing answer, as the end of a sentence; empty if there are none.
    pub(crate) fn why_silent(&self) -> String {
        let mut parts = Vec::new();
        if let Some(first) = &self.first_noise {
            parts.push(format!(
                "{} on stdout not JSON-RPC, first `{first}`",
                lines(self.noise_lines)
            ));
        }
        if let Some(first) = &self.first_stray {
            parts.push(format!(
                "{} to no request of ours, first id `{first}`",
                answers(self.stray_answers)
            ));
        }
        if parts.is_empty() {
            String::new()
        } else {
            format!(" ({})", parts.join("; "))
        }
    }
}

/// An excerpt of untrusted bytes for a message: one line, escaped and cut.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    // A character has at most four bytes; what is cut off here could not be shown anyway.
    let head = bytes.get(..QUOTED.saturating_mul(4)).unwrap_or(bytes);
    quote(String::from_utf8_lossy(head).trim_end(), QUOTED).to_string()
}

fn lines(count: u64) -> String {
    if count == 1 {
        "1 line".to_owned()
    } else {
        format!("{count} lines")
    }
}

fn answers(count: u64) -> String {
    if count == 1 {
        "1 answer".to_owned()
    } else {
        format!("{count} answers")
    }
}

/// Maximum characters of untrusted text that a message quotes.
const QUOTED: usize = 120;
