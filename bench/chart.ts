/** Draws curves with logarithmic axes as SVG in plain markup, readable on a light and a dark background. */
export interface Curve {
  readonly name: string;
  /** Name of its colour: `a`, `b` or `c`. */
  readonly tone: 'a' | 'b' | 'c';
  /** Points with both values above 0. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Panel {
  readonly title: string;
  /** Lines of the vertical axis, with their labels. */
  readonly ticks: readonly (readonly [value: number, label: string])[];
  readonly curves: readonly Curve[];
}

const WIDTH = 420;
const HEIGHT = 300;
const MARGIN = { left: 62, right: 24, top: 34, bottom: 46 };
const LEGEND = 30;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .curve { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
  .a { stroke: #0969da; } .a.dot { fill: #0969da; }
  .b { stroke: #bc4c00; } .b.dot { fill: #bc4c00; }
  .c { stroke: #57606a; stroke-dasharray: 2 5; } .c.dot { fill: #57606a; stroke-dasharray: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .grid { stroke: #3d444d; }
    .a { stroke: #58a6ff; } .a.dot { fill: #58a6ff; }
    .b { stroke: #f0883e; } .b.dot { fill: #f0883e; }
    .c { stroke: #9da7b1; } .c.dot { fill: #9da7b1; }
  }`;

/** Draws the panels side by side with one legend. `xTicks` are the lines of the horizontal axis, whose title is `xTitle`. */
export function chartSvg(
  {
    about,
    xTitle,
    xTicks,
  }: { readonly about: string; readonly xTitle: string; readonly xTicks: readonly number[] },
  panels: readonly Panel[],
): string {
  const drawn = panels.map((panel, index) => panelSvg(panel, { xTitle, xTicks, left: index * WIDTH }));
  const [width, height] = [panels.length * WIDTH, HEIGHT + LEGEND];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${about}">
<style>${STYLE}
</style>
${[...drawn, legendSvg(panels[0]?.curves ?? [], width)].join('\n')}
</svg>
`;
}

interface Frame {
  readonly xTitle: string;
  readonly xTicks: readonly number[];
  readonly left: number;
}

function panelSvg({ title, ticks, curves }: Panel, { xTitle, xTicks, left }: Frame): string {
  const x = scale(xTicks, [left + MARGIN.left, left + WIDTH - MARGIN.right]);
  const y = scale(
    ticks.map(([value]) => value),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  );
  const [right, bottom] = [left + WIDTH - MARGIN.right, HEIGHT - MARGIN.bottom];
  return [
    text(left + MARGIN.left, 20, title, 'class="title"'),
    ...ticks.flatMap(([value, label]) => [
      line([left + MARGIN.left, y(value)], [right, y(value)]),
      text(left + MARGIN.left - 8, y(value) + 4, label, 'text-anchor="end"'),
    ]),
    ...xTicks.flatMap((value) => [
      line([x(value), MARGIN.top], [x(value), bottom]),
      text(x(value), bottom + 18, value.toLocaleString('en'), 'text-anchor="middle"'),
    ]),
    text((left + MARGIN.left + right) / 2, bottom + 36, xTitle, 'text-anchor="middle"'),
    ...curves.map((curve) => curveSvg(curve, x, y)),
  ].join('\n');
}

type Scale = (value: number) => number;

/** Returns a logarithmic scale from the smallest to the greatest value. */
function scale(values: readonly number[], [from, to]: readonly [number, number]): Scale {
  const [least, greatest] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  return (value) => round(from + ((Math.log(value) - least) / (greatest - least)) * (to - from));
}

function curveSvg({ tone, points }: Curve, x: Scale, y: Scale): string {
  const places = points.map(([across, up]) => [x(across), y(up)] as const);
  const dots = places.map(([cx, cy]) => `<circle class="${tone} dot" cx="${cx}" cy="${cy}" r="3"/>`);
  return [`<polyline class="curve ${tone}" points="${places.join(' ')}"/>`, ...dots].join('\n');
}

function legendSvg(curves: readonly Curve[], width: number): string {
  const each = width / curves.length;
  return curves
    .flatMap(({ name, tone }, index) => {
      const [left, y] = [round(index * each + 20), HEIGHT + LEGEND / 2];
      return [
        `<polyline class="curve ${tone}" points="${left},${y} ${left + 28},${y}"/>`,
        text(left + 36, y + 4, name, ''),
      ];
    })
    .join('\n');
}

function line([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): string {
  return `<line class="grid" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${content}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
