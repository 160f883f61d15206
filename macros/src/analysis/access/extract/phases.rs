//! Phases: each as the parallel loop that it is.
//!
//! What a phase does to memory is walked twice. As a part of its block it is loops in each other.
//! And by itself it is a loop whose iterations must be apart: of one block, at one place in its
//! program. There all variables from outside of the phase are numbers that its iterations have in
//! common, and so are the indexes of the block. What all indexes of a buffer add of such numbers
//! moves all elements alike. So it is left out.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::facts::{Component, Term};

use super::super::{Atom, Form, Found, LoopFacts, states};
use super::rows::{Iterations, single};
use super::{Extractor, Here, InBlock, Known};
use crate::ir::effects;
use crate::ir::{
    Block, CaptureId, ElementOf, Expr, ExprId, ExprKind, Flow, LocalId, LocalKind, Part, Phase, SiteId, Space, Stmt,
};
use crate::names::place;

/// A phase by itself.
pub(crate) struct PhaseFacts {
    /// Its steps and accesses, and the groups of these that have to be apart. Its variables come
    /// after the indexes of the block.
    pub(crate) facts: LoopFacts,
    /// How many values its variables have.
    pub(crate) trips: Vec<Option<Form>>,
    /// Line of its `for`.
    pub(crate) line: u32,
}

impl<'b> Extractor<'b> {
    pub(super) fn phase(&mut self, phase: &Phase, body: &'b Block, expr: &Expr) {
        let Some((nest, before)) = body.stmts.split_last() else { return };
        let Stmt::Expr(nest) = nest else { return };
        for stmt in before {
            self.statement(stmt, false);
        }
        self.by_itself(phase, before, nest, expr);
        if let ([var], None, ExprKind::Flow { flow: Flow::For { range, .. }, .. }) =
            (phase.vars.as_slice(), &phase.literal, &nest.kind)
        {
            self.counts_in_32_bits(*var, range);
        }
        self.expr(nest);
    }

