//! Compares results: a wrong result fails the benchmark, however fast it is.

use crate::kernels::own_types::{Mat3, Vec3};
use crate::measure::{Bench, Failure};

/// An element of a result, as numbers.
pub(crate) trait Value: Copy + PartialEq + std::fmt::Debug {
    fn numbers(self, to: &mut Vec<f64>);
}

macro_rules! values {
    ($($of:ty),*) => { $(impl Value for $of { fn numbers(self, to: &mut Vec<f64>) { to.push(f64::from(self)); } })* };
}
values!(f32, f64, u8, u32);

impl Value for [f32; 2] {
    fn numbers(self, to: &mut Vec<f64>) {
        to.extend(self.map(f64::from));
    }
}

impl Value for Vec3 {
    fn numbers(self, to: &mut Vec<f64>) {
        to.extend([self.x, self.y, self.z].map(f64::from));
    }
}

impl Value for Mat3 {
    fn numbers(self, to: &mut Vec<f64>) {
        [self.0, self.1, self.2].into_iter().for_each(|column| column.numbers(to));
    }
}

impl Bench {
    /// Compares the results of a kernel and of its peers with the hand-written one. On the CPU
    /// device, a kernel must compute the same bits.
    pub(crate) fn same<T: Value>(&mut self, ours: &[T], by_hand: &[T]) -> Result<(), Failure> {
        let Some(name) = &self.current else { return Ok(()) };
        if self.on_cpu && ours != by_hand {
            let off = ours.iter().zip(by_hand).position(|(a, b)| a != b).unwrap_or(0);
            let (a, b) = (ours.get(off), by_hand.get(off));
            return Err(format!(
                "{name}: element {off} of the kernel's result is {a:?}, but the hand-written one is {b:?}"
            )
            .into());
        }
        self.near(ours, by_hand)
    }

    /// The same, except that results may differ by rounding.
    pub(crate) fn near<T: Value>(&mut self, ours: &[T], by_hand: &[T]) -> Result<(), Failure> {
        let Some(name) = self.current.clone() else { return Ok(()) };
        let numbers = |values: &[T]| {
            let mut numbers = Vec::with_capacity(values.len());
            values.iter().for_each(|value| value.numbers(&mut numbers));
            numbers
        };
        let expected = numbers(by_hand);
        close(&name, "the kernel", &numbers(ours), &expected)?;
        for peer in std::mem::take(&mut self.unchecked) {
            let result = self.peers.result(peer)?;
            close(&name, &self.peers.name(peer), &result, &expected)?;
        }
        Ok(())
    }
}

/// Elements may be off by at most a thousandth of the largest one. One of 500 may be off by more:
/// where rounding decides, as at the edge of the Mandelbrot set, machines differ.
fn close(name: &str, who: &str, result: &[f64], expected: &[f64]) -> Result<(), Failure> {
    if result.len() != expected.len() {
        return Err(format!("{name}: {who} has {} elements instead of {}", result.len(), expected.len()).into());
    }
    let largest = expected.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    let wrong = |(_, (a, b)): &(usize, (&f64, &f64))| {
        // A NaN is wrong, too.
        let near = (**a - **b).abs() <= 1e-3 * largest;
        !near
    };
    let mut off = result.iter().zip(expected).enumerate().filter(wrong);
    match off.next() {
        Some((at, (a, b))) if off.count() >= expected.len() / 500 => {
            Err(format!("{name}: element {at} of {who} is {a} instead of {b}").into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::close;

    #[test]
    fn results_that_differ_are_refused() {
        let check = |result: &[f64], fine: bool| {
            assert_eq!(close("x", "y", result, &[1.0, 100.0]).is_ok(), fine, "{result:?}");
        };
        check(&[1.05, 100.0], true);
        check(&[1.2, 100.0], false);
        check(&[f64::NAN, 100.0], false);
        check(&[1.0], false);
    }
}
