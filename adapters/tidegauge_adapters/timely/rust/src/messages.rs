//! Translates steps and outputs of the protocol to and from timely's times.

use serde_json::{Value, json};

use crate::valve::Valve;

/// A time of timely. `None` is the end: a closed input, or an empty frontier.
pub type Time = Option<i64>;

/// Run one step on a valve and return its outputs, or the text of the failure.
pub fn outputs_of(valve: Option<&mut Valve>, step: &Value) -> Result<Vec<Value>, String> {
    let valve = valve.ok_or("the session is not open")?;
    if step["step"] != "watermark" {
        return Ok(vec![json!({"output": "error", "error": "unsupported"})]);
    }
    let channel = step["channel"].as_u64().ok_or("the number of an input cannot be negative")? as usize;
    let frontiers = valve.advance(channel, time_after(&step["timestamp"])?)?;
    frontiers.into_iter().map(watermark).collect()
}

/// Return the first time that may follow a watermark. The watermark t declares all times up to t complete;
/// an input at the time t + 1 declares that no earlier time follows.
fn time_after(timestamp: &Value) -> Result<Time, String> {
    if timestamp == "MAX" {
        return Ok(None);
    }
    let number = timestamp.as_i64().or_else(|| timestamp.as_str()?.parse().ok());
    let time = number.and_then(|number| number.checked_add(1));
    time.map(Some).ok_or_else(|| format!("{timestamp} has no successor among timely's times"))
}

/// Return the output for a frontier that has changed. Numbers of 2^53 and more are written as text.
fn watermark(frontier: Time) -> Result<Value, String> {
    let last = |time: i64| time.checked_sub(1).ok_or("the frontier is at the first time again");
    let timestamp = match frontier.map(last).transpose()? {
        None => json!("MAX"),
        Some(plain) if plain.unsigned_abs() < 1 << 53 => json!(plain),
        Some(large) => json!(large.to_string()),
    };
    Ok(json!({"output": "watermark", "timestamp": timestamp}))
}
