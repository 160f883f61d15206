//! How many random programs that are made for the CPU's lanes run in lanes, and why the others do
//! not: what tests lanes by random programs tests nothing if a change takes those programs out of
//! lanes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anabranch_programs::generate::{self, ENVIRONMENT, Env, Feature};
use anabranch_programs::print::{self, Form};
use anabranch_programs::program::Program;

use super::kernel;
use crate::analysis::{Analyses, access};
use crate::report::Report;

const PROGRAMS: u64 = 400;

/// A kernel with the parameters that the fuzzer gives it.
fn source(program: &Program) -> String {
    let mut params = String::new();
    for (name, env) in &ENVIRONMENT[1..] {
        let _ = match env {
            Env::Value(scalar) => write!(params, "{name}: {}, ", scalar.name()),
            Env::Slice(scalar) => write!(params, "{name}: &[{}], ", scalar.name()),
            Env::Own | Env::Lanes => write!(params, "{name}: &mut [i64], "),
            Env::Results(scalar) => write!(params, "{name}: &mut [{}], ", scalar.name()),
            Env::Pairs => write!(params, "{name}: &mut [Two<i64, f32>], "),
            Env::Cells => write!(params, "{name}: &[AtomicI64], "),
            Env::Grid(scalar, dims) => write!(params, "{name}: &Grid<{}, {dims}>, ", scalar.name()),
            Env::Rows => write!(params, "{name}: &mut Grid<i64, 2>, "),
        };
    }
    let of_loop = &program.loops()[0];
    let body = match of_loop.threads {
        Some(_) => print::over_blocks(program, of_loop, Form::Kernel),
        None => format!("'each: for i in par(first..end) {{ {} }}", print::body(program, &of_loop.body)),
    };
    format!("fn k(first: usize, end: usize, {params}out: &mut [u64]) {{ {body} }}")
}

/// The share of a profile's programs that run in lanes, in percent.
fn share(profile: &str, generate: fn(u64, usize, &[Feature]) -> Program) -> u64 {
    let (mut in_lanes, mut others) = (0, BTreeMap::<_, (usize, u64)>::new());
    for seed in 1..=PROGRAMS {
        let source = source(&generate(seed, 0, Feature::ALL));
        let (kernel, mut report) = (kernel(&source), Report::default());
        let mut facts = access::check(&kernel.loops, false, &mut report);
        report.check().expect("the loop is accepted");
        match Analyses::of(&kernel.loops[0], facts.remove(0), true).lanes {
            Ok(_) => in_lanes += 1,
            Err(why) => others.entry(why).or_insert((0, seed)).0 += 1,
        }
    }
    println!("{profile}: {in_lanes} of {PROGRAMS} run in lanes; (number, first seed) of the others: {others:?}");
    in_lanes * 100 / PROGRAMS
}

#[test]
fn what_is_made_for_lanes_runs_in_lanes() {
    for (profile, generate, least) in
        [("lanes", generate::lanes as fn(_, _, &_) -> _, 38), ("blocks_in_lanes", generate::blocks_in_lanes, 45)]
    {
        let share = share(profile, generate);
        assert!(share >= least, "{share} percent of the programs of `{profile}` run in lanes, which should be {least}");
    }
}
