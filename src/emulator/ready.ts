import { readyBitmaps } from './logs-bitmaps.ts';
import { readyTexts } from './sorted.ts';
import type { State } from './state.ts';
import { embeddedJson } from './v3/render.ts';

/**
 * Makes ready what listings are answered from, where it has changed: the text that filters look at, the bitmaps of logs,
 * and the aliases that v3 embeds in domains. A listing would do so itself, and take its time.
 */
export function makeReady(state: State): void {
  readyTexts(state.domainsInNameOrder);
  readyTexts(state.domainsInCreatedOrder);
  for (const domain of state.unready) {
    embeddedJson(domain);
    readyTexts(domain.aliases.inNameOrder);
    readyTexts(domain.aliases.inCreatedOrder);
    readyTexts(domain.rules.inRankOrder);
    readyTexts(domain.rules.inCreatedOrder);
    readyTexts(domain.logs.inCreatedOrder);
    readyBitmaps(domain.logs);
  }
  state.unready.clear();
}
