import { normaliseDestination, type Disclosure, type Shown } from '../../core/model/destinations.ts';
import type { RecogniseReferences } from '../../engine/state/store.ts';
import { valuesInText } from './values-in-text.ts';

/**
 * Adds the values that came from a reference in an earlier run, found by their fingerprints. null means that no
 * fingerprints are kept. Returns a function that takes a text with values of the account and says how it may be
 * shown.
 */
export function disclosing(
  disclosure: Disclosure,
  recognise: RecogniseReferences | null,
): (text: string) => Disclosure {
  if (recognise === null) return () => disclosure;
  return (text) => {
    const { values: written, unsearched } = valuesInText(text);
    const values = written.map((value) => [value, normaliseDestination(value)] as const);
    const earlier = recognise(values.map(([, normalised]) => normalised));
    const found = values.flatMap(([value, normalised]) => {
      const shown = earlier.get(normalised);
      return shown === undefined ? [] : [[value, shown] as const, [normalised, shown] as const];
    });
    const hidden = unsearched.map((part) => [part, { shown: '***' }] as const);
    if (found.length + hidden.length === 0) return disclosure;
    return {
      ...disclosure,
      references: new Map<string, Shown>([...hidden, ...found, ...disclosure.references]),
    };
  };
}
