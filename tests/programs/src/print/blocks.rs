//! A loop over blocks, in two forms with the same lines: as it is, and in plain Rust, where the
//! threads of a phase run one after the other.
//!
//! In plain Rust a value of each thread is an array of all of them, which a phase indexes by the
//! number of its thread, `tid`. The harness of the fuzzer has `Team`, whose methods are those of a
//! block.

use std::fmt::Write as _;

use super::{FUEL, Printer, has_loops};
use crate::dress::Dress;
use crate::generate;
use crate::program::{Block, Collective, Expr, Kind, Loop, Program, Range, VarId};

/// How a loop over blocks is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As `#[kernel]` takes it.
    Kernel,
    /// As Rust without the library.
    Plain,
}

/// What the printer knows in a loop over blocks.
pub(super) struct Team {
    form: Form,
    shape: Vec<usize>,
    /// Within what each thread runs for itself.
    in_phase: bool,
}

impl Team {
    fn is_plain(&self) -> bool {
        self.form == Form::Plain
    }
}

/// A loop over blocks with its head. What it has observed goes into the block's elements of
/// `lanes`.
///
/// # Panics
/// It is a `par` loop.
pub fn over_blocks(program: &Program, par_loop: &Loop, form: Form) -> String {
    let shape = par_loop.threads.clone().expect("a loop over blocks has a shape");
    let threads: usize = shape.iter().product();
    let mut printer = Printer::new(program, Dress::plain(), 1);
    let vars: Vec<VarId> = par_loop.dims.iter().map(|dim| dim.var).collect();
    let index = printer.tuple(&vars);
    let ranges = printer.apart(|this| this.block_ranges(par_loop));
    let dims = par_loop.dims.len();
    let [head, names, foot] = match form {
        Form::Kernel => [
            format!("'each: for block in par_blocks({ranges}).threads({}) {{", listed(&shape)),
            format!("let {index} = block.index(); let mut all: u64 = 0; let mut seen = block.each(0u64);"),
            "}".to_owned(),
        ],
        Form::Plain => [
            format!("for {index} in blocks{dims}({ranges}) {{ whole(|| 'each: for _ in [()] {{"),
            format!("let team = Team::<{threads}>::new(); let mut all: u64 = 0; let mut seen = team.each(0u64);"),
            "}); }".to_owned(),
        ],
    };
    let _ = writeln!(printer.text, "    {head}\n        {names}");
    printer.indent = 2;
    printer.team = Some(Team { form, shape: shape.clone(), in_phase: false });
    printer.fuel(&par_loop.body, FUEL[0]);
    printer.stmts(&par_loop.body);
    let base = printer.apart(|this| this.expr(&generate::first_lane(program, &par_loop.dims), 0));
    let vars: Vec<String> = (0..shape.len()).map(|dim| format!("t{dim}")).collect();
    let number =
        vars[1..].iter().zip(&shape[1..]).fold(vars[0].clone(), |sum, (var, n)| format!("({sum}) * {n} + {var}"));
    let each = match form {
        Form::Kernel => {
            format!("for {} in block.threads() {{ lanes[{base} + 1 + {number}] = seen as i64; }}", names_of(&vars))
        }
        Form::Plain => {
            format!("team.run({}, |tid, _| {{ lanes[{base} + 1 + tid] = seen[tid] as i64; }});", zero_to(&shape))
        }
    };
    let _ = writeln!(printer.text, "        {each}\n        lanes[{base}] = all as i64;\n    {foot}");
    printer.text
}

/// `a`, or `(a, b)`.
fn names_of(names: &[String]) -> String {
    if let [one] = names { one.clone() } else { format!("({})", names.join(", ")) }
}

fn listed(shape: &[usize]) -> String {
    names_of(&shape.iter().map(usize::to_string).collect::<Vec<_>>())
}

/// `[0..8, 0..4]`
fn zero_to(shape: &[usize]) -> String {
    format!("[{}]", shape.iter().map(|end| format!("0..{end}")).collect::<Vec<_>>().join(", "))
}

