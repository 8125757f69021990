import { styleText } from 'node:util';
import type { Context } from '../context.ts';

/** Paints text, or leaves it as it is. Colour never carries a meaning alone. */
export interface Style {
  readonly add: (text: string) => string;
  readonly update: (text: string) => string;
  readonly remove: (text: string) => string;
  readonly move: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly error: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly good: (text: string) => string;
}

type Format = Parameters<typeof styleText>[0];

export function createStyle(colour: 'on' | 'off'): Style {
  const paint = (format: Format) => (text: string) =>
    colour === 'off' || text === '' ? text : styleText(format, text, { validateStream: false });
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

/** Flag, then NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal. */
export function styleFor(
  stream: { readonly isTTY?: boolean },
  flag: string | undefined,
  env: Context['env'],
): Style {
  return createStyle(wantsColour(stream, flag, env) ? 'on' : 'off');
}

function wantsColour(
  stream: { readonly isTTY?: boolean },
  flag: string | undefined,
  env: Context['env'],
): boolean {
  if (flag === 'always' || flag === 'never') return flag === 'always';
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] !== '0';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
