//! Parses the arguments of the commands: words, and `--name value` pairs.

/// A command's arguments.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// The words that are not options, in order.
    pub(crate) words: Vec<String>,
    options: Vec<(String, String)>,
}

impl Arguments {
    /// Separates words and options. An option takes the next word, unless that is an option itself.
    pub(crate) fn parse(given: impl Iterator<Item = String>) -> Self {
        let mut arguments = Self::default();
        let mut waiting: Option<String> = None;
        for word in given {
            let option = word.starts_with("--");
            match waiting.take() {
                Some(name) if !option => {
                    arguments.options.push((name, word));
                    continue;
                }
                flag => arguments
                    .options
                    .extend(flag.map(|name| (name, String::new()))),
            }
            match word.strip_prefix("--").map(|option| option.split_once('=')) {
                Some(Some((name, value))) => {
                    arguments.options.push((name.to_owned(), value.to_owned()));
                }
                Some(None) => waiting = Some(word.trim_start_matches("--").to_owned()),
                None => arguments.words.push(word),
            }
        }
        arguments
            .options
            .extend(waiting.map(|name| (name, String::new())));
        arguments
    }

    /// The first word.
    pub(crate) fn first(&self) -> Option<&str> {
        self.words.first().map(String::as_str)
    }

    /// The value of `--name`.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .find_map(|(given, value)| (given == name).then_some(value.as_str()))
    }

    /// The value of `--name` as a number.
    ///
    /// # Errors
    ///
    /// One line if the value is not a number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, String> {
        self.option(name)
            .map(|value| {
                value
                    .parse()
                    .map_err(|_| format!("--{name} takes a number, not `{value}`"))
            })
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_take_the_word_that_follows() {
        let given = ["1000", "--seed", "7", "--engine=boon", "x"];
        let arguments = Arguments::parse(given.into_iter().map(str::to_owned));
        assert_eq!(arguments.words, ["1000", "x"]);
        assert_eq!(arguments.number("seed"), Ok(Some(7)));
        assert_eq!(arguments.option("engine"), Some("boon"));
        assert_eq!(arguments.option("other"), None);
    }

    #[test]
    fn an_option_before_an_option_has_no_value() {
        let words = ["--dry-run", "--only", "command", "--twice"].map(str::to_owned);
        let arguments = Arguments::parse(words.into_iter());
        assert_eq!(arguments.option("dry-run"), Some(""));
        assert_eq!(arguments.option("only"), Some("command"));
        assert_eq!(arguments.option("twice"), Some(""));
        assert!(arguments.words.is_empty());
    }
}
