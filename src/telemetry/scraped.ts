// Metrics whose values are read at each scrape, so that they cost nothing in between.
import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client';

/** A metric of every item: its name, its help, and its value; null where an item has none. */
type Part<Item> = readonly [name: string, help: string, pick: (item: Item) => number | null];

interface Parts<Item> {
  /** The label that names an item; absent: there is one item. */
  readonly label?: string;
  /** How the values of several processes are combined; absent: added. */
  readonly aggregator?: Aggregator;
  readonly gauges?: readonly Part<Item>[];
  readonly counters?: readonly Part<Item>[];
}

/** Creates metrics. @param items all items at the moment, by the values of their label */
export function createScraped<Item>(
  registers: Registry[],
  { label, aggregator = 'sum', gauges = [], counters = [] }: Parts<Item>,
  items: () => Iterable<readonly [value: string, item: Item]>,
): void {
  const labelNames = label === undefined ? [] : [label];
  const labelsOf = (value: string) => (label === undefined ? {} : { [label]: value });
  for (const [name, help, pick] of gauges)
    new Gauge({
      ...{ name, help, labelNames, registers, aggregator },
      collect() {
        for (const [value, item] of items()) {
          const picked = pick(item);
          if (picked === null) this.remove(labelsOf(value));
          else this.set(labelsOf(value), picked);
        }
      },
    });
  for (const [name, help, pick] of counters)
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset();
        for (const [value, item] of items()) this.inc(labelsOf(value), pick(item) ?? 0);
      },
    });
}

/** Creates metrics of one source, which is registered later. @param items what a reading is of, by the values of the label */
export function createWatch<Reading, Item = Reading>(
  registers: Registry[],
  parts: Parts<Item>,
  items: (reading: Reading) => Iterable<readonly [value: string, item: Item]>,
): (read: () => Reading) => void {
  let source: (() => Reading) | undefined;
  createScraped(registers, parts, () => (source === undefined ? [] : items(source())));
  return (read) => {
    source = read;
  };
}
