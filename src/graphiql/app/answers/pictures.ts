// Finds what can be drawn in an answer: the workflow of a funnel, and series by day. Pure.
import { flatten, isObject, itemsOf, type JsonObject } from './lists.ts';

type Json = JsonObject[string];

export type Picture = WorkflowPicture | SeriesPicture;

export interface WorkflowPicture {
  readonly kind: 'workflow';
  /** The response keys and positions that lead to it. */
  readonly path: string;
  readonly title: string;
  readonly steps: readonly WorkflowStep[];
  readonly ways: readonly Way[];
}

export interface WorkflowStep {
  readonly id: string;
  readonly name: string;
  readonly isSplit: boolean;
  /** The numbers of its page; empty for a split, and if the query does not select them. */
  readonly numbers: Readonly<Record<string, number>>;
  /** How many came to the page, or to the first pages of a split's branches; null if unknown. */
  readonly visitors: number | null;
}

/** From one step to the next. */
export interface Way {
  readonly from: string;
  readonly to: string;
  /** The branch of a split, such as `MATCHED`; '' elsewhere. */
  readonly branch: string;
  /** The share of those who came to `from`, or to all steps before `to`, that came to `to`; null if unknown. */
  readonly share: number | null;
  /** How many of them did not; null if unknown, and on the branches of a split. */
  readonly lost: number | null;
}