impl Printer<'_> {
    fn is_plain(&self) -> bool {
        self.team.as_ref().is_some_and(Team::is_plain)
    }

    fn tuple(&mut self, vars: &[VarId]) -> String {
        let names: Vec<String> = vars.iter().map(|var| self.name(*var)).collect();
        names_of(&names)
    }

    /// The ranges of blocks: the launch gives that of `i`.
    fn block_ranges(&mut self, par_loop: &Loop) {
        let mut ranges = Vec::new();
        for dim in &par_loop.dims {
            ranges.push(match self.program.name(dim.var) {
                "i" => "first..end".to_owned(),
                _ => self.apart(|this| this.inlined(|this| this.range(&dim.range))),
            });
        }
        self.push(&names_of(&ranges));
    }

    /// A value of each thread: in a phase of plain Rust, that of the thread.
    pub(super) fn own(&self, name: &str) -> String {
        let indexed = self.team.as_ref().is_some_and(|team| team.is_plain() && team.in_phase);
        if indexed { format!("{name}[tid]") } else { name.to_owned() }
    }

    /// Where what is observed goes.
    pub(super) fn observed(&self) -> String {
        match &self.team {
            None if self.reducing.is_some() => "all".to_owned(),
            None => "out[i]".to_owned(),
            Some(team) if team.in_phase => self.own("seen"),
            Some(_) => "all".to_owned(),
        }
    }

    /// Prints what each thread runs for itself.
    fn by_each_thread(&mut self, print: impl FnOnce(&mut Self)) {
        let phase = |this: &mut Self, in_phase| {
            if let Some(team) = &mut this.team {
                team.in_phase = in_phase;
            }
        };
        phase(self, true);
        print(self);
        phase(self, false);
    }

    /// `block.each(value)`
    pub(super) fn of_block(&mut self, method: &str, value: &Expr, thread: Option<&Expr>) {
        let word = if self.is_plain() { "team" } else { "block" };
        let _ = write!(self.text, "{word}.{method}(");
        self.inlined(|this| this.expr(value, 0));
        if let Some(thread) = thread {
            self.push(", ");
            self.inlined(|this| this.expr(thread, 0));
        }
        self.push(")");
    }

    /// `block.sum(own)`, or `team.sum(|tid| own)`.
    pub(super) fn collective(&mut self, op: Collective, own: &Expr, thread: Option<&Expr>) {
        let (word, closure) = if self.is_plain() { ("team", "|tid| ") } else { ("block", "") };
        let _ = write!(self.text, "{word}.{}({closure}", op.name());
        match (op, &own.kind) {
            // Two arguments, or what one closure returns.
            (Collective::Shuffle, Kind::Tuple(parts)) => {
                let [open, close] = if self.is_plain() { ["(", ")"] } else { [""; 2] };
                self.push(open);
                for (at, part) in parts.iter().enumerate() {
                    self.push(if at == 0 { "" } else { ", " });
                    self.evaluated(part);
                }
                self.push(close);
            }
            _ => self.evaluated(own),
        }
        if let Some(thread) = thread {
            self.push(", ");
            self.inlined(|this| this.expr(thread, 0));
        }
        self.push(")");
    }

    /// What each thread evaluates.
    fn evaluated(&mut self, own: &Expr) {
        let looping = has_loops(&Block::of(own.clone()));
        if looping {
            let _ = write!(self.text, "{{ let mut fuel: u32 = {}; ", FUEL[1]);
        }
        self.by_each_thread(|this| this.inlined(|this| this.expr(own, 0)));
        self.push(if looping { " }" } else { "" });
    }

    /// `'phase: for t in block.threads() { … }`
    pub(super) fn phase(&mut self, label: &str, vars: &[VarId], ranges: Option<&[Range]>, body: &Block) {
        let names: Vec<String> = vars.iter().map(|var| self.name(*var)).collect();
        let shape = self.team.as_ref().map(|team| team.shape.clone()).unwrap_or_default();
        let ranges: Option<Vec<String>> = ranges.map(|ranges| {
            ranges.iter().map(|range| self.apart(|this| this.inlined(|this| this.range(range)))).collect()
        });
        if self.is_plain() {
            let ranges = ranges.map_or_else(|| zero_to(&shape), |ranges| format!("[{}]", ranges.join(", ")));
            let _ = write!(self.text, "{{ team.run({ranges}, |tid, [{}]| '{label}: for _ in [()] {{", names.join(", "));
        } else {
            let threads = ranges.map_or_else(|| "threads()".to_owned(), |ranges| format!("par({})", names_of(&ranges)));
            let _ = write!(self.text, "'{label}: for {} in block.{threads} {{", names_of(&names));
        }
        self.indent += 1;
        self.end_line();
        self.by_each_thread(|this| {
            this.fuel(body, FUEL[1]);
            this.stmts(body);
        });
        self.indent -= 1;
        self.line();
        self.push(if self.is_plain() { "}); }" } else { "}" });
    }
}
