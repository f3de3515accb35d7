// The page of the playground: it holds a scenario, and asks the kit in Python what comes out of it.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const find = (id) => document.getElementById(id);
const state = { component: "", setup: {}, history: [] };
let driver;
let offered;

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  return made;
}

function say(text, isProblem = false) {
  find("status").textContent = text;
  find("status").className = isProblem ? "problem" : "muted";
}

async function bytesOf(address) {
  const answer = await fetch(address);
  if (!answer.ok) {
    throw new Error(`${address} cannot be loaded (${answer.status})`);
  }
  return answer.arrayBuffer();
}

async function start() {
  const [python, kit, wheel] = await Promise.all([
    loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href }),
    bytesOf("kit.zip"),
    bytesOf(document.body.querySelector("[data-wheel]").dataset.wheel),
  ]);
  python.unpackArchive(wheel, "wheel");
  const packages = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(kit, "zip", { extractDir: packages });
  driver = python.pyimport("tidegauge_reports.playground.driver");
  globalThis.tidegauge = driver; // for those who ask from the browser's console
  offered = JSON.parse(driver.offered());
  offered.components.forEach(({ name, title }) => find("component").append(new Option(title, name)));
  offered.profiles.forEach((name) => {
    find("profile").append(new Option(name));
    find("beside").append(new Option(name));
  });
  find("component").addEventListener("change", () => choose(find("component").value));
  find("known-setups").addEventListener("change", () => {
    find("setup").value = find("known-setups").value;
    changed();
  });
  find("setup").addEventListener("change", changed);
  find("profile").addEventListener("change", changed);
  find("beside").addEventListener("change", changed);
  find("clear").addEventListener("click", () => { state.history = []; changed(); });
  find("undo").addEventListener("click", () => { state.history.pop(); changed(); });
  find("add-lines").addEventListener("click", addLines);
  find("copy-address").addEventListener("click", copyAddress);
  window.addEventListener("hashchange", readAddress);
  readAddress();
  find("board").hidden = false;
  document.documentElement.dataset.ready = "yes";
}

// What the address says: a golden vector by its name, or a whole scenario.
function readAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  find("profile").value = known(asked.get("profile"), "core");
  find("beside").value = known(asked.get("beside"), "");
  let given = {};
  if (asked.has("vector")) {
    given = JSON.parse(driver.golden_vector(asked.get("vector")));
  } else if (asked.has("scenario")) {
    given = JSON.parse(driver.pasted(asked.get("scenario"), "", "{}"));
  }
  const kind = offered.components.find(({ name }) => name === given.component);
  choose(kind ? kind.name : "valve", given);
  if (given.problem) {
    say(`The address cannot be read: ${given.problem}`, true);
  }
}

function known(profile, otherwise) {
  return offered.profiles.includes(profile) ? profile : otherwise;
}

function choose(component, given = {}) {
  const kind = offered.components.find(({ name }) => name === component);
  state.component = component;
  state.history = given.history || [];
  find("component").value = component;
  find("known-setups").replaceChildren(
    ...kind.setups.map(({ words, setup }) => new Option(words || "nothing set", JSON.stringify(setup))));
  find("setup").value = JSON.stringify(given.setup || kind.setups[0].setup);
  find("known-setups").value = find("setup").value;
  find("steps").replaceChildren(...kind.steps.map(stepForm));
  changed();
}

function stepForm(kind) {
  const form = element("form", "", { "aria-label": `Add ${kind.step}`, title: kind.says });
  form.append(element("button", kind.step, { type: "submit" }));
  const controls = kind.fields.map((field) => {
    const label = element("label", field.name.replaceAll("_", " "));
    const control = field.choices ? element("select") : element("input", "", { size: 8, autocomplete: "off" });
    (field.choices || []).forEach((choice) => control.append(new Option(written(choice), written(choice))));
    control.value = written(field.value);
    control.id = label.htmlFor = `${kind.step}-${field.name}`;
    form.append(label, control);
    return [field.name, control, field.is_text];
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    state.history.push({ step: kind.step, ...Object.fromEntries(
      controls.map(([name, control, isText]) => [name, isText ? control.value.trim() : valueOf(control.value)])) });
    changed();
  });
  return form;
}

