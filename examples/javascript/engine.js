// A valve, a clock and a backlog combiner in JavaScript under test. Each is an ordinary class; the last part of
// the file answers Tidegauge, line by line (`tidegauge smoke --command 'node engine.js'` checks just that).
//
//     tidegauge run --command 'node engine.js'
"use strict";

// BigInt wherever a number may need 64 bits: timestamps (ms), readings of a clock (ns).
const MIN = -(2n ** 63n), MAX = 2n ** 63n - 1n;

class Refused extends Error {} // its message is one of illegal-argument, illegal-state, unsupported

class Valve {
  constructor({ channels }) {
    this.channels = Array.from({ length: channels }, () => ({ watermark: MIN, idle: false, aligned: true }));
    this.sent = MIN;
    this.silent = false;
  }

  watermark({ channel, timestamp }) {
    const one = this.channel(channel), time = fromWire(timestamp);
    if (one.idle || time <= one.watermark) return [];
    one.watermark = time;
    one.aligned ||= time >= this.sent;
    return time === MAX && this.allIdle() ? this.goIdle() : this.minimum();
  }

  idle({ channel }) {
    const one = this.channel(channel);
    if (one.idle || one.watermark === MAX) return [];
    one.idle = true;
    one.aligned = false;
    return this.allIdle() ? this.goIdle() : this.minimum();
  }

  active({ channel }) {
    const one = this.channel(channel);
    if (!one.idle) return [];
    one.idle = false;
    const woken = this.silent ? [{ output: "active" }] : [];
    this.silent = false;
    one.aligned = one.watermark >= this.sent;
    return one.aligned ? [...woken, ...this.minimum()] : woken;
  }

  channel(number) {
    if (!(number in this.channels)) throw new Refused("illegal-argument");
    return this.channels[number];
  }

  unfinished() {
    return this.channels.filter((one) => one.watermark !== MAX);
  }

  allIdle() {
    return this.unfinished().length > 0 && this.unfinished().every((one) => one.idle);
  }

  minimum() {
    if (this.unfinished().length === 0) return this.rise(MAX);
    const counted = this.unfinished().filter((one) => one.aligned).map((one) => one.watermark);
    return counted.length > 0 ? this.rise(counted.reduce((a, b) => (a < b ? a : b))) : [];
  }

  goIdle() {
    this.silent = true;
    const largest = this.unfinished().map((one) => one.watermark).reduce((a, b) => (a > b ? a : b));
    return [...this.rise(largest), { output: "idle" }];
  }

  rise(time) {
    if (time <= this.sent) return [];
    this.sent = time;
    return [{ output: "watermark", timestamp: toWire(time) }];
  }
}

class Clock {
  constructor({ nanoseconds = 0 }) {
    this.shows = BigInt(nanoseconds);
    this.pauses = [];
  }

  advance({ nanoseconds }) {
    if (nanoseconds < 0) throw new Refused("illegal-argument");
    if (this.pauses.every((reason) => reason === "no-data")) this.shows += BigInt(nanoseconds);
    return [];
  }

  pause({ reason = "backpressure" }) {
    this.pauses.push(reason);
    return [];
  }

  resume({ reason = "backpressure" }) {
    const place = this.pauses.indexOf(reason);
    if (place < 0) throw new Refused("illegal-state");
    this.pauses.splice(place, 1);
    return [];
  }

  read() {
    return [{ output: "reading", nanoseconds: this.shows }];
  }
}

class BacklogCombiner {
  constructor({ channels, without_strategy: silent = [] }) {
    this.flags = Array.from({ length: channels }, (_, channel) => (silent.includes(channel) ? false : null));
    this.sent = null;
  }

  attributes({ channel, backlog }) {
    if (!(channel in this.flags)) throw new Refused("illegal-argument");
    this.flags[channel] = backlog;
    const behind = this.flags.includes(true);
    if ((!behind && this.flags.includes(null)) || behind === this.sent) return [];
    this.sent = behind;
    return [{ output: "record-attributes", backlog: behind }];
  }
}

// The protocol: one line in, one line out; for `run` one line a scenario. Nothing else goes to stdout.

const COMPONENTS = { valve: Valve, clock: Clock, backlog: BacklogCombiner };
const sessions = new Map();

function fromWire(timestamp) {
  return timestamp === "MIN" ? MIN : timestamp === "MAX" ? MAX : BigInt(timestamp);
}

function toWire(time) {
  if (time === MIN || time === MAX) return time === MIN ? "MIN" : "MAX";
  return Number.isSafeInteger(Number(time)) ? Number(time) : String(time);
}

// JSON.stringify has no BigInt: the digits become the text "5n", and this text becomes the number 5.
function toLine(answer) {
  const marked = (_, value) => (typeof value === "bigint" ? `${value}n` : value);
  return JSON.stringify(answer, marked).replace(/"(-?\d+)n"/g, "$1") + "\n";
}

// Made at its first step, so that what its constructor throws is kept as a failure.
function instance(component, setup) {
  let engine;
  return () => (engine ??= new COMPONENTS[component](setup));
}

function stepped(made, step) {
  try {
    return { outputs: made()[step.step](step) };
  } catch (error) {
    if (error instanceof Refused) return { outputs: [{ output: "error", error: error.message }] };
    return { outputs: [], failure: { text: String(error), traceback: String(error.stack) } };
  }
}

function played({ id, component, setup, history }) {
  const made = instance(component, setup), outputs = [];
  for (const step of history) {
    const done = stepped(made, step);
    if (done.failure) return { answer: "transcript", scenario: id, outputs, failure: done.failure };
    outputs.push(done.outputs);
  }
  return { answer: "transcript", scenario: id, outputs };
}

const answers = {
  describe: () => [{
    answer: "description", protocol: 1, name: "javascript sample", version: "1",
    capabilities: [...Object.keys(COMPONENTS), "int64"], sessions: true,
  }],
  run: ({ scenarios }) => scenarios.map(played),
  open: ({ session, component, setup }) => {
    sessions.set(session, instance(component, setup));
    return [{ answer: "opened", session }];
  },
  step: ({ session, step }) => [{ answer: "outputs", session, ...stepped(sessions.get(session), step) }],
  close: ({ session }) => {
    sessions.delete(session);
    return [{ answer: "closed", session }];
  },
  stop: () => process.exit(0),
};

require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line), answer = answers[request.request];
  const said = answer ? answer(request) : [{ answer: "error", text: `unknown request ${request.request}` }];
  process.stdout.write(said.map(toLine).join(""));
});
