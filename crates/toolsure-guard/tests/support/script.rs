//! Dialogues as text: read, played, compared.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use toolsure_guard::policy::{
    AllowList, CallerRule, Changes, DriftMode, Mode, ProjectionLimits, Projector, Rate, RuleUsage,
    ToolRule, Words, reader, settings,
};
use toolsure_guard::{
    Carrier, Context, Conversation, Effect, Effects, Guard, IdKey, Link, Lock, Message, Peer,
    Policy, Purpose, Recovery, Report, ScopeKey, Share, ShareTerms, Side, ToolsEvent, TraceContext,
    VerifiedCaller,
};
use toolsure_mcp::argument::ArgumentSchema;
use toolsure_mcp::era::Era;

use super::expected::matches;
use super::recording_tracer::RecordingTracer;

/// Plays a dialogue and panics at the first line that does not hold.
pub(crate) fn play(text: &str) {
    let mut stage = Stage::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if !line.is_empty() && !line.starts_with('#') {
            stage.line(number + 1, line);
        }
    }
    stage.expect_silence(text.lines().count(), "the end");
}

struct Stage {
    policy: Policy,
    link: Link,
    adopted: bool,
    mark: String,
    context: Context,
    guard: Option<Guard>,
    conversation: Option<Conversation>,
    now: Duration,
    said: VecDeque<String>,
    tracer: Option<Arc<RecordingTracer>>,
    /// The trace context that the transport of the client's next message carries.
    carried: Option<TraceContext>,
    share: Option<Share>,
}

