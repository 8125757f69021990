import { styleText } from 'node:util';
import type { Style } from '../../core/plan/render/style.ts';
import type { ColorChoice } from '../settings/color.ts';

type Format = Parameters<typeof styleText>[0];

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