function written(value) {
  return value === null || value === undefined ? "none" : String(value);
}

function valueOf(text) {
  const plain = text.trim();
  if (/^-?\d+$/.test(plain) && Number.isSafeInteger(Number(plain))) {
    return Number(plain);
  }
  const words = { none: null, true: true, false: false };
  return Object.hasOwn(words, plain) ? words[plain] : plain;
}

function addLines() {
  const read = JSON.parse(driver.pasted(find("lines").value, state.component, find("setup").value));
  if (read.problem) {
    say(read.problem, true);
  } else if (read.component === state.component && JSON.stringify(read.setup) === JSON.stringify(state.setup)) {
    state.history.push(...read.history);
    changed();
  } else {
    choose(read.component, read);
  }
}

async function copyAddress() {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The address of this scenario is copied.");
  } catch {
    say("The address of this page holds the scenario: copy it from the browser's own field.");
  }
}

function changed() {
  try {
    state.setup = JSON.parse(find("setup").value);
  } catch (error) {
    say(`The setup is not JSON: ${error.message}`, true);
    return;
  }
  const played = JSON.parse(driver.play(JSON.stringify(state), find("profile").value, find("beside").value));
  if (played.problem) {
    say(`${played.problem}. Take back the last step, or correct the setup.`, true);
    return;
  }
  show(played);
  const address = new URLSearchParams(
    played.id === "playground" ? { scenario: JSON.stringify(state) } : { vector: played.id });
  address.set("profile", find("profile").value);
  if (find("beside").value) {
    address.set("beside", find("beside").value);
  }
  history.replaceState(null, "", `#${address}`);
}

function show(played) {
  const steps = played.steps.length;
  const differ = played.steps.filter(({ beside }) => beside).length;
  const compared = find("beside").value ? `, of which ${differ} with other outputs under ${find("beside").value}` : "";
  say(`On ${played.setup}; number of steps: ${steps}${compared}.`);
  find("picture").innerHTML = played.picture; // made by the kit, which escapes every text in it
  find("beside-head").textContent = find("beside").value ? `Under ${find("beside").value}` : "";
  find("rows").replaceChildren(...played.steps.map(row));
  find("why").hidden = !played.policies.length;
  find("policies").replaceChildren(...played.policies.map(({ name, meaning, here, there }) => {
    const item = element("li");
    item.append(element("a", name, { href: `../policies.html#${name}` }), `: ${meaning} `);
    item.append(element("code", here), " here, ", element("code", there), " there");
    return item;
  }));
  find("replay").textContent = commands(played);
}

function row(step, number) {
  const made = element("tr", "", step.beside ? { class: "differs" } : {});
  const rules = element("td");
  step.rules.forEach(({ id, title, address }, place) => {
    rules.append(place ? ", " : "", element("a", id, { href: `../${address}`, title }));
  });
  const removed = element("td");
  const remove = element("button", "remove", { type: "button", "aria-label": `Remove step ${number + 1}` });
  remove.addEventListener("click", () => { state.history.splice(number, 1); changed(); });
  removed.append(remove);
  const nothing = step.outputs.length ? {} : { class: "nothing" };
  made.append(element("td", number + 1, { class: "number" }), element("td", step.words),
    element("td", step.expected, { ...nothing, title: step.text }), rules, element("td", step.beside), removed);
  return made;
}

function commands(played) {
  const profile = find("profile").value;
  if (played.id !== "playground") {
    return [`tidegauge expect ${played.id} --profile ${profile}`,
      `tidegauge replay ${played.id} --adapter my_engine:Engine --profile ${profile}`].join("\n");
  }
  const line = played.line.replaceAll("'", "'\\''");
  return [`printf '%s\\n' '${line}' > scenario.jsonl`, `tidegauge expect scenario.jsonl --profile ${profile}`,
    `tidegauge replay scenario.jsonl --adapter my_engine:Engine --profile ${profile}`,
    "tidegauge promote scenario.jsonl --into my-vectors"].join("\n");
}

start().catch((error) => say(`The playground cannot start: ${error.message}`, true));
