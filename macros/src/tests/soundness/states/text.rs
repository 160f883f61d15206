//! The text of a random program.

use anabranch_programs::rng::Rng;

use super::program::{C, E, Kind, Program, S, Touch, Ty, Way};

/// The text of a kernel, a statement a line; and the lines of its phases.
pub(super) fn of(program: &Program, rng: &mut Rng) -> (String, Vec<(u32, u32)>) {
    let lines = vec![
        "fn k(y: &[u32], n: usize, m: usize) {".to_owned(),
        "for block in par_blocks(0..n).threads(16) {".to_owned(),
        "let mut p = block.shared([0u32; 32]); let mut q = block.shared([[0u32; 16]; 2]);".to_owned(),
    ];
    let mut printer = Printer { program, rng, lines, phases: vec![(0, 0); program.phases], around: 0 };
    printer.all(&program.body);
    printer.lines.push("} }".to_owned());
    (printer.lines.join("\n"), printer.phases)
}

struct Printer<'p> {
    program: &'p Program,
    rng: &'p mut Rng,
    lines: Vec<String>,
    phases: Vec<(u32, u32)>,
    around: usize,
}

impl Printer<'_> {
    fn name(&self, var: usize) -> &'static str {
        self.program.vars[var].name
    }

    fn e(&mut self, e: &E) -> String {
        match &e.kind {
            // Suffixes are rare, as in what people write: the variable has its type from elsewhere.
            Kind::Lit(value) if e.ty != Ty::Usize || self.rng.chance(15) => format!("{value}{}", e.ty.name()),
            Kind::Lit(value) => value.to_string(),
            Kind::Var(var) => self.name(*var).to_owned(),
            Kind::Launch => "m".to_owned(),
            Kind::Op(op, lhs, rhs) => format!("({} {op} {})", self.e(lhs), self.e(rhs)),
            Kind::Cast(of) => {
                // Alone, a literal would be of any type.
                let of = if let Kind::Lit(value) = of.kind { format!("{value}{}", of.ty.name()) } else { self.e(of) };
                format!("({of} as {})", e.ty.name())
            }
            Kind::Set(var, value, then) => {
                format!("({{ {} = {}; {} }})", self.name(*var), self.e(value), self.e(then))
            }
            Kind::If(cond, a, b) => format!("(if {} {{ {} }} else {{ {} }})", self.c(cond), self.e(a), self.e(b)),
            Kind::Pick(a, b, by) => format!("[{}, {}][{} % 2]", self.e(a), self.e(b), self.e(by)),
        }
    }

    fn c(&mut self, c: &C) -> String {
        match c {
            C::Compare(op, lhs, rhs) => format!("({} {op} {})", self.e(lhs), self.e(rhs)),
            C::Data => "(y[0] > 3)".to_owned(),
            C::Logic(and, lhs, rhs) => format!("({} {} {})", self.c(lhs), if *and { "&&" } else { "||" }, self.c(rhs)),
            C::Not(of) => format!("!{}", self.c(of)),
            C::Set(var, value, of) => format!("({{ {} = {}; {} }})", self.name(*var), self.e(value), self.c(of)),
        }
    }

    fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    fn all(&mut self, body: &[S]) {
        body.iter().for_each(|s| self.s(s));
    }

    fn looped(&mut self, head: &str, body: &[S]) {
        let label = self.around;
        self.around += 1;
        self.line(format!("'l{label}: {head} {{"));
        self.all(body);
        self.line("}".to_owned());
        self.around -= 1;
    }

    fn s(&mut self, s: &S) {
        match s {
            S::Let(var, init) => {
                let (name, ty, init) = (self.name(*var), self.program.vars[*var].ty.name(), self.e(init));
                match self.rng.below(3) {
                    0 => self.line(format!("let mut {name}: {ty} = {init};")),
                    _ => self.line(format!("let mut {name} = {init}; let _is: {ty} = {name};")),
                }
            }
            S::Assign(var, None, value, Way::Aside) => {
                let (name, value) = (self.name(*var), self.e(value));
                self.line(format!("{{ let next = {value}; let at = &mut {name}; *at = next; }}"));
            }
            S::Assign(var, op, value, _) => {
                let (name, value) = (self.name(*var), self.e(value));
                self.line(format!("{name} {}= {value};", op.unwrap_or("")));
            }
            S::If(cond, then, otherwise, as_match) => {
                let cond = self.c(cond);
                let (head, between) = match as_match {
                    true => (format!("match {cond} {{ true => {{"), "} _ => {"),
                    false => (format!("if {cond} {{"), "} else {"),
                };
                self.line(head);
                self.all(then);
                self.line(between.to_owned());
                self.all(otherwise);
                self.line(if *as_match { "} }" } else { "}" }.to_owned());
            }
            S::For { var, start, end, inclusive, rev, step, body } => {
                let dots = if *inclusive { "..=" } else { ".." };
                let mut range = format!("{}{dots}{}", self.e(start), self.e(end));
                if *rev || step.is_some() {
                    range = format!("({range})");
                }
                if *rev {
                    range += ".rev()";
                }
                if let Some(step) = step {
                    range += &format!(".step_by({step})");
                }
                let mutable = if self.program.vars[*var].mutable { "mut " } else { "" };
                let name = self.name(*var);
                self.looped(&format!("for {mutable}{name} in {range}"), body);
            }
            S::While(cond, body) => {
                let cond = self.c(cond);
                self.looped(&format!("while {cond}"), body);
            }
            S::Labelled(body) => self.looped("", body),
            S::Jump(depth, go_on) => {
                let (word, label) = (if *go_on { "continue" } else { "break" }, self.around - 1 - depth);
                self.line(format!("{word} 'l{label};"));
            }
            S::Assert(cond, debug) => {
                let cond = self.c(cond);
                self.line(format!("{}assert!({cond});", if *debug { "debug_" } else { "" }));
            }
            S::Access { array, touch, index, way } => self.access(*array, *touch, index, *way),
            S::Phase { number, start, end, body } => {
                let first = self.lines.len() as u32 + 1;
                let (start, end) = (self.e(start), self.e(end));
                self.line(format!("for t in block.par({start}..{end}) {{"));
                let around = std::mem::take(&mut self.around);
                self.all(body);
                self.around = around;
                self.line("}".to_owned());
                self.phases[*number] = (first, self.lines.len() as u32);
            }
        }
    }

    fn access(&mut self, array: usize, touch: Touch, index: &[E], way: Way) {
        let name = ["p", "q"][array];
        let indexes: Vec<String> = index.iter().map(|index| self.e(index)).collect();
        let place = format!("{name}[{}]", indexes.join("]["));
        let plain = match touch {
            Touch::Read => format!("let _read = {place};"),
            Touch::Write => format!("{place} = 1;"),
            Touch::Update => format!("{place} += 1;"),
        };
        self.line(match (way, touch, array) {
            (Way::Aside, Touch::Read, 0) => {
                format!("{{ let at = {}; let of = |i: usize| p[i]; let _read = of(at); }}", indexes[0])
            }
            (Way::Aside, Touch::Update, 0) => {
                format!("{{ let at = {}; let part = &mut p[at..at + 1]; part[0] += 1; }}", indexes[0])
            }
            (Way::Aside, Touch::Update, _) => format!("{{ let at = &mut {place}; *at += 1; }}"),
            (Way::Unsafe, ..) => format!("unsafe {{ {plain} }}"),
            _ => plain,
        });
    }
}
