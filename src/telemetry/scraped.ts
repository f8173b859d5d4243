// Metrics whose values are read at each scrape, so that they cost nothing in between.
import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client';

/**
 * A metric of every source of a kind: its name and its help. Values of several processes are added, unless a gauge says otherwise. By its
 * name a counter ends in `_total`.
 */
type Metric = readonly [name: string, help: string, aggregator?: Aggregator];

/** A kind of sources: a metric of each member of what they say, and the label that names a source; absent: there is one. */
export type Kind<Reading> = { readonly [Member in keyof Reading]: Metric } & { readonly label?: string };

/** What a source says; null where it has no value. */
type Values = Readonly<Record<string, number | boolean | null>>;

/** Creates the metrics of a kind. @returns registers a source by the value of the label */
export function createScraped(
  registers: Registry[],
  { label, ...metrics }: { readonly label?: string } & Readonly<Record<string, Metric | string>>,
) {
  const sources = new Map<string, () => object | null>();
  const labelNames = label === undefined ? [] : [label];
  function valuesOf(member: string) {
    return [...sources].map(([name, read]) => ({
      labels: label === undefined ? {} : { [label]: name },
      value: (read() as Values | null)?.[member] ?? null,
    }));
  }
  for (const [member, [name, help, aggregator = 'sum']] of Object.entries(
    metrics as Record<string, Metric>,
  )) {
    const known = { name, help, labelNames, registers };
    if (name.endsWith('_total'))
      new Counter({
        ...known,
        collect() {
          this.reset();
          for (const { labels, value } of valuesOf(member)) this.inc(labels, Number(value));
        },
      });
    else
      new Gauge({
        ...{ ...known, aggregator },
        collect() {
          for (const { labels, value } of valuesOf(member))
            if (value === null) this.remove(labels);
            else this.set(labels, Number(value));
        },
      });
  }
  return (name: string, read: () => object | null) => void sources.set(name, read);
}
