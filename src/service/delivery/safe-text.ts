import { escapeUnits } from '../../core/model/names.ts';
import { showText, type Disclosure } from '../../core/model/destinations.ts';

/** Makes a text from an untrusted source safe to print, send and store. */
export type SafeText = (text: string) => string;

const LONGEST = 500;
/**
 * Matches control characters, the syntax of links, mentions and formatting in Slack, Teams and Markdown, and commands of
 * GitHub Actions.
 */
const UNSAFE = new RegExp(
  [
    String.raw`[\p{C}\p{Zl}\p{Zp}\\<>[\]~${'`'}|]`,
    // Does not match the asterisks of a mask, such as `***1`.
    String.raw`\*(?!\*{0,2}\d{1,6}(?![\p{L}*]))`,
    String.raw`(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])`,
    String.raw`(?<![^\s(<,;:"'])@`,
    ':(?=:)',
  ].join('|'),
  'gu',
);

/** Similar characters that are not markup, so that an answer such as `<ana@corp.example> unknown` stays readable. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '<': '‹',
  '>': '›',
  '[': '［',
  ']': '］',
  '`': 'ˋ',
  '~': '∼',
  '|': '¦',
  '*': '∗',
  _: 'ˍ',
  '@': '＠',
  ':': '∶',
};

/**
 * Returns the filter for all texts of the logs. Values behind references become the reference, in any case. `--mask` hides
 * other addresses. Characters that a chat or a page could interpret become similar ones. Characters that a terminal could
 * interpret become escapes such as `\u001b`.
 */
export function safeTextWith(disclosureOf: (text: string) => Disclosure): SafeText {
  return (text) => {
    const line = text.replace(/\s+/g, ' ').trim();
    const shown = showText(line, disclosureOf(line));
    const cut = shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown;
    return cut.replace(UNSAFE, (character) => LOOK_ALIKES[character] ?? escapeUnits(character));
  };
}