impl Stage {
    fn new() -> Self {
        let mut policy = Policy::new();
        policy.record_passes = false;
        Self {
            policy,
            link: Link::default(),
            adopted: false,
            mark: String::new(),
            context: Context::Session(1),
            guard: None,
            conversation: None,
            now: Duration::ZERO,
            said: VecDeque::new(),
            tracer: None,
            carried: None,
            share: None,
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim_start();
        if let "C<" | "S<" | "!" | "T" | "abandon" = word {
            let said = self.said.pop_front();
            let said = said.unwrap_or_else(|| "nothing".to_owned());
            assert!(
                matches(&format!("{word} {rest}"), &said),
                "line {number}: expected\n  {word} {rest}\nfound\n  {said}"
            );
            return;
        }
        self.expect_silence(number, line);
        let now = self.now;
        match word {
            "policy" => self.set_policy(number, rest),
            "rule" => self.add_rule(number, rest),
            "lock" => {
                let lock = Lock::read(rest.as_bytes(), None).unwrap();
                self.policy.drift.lock = Some(Arc::new(lock));
            }
            "reload" => {
                let guard = self.guard.as_ref().unwrap();
                guard.replace(self.policy.clone()).unwrap();
                if self.conversation.is_some() {
                    self.event(|c| c.policy_replaced(now), None);
                }
            }
            "share" => {
                let terms = ShareTerms {
                    pins: drift(rest),
                    quarantine: true,
                };
                self.share = Some(Share::new(terms, b"secret", || ()));
            }
            "heard" => self.hear(rest),
            "trace" => self.tracer = Some(Arc::default()),
            "carried" => {
                let carried = TraceContext::new(rest, None);
                self.carried = carried;
            }
            "from" => {
                let peer = Peer {
                    caller: None,
                    session: None,
                    address: Some(rest.into()),
                    verified: None,
                };
                self.conversation().set_peer(Some(Arc::new(peer)));
            }
            "caller" => {
                let peer = Peer {
                    verified: Some(Arc::new(caller(rest))),
                    ..Peer::default()
                };
                self.conversation().set_peer(Some(Arc::new(peer)));
            }
            "allow" => self.policy.callers.push(Arc::new(caller_rule(rest))),
            "link" => self.set_link(number, rest),
            "new" => {
                self.context = match rest {
                    "" => self.context.clone(),
                    "anonymous" => Context::Anonymous,
                    rest => match rest.split_once(' ').unwrap() {
                        ("session", n) => Context::Session(n.parse().unwrap()),
                        (_, n) => Context::Bearer([n.parse().unwrap(); 32]),
                    },
                };
                self.conversation = None;
            }
            "C>" => {
                let mut message = Message::new(rest);
                message.trace = self.carried.take().map(Box::new);
                self.event(|c| c.on_message(Side::Client, message, now), Some(rest));
            }
            "S>" => self.event(
                |c| c.on_message(Side::Server, rest.as_bytes(), now),
                Some(rest),
            ),
            "ttl" => self.hear_for(rest),
            "reader" => {
                let version = Era::from_version(rest).unwrap();
                self.conversation().set_client_version(version);
            }
            "tools" => self.conversation().tools_event(match rest {
                "changed" => ToolsEvent::Changed,
                _ => ToolsEvent::SessionEnded,
            }),
            "oversize" => {
                let (side, text) = rest.split_once(' ').unwrap();
                let side = if side == "C" {
                    Side::Client
                } else {
                    Side::Server
                };
                let found = Recovery::of(text.as_bytes());
                self.event(|c| c.oversize(side, &found, now), None);
            }
            "at" => {
                self.now = Duration::from_millis(rest.parse().unwrap());
                let now = self.now;
                self.event(|c| c.tick(now), None);
            }
            "gone" => {
                let why = rest.strip_prefix("server ").unwrap();
                self.event(|c| c.server_gone(why, now), None);
            }
            "left" => {
                let id = IdKey::read(rest).unwrap();
                self.event(|c| c.client_left(&id, now), None);
            }
            "failed" => {
                let (id, why) = rest.split_once(' ').unwrap();
                let id = IdKey::read(id).unwrap();
                self.event(|c| c.request_failed(&id, why, now), None);
            }
            "stop" => self.conversation().stop(),
            "deadline" => {
                let deadline = self.conversation().next_deadline();
                let found = deadline.map_or("none".to_owned(), |at| at.as_millis().to_string());
                assert_eq!(found, rest, "line {number}");
            }
            "open" => {
                let open = self.conversation().open_requests().to_string();
                assert_eq!(open, rest, "line {number}");
            }
            _ => panic!("line {number}: what is `{word}`?"),
        }
    }

    /// The server's message comes with a time for which its result may be cached.
    fn hear_for(&mut self, rest: &str) {
        let (ttl, text) = rest.split_once(' ').unwrap();
        let ttl = Some(Duration::from_millis(ttl.parse().unwrap()));
        self.conversation();
        let (now, guard) = (self.now, self.guard.clone().unwrap());
        let mut message = guard.read(text.as_bytes());
        message.ttl = ttl;
        let take = |c: &mut Conversation| c.on_message(Side::Server, message, now);
        self.event(take, Some(text));
    }

    fn conversation(&mut self) -> &mut Conversation {
        if self.guard.is_none() {
            let policy = self.policy.clone();
            let guard = match &self.share {
                Some(share) => Guard::sharing(policy, "test", share),
                None => Guard::new(policy),
            };
            self.guard = Some(guard.unwrap());
        }
        let (guard, link) = (self.guard.as_ref().unwrap(), &self.link);
        let key = ScopeKey {
            upstream: "test".into(),
            context: self.context.clone(),
        };
        let (mark, adopted) = (&self.mark, self.adopted);
        let tracer = &self.tracer;
        self.conversation.get_or_insert_with(|| {
            let begun = Conversation::new(guard, guard.scope(&key), link.clone());
            let marked = match mark.is_empty() {
                true => begun,
                false => begun.marked(mark),
            };
            let mut new = if adopted { marked.adopted() } else { marked };
            if let Some(tracer) = tracer {
                new.trace(Arc::<RecordingTracer>::clone(tracer));
            }
            new
        })
    }

    /// The store was told what there is to tell, and answers to one kind of it.
    fn hear(&mut self, rest: &str) {
        let (what, rest) = rest.split_once(' ').unwrap();
        let updates = self.share.as_ref().unwrap().take_updates(self.now);
        match what {
            "rate" => {
                let ahead = Duration::from_millis(rest.parse().unwrap());
                let now = self.now;
                updates
                    .charges
                    .into_iter()
                    .for_each(|charge| charge.settle(ahead, now));
            }
            "pins" => {
                let lock = Lock::read(rest.as_bytes(), None).unwrap();
                for report in updates.pins_seen {
                    let tool = report.key().rsplit(':').next().unwrap();
                    let pin = lock.pin(tool).unwrap();
                    assert!(report.settle(&format!("{} {}", pin.contract, pin.description)));
                }
            }
            _ => {
                for update in updates.quarantine {
                    let entries = update.add().to_vec();
                    update.settle(entries.into_iter().filter(|_| rest == "told"));
                }
            }
        }
    }

    fn event(&mut self, act: impl FnOnce(&mut Conversation) -> Effects, message: Option<&str>) {
        let effects = act(self.conversation());
        self.said
            .extend(effects.iter().map(|effect| shown(effect, message)));
        if let Some(tracer) = &self.tracer {
            self.said.extend(tracer.told());
        }
    }

    fn expect_silence(&self, number: usize, line: &str) {
        assert!(
            self.said.is_empty(),
            "line {number}, before `{line}`: not expected\n  {}",
            self.said
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("\n  ")
        );
    }

    fn set_link(&mut self, number: usize, rest: &str) {
        for (name, value) in pairs(rest) {
            let carrier = || {
                if value == "http" {
                    Carrier::Http
                } else {
                    Carrier::Stdio
                }
            };
            match name {
                "client" => self.link.client = carrier(),
                "server" => self.link.server = carrier(),
                "version" => self.link.version = Some(value.to_owned()),
                "adopted" => self.adopted = value == "true",
                "mark" => self.mark = value.to_owned(),
                _ => panic!("line {number}: what is `{name}`?"),
            }
        }
    }

    fn set_policy(&mut self, number: usize, rest: &str) {
        let policy = &mut self.policy;
        let number_of = |value: &str| value.parse::<u64>().unwrap();
        for (name, value) in pairs(rest) {
            let size = || usize::try_from(number_of(value)).unwrap();
            match name {
                "project_for" => {
                    policy.project_for = reader(value).map(|reader| {
                        let limits = ProjectionLimits::without_relations();
                        Arc::new(Projector::new(reader).limits(limits))
                    });
                }
                "rule_usage" => {
                    policy.rule_usage = Some(Arc::new(RuleUsage::new(size())));
                }
                "record_passes" => policy.record_passes = value == "true",
                "translated_from_modern" => policy.translated_from_modern = value == "true",
                "changes" => policy.drift.changes = Changes::all(Words::of(value).unwrap()),
                "review" => policy.drift.review = Some(value.replace('_', " ").into()),
                "rate" => policy.rate = Some(rate(value)),
                "tool_rate" => policy.tool_rate = Some(rate(value)),
                "address_rate" => policy.address_rate = Some(rate(value)),
                "total_rate" => policy.total_rate = Some(rate(value)),
                "max_result_bytes" => policy.max_result_bytes = size(),
                "stale_for" => policy.stale_for = Duration::from_millis(number_of(value)),
                "request_timeout" => {
                    policy.request_timeout = Some(Duration::from_millis(number_of(value)));
                }
                "list_timeout" => policy.list_timeout = Duration::from_millis(number_of(value)),
                "message_bytes" => policy.limits.message_bytes = size(),
                "depth" => policy.limits.depth = size(),
                "pending" => policy.limits.pending = size(),
                "parked" => policy.limits.parked = size(),
                "pages" => policy.limits.pages = size(),
                "tools" => policy.limits.tools = size(),
                "fuel" => policy.limits.fuel = number_of(value),
                "name_prefix" => policy.name_prefix = value.into(),
                "strictness" => {
                    let setting = toolsure_schema::settings::find(name).unwrap();
                    let made = setting.apply(policy.compiler.clone(), value);
                    policy.compiler = made.unwrap();
                }
                _ => {
                    let setting = settings::find(name);
                    let setting = setting.unwrap_or_else(|| panic!("line {number}: {name}?"));
                    assert!(setting.put(policy, value), "line {number}: {value}?");
                }
            }
        }
    }

    fn add_rule(&mut self, number: usize, rest: &str) {
        let (name, rest) = rest.split_once(' ').unwrap();
        let mut rule = ToolRule::new(name);
        for (name, value) in pairs(rest) {
            match name {
                "listing" => rule.listing = Words::of(value),
                "arguments" => rule.arguments = Words::of(value),
                "results" => rule.results = Words::of(value),
                "bad_result" => rule.bad_result = Words::of(value),
                "max_result_bytes" => rule.max_result_bytes = value.parse().unwrap(),
                "long_results" => rule.long_results = Words::of(value),
                "output" => rule.output = Words::of(value),
                "repair" => rule.repair = Words::of(value),
                "argument_schema" => {
                    let schema = ArgumentSchema::read(value.as_bytes()).unwrap();
                    rule.argument_schema = Some(Arc::new(schema));
                }
                "argument_schema_only" => rule.argument_schema_only = Some(value == "true"),
                "formats" => rule.formats = Words::of(value),
                "result_formats" => rule.result_formats = Words::of(value),
                "rate" => rule.rate = Some(rate(value)),
                "hidden" => rule.hidden = Some(value == "true"),
                _ => panic!("line {number}: what is `{name}`?"),
            }
        }
        self.policy.tools.push(rule);
    }
}

/// An effect as a dialogue writes it.
fn shown(effect: &Effect, message: Option<&str>) -> String {
    match effect {
        Effect::Send { to, message: sent } => {
            let side = if *to == Side::Client { "C<" } else { "S<" };
            let text = std::str::from_utf8(sent.bytes()).unwrap();
            let whole = toolsure_guard::replace_lone_surrogates(text);
            let is_json = serde_json::from_str::<serde_json::Value>(&whole).is_ok();
            let mut read = Guard::new(Policy::new())
                .unwrap()
                .read(sent.bytes())
                .envelope()
                .clone();
            if read.has_method("notifications/progress") {
                // The request that it is for is known by its token.
                read.id.clone_from(&sent.envelope().id);
            }
            // A batch of one message is routed as that message is.
            if !text.starts_with('[') {
                assert_eq!(*sent.envelope(), read, "{text}");
            }
            if sent.purpose == Purpose::Forward && Some(text) == message {
                assert!(sent.is_unchanged, "a copy of what came in: {text}");
                return format!("{side} same");
            }
            assert!(is_json, "the guard wrote no JSON: {text}");
            format!("{side} {text}")
        }
        Effect::Open(_)
        | Effect::Close(_)
        | Effect::Finish
        | Effect::Tools(_)
        | Effect::ClientVersion(..)
        | Effect::Report(Report::Note { .. }) => {
            panic!("not a conversation's: {effect:?}")
        }
        Effect::Abandon { id } => format!("abandon {}", id.raw()),
        Effect::Report(Report::Decision(record)) => {
            let line: serde_json::Value = serde_json::from_str(&record.to_json()).unwrap();
            let mut shown = format!(
                "! {} {} {}",
                record.filter.name(),
                record.action.name(),
                record.code
            );
            for member in [
                "tool", "blame", "method", "prompt", "uri", "task", "places", "detail",
            ] {
                if let Some(value) = line.get(member) {
                    let text = value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned);
                    shown.push_str(&format!(" {member}={text}"));
                    if member == "tool" && !record.listed {
                        shown.push_str(" unlisted");
                    }
                }
            }
            shown
        }
    }
}

