//! What stands around a kernel: traits in scope, and a module without Rust's prelude.

use std::fmt::Write;

use super::{Class, Dress};
use crate::program::{Block, Expr, Host, Kind, Program};
use crate::visit::{self, Node};

/// Methods that generated code has called, might call, or that users' programs of device code call;
/// with the number of arguments.
const METHODS: [(&str, usize); 38] = [
    ("len", 0),
    ("is_empty", 0),
    ("usage", 1),
    ("get", 1),
    ("get_mut", 1),
    ("slice", 1),
    ("slice_mut", 1),
    ("par", 6),
    ("fork", 0),
    ("group", 1),
    ("enter", 1),
    ("tie", 1),
    ("to_device", 0),
    ("cast", 0),
    ("nth", 1),
    ("trips", 0),
    ("rows", 0),
    ("cols", 0),
    ("outer", 0),
    ("cell", 0),
    ("exclusive", 0),
    ("inclusive", 0),
    ("step", 1),
    ("clone", 0),
    ("into_iter", 0),
    ("next", 0),
    ("min", 1),
    ("max", 1),
    ("clamp", 2),
    ("wrapping_add", 1),
    ("wrapping_mul", 1),
    ("saturating_sub", 1),
    ("saturating_add", 1),
    ("abs_diff", 1),
    ("rem_euclid", 1),
    ("div_euclid", 1),
    ("split_at", 1),
    ("split_at_mut", 1),
];

impl Dress {
    pub(super) fn surround(&mut self, program: &Program) {
        self.decoys();
        self.generics();
        if self.take(Class::Prelude, 100) {
            self.around.push_str(
                "mod core {} mod std {} pub struct Option; pub struct Some; pub struct None; pub struct Ok; pub struct Err;\n\
                 pub struct Sized; pub struct Iterator; pub struct PhantomData; pub fn drop() {} pub fn panic() {}\n",
            );
        }
        if self.take(Class::Traits, 100) {
            self.traits(program);
        }
    }

    /// A statement of device code that asks for a length. No buffer of the tests is so long.
    pub(super) fn length(&mut self) -> Option<String> {
        if self.whole.is_empty() || !self.take(Class::Traits, 40) {
            return None;
        }
        let view = self.pick(&self.whole.clone());
        Some(format!("if {view}.len() > (1usize << 39) {{ acc = 0u32; }}"))
    }

    /// Blanket traits. What the host part itself calls, rustc resolves as for any other Rust; so
    /// that is left out.
    fn traits(&mut self, program: &Program) {
        let own = methods_of_the_host(program);
        if self.views.len() == program.buffers().count() {
            self.whole.clone_from(&self.views);
        }
        let (by_value, bound) = match self.below(3) {
            0 => (true, ""),
            1 => (true, ": ::core::marker::Copy"),
            _ => (false, ": ?::core::marker::Sized"),
        };
        let (receiver, supertrait) = if by_value { ("self", ": ::core::marker::Sized") } else { ("&self", "") };
        let mut methods = String::new();
        for (name, arguments) in METHODS {
            if own.contains(&name) || self.chance(35) {
                continue;
            }
            let generics: Vec<String> = (0..arguments).map(|at| format!("A{at}")).collect();
            let params: String = generics.iter().map(|ty| format!(", _: {ty}")).collect();
            let ruin = self.pick(&["1 << 40", "0", "1", "64"]);
            let _ =
                writeln!(methods, "    fn {name}<{}>({receiver}{params}) -> usize {{ {ruin} }}", generics.join(", "));
        }
        let _ = write!(
            self.around,
            "mod hostile {{\n  pub trait Hostile{supertrait} {{\n{methods}  }}\n  impl<T{bound}> Hostile for T {{}}\n}}\nuse hostile::Hostile as _;\n"
        );
    }
}

fn methods_of_the_host(program: &Program) -> Vec<&'static str> {
    let mut program = program.clone();
    visit::all(&mut program, &mut |node| {
        if let Node::Loop(par_loop) = node {
            par_loop.body = Block::default();
        }
    });
    let mut methods = Vec::new();
    visit::look(&program, &mut |node| match node {
        Node::Expr(Expr { kind: Kind::Len(_), .. }) => methods.push("len"),
        Node::Expr(Expr { kind: Kind::Method { method, .. }, .. }) => methods.push(method.name),
        Node::Hosts(hosts) if hosts.iter().any(|host| matches!(host, Host::Split { .. })) => {
            methods.extend(["split_at", "split_at_mut"]);
        }
        _ => {}
    });
    methods
}
