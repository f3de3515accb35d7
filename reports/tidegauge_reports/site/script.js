// Comforts only: everything on the page can be read without this script.
"use strict";

const chapters = [...document.querySelectorAll(".chapter-rules")];
const rows = [...document.querySelectorAll("tr[data-words]")];
const symptoms = [...document.querySelectorAll("li[data-words]")];
const symptomList = document.getElementById("symptoms");
const fillers = new Set("a an and are at do does for how i in is it my of on the to too why with".split(" "));
const engines = [...chapters[0].querySelectorAll("thead .mark")].map((head) => head.textContent);
const overview = document.getElementById("overview");
const kept = ".pass, .not-applicable, .absent";

function addSearch() {
  const wanted = document.createElement("input");
  wanted.type = "search";
  wanted.autocomplete = "off";
  wanted.placeholder = "watermark stuck, VALVE-3, FLINK-40475";
  const who = document.createElement("select");
  who.append(new Option("all", ""));
  engines.forEach((engine, index) => who.append(new Option(`those that ${engine} does not keep`, index)));
  const found = document.createElement("span");
  found.className = "muted";
  found.setAttribute("role", "status");
  document.getElementById("search").append(
    ...labelled("wanted", "Find a symptom or a rule", wanted), ...labelled("who", "among", who), found);
  const show = () => { found.textContent = filter(wanted.value, who.value); };
  wanted.addEventListener("input", show);
  who.addEventListener("change", show);
  show();
}

function labelled(id, text, control) {
  const label = document.createElement("label");
  label.htmlFor = control.id = id;
  label.textContent = text;
  return [label, control];
}

function filter(text, engine) {
  const words = text.toLowerCase().split(/[\s,?!]+/).filter((word) => word && !fillers.has(word));
  let count = 0;
  for (const row of rows) {
    row.hidden = !words.every((word) => row.dataset.words.includes(word)) || (engine !== "" && keeps(row, engine));
    count += row.hidden ? 0 : 1;
  }
  for (const chapter of chapters) {
    chapter.hidden = !chapter.querySelector("tr[data-words]:not([hidden])");
  }
  overview.hidden = words.length > 0 || engine !== "";
  const ailing = filterSymptoms(words, engine);
  return (ailing ? `${ailing === 1 ? "1 symptom" : `${ailing} symptoms`}, ` : "") + `${count} of ${rows.length} rules`;
}

// Shows the symptoms with the most of the words, if they have more than half of them; returns their number.
function filterSymptoms(words, engine) {
  const scores = symptoms.map((item) => words.filter((word) => ` ${item.dataset.words}`.includes(` ${word}`)).length);
  const best = Math.max(...scores);
  const any = engine === "" && (words.length === 0 || 2 * best > words.length);
  symptoms.forEach((item, index) => { item.hidden = !any || scores[index] < best; });
  symptomList.hidden = !any;
  return any && words.length ? symptoms.filter((item) => !item.hidden).length : 0;
}

function keeps(row, engine) {
  return row.querySelectorAll(".sign")[engine].matches(kept);
}

addSearch();
