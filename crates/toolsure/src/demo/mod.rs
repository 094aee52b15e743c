//! `toolsure serve-demo`: a small MCP server of both eras, for trying out commands and clients.

mod contract;
mod tools;

use clap::Args;
use toolsure_json::json_string;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::INVALID_PARAMS;

use crate::exit::{Exit, Failure};
use crate::serve::{self, Called, Dispatch, Fault, ServeArgs, Served};
use crate::term::Term;
use tools::{Outcome, Tool};

/// Serve a few demonstration tools, two of which no client should accept
///
/// Speaks every published version of MCP, on standard input and output or over Streamable HTTP:
/// a tool with array output, one with integer output, one with a real `oneOf` input, one whose
/// schema is nested too deeply, and one with a dangling reference.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    serve: ServeArgs,
}

/// Runs the command until its input ends or a signal stops it.
pub(crate) fn run(args: &DemoArgs, term: &Term) -> Result<Exit, Failure> {
    serve::run(Box::new(Demo(tools::all())), &args.serve, term)
}

/// The demonstration tools.
#[derive(Debug)]
struct Demo(Vec<Tool>);

impl Served for Demo {
    fn info(&self) -> String {
        format!(
            r#"{{"name":"toolsure-demo","version":"{}"}}"#,
            env!("CARGO_PKG_VERSION")
        )
    }

    fn instructions(&self) -> Option<&str> {
        None
    }

    fn tools(&self, era: Era) -> Vec<String> {
        self.0.iter().map(|tool| tool.listed(era)).collect()
    }

    fn call(&self, name: &str, arguments: &str, era: Era) -> Option<Called> {
        let tool = self.0.iter().find(|tool| tool.name == name)?;
        let members = match tool.call(arguments) {
            Outcome::Unusable(reason) => Err(Fault::plain(INVALID_PARAMS, reason)),
            Outcome::Refused(text) => Ok(format!(
                r#""content":[{}],"isError":true"#,
                text_block(&text)
            )),
            Outcome::Value(value) => {
                let block = text_block(&value);
                Ok(match tool.structured(&value, era) {
                    Some(structured) => {
                        format!(r#""content":[{block}],"structuredContent":{structured}"#)
                    }
                    None => format!(r#""content":[{block}]"#),
                })
            }
        };
        Some(Called {
            members,
            dispatch: Dispatch::AtOnce,
        })
    }
}

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, json_string(text))
}
