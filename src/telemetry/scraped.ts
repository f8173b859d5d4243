// Metrics whose values are read at each scrape, so that they cost nothing in between.
import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client';

/**
 * A metric of every source of a kind: its name, its help, and its value; null where a source has none. Values of several processes are
 * added, unless a gauge says otherwise.
 */
type Part<Reading> = readonly [
  name: string,
  help: string,
  pick: (reading: Reading) => number | null,
  aggregator?: Aggregator,
];

export interface Kind<Reading> {
  /** The label that names a source; absent: there is one. */
  readonly label?: string;
  readonly gauges?: readonly Part<Reading>[];
  readonly counters?: readonly Part<Reading>[];
}

type Read<Reading> = () => Reading | null;

/** Creates the metrics of a kind. @returns registers a source by the value of the label */
export function createScraped<Reading>(
  registers: Registry[],
  { label, gauges = [], counters = [] }: Kind<Reading>,
): (name: string, read: Read<Reading>) => void {
  const sources = new Map<string, Read<Reading>>();
  const labelNames = label === undefined ? [] : [label];
  function valuesOf(pick: Part<Reading>[2]) {
    return [...sources].map(([name, read]) => {
      const reading = read();
      const labels = label === undefined ? {} : { [label]: name };
      return { labels, value: reading === null ? null : pick(reading) };
    });
  }
  for (const [name, help, pick, aggregator = 'sum'] of gauges)
    new Gauge({
      ...{ name, help, labelNames, registers, aggregator },
      collect() {
        for (const { labels, value } of valuesOf(pick))
          if (value === null) this.remove(labels);
          else this.set(labels, value);
      },
    });
  for (const [name, help, pick] of counters)
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset();
        for (const { labels, value } of valuesOf(pick)) this.inc(labels, value ?? 0);
      },
    });
  return (name, read) => void sources.set(name, read);
}
