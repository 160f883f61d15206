//! Examples of the macro's refusals, tried on the machine.

use anabranch_programs::generate;
use anabranch_programs::machine::{self, End, Launch, Outcome};
use anabranch_programs::program::{Host, Program};
use anabranch_programs::rng::Rng;
use anabranch_programs::types::Ty;
use anabranch_programs::visit::{self, Node};

/// So many numbers are tried for what an example does not name.
const TRIES: usize = 12;
/// Room for all that an example touches; many in a narrow type, too.
const LEN: usize = 600;

/// "with n = 4, i = 0 writes `x[1]` (line 2), and i = 1 reads it", as a program would say it.
struct Example {
    /// What host values and lengths are.
    given: Vec<(String, i128)>,
    /// The extents of a grid.
    shape: Option<(String, Vec<usize>)>,
    iterations: [Vec<i128>; 2],
    view: String,
    index: Vec<usize>,
}

/// What a try shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shown {
    /// Both iterations touch the element, and one writes it.
    Meets,
    /// It depends on elements, on what has no name in the program, or something fails before.
    Untried,
    Wrong,
}

/// Tries an example of a loop.
pub(super) fn try_out(program: &Program, par_loop: usize, text: &str) -> Shown {
    let example = Example::read(text);
    let (mut program, mut given) = (program.clone(), example.given.clone());
    let knows = |name: &str| {
        let name = name.strip_suffix(".len()").unwrap_or(name);
        program.vars.iter().any(|var| var.name == name)
    };
    // Code of the host part may be a block, and say anything.
    if text.contains(['{', ';']) || text.contains("some values in ") || !given.iter().all(|(name, _)| knows(name)) {
        return Shown::Untried;
    }
    if let Some((grid, shape)) = &example.shape {
        let Some(var) = program.vars.iter_mut().find(|var| var.name == *grid) else { return Shown::Untried };
        var.minor = Vec::leak(shape[1..].to_vec());
        given.push((format!("{grid}.len()"), shape.iter().product::<usize>() as i128));
    }
    let mut lets = Vec::new();
    visit::look(&program, &mut |node| {
        let Node::Hosts(hosts) = node else { return };
        lets.extend(hosts.iter().filter_map(|host| match host {
            Host::Let(var, _) => Some(program.name(*var).to_owned()),
            _ => None,
        }));
    });
    let views = program.vars.iter().filter(|var| matches!(var.ty, Ty::Slice(_)) && var.minor.is_empty());
    let rooms: Vec<_> = views.map(|view| (format!("{}.len()", view.name), LEN as i128)).collect();
    let mut rng = Rng::new(7);
    let mut fails = false;
    let meets = (0..TRIES).any(|at| {
        let mut numbers = generate::numbers(&program, &mut rng);
        numbers.lens.fill(LEN);
        let mut given = [given.as_slice(), &rooms].concat();
        // What suits is mostly neither small nor large.
        if let Some(plain) = [6, 20, 2, 60].get(at) {
            numbers.values.fill(*plain);
            given.extend(lets.iter().map(|name| (name.clone(), *plain)));
        }
        let (mut places, mut comes) = (Vec::new(), false);
        // In a loop of the host part, the iterations may meet in one of the launches only.
        let run = machine::run_given(&program, &numbers, &given, &mut |launch| {
            if launch.par_loop.number == par_loop {
                comes = true;
                if let Some((pair, buffer, element)) = place(launch, &example) {
                    launch.watch(pair);
                    places.push((buffer, element));
                }
            }
            true
        });
        let watched = |outcome: &&Outcome| outcome.broken || !outcome.touches.is_empty();
        let mut outcomes = run.loops.iter().map(|(_, outcome)| outcome).filter(watched).peekable();
        // An earlier loop may be refused, another iteration take too long, and the host part panic.
        let is_broken = outcomes.peek().is_some_and(|outcome| outcome.broken);
        fails |= !comes || run.wrapped || run.end == End::Endless || is_broken;
        outcomes.any(|outcome| outcome.met().any(|met| places.contains(&(met.buffer, met.element))))
    });
    match (meets, fails) {
        (true, _) => Shown::Meets,
        (false, true) => Shown::Untried,
        (false, false) => Shown::Wrong,
    }
}

/// The numbers of the iterations, the buffer, and the place of the element. `None`: there are none.
fn place(launch: &Launch<'_, '_>, example: &Example) -> Option<([usize; 2], usize, usize)> {
    let [one, other] = &example.iterations;
    let pair = [machine::iteration(launch.axes, one)?, machine::iteration(launch.axes, other)?];
    let (buffer, start) = launch.place(&example.view)?;
    let mut index = example.index.iter().enumerate();
    let element = index.try_fold(0, |place, (dim, index)| match example.index.len() {
        1 => Some(*index),
        _ => Some(place * usize::try_from(launch.extent(&example.view, dim)?).ok()? + index),
    })?;
    Some((pair, buffer, start + element))
}

impl Example {
    fn read(text: &str) -> Self {
        let mut numbers: Vec<(&str, Vec<i128>)> = text
            .match_indices(" = ")
            .map(|(at, equals)| {
                let value = &text[at + equals.len()..];
                let end = match value.find(['(', '[']) {
                    Some(0) => value.find([')', ']']),
                    _ => value.find(|c: char| c != '-' && !c.is_ascii_digit()),
                };
                (name_before(&text[..at]), listed(&value[..end.unwrap_or(value.len())]))
            })
            .collect();
        let [(_, one), (_, other)] = [numbers.pop(), numbers.pop()].map(|of| of.expect("two iterations"));
        let (view, index) = text.rsplit('`').nth(1).and_then(|element| element.split_once('[')).expect("an element");
        let index = listed(index).into_iter().map(|index| index as usize).collect();
        let shape = numbers.iter().position(|(name, _)| name.ends_with(".shape()")).map(|at| {
            let (name, extents) = numbers.remove(at);
            (name.trim_end_matches(".shape()").to_owned(), extents.into_iter().map(|extent| extent as usize).collect())
        });
        let given = numbers.into_iter().filter_map(|(name, value)| Some((name.to_owned(), *value.first()?))).collect();
        Self { given, shape, iterations: [other, one], view: view.to_owned(), index }
    }
}

/// The last words of a text: a name, or several of them in parentheses.
fn name_before(text: &str) -> &str {
    let mut depth = 0;
    let start = text.char_indices().rev().find(|(_, c)| {
        depth += i32::from(*c == ')') - i32::from(*c == '(');
        *c == ' ' && depth == 0
    });
    start.map_or(text, |(at, _)| &text[at + 1..])
}

fn listed(text: &str) -> Vec<i128> {
    let numbers = text.split(|c: char| c != '-' && !c.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.map(|number| number.parse().expect("a number")).collect()
}