    /// The phase by itself.
    fn by_itself(&mut self, phase: &Phase, ends: &'b [Stmt], nest: &'b Expr, expr: &Expr) {
        // An end that writes may change what another end was made of. Then nothing is known of any.
        let writes = |stmt: &Stmt| matches!(stmt, Stmt::Let { init, .. } if effects::of(init, self.body).writes);
        let ends = if ends.iter().any(writes) { &[] } else { ends };
        let (blocks, first) = (self.in_block.blocks, self.facts.others);
        let mut walk = Extractor {
            facts: LoopFacts {
                symbols: std::mem::take(&mut self.facts.symbols),
                others: first,
                ..LoopFacts::default()
            },
            known: Known { divisions: Vec::new(), ..self.known.clone() },
            in_block: InBlock {
                shared: self.in_block.shared.clone(),
                small: self.in_block.small.clone(),
                in_phase: true,
                blocks,
                ends: ends
                    .iter()
                    .filter_map(|stmt| if let Stmt::Let { pat, .. } = stmt { pat.name() } else { None })
                    .collect(),
                ..InBlock::default()
            },
            ..Extractor::new(self.body, self.params.clone())
        };
        walk.here.limited = self.here.limited.clone();
        walk.here.unsafe_depth = self.here.unsafe_depth;
        let mut unknown = walk.common(phase, ends, nest);
        // What the ends of the ranges read is read before: there is a barrier between.
        let (mut inner, mut trips, mut exact_trips, mut ends) = (nest, Vec::new(), Vec::new(), 0);
        for (at, var) in phase.vars.iter().enumerate() {
            let ExprKind::Flow { flow: Flow::For { range, body, .. }, .. } = &inner.kind else { return };
            // Sums may wrap: then they are no numbers from which the variable counts.
            let (start, exact) = (walk.exactly(&range.start), walk.exactly(&range.end));
            let way = |end: Option<&Form>| start.as_ref().zip(end).and_then(|(start, end)| end.sub(start));
            exact_trips.push(way(exact.as_ref()));
            trips.push(way(exact.or_else(|| walk.converted(&range.end)).as_ref()));
            let start = start.unwrap_or_else(|| {
                let atom = walk.fresh();
                unknown.insert(atom);
                Form::atom(atom)
            });
            let number = Form::atom(Atom::Var(blocks + at));
            match start.add(&number) {
                Some(form) => drop(walk.known.locals.insert(*var, form)),
                None => drop(walk.known.locals.remove(var)),
            }
            walk.known.counters.insert(*var);
            if at + 1 == phase.vars.len() {
                ends = walk.facts.accesses.len();
                walk.forget(body);
                walk.block(body);
                break;
            }
            let Some(Stmt::Expr(next)) = body.stmts.first() else { return };
            inner = next;
        }
        let of_small = |local| walk.known.locals.get(local).and_then(single);
        let integers =
            walk.in_block.small.iter().filter_map(of_small).chain(exact_trips.iter().flatten().filter_map(single));
        let mut sizes: BTreeSet<_> = integers.collect();
        let Extractor { mut facts, here: Here { steps, .. }, in_block: InBlock { compared, .. }, .. } = walk;
        self.facts.symbols = std::mem::take(&mut facts.symbols);
        self.facts.others = facts.others;
        self.facts.unsafe_sites.extend(answered(&facts, self.body.captures.len()));
        let is_fixed = |atom: &Atom| match atom {
            Atom::Var(at) => *at < blocks,
            Atom::Symbol(_) => false,
            Atom::Other(at) => *at < first || unknown.contains(atom),
        };
        sizes.retain(is_fixed);
        facts.steps = steps;
        facts.decided.clear();
        facts.info.calls.clear();
        let iterations = Iterations {
            body: self.body,
            facts: &facts,
            first: blocks,
            trips: &exact_trips,
            sizes: &sizes,
            compared: &compared,
        };
        let groups = groups(&facts, ends).into_iter().filter(|group| !iterations.are_apart(group));
        facts.races =
            groups.filter(|group| !self.are_apart_in_all_states(expr.id, facts.accesses[group[0]].view())).collect();
        for group in facts.races.clone() {
            leave_out(&mut facts, &group, &is_fixed);
        }
        if !facts.races.is_empty() {
            let (line, _) = place(expr.span);
            self.in_block.phases.push(PhaseFacts { facts, trips, line });
        }
    }

    /// Whether the iterations of a phase are apart in an array that threads share. If two of them
    /// meet, they are reported.
    fn are_apart_in_all_states(&mut self, phase: ExprId, view: CaptureId) -> bool {
        let Some(array) = view.0.checked_sub(self.body.captures.len()).map(LocalId) else { return false };
        let tried = self.in_block.tried.get_or_insert_with(|| states::of(self.body));
        self.facts.meetings.extend(tried.meeting(phase, array));
        tried.are_apart(phase, array)
    }

    /// A variable of the block is a number that all iterations have in common, if nothing else is
    /// known of it.
    fn common(&mut self, phase: &Phase, ends: &'b [Stmt], nest: &'b Expr) -> BTreeSet<Atom> {
        let mut common = BTreeSet::new();
        let mut names: Vec<(LocalId, LocalId)> = named(nest).into_iter().map(|local| (local, local)).collect();
        // The ends of ranges have names of their own.
        names.extend(ends.iter().filter_map(|stmt| match stmt {
            Stmt::Let { pat, init: Expr { kind: ExprKind::Local(of), .. }, .. } => Some((*of, pat.name()?)),
            _ => None,
        }));
        for (of, name) in names {
            let var = &self.body[of];
            let is_number = var.kind == LocalKind::Value && var.space == Space::Own && !var.late && !var.loose;
            if phase.vars.iter().any(|var| of >= *var) || !is_number {
                continue;
            }
            let form = match self.known.locals.get(&of) {
                Some(form) if single(form).is_some_and(|atom| common.contains(&atom)) => form.clone(),
                Some(_) => continue,
                None => {
                    let atom = self.fresh();
                    common.insert(atom);
                    Form::atom(atom)
                }
            };
            for name in [of, name] {
                self.known.locals.insert(name, form.clone());
                self.known.counters.insert(name);
            }
        }
        common
    }

