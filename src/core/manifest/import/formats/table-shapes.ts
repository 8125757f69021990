import { quote } from '../../../model/names.ts';
import { fail, succeed, type Result } from '../../../model/result.ts';
import type { SourceContext, SourceFault } from '../source-format.ts';

/** The meaning of a table's columns; names in lower case. */
export interface TableShape {
  readonly name: string;
  readonly address: string;
  readonly destination: string;
  /** The separator of destinations in one cell; null if a cell holds one. */
  readonly separator: RegExp | null;
  readonly enabled: string | null;
  readonly memberType: string | null;
}

const PLAIN = { separator: /[,;\s]+/, enabled: null, memberType: null };

const SHAPES: readonly TableShape[] = [
  {
    name: 'Google Workspace groups',
    address: 'group email [required]',
    destination: 'member email',
    separator: null,
    enabled: null,
    memberType: 'member type',
  },
  {
    name: 'SimpleLogin',
    address: 'alias',
    destination: 'mailboxes',
    separator: /\s+/,
    enabled: 'enabled',
    memberType: null,
  },
  { ...PLAIN, name: 'Porkbun', address: 'email', destination: 'forwardto' },
  { ...PLAIN, name: 'Forward Email', address: 'name', destination: 'recipients', enabled: 'is_enabled' },
  { ...PLAIN, name: 'nodejs/email', address: 'from', destination: 'to' },
];

/** Returns the shape of a table: the one from the options, or the only known one whose columns exist. */
export function shapeOf(
  columns: readonly string[],
  named: SourceContext['columns'],
): Result<TableShape, Omit<SourceFault, 'span'>> {
  if (named !== null) return namedShape(columns, named);
  const has = (name: string): boolean => columns.includes(name);
  const fitting = SHAPES.filter(({ address, destination }) => has(address) && has(destination));
  const [shape] = fitting;
  if (fitting.length === 1 && shape !== undefined) return succeed(shape);
  const hint = 'name its columns with --address COLUMN and --destination COLUMN';
  const names = fitting.map(({ name }) => name).join(' and ');
  const message =
    fitting.length > 1
      ? `the table fits ${names}`
      : `the table has no known shape; its columns are ${columns.map(quote).join(', ')}`;
  return fail({ kind: 'usage', message, hint });
}

function namedShape(
  columns: readonly string[],
  { address, destination }: NonNullable<SourceContext['columns']>,
): Result<TableShape, Omit<SourceFault, 'span'>> {
  const [from, to] = [address.toLowerCase(), destination.toLowerCase()];
  const missing = [address, destination].find((name) => !columns.includes(name.toLowerCase()));
  if (missing === undefined) return succeed({ ...PLAIN, name: 'table', address: from, destination: to });
  return fail({
    kind: 'usage',
    message: `the table has no column ${quote(missing)}; its columns are ${columns.map(quote).join(', ')}`,
    hint: 'name columns of the table with --address and --destination',
  });
}
