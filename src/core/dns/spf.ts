/** True if a TXT value is an SPF record (RFC 7208, section 4.5). */
export function isSpf(text: string): boolean {
  return /^v=spf1(?= |$)/i.test(text);
}

/**
 * Returns the one SPF record that allows all that the existing records allow, and the mechanisms of the expected one.
 * New mechanisms go before the first `all`, else before `redirect=`, else to the end, because receivers ignore
 * mechanisms after `all`. The policy (`all` or `redirect=`) of the existing records stays.
 */
export function mergeSpf(existing: readonly string[], expected: string): string {
  const [first, ...others] = existing.filter(isSpf);
  if (first === undefined) return expected;
  const base = termsOf(first);
  const joined = others.map(termsOf);
  const added = [...joined, termsOf(expected)].flatMap((terms) => effective(terms).filter(isMechanism));
  const merged = addMechanisms(base, added);
  const policy = merged.some(isPolicy) ? undefined : joined.flat().find(isPolicy);
  return ['v=spf1', ...merged, ...(policy === undefined ? [] : [policy])].join(' ');
}

function addMechanisms(base: readonly string[], added: readonly string[]): readonly string[] {
  const known = new Set(effective(base).map(keyOf));
  const missing = [...new Map(added.map((term) => [keyOf(term), term])).entries()].filter(
    ([key]) => !known.has(key),
  );
  const replaced = new Set(missing.map(([key]) => directiveOf(key)));
  const kept = base.filter((term) => !replaced.has(directiveOf(keyOf(term))));
  const place = placeIn(kept);
  return [...kept.slice(0, place), ...missing.map(([, term]) => term), ...kept.slice(place)];
}

function placeIn(terms: readonly string[]): number {
  const all = terms.findIndex(isAll);
  if (all !== -1) return all;
  const redirect = terms.findIndex(isPolicy);
  return redirect === -1 ? terms.length : redirect;
}

function termsOf(record: string): readonly string[] {
  return record.split(/ +/).slice(1).filter(Boolean);
}

/** Returns the terms before the first `all`. */
function effective(terms: readonly string[]): readonly string[] {
  const all = terms.findIndex(isAll);
  return all === -1 ? terms : terms.slice(0, all);
}

function isAll(term: string): boolean {
  return /^[-+~?]?all$/i.test(term);
}

function isPolicy(term: string): boolean {
  return isAll(term) || /^redirect=/i.test(term);
}

/** True if the term is neither a modifier, such as `exp=`, nor `all`. */
function isMechanism(term: string): boolean {
  return !/^[a-z][\w.-]*=/i.test(term) && !isAll(term);
}

/** Returns a term in the form in which equal terms are equal: lower case, without the default qualifier. */
function keyOf(term: string): string {
  return term.toLowerCase().replace(/^\+/, '');
}

/** Returns the key of a mechanism without its qualifier. */
function directiveOf(key: string): string {
  return key.replace(/^[-~?]/, '');
}