    /// The form of an end of a range that is exactly its value. That of a conversion is not: `-4`
    /// is `252u8`.
    fn exactly(&mut self, end: &'b Expr) -> Option<Form> {
        match end.kind {
            ExprKind::Local(local) if self.known.made.contains(&local) => self.known.locals.get(&local).cloned(),
            ExprKind::Local(local) if !self.is_counter(local) => {
                let init = self.known.inits.get(&local).copied()?;
                // An end of the phase has just been computed. What any other variable was made of
                // may have changed since.
                (self.in_block.ends.contains(&local) || !self.changes(init)).then(|| self.exactly(init))?
            }
            ExprKind::Cast { .. } => None,
            _ => {
                let known = self.facts.others;
                let form = self.expr(end).filter(|form| form.casts.is_empty())?;
                (is_new(&form, known) || self.is_exact(end)).then_some(form)
            }
        }
    }

    /// The form of an end of a range that is a number in another type, modulo 2^width of the
    /// range's type. A range that begins at a number of its type has no more values than such a
    /// form says, if it says that the range is not empty. The cast tells the launch which kind of
    /// form it is.
    fn converted(&mut self, end: &'b Expr) -> Option<Form> {
        match &end.kind {
            ExprKind::Local(local) => {
                let init = self.known.inits.get(local).copied()?;
                (self.in_block.ends.contains(local) || !self.changes(init)).then(|| self.converted(init))?
            }
            ExprKind::Cast { operand, slot, .. } => Some(self.exactly(operand)?.cast(slot.0, slot.0)),
            _ => None,
        }
    }

    /// An access to what threads share, and whether it is one.
    pub(super) fn of_shared(&mut self, expr: &'b Expr, write: bool) -> bool {
        let (mut base, mut indexes, mut ends, mut site) = (expr, Vec::new(), Vec::new(), None);
        loop {
            match &base.kind {
                ExprKind::Element { base: inner, index, of: ElementOf::Value(_), site: own } => {
                    site = site.or(Some(*own));
                    indexes.push(&**index);
                    base = inner;
                }
                ExprKind::Range { base: inner, start, end, .. } => {
                    // A part is no more than what it is a part of.
                    ends.append(&mut indexes);
                    ends.extend(start.iter().chain(end).map(|end| &**end));
                    base = inner;
                }
                ExprKind::Field { base: inner, .. } => base = inner,
                _ => break,
            }
        }
        let ExprKind::Local(local) = base.kind else { return false };
        if self.body[local].space != Space::Shared {
            return false;
        }
        ends.into_iter().for_each(|end| drop(self.expr(end)));
        indexes.reverse();
        let forms: Vec<Option<Form>> = indexes.into_iter().map(|index| self.number(index)).collect();
        if self.in_block.in_phase {
            let dims = self.in_block.shared.get(&local).copied().unwrap_or(0);
            let len = self.fresh();
            let component = |index| Component { len, index };
            let components: Vec<_> = forms.into_iter().take(dims).map(component).collect();
            let view = CaptureId(self.body.captures.len() + local.0);
            self.access(view, components, None, write, site, expr.span);
        }
        true
    }

    /// The form of an index. Arrays of a user type may have indexes of a user type: their slot says
    /// so, which nothing takes away.
    fn number(&mut self, index: &'b Expr) -> Option<Form> {
        let form = self.expr(index)?;
        match self.ty(index) {
            Some(slot) => Some(form.cast(slot.0, slot.0)),
            None => Some(form),
        }
    }

    /// A shared array has so many dimensions.
    pub(super) fn share(&mut self, local: LocalId, init: &Expr) {
        let (mut dims, mut value) = (0, init);
        while let ExprKind::Repeat { value: inner, .. } = &value.kind {
            (dims, value) = (dims + 1, inner);
        }
        self.in_block.shared.insert(local, dims);
    }
}

