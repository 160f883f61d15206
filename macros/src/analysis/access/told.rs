//! The facts that the launch gets, where atoms are numbers.

use std::collections::BTreeMap;

use anabranch_core::facts::Facts;
use anabranch_core::limits::{MAX_NESTING, MAX_SYMBOLS};

use super::{Access, Atom, Found, LoopFacts, Step, bounds};

impl LoopFacts {
    /// What the launch gets of a loop with so many variables.
    pub(crate) fn told(&self, vars: usize) -> Facts {
        let numbers: BTreeMap<Atom, usize> = self.atoms(vars).zip(0..).collect();
        // The launch knows nothing of the first number that is none.
        let number = |atom: &Atom| numbers.get(atom).copied().unwrap_or(numbers.len());
        // What it cannot follow it takes for too large.
        let (atoms, steps) = match Step::depth(&self.steps) {
            ..=MAX_NESTING => (numbers.len(), self.steps.iter().map(|step| step.map(&number)).collect()),
            _ => (MAX_SYMBOLS + 1, Vec::new()),
        };
        Facts {
            atoms,
            sources: self.symbols.iter().filter_map(|symbol| symbol.source.clone()).collect(),
            steps,
            accesses: (0..self.accesses.len()).map(|at| self.access(at).map(&number)).collect(),
            races: self.races.clone(),
        }
    }

    /// The atoms that the launch reckons with, in order, in a loop with so many variables.
    pub(super) fn atoms(&self, vars: usize) -> impl Iterator<Item = Atom> {
        let symbols = self.symbols.iter().enumerate().filter(|(_, symbol)| symbol.source.is_some());
        let others = self.kept.iter().copied().filter(|atom| matches!(atom, Atom::Other(_)));
        (0..vars).map(Atom::Var).chain(symbols.map(|(at, _)| Atom::Symbol(at))).chain(others)
    }

    /// Whether the launch decides something of an access.
    pub(super) fn is_told(&self, access: usize) -> bool {
        self.is_decided(access) || self.races.iter().any(|group| group.contains(&access))
    }

    /// Whether the check of an access is left to the launch.
    pub(crate) fn is_decided(&self, access: usize) -> bool {
        self.decided.values().any(|at| *at == access)
    }

    fn access(&self, at: usize) -> Access {
        let (found, told, decided) = (&self.accesses[at], self.is_told(at), self.is_decided(at));
        let Found { access: Access { index, end, .. }, .. } = found;
        Access {
            index: index.clone().filter(|_| told),
            end: end.clone().map(|end| end.filter(|_| told)),
            decided,
            proved: decided && bounds::is_proved(self, found),
            ..found.access.clone()
        }
    }
}
