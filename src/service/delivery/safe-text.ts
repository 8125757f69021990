import { escapeUnits } from '../../core/model/names.ts';
import { showText, type Disclosure } from '../../core/model/destinations.ts';

/** A text that somebody else wrote, as it may be printed, sent and stored. */
export type SafeText = (text: string) => string;

const LONGEST = 500;
/** Control characters; what Slack, Teams and Markdown read as links, mentions and formatting; commands of GitHub Actions. */
const UNSAFE = new RegExp(
  [
    String.raw`[\p{C}\p{Zl}\p{Zp}\\<>[\]~${'`'}|]`,
    // But those of a mask, such as `***1`.
    String.raw`\*(?!\*{0,2}\d{1,6}(?![\p{L}*]))`,
    String.raw`(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])`,
    String.raw`(?<![^\s(<,;:"'])@`,
    ':(?=:)',
  ].join('|'),
  'gu',
);

/** What looks like it and is no markup, so that an answer such as `<ana@corp.example> unknown` stays readable. */
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
 * The one filter for texts of the logs: values behind references become the reference, whatever case they are in; `--mask` hides
 * other addresses; every character that a chat or a page could act on becomes one that looks like it, and every one that a
 * terminal could act on an escape such as `\u001b`.
 */
export function safeTextWith(disclosureOf: (text: string) => Disclosure): SafeText {
  return (text) => {
    const line = text.replace(/\s+/g, ' ').trim();
    const shown = showText(line, disclosureOf(line));
    const cut = shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown;
    return cut.replace(UNSAFE, (character) => LOOK_ALIKES[character] ?? escapeUnits(character));
  };
}