/// The variables that an expression names, each once.
fn named(expr: &Expr) -> BTreeSet<LocalId> {
    fn within(part: Part<'_>, names: &mut BTreeSet<LocalId>) {
        match part {
            Part::Expr(Expr { kind: ExprKind::Local(local), .. }) => _ = names.insert(*local),
            Part::Expr(expr) => expr.parts().into_iter().for_each(|part| within(part, names)),
            Part::Block(block) => block.parts().into_iter().for_each(|part| within(part, names)),
        }
    }
    let mut names = BTreeSet::new();
    within(Part::Expr(expr), &mut names);
    names
}

/// Whether a form is one atom that is not among the first `known`: what has just been made is a
/// number of its type. An older one may have come here from another type.
pub(super) fn is_new(form: &Form, known: usize) -> bool {
    let is_new = |atoms: &[Atom]| matches!(atoms, [Atom::Other(at)] if *at >= known);
    form.casts.is_empty() && matches!(form.value.terms.as_slice(), [Term { atoms, factor: 1 }] if is_new(atoms))
}

/// The sites in `unsafe` of arrays that threads share and that the phase writes. Whether they are
/// apart without, only the launch says.
fn answered(facts: &LoopFacts, captures: usize) -> impl Iterator<Item = SiteId> {
    let of_shared = move |found: &&Found| found.view().0 >= captures;
    let is_written = |view| facts.accesses.iter().any(|found| found.view() == view && found.access.write);
    let answered = facts.accesses.iter().filter(of_shared).filter(|found| found.unsafe_access);
    answered.filter(move |found| is_written(found.view())).filter_map(|found| found.site)
}

/// The accesses of each buffer that is written, from the first one in the phase on, but for those
/// for which the user answers.
fn groups(facts: &LoopFacts, first: usize) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<CaptureId, Vec<usize>> = BTreeMap::new();
    for (at, found) in facts.accesses.iter().enumerate().skip(first).filter(|(_, found)| !found.unsafe_access) {
        groups.entry(found.view()).or_default().push(at);
    }
    groups.into_values().filter(|group| group.iter().any(|at| facts.accesses[*at].access.write)).collect()
}

/// Leaves out what all indexes of a group add of numbers that the iterations have in common.
fn leave_out(facts: &mut LoopFacts, group: &[usize], is_fixed: &dyn Fn(&Atom) -> bool) {
    let forms = |facts: &LoopFacts, at: usize| -> Vec<Option<Form>> {
        facts.accesses[at].access.components().map(|(_, index)| index.cloned()).collect()
    };
    // A product with a variable of the phase does not move all elements alike.
    let is_common = |term: &Term<Atom>| {
        let mut atoms = term.atoms.iter();
        term.atoms.iter().any(is_fixed) && atoms.all(|atom| is_fixed(atom) || matches!(atom, Atom::Symbol(_)))
    };
    let fixed = |form: &Form| form.value.terms.iter().filter(|term| is_common(term)).cloned().collect::<Vec<_>>();
    let most = group.iter().map(|at| forms(facts, *at).len()).max().unwrap_or(0);
    for dim in 0..most {
        let all = group.iter().flat_map(|at| {
            // A range ends in the buffer that it begins in.
            let end = facts.accesses[*at].access.end.clone();
            forms(facts, *at).get(dim).cloned().into_iter().chain(end)
        });
        let mut parts = all.map(|form| form.as_ref().map(fixed));
        let Some(Some(first)) = parts.next() else { continue };
        if first.is_empty() || !parts.all(|part| part.as_ref() == Some(&first)) {
            continue;
        }
        let moved = |form: &mut Form| form.value.terms.retain(|term| !is_common(term));
        for at in group {
            let access = &mut facts.accesses[*at].access;
            match dim.checked_sub(1) {
                None => access.index.iter_mut().chain(access.end.iter_mut().flatten()).for_each(moved),
                Some(dim) => access.more.iter_mut().skip(dim).take(1).flat_map(|of| &mut of.index).for_each(moved),
            }
        }
    }
}
