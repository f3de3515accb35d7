// Finds and ranks the entries of search-index.js; tidegauge_reports.site.search does the same on the command line.
"use strict";

const site = window.tidegaugeSearch;
const index = lunr.Index.load(site.index);
const inverted = site.index.invertedIndex;
const terms = new Set(inverted.map(([term]) => term));
const fillers = new Set(site.fillers);
const concepts = Object.entries(site.concepts).map(([name, phrases]) => [name, phrases.map((phrase) => phrase.split(" "))]);
const rulePrefixes = new Set(site.entries.filter(([, kind]) => kind === "rule").map(([, , title]) => title.split("-")[0]));
const spellings = lunr.TokenSet.fromArray(Object.keys(site.spellings));
const numbers = site.ranking;
const shownAtFirst = 20;

const wordsOf = (text) => text.match(/[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*/g) || [];
const partsOf = (word) => (word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) || []).map((part) => part.toLowerCase());
const stem = (word) => lunr.stemmer(new lunr.Token(word.toLowerCase(), {})).toString();
const isId = (word) => /^[A-Z]+(?:-PR)?-[0-9]+[a-z]?$/i.test(word);

// Returns the positions of the words that contain a phrase; empty if it does not occur.
function places(phrase, stems) {
  const flat = stems.flatMap((parts, place) => parts.map((part) => [part, place]));
  for (let start = 0; start + phrase.length <= flat.length; start++) {
    const part = flat.slice(start, start + phrase.length);
    if (part.every(([word], position) => word === phrase[position])) {
      return part.map(([, place]) => place);
    }
  }
  return [];
}

// Returns the terms of a word of the query with their boosts: the whole word and its parts.
function termsOf(word) {
  const parts = partsOf(word).filter((part) => part.length > 1).map((part) => [stem(part), 1]);
  return new Map([...parts, [stem(word), numbers.whole]]);
}

// Returns the terms that begin with a word; none for a short word.
function longerTerms(word) {
  return word.length < numbers.shortestBeginning
    ? [] : index.tokenSet.intersect(lunr.TokenSet.fromString(`${stem(word)}*`)).toArray();
}

// Returns the most frequent similar spelling of a misspelled word; other words are returned unchanged.
function corrected(word) {
  if (isId(word) || [...termsOf(word).keys()].some((term) => terms.has(term)) || longerTerms(word).length) {
    return word;
  }
  // The automaton of similar words grows with the length of the word: a tab would freeze on a very long word.
  if (word.length > site.longestSpelling + numbers.mostWrong) {
    return word;
  }
  for (let distance = 1; distance <= (word.length >= numbers.long ? numbers.mostWrong : 1); distance++) {
    const similar = spellings.intersect(lunr.TokenSet.fromFuzzyString(word.toLowerCase(), distance)).toArray().sort();
    if (similar.length) {
      return similar.reduce((best, next) => (site.spellings[next] > site.spellings[best] ? next : best));
    }
  }
  return word;
}

// Returns the terms to look up: a group for each word or concept of the query, with its weight.
function planOf(words) {
  const plan = { phrase: "", groups: [] };
  const stems = words.map((word) => partsOf(word).map(stem));
  const phrase = site.phrase + stems.flat().join(" ");
  if (terms.has(phrase)) {
    plan.phrase = phrase;
  }
  // An id mentions no concept, and a phrase never spans an id: null equals no word of a phrase.
  const withoutIds = stems.map((parts, place) => (isId(words[place]) ? [null] : parts));
  const inConcepts = new Set();
  for (const [name, phrases] of concepts) {
    const at = [...new Set(phrases.flatMap((phrase) => places(phrase, withoutIds)))].sort((left, right) => left - right);
    if (at.length) {
      const boosts = at.flatMap((place) => [...termsOf(words[place])]);
      plan.groups.push([numbers.ofAConcept, new Map([...boosts, [site.concept + name, numbers.whole]])]);
      at.forEach((place) => inConcepts.add(place));
    }
  }
  const rest = words.filter((word, place) => !inConcepts.has(place));
  const meant = rest.filter((word) => !fillers.has(word.toLowerCase()));
  plan.groups.push(...(meant.length ? meant : plan.groups.length ? [] : rest).map(groupOf));
  return plan;
}

