//! What the macro knows of the elements that a `par` loop touches. The launch has the numbers, and
//! decides.
//!
//! An index is a [`Form`]: a polynomial, exact over the integers, in *atoms* `A`. Atoms are the
//! loop variables, the host values that the body uses, variables of inner loops, and whatever the
//! macro knows only an interval of (`a.min(b)`, `a % n`, an element that was loaded). [`Step`]s
//! follow the body in program order: they bind atoms, narrow them under conditions, and name the
//! accesses.
//!
//! While the macro works, an atom says what it is. [`Facts`] are what the launch gets: an atom is a
//! number there, and so `map` renumbers forms and all that holds them. They travel as bytes
//! ([`wire`]).
//!
//! Machine arithmetic wraps, and a form does not. Both agree modulo 2^64 as long as no value is
//! widened that has wrapped before ([`Cast`]), and an index whose exact value is at least 0 and
//! below a length is therefore the index of the machine.
//!
//! Slots, captures and accesses are numbers of the loop that the facts are of.

mod form;
pub mod wire;

pub use form::{Cast, Form, Polynomial, Term};

use crate::ops::{Comparison, Operation};

/// The skeleton of a loop body, as the launch gets it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Number of atoms. The first are the loop variables, slowest first, then come those that have
    /// a source, in order, then what the steps define.
    pub atoms: usize,
    /// Where the launch finds the numbers that are the same for all iterations.
    pub sources: Vec<Source>,
    /// What happens, in program order.
    pub steps: Vec<Step>,
    /// The accesses that the steps name.
    pub accesses: Vec<Access>,
    /// For each buffer that the loop writes: the accesses that the launch compares. The macro
    /// leaves out an access that touches nothing more than another one.
    pub races: Vec<Vec<usize>>,
    /// Of a loop over blocks: the phases that write what threads share, each as the parallel loop
    /// that it is.
    pub phases: Vec<Phase>,
}

/// A phase of a block. Its iterations are those of one execution, in one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// How many values each of its variables has, slowest first, counted from the first one; of an
    /// unknown number, `None`.
    pub trips: Vec<Option<Form>>,
    /// What an iteration does. The first atoms are the indexes of the block, then come its own
    /// variables, and the symbols, which are those of the loop. The facts have no phases, and
    /// decide no bounds.
    pub facts: Facts,
    /// Line of its `for`, from 1.
    pub line: u32,
}

/// The place where rustc has put a number that is the same for all iterations: no name is looked up
/// outside of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A capture: its value; of a view, its length.
    Capture(usize, Member),
    /// A constant, by the slots of its mentions.
    Constant(Vec<usize>, Member),
}

/// Which number of a value: of `dims`, the one that `dims.0` is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Member {
    /// From the value to a part of it. Empty: the value itself.
    pub path: Vec<Part>,
    /// Where the path has a choice of elements: the greatest of the numbers, not the least.
    pub greatest: bool,
}

/// A part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The field with this name; of a tuple, with this number.
    Field(String),
    /// The element with this number.
    Element(usize),
    /// Any element.
    AnyElement,
}

/// What happens in an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<A = usize> {
    /// `atom` is bound to a value.
    Let {
        /// The atom.
        atom: A,
        /// What is known of it.
        value: Value<A>,
    },
    /// `atom` will be one of the values that are [joined](Step::Join) to it; none yet.
    Declare {
        /// The atom.
        atom: A,
    },
    /// A way on which `atom` gets this value.
    Join {
        /// The atom.
        atom: A,
        /// Its value there.
        value: Form<A>,
        /// Slot of its type: a value that may have wrapped can be anything of it.
        ty: usize,
    },
    /// An inner loop: `for atom in (start..end).step_by(step)`, or the other way round.
    For {
        /// The variable.
        atom: A,
        /// First value.
        start: Form<A>,
        /// The end: exclusive, unless `inclusive`.
        end: Form<A>,
        /// `..=`.
        inclusive: bool,
        /// The step: `None` is 1.
        step: Option<Form<A>>,
        /// Slot of the variable's type.
        ty: usize,
        /// Whether it counts in 32 bits where indexes do.
        narrow: bool,
        /// Whether it is a `while` loop that adds `step` to its variable: that wraps where the
        /// variable of a range stops.
        wraps: bool,
        /// What happens in it.
        body: Vec<Step<A>>,
    },
    /// What happens only where all the conditions hold.
    When {
        /// The conditions.
        conditions: Vec<Condition<A>>,
        /// What happens.
        body: Vec<Step<A>>,
    },
    /// The access with this number happens.
    Access(usize),
    /// A device function is called.
    Call(Call<A>),
}

