//! Serves timely dataflow over Tidegauge's process protocol: requests on stdin, answers on stdout.

mod messages;
mod valve;
mod worker;

use std::collections::HashMap;
use std::io::{Error, Write, stdin, stdout};

use serde_json::{Value, json};

use crate::messages::outputs_of;
use crate::valve::Valve;

/// The arguments are the number of timely workers and their progress mode, `demand` or `eager`.
fn main() -> Result<(), Error> {
    worker::record_panics();
    let workers = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let mode = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or_default();
    let mut sessions = HashMap::new();
    let mut answers = stdout().lock();
    for line in stdin().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let session = request["session"].as_str().unwrap_or_default().to_owned();
        let valve =
            |setup: &Value| Valve::new(setup["channels"].as_u64().unwrap_or(1) as usize, workers, mode);
        let answer = match request["request"].as_str().unwrap_or_default() {
            "describe" => description(),
            "run" => {
                for scenario in request["scenarios"].as_array().into_iter().flatten() {
                    writeln!(answers, "{}", transcript(valve(&scenario["setup"]), scenario))?;
                }
                continue;
            }
            "open" => {
                sessions.insert(session.clone(), valve(&request["setup"]));
                json!({"answer": "opened", "session": session})
            }
            "step" => {
                let result = outputs_of(sessions.get_mut(&session), &request["step"]);
                let failure = result.as_ref().err().map(|text| json!({"text": text}));
                let outputs = result.unwrap_or_default();
                json!({"answer": "outputs", "session": session, "outputs": outputs, "failure": failure})
            }
            "close" => {
                sessions.remove(&session);
                json!({"answer": "closed", "session": session})
            }
            "stop" => break,
            _ => json!({"answer": "error", "text": "unknown request"}),
        };
        writeln!(answers, "{answer}")?;
    }
    Ok(())
}

/// Describe the engine. The lock file names the release of timely that this program contains.
fn description() -> Value {
    let lock = include_str!("../Cargo.lock");
    let package = lock.split("[[package]]").find(|package| package.contains("name = \"timely\"\n"));
    let version = package.and_then(|package| package.split("version = \"").nth(1)?.split('"').next());
    json!({"answer": "description", "protocol": 1, "name": "timely dataflow", "version": version,
           "capabilities": ["valve", "int64"], "sessions": true})
}

/// Run the steps of a scenario up to the first failure, and return the outputs of the steps before.
fn transcript(mut valve: Valve, scenario: &Value) -> Value {
    let (mut outputs, mut failure) = (Vec::new(), None);
    for step in scenario["history"].as_array().into_iter().flatten() {
        match outputs_of(Some(&mut valve), step) {
            Ok(some) => outputs.push(some),
            Err(text) => failure = Some(json!({"text": text})),
        }
        if failure.is_some() {
            break;
        }
    }
    json!({"answer": "transcript", "scenario": scenario["id"], "outputs": outputs, "failure": failure})
}
