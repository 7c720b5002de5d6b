//! A Rust file as tokens: its functions with their lengths, the names it declares, the words it uses.
//!
//! Tokens rather than text, so that a comment or a string about `unsafe` is not one; tokens rather than a syntax tree,
//! so that what stands inside a macro is seen too.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// From `fn` to the closing brace.
    pub(crate) lines: usize,
}

/// A word at a line: a declared name or a keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// What tidy wants to know of one Rust file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) functions: Vec<Function>,
    /// Names of items, fields, parameters and variables.
    pub(crate) names: Vec<Word>,
    /// `unsafe`, wherever it stands.
    pub(crate) unsafes: Vec<usize>,
    /// Macros called and attributes given, without their arguments: `todo!`, `ignore`, `allow(dead_code)`.
    pub(crate) leftovers: Vec<Word>,
}

impl Facts {
    /// `None` if the file is not Rust; the compiler says that better.
    pub(crate) fn of(text: &str) -> Option<Facts> {
        let tokens: TokenStream = text.parse().ok()?;
        let mut facts = Facts::default();
        facts.walk(tokens);
        Some(facts)
    }

    fn walk(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (i, token) in tokens.iter().enumerate() {
            let rest = &tokens[i + 1..];
            match token {
                TokenTree::Ident(word) => self.see_word(word, rest),
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Bracket && i > 0 && is_attribute_mark(&tokens[..i]) {
                        self.see_attribute(group);
                    }
                    self.walk(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    fn see_word(&mut self, word: &Ident, rest: &[TokenTree]) {
        let line = word.span().start().line;
        match word.to_string().as_str() {
            "fn" => {
                if let Some(name) = self.see_name(rest) {
                    self.see_function(name, line, rest);
                }
            }
            "struct" | "enum" | "union" | "trait" | "type" | "mod" | "const" | "static" | "let" => {
                self.see_name(rest);
            }
            "unsafe" => self.unsafes.push(line),
            name @ ("todo" | "unimplemented" | "dbg") if is_punct(rest, 0, '!') => {
                self.leftovers.push(Word { text: format!("{name}!"), line });
            }
            // A field, a parameter, a variable with its type. `a::b` has two colons, `{x:?}` is a literal.
            name if is_punct(rest, 0, ':') && !is_punct(rest, 1, ':') => {
                let word = Word { text: name.to_owned(), line };
                // `const NAME:` was seen at its keyword.
                if self.names.last() != Some(&word) {
                    self.names.push(word);
                }
            }
            _ => {}
        }
    }

    /// The name that is declared here, past `mut`, if there is one: `let (a, b)` and `const {` have none.
    fn see_name(&mut self, rest: &[TokenTree]) -> Option<String> {
        let name = rest.iter().find_map(|token| match token {
            TokenTree::Ident(word) if word == "mut" || word == "ref" => None,
            other => Some(other),
        })?;
        let TokenTree::Ident(name) = name else { return None };
        let text = name.to_string();
        self.names.push(Word { text: text.clone(), line: name.span().start().line });
        Some(text)
    }

    fn see_function(&mut self, name: String, line: usize, rest: &[TokenTree]) {
        for token in rest {
            match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    let last = group.span_close().end().line;
                    self.functions.push(Function { name, line, lines: last - line + 1 });
                    return;
                }
                // Declared without a body, in a trait or for the linker.
                TokenTree::Punct(mark) if mark.as_char() == ';' => return,
                _ => {}
            }
        }
    }

    fn see_attribute(&mut self, group: &Group) {
        let line = group.span_open().start().line;
        let inside: String = group.stream().to_string().split_whitespace().collect();
        if inside.starts_with("ignore") {
            self.leftovers.push(Word { text: "#[ignore]".to_owned(), line });
        }
        if (inside.starts_with("allow(") || inside.starts_with("expect(")) && inside.contains("dead_code") {
            self.leftovers.push(Word { text: "allow(dead_code)".to_owned(), line });
        }
    }
}

/// Whether what stands before a bracket is `#` or `#!`.
fn is_attribute_mark(before: &[TokenTree]) -> bool {
    let is = |token: &TokenTree, mark: char| matches!(token, TokenTree::Punct(p) if p.as_char() == mark);
    match before {
        [.., hash, bang] if is(bang, '!') => is(hash, '#'),
        [.., hash] => is(hash, '#'),
        [] => false,
    }
}

fn is_punct(tokens: &[TokenTree], index: usize, mark: char) -> bool {
    matches!(tokens.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Facts {
        Facts::of(text).expect("the sample is Rust")
    }

    #[test]
    fn function_lengths_run_from_fn_to_the_closing_brace() {
        let found = facts("trait T { fn short(&self); }\n\nfn long(\n    a: u8,\n) -> u8 {\n    a\n}\n");
        assert_eq!(found.functions, [Function { name: "long".to_owned(), line: 3, lines: 5 }]);
    }

    #[test]
    fn names_come_from_items_fields_parameters_and_variables() {
        let found = facts("struct Door { is_open: bool } fn close(by: u8) { let mut hand = by; door::shut(hand) }");
        let names: Vec<&str> = found.names.iter().map(|name| name.text.as_str()).collect();
        assert_eq!(names, ["Door", "is_open", "close", "by", "hand"]);
    }

    #[test]
    fn unsafe_is_found_in_macros_but_not_in_comments_or_strings() {
        assert_eq!(facts("// unsafe\nconst WORD: &str = \"unsafe\";").unsafes, [0; 0]);
        assert_eq!(facts("wrap! {\n    unsafe { call() }\n}").unsafes, [2]);
    }

    #[test]
    fn leftovers_are_found_whatever_their_spacing() {
        let source = "#![allow( unused, dead_code )]\n#[ignore = \"slow\"]\nfn f() {\n    todo ! ();\n}";
        let found: Vec<(String, usize)> = facts(source).leftovers.into_iter().map(|w| (w.text, w.line)).collect();
        let expected = [("allow(dead_code)", 1), ("#[ignore]", 2), ("todo!", 4)];
        assert_eq!(found, expected.map(|(text, line)| (text.to_owned(), line)));
    }
}
