//! The questions of one round, and the answers that are there.

use toolsure_json::json_string;

use crate::id::IdKey;

/// The questions of one round.
#[derive(Debug)]
pub(super) struct Asking {
    /// `requestState`, as JSON text.
    pub(super) state: Option<String>,
    pub(super) questions: Vec<Question>,
}

#[derive(Debug)]
pub(super) struct Question {
    /// Our request at the client.
    pub(super) id: IdKey,
    /// The server's name for it.
    pub(super) name: String,
    pub(super) method: &'static str,
    /// The client's result, as JSON text.
    pub(super) answer: Option<String>,
}

impl Asking {
    /// The requests that the client has not answered.
    pub(super) fn open(&self) -> impl Iterator<Item = &IdKey> {
        let open = self.questions.iter().filter(|one| one.answer.is_none());
        open.map(|one| &one.id)
    }

    /// The members to add to the repeated call.
    pub(super) fn members(&self) -> Vec<String> {
        let mut members = Vec::new();
        if !self.questions.is_empty() {
            let answers = self.questions.iter().filter_map(|one| {
                Some(format!(
                    "{}:{}",
                    json_string(&one.name),
                    one.answer.as_ref()?
                ))
            });
            let answers = answers.collect::<Vec<_>>().join(",");
            members.push(format!(r#""inputResponses":{{{answers}}}"#));
        }
        if let Some(state) = &self.state {
            members.push(format!(r#""requestState":{state}"#));
        }
        members
    }
}
