//! Expressions: every kind, and what there is to know of it apart from its text and its meaning.

use anabranch_core::methods::Method;
use anabranch_core::ops::{BinOp, CompareOp, UnOp};

use crate::choices::choices;
use crate::program::{Block, Callee, Part, Pattern, Range, VarId};
use crate::types::Ty;
use crate::visit::{Node, of_range};

#[derive(Clone, Debug)]
pub struct Arm {
    pub pattern: Pattern,
    pub guard: Option<Expr>,
    pub body: Expr,
}

/// A call in a chain of iterators: `.fold(first, |a, &v| value)`.
#[derive(Clone, Debug)]
pub struct Link {
    pub name: &'static str,
    pub first: Option<Expr>,
    /// The variables of its closure. The last `item` are those of the item.
    pub vars: Vec<VarId>,
    pub item: usize,
    /// How many references its pattern takes away.
    pub taken: usize,
    pub value: Option<Expr>,
}

impl Link {
    /// A call without arguments.
    pub fn of(name: &'static str) -> Self {
        Self { name, first: None, vars: Vec::new(), item: 0, taken: 0, value: None }
    }
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub ty: Ty,
    pub kind: Kind,
}

choices! {
    /// What a block makes of the values of all its threads.
    pub enum Collective {
        Sum,
        Product,
        Min,
        Max,
        Any,
        All,
        Count,
        Broadcast,
        InclusiveSum,
        ExclusiveSum,
        SumOfWarp,
        ProductOfWarp,
        MinOfWarp,
        MaxOfWarp,
        AnyOfWarp,
        AllOfWarp,
        CountOfWarp,
        InclusiveSumOfWarp,
        ExclusiveSumOfWarp,
        Ballot,
        Matching,
        Shuffle,
    }
}

impl Collective {
    /// The name of the method of a block.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
            Self::Any => "any",
            Self::All => "all",
            Self::Count => "count",
            Self::Broadcast => "broadcast",
            Self::InclusiveSum => "inclusive_sum",
            Self::ExclusiveSum => "exclusive_sum",
            Self::SumOfWarp => "warps().sum",
            Self::ProductOfWarp => "warps().product",
            Self::MinOfWarp => "warps().min",
            Self::MaxOfWarp => "warps().max",
            Self::AnyOfWarp => "warps().any",
            Self::AllOfWarp => "warps().all",
            Self::CountOfWarp => "warps().count",
            Self::InclusiveSumOfWarp => "warps().inclusive_sum",
            Self::ExclusiveSumOfWarp => "warps().exclusive_sum",
            Self::Ballot => "warps().ballot",
            Self::Matching => "warps().matching",
            Self::Shuffle => "warps().shuffle",
        }
    }

    /// Whether each thread gets a value of its own, which a `let` binds.
    pub fn is_scan(self) -> bool {
        matches!(self, Self::InclusiveSum | Self::ExclusiveSum) || self.name().starts_with("warps")
    }
}

