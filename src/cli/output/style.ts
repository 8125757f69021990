import { styleText } from 'node:util';
import type { Style } from '../../core/plan/render/style.ts';
import type { Context } from '../context.ts';

type Format = Parameters<typeof styleText>[0];

/** By flag, then NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal. */
export function styleFor(
  stream: { readonly isTTY?: boolean },
  flag: string | undefined,
  env: Context['env'],
): Style {
  const isColoured = wantsColour(stream, flag, env);
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
