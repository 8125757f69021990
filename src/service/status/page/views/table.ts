import { html, type Html } from './html.ts';

/** Renders a table that small screens show as a list. `last` places the texts of the last column. */
export function renderTable(
  headings: readonly string[],
  rows: readonly Html[],
  last: 'left' | 'right',
): Html {
  const heads = headings.map((heading, column) => {
    const right = last === 'right' && column === headings.length - 1 ? html`class="right"` : null;
    return html`<th role="columnheader" scope="col" ${right}>${heading}</th> `;
  });
  return html`<table role="table">
    <thead role="rowgroup">
      <tr role="row">
        ${heads}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows}
    </tbody>
  </table>`;
}
