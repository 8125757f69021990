import { styleText } from 'node:util';
import type { Style } from '../../core/plan/render/style.ts';

type Format = Parameters<typeof styleText>[0];

/** `auto` leaves colours to each stream. */
export type ColorChoice = (typeof COLOR_CHOICES)[number];

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;

/** Resolves colours by the flag, then NO_COLOR, then FORCE_COLOR. */
export function resolveColor(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ColorChoice {
  if (flag === 'always' || flag === 'never') return flag;
  if (env['NO_COLOR']) return 'never';
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] === '0' ? 'never' : 'always';
  return env['TERM'] === 'dumb' ? 'never' : 'auto';
}

/** Returns how text is painted on a stream. */
export function styleFor(stream: { readonly isTTY?: boolean }, color: ColorChoice): Style {
  const isColoured = color === 'auto' ? stream.isTTY === true : color === 'always';
  const paint = (format: Format) => (text: string) =>
    isColoured && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    add: paint('green'),
    update: paint('yellow'),
    remove: paint('red'),
    move: paint('cyan'),
    strong: paint('bold'),
    dim: paint('dim'),
    error: paint(['bold', 'red']),
    warning: paint(['bold', 'yellow']),
    good: paint(['bold', 'green']),
  };
}
