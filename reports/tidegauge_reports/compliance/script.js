// Comforts only: everything on the page can be read without this script.
"use strict";

const rules = [...document.querySelectorAll("details.rule, details.inapplicable")];

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) {
    for (let part = target; part; part = part.parentElement.closest("details")) {
      part.open = true;
    }
    target.scrollIntoView();
  }
}

function addCopyButtons() {
  for (const block of document.querySelectorAll("pre.command")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(block.querySelector("code").textContent)
        .then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Could not copy"; });
    });
    block.after(button);
  }
}

function openAllForPrinting() {
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = rules.filter((rule) => !rule.open);
    closed.forEach((rule) => { rule.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((rule) => { rule.open = false; }));
}

function showDifferences() {
  for (const picture of document.querySelectorAll(".picture")) {
    const names = picture.querySelectorAll(".names");
    picture.addEventListener("scroll", () => {
      names.forEach((part) => part.setAttribute("transform", `translate(${picture.scrollLeft} 0)`));
    });
    const band = picture.querySelector(".first-difference");
    if (band) {
      const hidden = band.getBoundingClientRect().right - picture.getBoundingClientRect().right;
      picture.scrollLeft = Math.max(0, hidden + 12);
    }
  }
}

addCopyButtons();
showDifferences();
openAllForPrinting();
addEventListener("hashchange", openTarget);
openTarget();
