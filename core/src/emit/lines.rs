//! `#line` directives: which line of the user's source each line of C++ comes from. The compiler
//! names that line in its errors, and keeps it in the tables of lines of the machine code.
//!
//! A directive counts on: what is two lines below `#line 7` is line 8 for the compiler, although in
//! Rust it may still be line 7. So a text of the user's gets a directive wherever the compiler
//! would count on, and after it, [`resumed`] leads back to the lines of the C++ itself. Otherwise
//! helpers would seem to be the user's code.

/// What follows a text of the user's, until its line is known.
const BACK: &str = "#line 0\n";

/// `#line 7 "src/main.rs"`.
pub(super) fn directive(line: usize, file: &str) -> String {
    let file = file.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, "?");
    format!("#line {line} \"{file}\"\n")
}

/// A function that comes from the source, from this line on. It may contain directives.
pub(super) fn from(file: &str, line: u32, text: &str) -> String {
    let first = directive(line as usize, file);
    let mut out = String::new();
    // Where the text comes from, and what the compiler takes the next line for.
    let (mut here, mut counted) = (parsed(&first), None);
    for line in text.split_inclusive('\n') {
        if let Some(place) = parsed(line) {
            here = Some(place);
            continue;
        }
        if let Some((number, file)) = here.filter(|_| here != counted) {
            out.push_str(&format!("#line {number} {file}\n"));
        }
        counted = here.map(|(number, file)| (number + 1, file));
        out.push_str(line);
    }
    out + BACK
}

/// The program of a kernel, with the lines of the program itself where it does not come from the
/// source.
pub fn resumed(program: &str, kernel: &str) -> String {
    let name = format!("{kernel}.cu");
    let lines = program.split_inclusive('\n').enumerate();
    // A directive is about the line below it, and lines count from 1.
    lines.map(|(at, line)| if line == BACK { directive(at + 2, &name) } else { line.to_owned() }).collect()
}

/// The number and the file, in quotes, of a directive.
fn parsed(line: &str) -> Option<(usize, &str)> {
    let (number, file) = line.strip_prefix("#line ")?.trim_end().split_once(' ')?;
    Some((number.parse().ok()?, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_source_stays_one_until_the_next_one_is_named() {
        let text = "f() {\n#line 7 \"a.rs\"\n    x;\n    y;\n#line 8 \"a.rs\"\n#line 9 \"a.rs\"\n    z;\n}\n";
        assert_eq!(
            from("a.rs", 6, text),
            "#line 6 \"a.rs\"\nf() {\n    x;\n#line 7 \"a.rs\"\n    y;\n#line 9 \"a.rs\"\n    z;\n#line 9 \"a.rs\"\n}\n#line 0\n"
        );
    }

    #[test]
    fn helpers_have_lines_of_the_program() {
        let program = format!("// helper\n{}// helper\n", from("a.rs", 6, "f();\n"));
        let expected = "// helper\n#line 6 \"a.rs\"\nf();\n#line 5 \"step.cu\"\n// helper\n";
        assert_eq!(resumed(&program, "step"), expected);
    }

    #[test]
    fn the_name_of_a_file_is_a_string_of_cpp() {
        assert_eq!(directive(1, "src\\a \"b\".rs"), "#line 1 \"src\\\\a \\\"b\\\".rs\"\n");
        // A line break would end the directive.
        assert_eq!(directive(1, "a\nb.rs"), "#line 1 \"a?b.rs\"\n");
    }
}
