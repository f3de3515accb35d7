//! One timely worker: its part of the dataflow, and the commands that it executes.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use timely::dataflow::InputHandleVec;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::Concatenate;
use timely::dataflow::operators::generic::Operator;
use timely::worker::Worker;

use crate::messages::Time;

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A command for a worker.
pub enum Command {
    /// Advance this worker's input of a stream; `None` closes it.
    Advance(usize, Time),
    /// Run timely's `step` once.
    Step,
}

/// The result of one step of a worker.
pub struct Progress {
    /// Whether timely has an operator to schedule.
    pub active: bool,
    /// The frontiers that the operator behind the streams has seen, in order.
    pub frontiers: Vec<Time>,
}

/// The progress of a step, or the text of the panic that ended the worker.
pub type Report = Result<Progress, String>;

/// Record where and why a thread panics instead of printing it.
pub fn record_panics() {
    set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let (who, file) = match place.rfind("/timely") {
            Some(folder) => ("timely", &place[folder + 1..]),
            None => ("the driver", place.rsplit('/').next().unwrap_or_default()),
        };
        LAST_PANIC.set(format!("{who} panicked at {file}: {}", info.payload_as_str().unwrap_or_default()));
    }));
}

/// Build the dataflow, and execute commands until their channel closes.
///
/// The dataflow concatenates one input for each stream, followed by an operator that records its frontier.
/// `in_use` says for each stream whether a channel uses this worker's input; unused inputs are closed.
pub fn run(worker: &mut Worker, in_use: &[bool], commands: Receiver<Command>, reports: Sender<Report>) {
    if catch_unwind(AssertUnwindSafe(|| execute(worker, in_use, commands, &reports))).is_err() {
        let _ = reports.send(Err(LAST_PANIC.take()));
    }
}

fn execute(worker: &mut Worker, in_use: &[bool], commands: Receiver<Command>, reports: &Sender<Report>) {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let (record, mut last) = (Rc::clone(&seen), Some(i64::MIN));
    let mut inputs = worker.dataflow::<i64, _, _>(|scope| {
        let mut inputs: Vec<InputHandleVec<i64, ()>> = Vec::new();
        inputs.resize_with(in_use.len(), InputHandleVec::new);
        let streams: Vec<_> = inputs.iter_mut().map(|input| input.to_stream(scope)).collect();
        scope.concatenate(streams).sink(Pipeline, "Watermarks", move |(_, frontier)| {
            let frontier = frontier.frontier().first().copied();
            if frontier != last {
                last = frontier;
                record.borrow_mut().push(frontier);
            }
        });
        inputs.into_iter().zip(in_use).map(|(input, used)| used.then_some(input)).collect::<Vec<_>>()
    });
    for command in commands {
        match command {
            Command::Advance(stream, Some(time)) => inputs[stream].as_mut().unwrap().advance_to(time),
            Command::Advance(stream, None) => inputs[stream].take().unwrap().close(),
            Command::Step => {
                worker.step();
                let active = worker.activations().borrow().empty_for() == Some(Duration::ZERO);
                let _ = reports.send(Ok(Progress { active, frontiers: seen.take() }));
            }
        }
    }
}
