//! A host part with reductions and scans, in two forms with the same lines: as it is, and in plain
//! Rust, for which the harness of the fuzzer has `ranges`, whose methods have the names of
//! reductions, and `iterate`.

use std::fmt::Write as _;

use super::blocks::Form;
use super::{FUEL, Printer, has_loops};
use crate::dress::Dress;
use crate::program::{Block, Dim, Expr, Host, Operation, Pass, Program, Reduction, Scan, VarId};

/// The statements of the host part.
pub fn with_reductions(program: &Program, form: Form) -> String {
    let mut printer = Printer::new(program, Dress::plain(), 1);
    printer.reducing = Some(form);
    printer.push("    first_turn();\n");
    printer.statements(&program.host);
    printer.text
}

impl Printer<'_> {
    fn statements(&mut self, hosts: &[Host]) {
        for host in hosts {
            self.line();
            match host {
                Host::Let(value, init) => {
                    let name = self.name(*value);
                    let _ = write!(self.text, "let {name} = ");
                    self.inlined(|this| this.expr(init, 0));
                    self.push(";\n");
                }
                Host::For(value, count, body) => {
                    let name = self.name(*value);
                    let _ = write!(self.text, "for {name} in 0..{count}usize ");
                    self.within(body);
                }
                Host::If(cond, body) => {
                    self.push("if ");
                    self.inlined(|this| this.head(cond));
                    self.push(" ");
                    self.within(body);
                }
                Host::Groups(groups) => {
                    self.push(if self.is_kernel() { "stream_parallel! {\n" } else { "{\n" });
                    self.indent += 1;
                    for (at, group) in groups.iter().enumerate() {
                        self.line();
                        let _ = write!(self.text, "'g{at}: ");
                        self.within(group);
                    }
                    self.indent -= 1;
                    self.line();
                    self.push("}\n");
                }
                Host::Reduction(reduction) => self.reduction(reduction),
                Host::Pass(pass) => self.pass(pass),
                Host::Loop(_) | Host::Scratch(..) | Host::Split { .. } => {
                    unreachable!("`dressed` and `over_blocks` print them")
                }
            }
        }
    }

    fn is_kernel(&self) -> bool {
        self.reducing == Some(Form::Kernel)
    }

    fn within(&mut self, hosts: &[Host]) {
        self.push("{\n");
        self.indent += 1;
        self.statements(hosts);
        self.indent -= 1;
        self.line();
        self.push("}\n");
    }

    /// `par((0..n, 0..4))`, or `ranges([0..n, 0..4])`.
    fn par_of(&mut self, dims: &[Dim]) {
        let ranges: Vec<String> =
            dims.iter().map(|dim| self.apart(|this| this.inlined(|this| this.range(&dim.range)))).collect();
        let ranges = ranges.join(", ");
        let _ = match (self.is_kernel(), dims.len()) {
            (true, 1) => write!(self.text, "par({ranges})"),
            (true, _) => write!(self.text, "par(({ranges}))"),
            (false, _) => write!(self.text, "ranges([{ranges}])"),
        };
    }

    /// `|(i, j)| { … }`, or `|[i, j]| { … }`.
    fn closure_of(&mut self, vars: &[VarId], value: &Block) {
        let names: Vec<String> = vars.iter().map(|var| self.name(*var)).collect();
        let names = names.join(", ");
        let _ = match (self.is_kernel(), vars.len()) {
            (true, 1) => write!(self.text, "|{names}| "),
            (true, _) => write!(self.text, "|({names})| "),
            (false, _) => write!(self.text, "|[{names}]| "),
        };
        let fuel = format!("let mut fuel: u32 = {};", FUEL[1]);
        self.block_after(if has_loops(value) { &fuel } else { "" }, value);
    }

    fn reduction(&mut self, Reduction { place, dims, value, operation }: &Reduction) {
        self.inlined(|this| this.expr(place, 0));
        self.push(" = ");
        self.par_of(dims);
        self.push(".map(");
        let vars: Vec<VarId> = dims.iter().map(|dim| dim.var).collect();
        self.closure_of(&vars, value);
        match operation {
            Operation::Named(op) => {
                let _ = writeln!(self.text, ").{}();", op.name());
            }
            Operation::Reduce { first, pair, value } => {
                self.push(").reduce(");
                self.inlined(|this| this.expr(first, 0));
                let [a, b] = pair.map(|var| self.name(var));
                let _ = write!(self.text, ", |{a}, {b}| ");
                self.inlined(|this| this.expr(value, 1));
                self.push(");\n");
            }
        }
    }

    fn pass(&mut self, Pass { dim, scan, body, into }: &Pass) {
        let index = self.name(dim.var);
        let vars = match scan {
            Some(scan) => format!("({index}, {})", self.name(scan.sum)),
            None => index,
        };
        let dims = std::slice::from_ref(dim);
        if self.is_kernel() {
            let _ = write!(self.text, "'each: for {vars} in ");
        } else {
            self.push("iterate(");
        }
        match scan {
            Some(Scan { op, index, value, sum: _ }) => {
                self.par_of(dims);
                let _ = write!(self.text, ".{}(", op.name());
                self.closure_of(&[*index], value);
                self.push(")");
            }
            None if self.is_kernel() => self.par_of(dims),
            None => self.inlined(|this| this.range(&dims[0].range)),
        }
        if self.is_kernel() {
            self.push(" {\n");
        } else {
            let _ = writeln!(self.text, ", |{vars}| 'each: for _ in [()] {{");
        }
        self.indent += 1;
        self.line();
        self.push("let mut all: u64 = 0;\n");
        self.fuel(body, FUEL[0]);
        self.stmts(body);
        self.line();
        self.inlined(|this| this.expr(into, 0));
        let element = self.element_name(into);
        let _ = writeln!(self.text, " = all as {element};");
        self.indent -= 1;
        self.line();
        self.push(if self.is_kernel() { "}\n" } else { "});\n" });
    }

    fn element_name(&self, place: &Expr) -> String {
        place.ty.to_string()
    }
}