fn pairs(rest: &str) -> impl Iterator<Item = (&str, &str)> {
    rest.split_whitespace()
        .map(|pair| pair.split_once('=').unwrap())
}

/// A verified caller: `subject=a group=b`.
fn caller(rest: &str) -> VerifiedCaller {
    let mut caller = VerifiedCaller::default();
    for (name, value) in pairs(rest) {
        match name {
            "subject" => caller.subject = Some(value.into()),
            "group" => caller.groups.push(value.into()),
            _ => panic!("what is `{name}`?"),
        }
    }
    caller
}

/// A rule for callers: `group=b tools=x,!y`.
fn caller_rule(rest: &str) -> CallerRule {
    let mut rule = CallerRule::new(rest);
    for (name, value) in pairs(rest) {
        let list = || Some(AllowList::new(value.split(',')).unwrap());
        match name {
            "subject" => rule.subject = Some(value.to_owned()),
            "group" => rule.group = Some(value.to_owned()),
            "tools" => rule.tools = list(),
            "prompts" => rule.prompts = list(),
            "resources" => rule.resources = list(),
            "rate" => rule.rate = Some(rate(value)),
            "arguments" => rule.arguments = Mode::of(value),
            _ => panic!("what is `{name}`?"),
        }
    }
    rule
}

fn drift(value: &str) -> DriftMode {
    match value {
        "report" => DriftMode::Report,
        "refuse" => DriftMode::Refuse,
        _ => DriftMode::Off,
    }
}

/// `CALLS/MS/BURST`
fn rate(value: &str) -> Rate {
    let parts: Vec<u32> = value.split('/').map(|part| part.parse().unwrap()).collect();
    Rate {
        calls: parts[0],
        per: Duration::from_millis(parts[1].into()),
        burst: parts[2],
    }
}
