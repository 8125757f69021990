/**
 * Refreshes the parts of the page when the daemon says that something changed, and every half minute, so that ages are
 * right. Without it the page works the same, and is as old as its last load. Plain JavaScript, served as it is.
 */
export const SCRIPT = `'use strict';
const live = document.getElementById('live');
const say = (state, text) => { if (live.textContent !== text) { live.textContent = text; live.className = 'live ' + state; } };
let timer = 0;
let due = Infinity;
let isBusy = false;

function later(milliseconds) {
  const at = performance.now() + milliseconds;
  if (at >= due) return;
  due = at;
  clearTimeout(timer);
  timer = setTimeout(() => { due = Infinity; void refresh(); }, milliseconds);
}

async function refresh() {
  if (isBusy) return later(500);
  if (document.hidden) return later(30000);
  isBusy = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'error' });
    if (answer.status === 401) return location.reload();
    if (!answer.ok) throw new Error(String(answer.status));
    replaceParts(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    if (events.readyState === 1) say('on', 'Live');
  } catch {
    say('lost', 'Connection lost');
  } finally {
    isBusy = false;
    later(30000);
  }
}

function replaceParts(fresh) {
  document.title = fresh.title;
  for (const part of document.querySelectorAll('[data-part]')) {
    const next = fresh.getElementById(part.id);
    if (!next || next.innerHTML === part.innerHTML) continue;
    for (const old of part.querySelectorAll('details[id]')) {
      const same = [...next.querySelectorAll('details')].find(({ id }) => id === old.id);
      if (same) same.open = old.open;
    }
    const place = pathTo(document.activeElement, part);
    part.replaceChildren(...next.childNodes);
    if (place) at(place, part)?.focus({ preventScroll: true });
  }
}

function pathTo(element, part) {
  if (!element || element === part || !part.contains(element)) return null;
  const all = [...part.querySelectorAll('a, summary')];
  return { tag: element.tagName, text: element.textContent, index: all.indexOf(element) };
}

function at({ tag, text, index }, part) {
  const all = [...part.querySelectorAll('a, summary')];
  return all.find((one) => one.tagName === tag && one.textContent === text) ?? all[index];
}

const events = new EventSource(document.currentScript.dataset.events);
events.onopen = () => { say('on', 'Live'); later(0); };
events.onmessage = () => later(250);
events.onerror = () => say('lost', 'Not live');
document.addEventListener('visibilitychange', () => { if (!document.hidden) later(0); });
`;