/// What an expression does. The recipe in `CONTRIBUTING.md` lists what a new kind of control flow
/// changes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A literal of an int type; one of `u128` by its bits. Its suffix is there where it needs one.
    Int {
        value: i128,
        suffix: bool,
    },
    Float {
        text: String,
        suffix: bool,
    },
    Bool(bool),
    Var(VarId),
    /// `f32::MAX`, `LIMIT`.
    Const(String),
    /// What the iteration has observed so far.
    Seen,
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Cast(Box<Expr>),
    /// `x.cast::<T>()`, from or to a type parameter.
    GenericCast(Box<Expr>),
    /// The receiver first; `path` for `f32::max(a, b)`.
    Method {
        method: &'static Method,
        args: Vec<Expr>,
        path: bool,
    },
    /// `T::from_bits(x)`.
    Associated(&'static Method, Box<Expr>),
    /// `T::from(x)`.
    From(Box<Expr>),
    /// `x.len()` of an array, a slice or a grid.
    Len(Box<Expr>),
    /// `g.shape()[0]` of a grid.
    Extent(Box<Expr>, usize),
    Call {
        callee: Callee,
        args: Vec<Expr>,
    },
    /// `&place`, `&place[a..b]`, `&place[a..b][c..d]`, as an argument.
    Borrow {
        mutable: bool,
        place: Box<Expr>,
        parts: Vec<Part>,
    },
    Field(Box<Expr>, usize),
    Index(Box<Expr>, Box<Expr>),
    Tuple(Vec<Expr>),
    /// The variant of an enum with this number, and its field.
    Variant(usize, Option<Box<Expr>>),
    Array(Vec<Expr>),
    /// `[value; n]`.
    Repeat(Box<Expr>),
    Block {
        label: Option<String>,
        block: Block,
    },
    Unsafe(Block),
    /// `a.cmp(&b)` of ints, and `a.total_cmp(&b)` of floats, as floats of the named type and with
    /// one NaN.
    Order(&'static str, Box<Expr>, Box<Expr>),
    /// `let pattern = scrutinee`, in the condition of `if` and `while`: alone or on a side of `&&`.
    Let(Pattern, Box<Expr>),
    If {
        cond: Box<Expr>,
        then: Block,
        otherwise: Option<Block>,
    },
    Match {
        scrutinee: Box<Expr>,
        arms: Vec<Arm>,
    },
    /// `loop`; the value is what it has when the fuel is spent.
    Loop {
        label: Option<String>,
        body: Block,
        exhausted: Option<Box<Expr>>,
    },
    While {
        label: Option<String>,
        cond: Box<Expr>,
        body: Block,
    },
    For {
        label: Option<String>,
        var: VarId,
        range: Range,
        body: Block,
    },
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinOp, Box<Expr>, Box<Expr>),
    Break {
        label: Option<String>,
        value: Option<Box<Expr>>,
    },
    Continue(Option<String>),
    Return(Option<Box<Expr>>),
    /// `assert!`, `panic!`, `println!` and their like: its operands, and the values of the message.
    Macro {
        name: &'static str,
        args: Vec<Expr>,
        message: Option<String>,
    },
    /// `x[a..b].iter().zip(y.iter()).filter(|(v, w)| …).count()`: the borrowed sources, and the
    /// calls.
    Chain(Vec<Expr>, Vec<Link>),
    /// `block.shared([value; n])`, bound by a `let`.
    Shared(Box<Expr>),
    /// `block.each(value)`, bound by a `let`: its type is that of one thread's value.
    Each(Box<Expr>),
    /// `block.sum(own)`, `block.broadcast(own, thread)`.
    Collective {
        op: Collective,
        own: Box<Expr>,
        thread: Option<Box<Expr>>,
    },
    /// `'label: for t in block.threads() { … }`, or over the ranges of `block.par(…)`.
    Phase {
        label: String,
        vars: Vec<VarId>,
        ranges: Option<Vec<Range>>,
        body: Block,
    },
}

/// How an expression stands in a text and runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// A value or a jump: as a statement it needs a semicolon.
    Plain,
    /// Ends in a brace: as a statement it needs no semicolon.
    Braced,
    /// Braced, and its body may run many times.
    Loop,
}

/// A part of an expression.
pub struct Child<'a> {
    pub node: Node<'a>,
    /// The variables that the expression declares for this part.
    pub declares: Vec<VarId>,
}

/// What there is to know of an expression, apart from its text and its meaning.
pub struct Shape<'a> {
    pub form: Ending,
    /// In the order of the text.
    pub children: Vec<Child<'a>>,
}

impl<'a> Shape<'a> {
    fn new(form: Ending) -> Self {
        Self { form, children: Vec::new() }
    }

    fn with(mut self, nodes: impl IntoIterator<Item = Node<'a>>) -> Self {
        self.children.extend(nodes.into_iter().map(|node| Child { node, declares: Vec::new() }));
        self
    }

    fn declaring(mut self, declares: &[VarId], nodes: impl IntoIterator<Item = Node<'a>>) -> Self {
        self.children.extend(nodes.into_iter().map(|node| Child { node, declares: declares.to_vec() }));
        self
    }
}

impl Expr {
    /// The variables that a condition binds.
    pub fn lets(&self) -> Vec<VarId> {
        match &self.kind {
            Kind::Let(pattern, _) => pattern.vars(),
            Kind::And(a, b) => [a.lets(), b.lets()].concat(),
            _ => Vec::new(),
        }
    }

    /// Whether it is a condition that binds, which has no value.
    pub fn has_let(&self) -> bool {
        match &self.kind {
            Kind::Let(..) => true,
            Kind::And(a, b) => a.has_let() || b.has_let(),
            _ => false,
        }
    }

