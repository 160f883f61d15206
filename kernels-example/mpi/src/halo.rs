//! The exchange of halo rows between neighbouring processes, as a kernel.

use std::fmt;

use anabranch::prelude::*;
use mpi::request;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

/// Why the rows cannot be exchanged.
#[derive(Debug)]
pub enum HaloError {
    /// The rows are not in host memory.
    NotOnTheHost,
}

impl fmt::Display for HaloError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOnTheHost => write!(
                f,
                "this exchange needs rows in host memory, but they are in the memory of a GPU: use `Device::cpu()`, or an MPI that accepts device pointers"
            ),
        }
    }
}

impl std::error::Error for HaloError {}

/// Sends the first row to the process above and the last row to the process below. Receives the
/// last row of the process above into `above`, and the first row of the process below into `below`.
/// If a neighbour does not exist, nothing is sent, and the row stays as it is.
///
/// The body runs on a thread of the CPU device, one at a time in each process, so MPI must be
/// initialized for `Threading::Serialized`.
#[kernel(library)]
pub fn exchange(
    stream: &Stream,
    first: &[f64],
    last: &[f64],
    above: &mut [f64],
    below: &mut [f64],
) -> Result<(), HaloError> {
    let _ = stream; // on the CPU device, work is done when its call returns
    let (Some(first), Some(last)) = (first.as_slice(), last.as_slice()) else { return Err(HaloError::NotOnTheHost) };
    let (Some(above), Some(below)) = (above.as_mut_slice(), below.as_mut_slice()) else {
        return Err(HaloError::NotOnTheHost);
    };
    let world = SimpleCommunicator::world();
    let (rank, size) = (world.rank(), world.size());
    request::scope(|scope| {
        let mut receives = Vec::with_capacity(2);
        let mut sends = Vec::with_capacity(2);
        if rank > 0 {
            let neighbour = world.process_at_rank(rank - 1);
            receives.push(neighbour.immediate_receive_into(scope, above));
            sends.push(neighbour.immediate_send(scope, first));
        }
        if rank + 1 < size {
            let neighbour = world.process_at_rank(rank + 1);
            receives.push(neighbour.immediate_receive_into(scope, below));
            sends.push(neighbour.immediate_send(scope, last));
        }
        for request in receives {
            request.wait();
        }
        for request in sends {
            request.wait();
        }
    });
    Ok(())
}
