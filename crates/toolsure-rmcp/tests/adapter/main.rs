//! The layers of the adapter between scripted peers. One program, so that rmcp is linked once.

mod client;
mod command;
mod engine;
mod forwarding;
mod hand_written;
mod hostile_server;
mod http;
mod logging;
mod numbers;
mod server;
mod server_asks;
mod server_lines;
mod support;
mod tasks;
mod unread_list;
