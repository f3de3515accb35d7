// Comforts only: everything on the page can be read without this script.
"use strict";

const rows = [...document.querySelectorAll(".matrix tbody tr:not(.chapter)")];

const choices = [
  ["all rules", () => true],
  ["only where engines differ", (row) => row.classList.contains("differs")],
  ["only where engines that claim the rule differ", (row) => row.classList.contains("contested")],
];

function show(wanted) {
  rows.forEach((row) => { row.hidden = !wanted(row); });
  for (const chapter of document.querySelectorAll(".matrix tbody")) {
    chapter.hidden = ![...chapter.querySelectorAll("tr:not(.chapter)")].some((row) => !row.hidden);
  }
}

function addFilter() {
  const group = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = "Show";
  group.append(legend);
  choices.forEach(([text, wanted], place) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "radio";
    input.name = "shown";
    input.checked = place === 0;
    input.autocomplete = "off";
    input.addEventListener("change", () => show(wanted));
    label.append(input, `${text} (${rows.filter(wanted).length})`);
    group.append(label);
  });
  document.getElementById("filter").append(group);
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.parentElement instanceof HTMLDetailsElement) {
    target.parentElement.open = true;
    target.scrollIntoView();
  }
}

addFilter();
addEventListener("hashchange", openTarget);
openTarget();