export interface SeriesPicture {
  readonly kind: 'series';
  readonly path: string;
  readonly title: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

export interface Line {
  readonly label: string;
  /** The currency of amounts; '' for counts. */
  readonly currency: string;
  readonly values: readonly number[];
}

/** All pictures of the data, in its order. */
export function picturesOf(data: unknown): readonly Picture[] {
  const pictures: Picture[] = [];
  visit(data as Json, [], [], pictures);
  return pictures;
}

function visit(
  value: Json,
  keys: readonly (string | number)[],
  names: readonly string[],
  pictures: Picture[],
): void {
  const items = itemsOf(value);
  if (items !== null) {
    const [path, title] = [keys.join('.'), names.join(' · ')];
    const found = workflowOf(items) ?? seriesOf(items);
    if (found !== null) pictures.push({ ...found, path, title });
    for (const [index, item] of items.entries()) visit(item, [...keys, index], names, pictures);
  } else if (isObject(value)) {
    const { name } = value;
    const own = typeof name === 'string' ? [...names, name] : names;
    for (const [key, member] of Object.entries(value)) visit(member, [...keys, key], own, pictures);
  }
}

type Found<Kind extends Picture> = Omit<Kind, 'path' | 'title'>;

/** What may identify a step, in the order of preference. */
const KEYS = ['id', 'databaseId', 'publicId', 'name'];
const OTHER_BRANCH: Readonly<Record<string, string>> = {
  MATCHED: 'UNMATCHED',
  UNMATCHED: 'MATCHED',
  LEFT: 'RIGHT',
  RIGHT: 'LEFT',
};

/** The way that leaves a step, before it is known where it leads. */
interface Exit {
  readonly from: JsonObject;
  readonly branch: string;
}

function workflowOf(items: readonly Json[]): Found<WorkflowPicture> | null {
  const steps = items.filter(isStep);
  if (steps.length === 0 || steps.length < items.length) return null;
  const key = KEYS.find((one) =>
    steps.every((step) => one in step && (isTopLevel(step) || one in parentOf(step))),
  );
  if (key === undefined) return null;
  const branches = Map.groupBy(steps, (step) => (isTopLevel(step) ? null : parentOf(step)[key]));
  const headsOf = (split: JsonObject) =>
    [...Map.groupBy(branches.get(split[key] as string) ?? [], ({ branch }) => branch as string)].map(
      ([branch, [head]]) => ({ branch, head: head as JsonObject }),
    );
  const isSplit = (step: JsonObject) => branches.has(step[key] as string) || hasNoPage(step);
  const visitorsOf = (step: JsonObject): number | null => {
    const { uniqueViews, views } = numbersOf(step);
    if (!isSplit(step)) return uniqueViews ?? views ?? null;
    const heads = headsOf(step);
    return heads.length < 2 ? null : sum(heads.map(({ head }) => visitorsOf(head)));
  };
  const idOf = (step: JsonObject) => String(steps.indexOf(step));
  const ways: Way[] = [];

  function connect(exits: readonly Exit[], to: JsonObject): void {
    const before = sum(exits.map(({ from }) => visitorsOf(from)));
    const here = visitorsOf(to);
    const isKnown = before !== null && before > 0 && here !== null;
    for (const { from, branch } of exits)
      ways.push({
        from: idOf(from),
        to: idOf(to),
        branch,
        share: isKnown ? here / before : null,
        lost: isKnown && branch === '' ? before - here : null,
      });
  }
  /** Connects a sequence of steps, and returns the ways that leave it. */
  function walk(sequence: readonly JsonObject[], entries: readonly Exit[]): readonly Exit[] {
    let exits = entries;
    for (const step of sequence) {
      connect(exits, step);
      const arms = Map.groupBy(
        branches.get(step[key as string] as string) ?? [],
        ({ branch }) => branch as string,
      );
      const ends = [...arms].flatMap(([branch, arm]) => walk(arm, [{ from: step, branch }]));
      const [only] = arms.size === 1 ? arms.keys() : [];
      exits =
        arms.size === 2
          ? ends
          : [...ends, { from: step, branch: only === undefined ? '' : (OTHER_BRANCH[only] ?? '') }];
    }
    return exits;
  }
  walk(branches.get(null) ?? [], []);
  const drawn = steps.map((step) => ({
    id: idOf(step),
    name: nameOf(step),
    isSplit: isSplit(step),
    numbers: numbersOf(step),
    visitors: visitorsOf(step),
  }));
  return { kind: 'workflow', steps: drawn, ways };
}

const isStep = (item: Json): item is JsonObject =>
  isObject(item) && 'name' in item && 'branch' in item && 'parent' in item;
const nameOf = ({ name = null }: JsonObject): string => String(name);
const isTopLevel = ({ parent }: JsonObject): boolean => parent === null;
const parentOf = ({ parent = null }: JsonObject): JsonObject => (isObject(parent) ? parent : {});
const hasNoPage = ({ __typename, stats }: JsonObject): boolean =>
  stats === null || (typeof __typename === 'string' && __typename.includes('Split'));

function numbersOf({ stats = null }: JsonObject): Readonly<Record<string, number>> {
  const cells = isObject(stats) ? [...flatten(stats)] : [];
  return Object.fromEntries(cells.filter((cell): cell is [string, number] => typeof cell[1] === 'number'));
}

const sum = (numbers: readonly (number | null)[]): number | null =>
  numbers.reduce<number | null>((total, one) => (total === null || one === null ? null : total + one), 0);

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A series has a day in each item, and numbers or amounts of money. */
function seriesOf(items: readonly Json[]): Found<SeriesPicture> | null {
  const rows = items.filter(isObject);
  if (rows.length < 2 || rows.length < items.length) return null;
  const isDay = (value: Json | undefined) => typeof value === 'string' && DAY.test(value);
  const dayKey = Object.keys(rows[0] ?? {}).find((key) => rows.every((row) => isDay(row[key])));
  if (dayKey === undefined) return null;
  const sorted = rows.toSorted((a, b) => String(a[dayKey]).localeCompare(String(b[dayKey])));
  const values = sorted.map(valuesOf);
  const labels = new Map(
    values.flatMap((one) => [...one].map(([label, { currency }]) => [label, currency] as const)),
  );
  if (labels.size === 0) return null;
  const lines = [...labels].map(([label, currency]) => ({
    label,
    currency,
    values: values.map((one) => one.get(label)?.value ?? 0),
  }));
  return { kind: 'series', times: sorted.map((row) => Date.parse(`${row[dayKey]}`) / 1_000), lines };
}

function valuesOf(row: JsonObject): Map<string, { value: number; currency: string }> {
  const values = new Map<string, { value: number; currency: string }>();
  for (const [key, value] of Object.entries(row)) {
    if (typeof value === 'number') values.set(key, { value, currency: '' });
    for (const amount of isObject(value) ? [value] : (itemsOf(value) ?? [])) {
      const { currency, amount: number } = isObject(amount) ? amount : {};
      if (typeof currency === 'string') values.set(`${key} ${currency}`, { value: Number(number), currency });
    }
  }
  return values;
}