/// A call of a device function. What happens in it, and what it returns, the launch takes from the
/// [`Summary`] of the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<A = usize> {
    /// Slot of the function.
    pub callee: usize,
    /// The arguments.
    pub args: Vec<Argument<A>>,
    /// The atom that the result is bound to.
    pub result: A,
    /// Slot of the type of the result, where a variable has it. That of a device function is known
    /// without.
    pub ty: Option<usize>,
    /// As [`Access::always`].
    pub always: bool,
    /// Whether the function is told what the launch has shown: then all accesses that it leaves to
    /// the launch have to be in bounds.
    pub decides: bool,
    /// Bit `k`: the launch does not limit argument `k`. A function whose accesses depend on it is
    /// called with its checks.
    pub unlimited: u64,
    /// The call as the user wrote it: `laplace(&x, i, w)`.
    pub text: String,
    /// Line, from 1.
    pub line: u32,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument<A = usize> {
    /// A value.
    Value(Form<A>),
    /// A reference to what the access with this number touches.
    Elements(usize),
    /// Of which nothing is known.
    Other,
}

/// What a call of a device function does and returns, in terms of its parameters.
///
/// A call is a block, in which the parameters are immutable variables. So its facts are those of a
/// body. The only sources of numbers are parameters, as captures, and constants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// What happens. A view is the number of a parameter.
    pub facts: Facts,
    /// Slots of the types of the parameters.
    pub params: Vec<usize>,
    /// What is returned. `None`: nothing is known of it.
    pub result: Option<Form>,
    /// Slot of the type that is returned.
    pub ty: Option<usize>,
}

/// What is known of an atom: it is the result of an operation of type `ty`, on operands of that
/// type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value<A = usize> {
    /// The operation.
    pub operation: Operation,
    /// Its operands.
    pub operands: Vec<Form<A>>,
    /// Slot of the type.
    pub ty: usize,
    /// Whether index arithmetic in 32 bits does the operation, too. The operands must be exact
    /// then.
    pub narrow: bool,
}

/// `lhs op rhs`, of type `ty`. It says nothing where a side may have wrapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition<A = usize> {
    /// Left side.
    pub lhs: Form<A>,
    /// How they compare.
    pub comparison: Comparison,
    /// Right side.
    pub rhs: Form<A>,
    /// Slot of the type of both.
    pub ty: usize,
}

/// An access of elements of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access<A = usize> {
    /// Number of the buffer among the captures.
    pub view: usize,
    /// Its length; of a grid, the extent of the first dimension: an atom.
    pub len: A,
    /// The element, or the first of a range; of a grid, the first component of the index. `None`:
    /// it may be any.
    pub index: Option<Form<A>>,
    /// Of a grid: the other components of the index. Each is in bounds, or the access fails. So two
    /// accesses touch one element only where all their components are equal.
    pub more: Vec<Component<A>>,
    /// Of a grid: how many elements lie between two indexes that follow each other, along each
    /// dimension but the last, where it is one: atoms.
    pub strides: Vec<A>,
    /// End of a range of elements (exclusive), which may be any; `None`: one element.
    pub end: Option<Option<Form<A>>>,
    /// Whether it writes.
    pub write: bool,
    /// Whether every iteration makes it, if the inner loops around it run at all.
    pub always: bool,
    /// Whether the steps around it say exactly when it is made: no element, jump or unknown value
    /// decides it. Only examples use this.
    pub known: bool,
    /// Whether the launch decides its bounds. Then the unchecked program has no check for it. Other
    /// accesses are checked on the device.
    pub decided: bool,
    /// Whether the macro proves that it is in bounds, as `x[i]` is where `i` is below `x.len()`.
    /// Only plans use this.
    pub proved: bool,
    /// The access as the user wrote it: `x[i + 1]`.
    pub text: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A component of the index of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component<A = usize> {
    /// The extent of its dimension: an atom.
    pub len: A,
    /// The component. `None`: it may be any.
    pub index: Option<Form<A>>,
}

impl Facts {
    /// How many steps are around the innermost one.
    pub fn depth(&self) -> usize {
        fn around(steps: &[Step]) -> usize {
            let below = |step: &Step| match step {
                Step::For { body, .. } | Step::When { body, .. } => 1 + around(body),
                Step::Let { .. } | Step::Declare { .. } | Step::Join { .. } | Step::Access(_) | Step::Call(_) => 0,
            };
            steps.iter().map(below).max().unwrap_or(0)
        }
        around(&self.steps)
    }
}

