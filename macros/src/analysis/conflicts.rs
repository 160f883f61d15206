//! Plain conflicts between groups, said in the field's terms.
//!
//! **Rule.** A view that one group of a `stream_parallel!` writes must not be read or written by
//! another group.
//!
//! This is not what makes groups safe: rustc's borrow checker is, through the reborrow of all views
//! at the fork (see `launch`), and it also sees through splits, renames and conditionals. But it
//! says "cannot borrow `x` as mutable more than once at a time", and the commonest mistake deserves
//! to be told as what it is: a race.

use crate::ir::{Access, Fork, Group, ViewUse};
use crate::report::{Code, Diagnostic, Report, error};

/// Reports every view that groups of one fork would race on, once a view, at the second access.
pub(crate) fn check(forks: &[Fork], report: &mut Report) {
    for fork in forks {
        let mut reported = Vec::new();
        for (at, group) in fork.groups.iter().enumerate() {
            for second in &group.views {
                let earlier = fork.groups[..at].iter().enumerate().find_map(|(earlier_at, earlier)| {
                    let first = earlier.views.iter().find(|v| v.binding == second.binding)?;
                    races(first.access, second.access).then_some((earlier_at, earlier, first))
                });
                let Some((earlier_at, earlier, first)) = earlier else { continue };
                if reported.contains(&second.binding) {
                    continue;
                }
                reported.push(second.binding);
                report.at(second.span, race(first, &name(earlier, earlier_at), second, &name(group, at)));
            }
        }
    }
}

fn races(a: Access, b: Access) -> bool {
    a.max(b) == Access::Write && a.min(b) >= Access::Read
}

fn race(first: &ViewUse, first_group: &str, second: &ViewUse, second_group: &str) -> Diagnostic {
    let verb = |access| if access == Access::Write { "writes" } else { "reads" };
    let (view, line) = (&second.name, first.span.start().line);
    let (first, second) = (verb(first.access), verb(second.access));
    let message = format!(
        "data race: {second_group} {second} `{view}`, which {first_group} {first} at the same time (line {line})"
    );
    error(Code::GroupsRace, message)
        .help("put both uses into one group, or one of them after the `stream_parallel!`")
        .help(format!(
            "split the slice, so that each group has its own part: `let (lo, hi) = {view}.split_at_mut(mid);`"
        ))
        .help(format!("use atomics, such as `{view}: &[AtomicU32]`, or `&[AtomicF32]` for floats"))
}

fn name(group: &Group, at: usize) -> String {
    match &group.label {
        Some(label) => format!("group `'{label}`"),
        None => format!("group {}", at + 1),
    }
}
