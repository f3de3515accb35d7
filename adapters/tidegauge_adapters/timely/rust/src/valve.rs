//! A valve: the inputs of a dataflow, distributed over the workers, and the frontier behind them.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use timely::Config;
use timely::communication::WorkerGuards;
use timely::worker::ProgressMode;

use crate::messages::Time;
use crate::worker::{self, Command, Report};

/// Timely workers, each in its own thread, and one input for each channel: channel i is the input of stream
/// i / workers on worker i % workers.
pub struct Valve {
    workers: Vec<(Sender<Command>, Receiver<Report>)>,
    open: Vec<bool>,
    frontiers: Vec<Time>,
    guards: Option<WorkerGuards<()>>,
    failure: Option<String>,
    has_panicked: bool,
}

/// The number of rounds after which workers that are still active have failed. A step takes a few.
const MOST_ROUNDS: usize = 10_000;

impl Valve {
    /// Start the workers. Each worker builds the dataflow.
    pub fn new(channels: usize, count: usize, mode: ProgressMode) -> Self {
        let (mut workers, mut ends) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let ((command, commands), (report, reports)) = (channel(), channel());
            workers.push((command, reports));
            ends.push(Some((commands, report)));
        }
        let (ends, streams) = (Mutex::new(ends), channels.div_ceil(count));
        let mut config = Config::process(count);
        config.worker = config.worker.progress_mode(mode);
        let guards = timely::execute(config, move |worker| {
            let index = worker.index();
            let in_use: Vec<_> = (0..streams).map(|stream| stream * count + index < channels).collect();
            let (commands, reports) = ends.lock().unwrap()[index].take().unwrap();
            worker::run(worker, &in_use, commands, reports);
        });
        let frontiers = vec![Some(i64::MIN); count];
        let (open, guards) = (vec![true; channels], guards.ok());
        let mut valve = Valve { workers, open, frontiers, guards, failure: None, has_panicked: false };
        valve.failure = match valve.settle() {
            Ok(seen) if seen.is_empty() => None,
            Ok(seen) => Some(format!("frontiers before the first step: {seen:?}")),
            Err(text) => Some(text),
        };
        valve
    }

    /// Advance the input of a channel, and return the resulting frontiers. After a failure, the dataflow is in
    /// an unknown state, so all further steps fail.
    pub fn advance(&mut self, channel: usize, time: Time) -> Result<Vec<Time>, String> {
        self.failure.clone().map_or(Ok(()), Err)?;
        match self.open.get_mut(channel) {
            None => return Err(format!("there is no input {channel}")),
            Some(false) => return Err(format!("input {channel} is closed")),
            Some(open) => *open = time.is_some(),
        }
        let count = self.workers.len();
        let _ = self.workers[channel % count].0.send(Command::Advance(channel / count, time));
        let frontiers = self.settle();
        self.failure = frontiers.as_ref().err().cloned();
        frontiers
    }

    /// Step all workers until timely is idle, and return the frontiers that the first worker has seen.
    ///
    /// The workers step in turn, so the same steps always give the same outputs. After a round in which no
    /// worker has scheduled an operator, no progress is in flight.
    fn settle(&mut self) -> Result<Vec<Time>, String> {
        let (mut of_first, mut active, mut rounds) = (Vec::new(), true, 0);
        while active {
            active = false;
            rounds += 1;
            if rounds > MOST_ROUNDS {
                return Err(format!("timely is still active after {MOST_ROUNDS} rounds"));
            }
            for (index, (commands, reports)) in self.workers.iter().enumerate() {
                let _ = commands.send(Command::Step);
                let report = reports.recv().unwrap_or_else(|_| Err("a timely worker has ended".to_owned()));
                self.has_panicked |= report.is_err();
                let progress = report?;
                active |= progress.active;
                self.frontiers[index] = progress.frontiers.last().copied().unwrap_or(self.frontiers[index]);
                of_first.extend(progress.frontiers.into_iter().filter(|_| index == 0));
            }
        }
        if self.frontiers.iter().any(|frontier| *frontier != self.frontiers[0]) {
            return Err(format!("the workers have different frontiers: {:?}", self.frontiers));
        }
        Ok(of_first)
    }
}

impl Drop for Valve {
    /// Close all inputs and wait for the workers, except after a panic: the peers of a worker that panicked
    /// never end.
    fn drop(&mut self) {
        self.workers.clear();
        if self.has_panicked {
            std::mem::forget(self.guards.take());
        }
    }
}