impl Facts {
    /// Whether a device function is called that the launch knows more of.
    pub fn has_calls(&self) -> bool {
        fn any(steps: &[Step]) -> bool {
            steps.iter().any(|step| match step {
                Step::For { body, .. } | Step::When { body, .. } => any(body),
                Step::Call(_) => true,
                Step::Let { .. } | Step::Declare { .. } | Step::Join { .. } | Step::Access(_) => false,
            })
        }
        any(&self.steps)
    }
}

impl<A> Step<A> {
    /// The same with other names for atoms.
    pub fn map<B>(&self, of: &impl Fn(&A) -> B) -> Step<B> {
        let all = |body: &[Step<A>]| body.iter().map(|step| step.map(of)).collect();
        match self {
            Step::Let { atom, value: Value { operation, operands, ty, narrow } } => {
                let operands = operands.iter().map(|form| form.map(of)).collect();
                Step::Let { atom: of(atom), value: Value { operation: *operation, operands, ty: *ty, narrow: *narrow } }
            }
            Step::Declare { atom } => Step::Declare { atom: of(atom) },
            Step::Join { atom, value, ty } => Step::Join { atom: of(atom), value: value.map(of), ty: *ty },
            Step::For { atom, start, end, inclusive, step, ty, narrow, wraps, body } => Step::For {
                atom: of(atom),
                start: start.map(of),
                end: end.map(of),
                inclusive: *inclusive,
                step: step.as_ref().map(|step| step.map(of)),
                ty: *ty,
                narrow: *narrow,
                wraps: *wraps,
                body: all(body),
            },
            Step::When { conditions, body } => {
                let conditions = conditions.iter().map(|condition| condition.map(of)).collect();
                Step::When { conditions, body: all(body) }
            }
            Step::Access(number) => Step::Access(*number),
            Step::Call(call) => Step::Call(call.map(of)),
        }
    }
}

impl<A> Call<A> {
    /// The forms of the arguments.
    pub fn forms(&self) -> impl Iterator<Item = &Form<A>> {
        self.args.iter().filter_map(|arg| match arg {
            Argument::Value(form) => Some(form),
            Argument::Elements(_) | Argument::Other => None,
        })
    }

    fn map<B>(&self, of: &impl Fn(&A) -> B) -> Call<B> {
        let arg = |arg: &Argument<A>| match arg {
            Argument::Value(form) => Argument::Value(form.map(of)),
            Argument::Elements(access) => Argument::Elements(*access),
            Argument::Other => Argument::Other,
        };
        let Self { callee, args, result, ty, always, decides, unlimited, text, line } = self;
        Call {
            callee: *callee,
            args: args.iter().map(arg).collect(),
            result: of(result),
            ty: *ty,
            always: *always,
            decides: *decides,
            unlimited: *unlimited,
            text: text.clone(),
            line: *line,
        }
    }
}

impl<A> Condition<A> {
    fn map<B>(&self, of: &impl Fn(&A) -> B) -> Condition<B> {
        let Self { lhs, comparison, rhs, ty } = self;
        Condition { lhs: lhs.map(of), comparison: *comparison, rhs: rhs.map(of), ty: *ty }
    }
}

impl<A> Component<A> {
    /// The same with other names for atoms.
    pub fn map<B>(&self, of: &impl Fn(&A) -> B) -> Component<B> {
        Component { len: of(&self.len), index: self.index.as_ref().map(|form| form.map(of)) }
    }
}

impl<A> Access<A> {
    /// The forms of the index and of the end.
    pub fn forms(&self) -> impl Iterator<Item = &Form<A>> {
        self.components().filter_map(|(_, index)| index).chain(self.end.iter().flatten())
    }

    /// Every component of the index, each with the length that it must be below.
    pub fn components(&self) -> impl Iterator<Item = (&A, Option<&Form<A>>)> {
        let more = self.more.iter().map(|component| (&component.len, component.index.as_ref()));
        std::iter::once((&self.len, self.index.as_ref())).chain(more)
    }

    /// The same with other names for atoms.
    pub fn map<B>(&self, of: &impl Fn(&A) -> B) -> Access<B> {
        let form = |form: &Option<Form<A>>| form.as_ref().map(|form| form.map(of));
        Access {
            view: self.view,
            len: of(&self.len),
            index: form(&self.index),
            more: self.more.iter().map(|component| component.map(of)).collect(),
            strides: self.strides.iter().map(of).collect(),
            end: self.end.as_ref().map(form),
            write: self.write,
            always: self.always,
            known: self.known,
            decided: self.decided,
            proved: self.proved,
            text: self.text.clone(),
            line: self.line,
            column: self.column,
        }
    }
}
