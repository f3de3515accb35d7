// Optional: without this script, the page lists every rule.
"use strict";

const chapters = [...document.querySelectorAll(".chapter-rules")];
const rows = chapters.flatMap((chapter) => [...chapter.querySelectorAll("tbody tr")]);
const engines = [...chapters[0].querySelectorAll("thead .mark")].map((head) => head.textContent);
const kept = ".pass, .not-applicable, .absent";

function addFilter() {
  const who = document.createElement("select");
  who.id = "who";
  who.append(new Option("all rules", ""));
  engines.forEach((engine, index) => who.append(new Option(`rules that ${engine} does not pass`, index)));
  const label = document.createElement("label");
  label.htmlFor = who.id;
  label.textContent = "Show";
  const shown = document.createElement("span");
  shown.className = "muted";
  shown.setAttribute("role", "status");
  document.getElementById("filter").append(label, who, shown);
  const show = () => { shown.textContent = filter(who.value); };
  who.addEventListener("change", show);
  show();
}

function filter(engine) {
  for (const row of rows) {
    row.hidden = engine !== "" && row.querySelectorAll(".sign")[engine].matches(kept);
  }
  for (const chapter of chapters) {
    chapter.hidden = !chapter.querySelector("tbody tr:not([hidden])");
  }
  return `${rows.filter((row) => !row.hidden).length} of ${rows.length} rules`;
}

addFilter();