function groupOf(word) {
  if (isId(word)) {
    return terms.has(stem(word))
      ? [numbers.ofAnId, new Map([[stem(word), 1]])] : [numbers.ofAWord, new Map([[stem("bugs"), 1]])];
  }
  const known = [...termsOf(word)].filter(([term]) => terms.has(term));
  return [numbers.ofAWord, new Map(known.length ? known : longerTerms(word).map((term) => [term, 1]))];
}

function unknownId(written) {
  const word = written.toUpperCase();
  return rulePrefixes.has(word.split("-")[0])
    ? `There is no rule ${word}.` : `${word} is not among the ${site.bugs} known bugs.`;
}

// Returns the entries, best first.
function ranking(plan) {
  const scores = new Map();
  for (const [weight, boosts] of plan.groups) {
    for (const [place, score] of scoresOf(boosts)) {
      const [sum, matches] = scores.get(place) || [0, 0];
      scores.set(place, [sum + weight * score, matches + 1]);
    }
  }
  const ofWords = [...scores].map(
    ([place, [sum, matches]]) => [place, sum * (matches / plan.groups.length) ** 2]);
  const least = numbers.weakest * Math.max(0, ...ofWords.map(([, score]) => score));
  const final = new Map(ofWords.filter(([, score]) => score >= least));
  for (const [place, score] of plan.phrase ? scoresOf(new Map([[plan.phrase, 1]])) : []) {
    final.set(place, (final.get(place) || 0) + numbers.ofAPhrase * score);
  }
  return [...final]
    .map(([place, score]) => [place, Math.round(score * 10 ** numbers.digits)])
    .sort((left, right) => right[1] - left[1] || left[0] - right[0])
    .map(([place]) => site.entries[place]);
}

// Returns the position and the score of each entry that contains one of the terms.
function scoresOf(boosts) {
  if (!boosts.size) {
    return [];
  }
  const results = index.query((query) => boosts.forEach((boost, term) => query.term(term, { boost, usePipeline: false })));
  return results.map(({ ref, score }) => [Number(ref), score]);
}

function find(query) {
  const written = wordsOf(query).slice(0, numbers.mostWords);
  const words = written.map(corrected);
  const seen = new Set();
  const found = ranking(planOf(words)).filter(([address, kind]) => {
    const page = kind === "guide" || kind === "section" ? address.split("#")[0] : address;
    return !seen.has(page) && seen.add(page);
  });
  const notes = words.filter((word) => isId(word) && !terms.has(stem(word))).map(unknownId);
  if (notes.length) {
    found.sort((left, right) => (right[0] === site.knownBugs) - (left[0] === site.knownBugs));
  }
  return { found, correction: words.some((word, place) => word !== written[place]) ? words.join(" ") : "", notes };
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const box = document.getElementById("q");
const status = document.getElementById("found");
const list = document.getElementById("results");
const more = document.getElementById("more");

function show(query, all = false) {
  const { found, correction, notes } = find(query);
  const shown = all ? found : found.slice(0, shownAtFirst);
  list.replaceChildren(...shown.map(([address, kind, title, summary]) => element("li", {},
    element("a", { href: address, textContent: title }), " ", element("span", { className: "kind", textContent: kind }),
    element("p", { className: "muted", textContent: summary }))));
  status.replaceChildren(...notes.map((note) => `${note} `));
  if (correction) {
    status.append(`Showing results for ${correction}. `);
  }
  if (query.trim()) {
    status.append(found.length === 1 ? "1 result." : `${found.length} results.`);
  }
  more.hidden = shown.length === found.length;
  document.title = query.trim() ? `${query} · Search · Tidegauge` : "Search · Tidegauge";
}

box.value = new URLSearchParams(location.search).get("q") || "";
box.addEventListener("input", () => show(box.value));
more.addEventListener("click", () => show(box.value, true));
document.getElementById("search").hidden = false;
document.getElementById("without-script").hidden = true;
show(box.value);
if (!box.value) {
  box.focus();
}
