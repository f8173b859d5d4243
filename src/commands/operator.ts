// Runs commands for the operator of a store, and prints their results: JSON for scripts, text and tables for people.
import type { App } from '../context.ts';
import { toTimestamp } from '../rows/json.ts';
import { withTables } from './database.ts';
import { report, type Shell, table } from './shell.ts';

/** The result of a command, for scripts and for people. */
export type Result = readonly [data: unknown, text: string];

/** Makes actions of commands. @param open opens the store: by default with its tables up to date */
export function actionsOf(shell: Shell, open: typeof withTables = withTables) {
  /** An action that prints the result of `work`. */
  return <Parameters extends unknown[]>(work: (app: App, ...parameters: Parameters) => Promise<Result>) =>
    (...parameters: Parameters): Promise<void> =>
      open(shell, async ({ app }) => {
        const [data, text] = await work(app, ...parameters);
        report(shell, data, text);
      });
}

/** The arguments of `addHelpText` that show examples. @param commands without the name of the program */
export function examples(...commands: readonly string[]): ['after', string] {
  return ['after', `\nExamples:${commands.map((command) => `\n  $ npx funnel-gateway ${command}`).join('')}`];
}

type SnakeCase<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeCase<Rest>}`
  : Name;

/** Fields of a row, by their names in JSON. */
export function fieldsOf<Row extends object, Name extends keyof Row & string>(
  row: Row,
  ...names: readonly Name[]
): { [Each in Name as SnakeCase<Each>]: Row[Each] } {
  const fields = names.map((name) => [snakeCase(name), row[name]]);
  return Object.fromEntries(fields) as ReturnType<typeof fieldsOf<Row, Name>>;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A column: the name of an item's member, which also makes the heading; or a heading and a function for the cells. */
type Column<Item> = (keyof Item & string) | readonly [heading: string, cell: (item: Item) => unknown];

/** The result of a list: its items, and a table of them. @param none the sentence for an empty list */
export function listed<Item extends object>(
  items: readonly Item[],
  none: string,
  columns: readonly Column<Item>[],
): Result {
  if (items.length === 0) return [items, none];
  const cells = columns.map((column): readonly [string, (item: Item) => unknown] => {
    if (typeof column !== 'string') return column;
    // Prints only the day of a time.
    if (column.endsWith('_at')) return [headingOf(column.slice(0, -3)), (item) => dayOf(item[column])];
    return [headingOf(column), (item) => item[column]];
  });
  const rows = items.map((item) => cells.map(([, cell]) => textOf(cell(item))));
  return [
    items,
    table(
      cells.map(([heading]) => heading),
      rows,
    ),
  ];
}

function headingOf(member: string): string {
  return member.replaceAll('_', ' ').toUpperCase();
}

/** The day of a time. */
export function dayOf(time: unknown): unknown {
  return time instanceof Date ? toTimestamp(time).slice(0, 10) : time;
}

function textOf(cell: unknown): string {
  if (Array.isArray(cell)) return cell.map(textOf).join(' ') || '-';
  return (cell instanceof Date ? toTimestamp(cell) : String(cell ?? '')) || '-';
}

/** The words of an option, separated by spaces or commas. */
export function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
