// Comforts only: everything on the page can be read without this script.
"use strict";

const PARTS = ".rule, .card-of-suspects";
const rules = [...document.querySelectorAll(".rule")];
const cells = new Map([...document.querySelectorAll(".map .cells > li")].map(
  (cell) => [cell.firstElementChild.getAttribute("href").slice(1), cell]));
const chapters = [...document.querySelectorAll("section.chapter")];
const rows = new Map([...document.querySelectorAll(".map .row")].map((row) => [row.dataset.chapter, row]));
const folds = [...document.querySelectorAll(".chapter details.fold")];
const unfolded = new Set(folds.filter((fold) => fold.open));  // what is open from the start
const form = document.querySelector(".filters");
const search = document.getElementById("search");
const component = document.getElementById("component");
const components = new Map(rules.map((rule) => [rule, rule.closest(".chapter").dataset.component]));
const texts = new Map();
let linked = null;  // a rule that a link leads to shows, whatever the filters say

function searchable(rule) {
  if (!texts.has(rule)) {
    const parts = [...rule.querySelectorAll(".id, .title, .sentence")].map((part) => part.textContent);
    texts.set(rule, parts.join(" ").toLowerCase());
  }
  return texts.get(rule);
}

function filter() {
  const chosen = (name) => [...form.querySelectorAll(`[name=${name}]:checked`)].map((box) => box.value);
  const kinds = chosen("kind");
  const levels = chosen("level");
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const part = component ? component.value : "";
  const filtered = Boolean(kinds.length || levels.length || words.length || part);
  const matches = rules.map((rule) =>
    (!kinds.length || kinds.includes(rule.dataset.kind))
    && (!levels.length || levels.includes(rule.dataset.level))
    && (!part || components.get(rule) === part)
    && words.every((word) => searchable(rule).includes(word)));
  const shown = new Set(rules.filter((rule, index) => matches[index] || rule === linked));
  rules.forEach((rule) => {
    rule.hidden = cells.get(rule.id).hidden = !shown.has(rule);
  });
  const alive = new Set([...shown].map((rule) => rule.closest(".chapter")));
  chapters.forEach((chapter) => {
    chapter.hidden = rows.get(chapter.firstElementChild.id).hidden = !alive.has(chapter);
  });
  const full = new Set();
  shown.forEach((rule) => {
    for (let fold = rule.closest(".fold"); fold; fold = fold.parentElement.closest(".fold")) {
      full.add(fold);
    }
  });
  folds.forEach((fold) => {
    fold.hidden = fold.matches(".others") && !full.has(fold);
    fold.open = filtered ? full.has(fold) : unfolded.has(fold) || fold.contains(linked);
  });
  const count = matches.filter(Boolean).length;
  const besides = linked && !matches[rules.indexOf(linked)];
  const beside = besides ? `, and ${linked.querySelector(".id").textContent}, which a link led to` : "";
  form.querySelector(".shown").textContent = `${count} of ${rules.length} rules${beside}`;
  form.querySelector(".clear").hidden = !filtered;
  document.querySelector(".none").hidden = count > 0 || rules.length === 0;
  document.documentElement.classList.toggle("filtered", filtered);
  form.querySelectorAll(".chip").forEach((chip) => {
    chip.classList.toggle("chosen", chip.querySelector("input").checked);
  });
}

function changed() {
  linked = null;
  filter();
}

function clear() {
  form.reset();
  changed();
  search.focus();
}

function startFilters() {
  if (!rules.length) {
    return;
  }
  form.hidden = false;
  document.documentElement.classList.add("scripted");
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.querySelectorAll(".clear").forEach((button) => button.addEventListener("click", clear));
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]), select, textarea, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Escape" && event.target === search && search.value) {
      event.preventDefault();
      search.value = "";
      changed();
    }
  });
  form.reset();  // a browser that goes back fills in what was chosen
}

function targetOf(hash) {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    return null;
  }
}

function openTarget() {
  const target = targetOf(location.hash);
  if (!target) {
    return;
  }
  if (target.matches(".rule") && target.hidden) {
    linked = target;
    filter();
  }
  const chapter = target.closest(".chapter");
  if (chapter && chapter.hidden) {
    clear();
  }
  for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) {
    part.open = true;
  }
  target.scrollIntoView();
  (target.querySelector(":scope > summary") ?? target).focus({ preventScroll: true });
}

function followLinks() {
  addEventListener("hashchange", openTarget);
  addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) {
      event.preventDefault();
      openTarget();
    }
  });
  openTarget();
}

function addCopyButton(block) {
  const button = document.createElement("button");
  const words = block.closest(".message") ? "Copy the text" : "Copy the command";
  button.type = "button";
  button.className = "copy";
  button.textContent = words;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    const code = block.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected; copy it with the keyboard";
    }
  });
  button.addEventListener("blur", () => { button.textContent = words; });
  block.after(button);
}

function keepNamesInView(picture) {
  const names = picture.querySelectorAll(".names");
  picture.addEventListener("scroll", () => {
    names.forEach((part) => part.setAttribute("transform", `translate(${picture.scrollLeft} 0)`));
  });
}

function showDifference(picture) {
  const band = picture.querySelector(".first-difference");
  if (band) {
    const hidden = band.getBoundingClientRect().right - picture.getBoundingClientRect().right;
    picture.scrollLeft = Math.max(0, hidden + 12);
  }
}

function addComforts(part) {
  if (part.dataset.ready) {
    return;
  }
  part.dataset.ready = "yes";
  const own = (block) => (block.closest(PARTS) ?? document.body) === part;
  [...part.querySelectorAll("pre.command")].filter(own).forEach(addCopyButton);
  const pictures = [...part.querySelectorAll(".picture")].filter(own);
  pictures.forEach(keepNamesInView);
  pictures.forEach(showDifference);
}

// Rules and cards get buttons and scrolling only when they are near the window: a page may have thousands.
function startComforts() {
  addComforts(document.body);
  const near = new IntersectionObserver((found) => {
    found.filter((entry) => entry.isIntersecting && entry.target.open !== false).forEach((entry) => {
      addComforts(entry.target);
      near.unobserve(entry.target);
    });
  }, { rootMargin: "600px" });
  document.querySelectorAll(PARTS).forEach((part) => near.observe(part));
  document.addEventListener("toggle", (event) => {
    if (event.target.matches(PARTS) && event.target.open) {
      addComforts(event.target);
    }
  }, true);
}

function openAllForPrinting() {
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((part) => { part.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((part) => { part.open = false; }));
}

startFilters();
startComforts();
openAllForPrinting();
followLinks();