    /// The one description of every kind: the walks, the shrinker, the names and the printer's
    /// semicolons follow from it.
    pub fn shape(&mut self) -> Shape<'_> {
        use Ending::{Braced, Loop, Plain};
        use Node::{Block, Pattern, Place};
        let (plain, braced, looping) = (Shape::new(Plain), Shape::new(Braced), Shape::new(Loop));
        match &mut self.kind {
            Kind::Int { .. }
            | Kind::Float { .. }
            | Kind::Bool(_)
            | Kind::Var(_)
            | Kind::Const(_)
            | Kind::Seen
            | Kind::Continue(_) => plain,
            Kind::Unary(_, x)
            | Kind::Cast(x)
            | Kind::GenericCast(x)
            | Kind::Associated(_, x)
            | Kind::From(x)
            | Kind::Repeat(x)
            | Kind::Shared(x)
            | Kind::Each(x) => plain.with([Node::Expr(x)]),
            Kind::Chain(over, links) => {
                links.iter_mut().fold(plain.with(over.iter_mut().map(Node::Expr)), |shape, link| {
                    let Link { first, vars, value, .. } = link;
                    shape.with(first.iter_mut().map(Node::Expr)).declaring(vars, value.iter_mut().map(Node::Expr))
                })
            }
            Kind::Collective { own, thread, op: _ } => {
                plain.with([Node::Expr(own)]).with(thread.iter_mut().map(|thread| Node::Expr(thread)))
            }
            Kind::Len(x) | Kind::Extent(x, _) | Kind::Field(x, _) => plain.with([Place(x)]),
            Kind::And(a, b) => {
                let vars = a.lets();
                plain.with([Node::Expr(a)]).declaring(&vars, [Node::Expr(b)])
            }
            Kind::Binary(_, a, b) | Kind::Compare(_, a, b) | Kind::Or(a, b) | Kind::Order(_, a, b) => {
                plain.with([Node::Expr(a), Node::Expr(b)])
            }
            Kind::Index(place, value) | Kind::Assign(place, value) | Kind::AssignOp(_, place, value) => {
                plain.with([Place(place), Node::Expr(value)])
            }
            Kind::Method { args, .. }
            | Kind::Call { args, .. }
            | Kind::Macro { args, .. }
            | Kind::Tuple(args)
            | Kind::Array(args) => plain.with(args.iter_mut().map(Node::Expr)),
            Kind::Borrow { place, parts, .. } => {
                let ends = parts.iter_mut().flat_map(|Part { start, end, .. }| start.iter_mut().chain(end));
                plain.with([Place(place)]).with(ends.map(Node::Expr))
            }
            Kind::Break { value, .. } | Kind::Return(value) | Kind::Variant(_, value) => {
                plain.with(value.iter_mut().map(|value| Node::Expr(value)))
            }
            Kind::Block { block, .. } | Kind::Unsafe(block) => braced.with([Block(block)]),
            Kind::Let(pattern, scrutinee) => plain.with([Pattern(pattern), Node::Expr(scrutinee)]),
            Kind::If { cond, then, otherwise } => {
                let vars = cond.lets();
                let head = braced.with([Node::Expr(cond)]);
                head.declaring(&vars, [Block(then)]).with(otherwise.iter_mut().map(Block))
            }
            Kind::Match { scrutinee, arms } => {
                arms.iter_mut().fold(braced.with([Node::Expr(scrutinee)]), |shape, Arm { pattern, guard, body }| {
                    let vars = pattern.vars();
                    let inside = guard.iter_mut().chain([body]).map(Node::Expr);
                    shape.with([Pattern(pattern)]).declaring(&vars, inside)
                })
            }
            Kind::Loop { body, exhausted, .. } => {
                looping.with(exhausted.iter_mut().map(|value| Node::Expr(value))).with([Block(body)])
            }
            Kind::While { cond, body, .. } => {
                let vars = cond.lets();
                looping.with([Node::Expr(cond)]).declaring(&vars, [Block(body)])
            }
            Kind::Phase { vars, ranges, body, label: _ } => {
                braced.with(ranges.iter_mut().flatten().flat_map(of_range)).declaring(vars, [Block(body)])
            }
            Kind::For { var, range, body, .. } => looping.with(of_range(range)).declaring(&[*var], [Block(body)]),
        }
    }
}
