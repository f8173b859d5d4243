// Finds the lists in an answer, wherever they are, and makes tables of them. Pure.

export type Cell = string | number | boolean | null;

export interface Table {
  /** The response keys that lead to the list, such as `workspace.contacts`. */
  readonly path: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

type Json = Cell | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

interface Found {
  readonly hasParent: boolean;
  readonly items: { readonly parent: Cell; readonly item: Json }[];
}

/** Every connection and list in the data. Lists at the same place below several rows are one table, whose first column names the row. */
export function tablesOf(data: unknown): readonly Table[] {
  const lists = new Map<string, Found>();
  collect(data as Json, '', null, false, lists);
  return [...lists].filter(([, { items }]) => items.length > 0).map(([path, found]) => tableOf(path, found));
}

function collect(
  value: Json,
  path: string,
  parent: Cell,
  isNested: boolean,
  lists: Map<string, Found>,
): void {
  const items = itemsOf(value);
  if (items === null) {
    if (isObject(value))
      for (const [key, member] of Object.entries(value))
        collect(member, path === '' ? key : `${path}.${key}`, parent, isNested, lists);
    return;
  }
  // Single values in a row are a cell of it.
  if (isNested && !items.some(isObject)) return;
  const found = lists.get(path) ?? { hasParent: isNested, items: [] };
  lists.set(path, found);
  for (const item of items) {
    found.items.push({ parent, item });
    if (isObject(item)) collect({ ...item }, path, labelOf(item), true, lists);
  }
}

/** The items of a list or connection; null for anything else. */
export function itemsOf(value: Json): readonly Json[] | null {
  if (Array.isArray(value)) return value as readonly Json[];
  if (!isObject(value)) return null;
  const { nodes, edges } = value;
  if (Array.isArray(nodes)) return nodes as readonly Json[];
  if (!Array.isArray(edges)) return null;
  return (edges as readonly Json[]).map((edge) => {
    if (!isObject(edge)) return edge;
    const { node = edge } = edge;
    return node;
  });
}

function tableOf(path: string, { hasParent, items }: Found): Table {
  const flat = items.map(({ item }) => (isObject(item) ? flatten(item) : new Map([['value', cellOf(item)]])));
  const columns = [...new Set(flat.flatMap((cells) => [...cells.keys()]))];
  const rows = flat.map((cells) => columns.map((column) => cells.get(column) ?? null));
  if (!hasParent) return { path, columns, rows };
  const steps = path.split('.');
  return {
    path,
    columns: [`(${steps.at(-2) ?? 'row'})`, ...columns],
    rows: rows.map((row, index) => [items[index]?.parent ?? null, ...row]),
  };
}

/** The values of an object by their path in it. */
export function flatten(object: JsonObject, prefix = ''): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const [key, value] of Object.entries(object)) {
    if (isObject(value) && itemsOf(value) === null)
      for (const [inner, cell] of flatten(value, `${prefix}${key}.`)) cells.set(inner, cell);
    else cells.set(prefix + key, cellOf(value));
  }
  return cells;
}

function cellOf(value: Json): Cell {
  const items = itemsOf(value);
  if (items !== null) return items.map((item) => String(isObject(item) ? labelOf(item) : item)).join(', ');
  return isObject(value) ? JSON.stringify(value) : (value as Cell);
}

/** What names an object: its name, else its first value. */
function labelOf(object: JsonObject): Cell {
  const cells = flatten(object);
  return cells.get('name') ?? [...cells].find(([key]) => key !== '__typename')?.[1] ?? null;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const collator = new Intl.Collator('en', { numeric: true });
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Compares two cells: numbers by value, also those that are strings because they are large or exact; null comes last. */
export function compareCells(a: Cell, b: Cell): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (isNumeric(a) && isNumeric(b)) return Number(a) - Number(b);
  return collator.compare(String(a), String(b));
}

export const isNumeric = (cell: Cell): boolean =>
  typeof cell === 'number' || (typeof cell === 'string' && NUMBER.test(cell));
