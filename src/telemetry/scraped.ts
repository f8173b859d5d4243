// Metrics whose values are read at each scrape, so that they cost nothing in between.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Kind, Metric } from './kinds.ts';

/** The reading of a source; null for a metric without a value. */
type Values = Readonly<Record<string, number | boolean | null>>;

/** Creates the metrics of a kind. @returns a function that registers a source by the value of its label */
export function createScraped(
  registers: Registry[],
  { label, ...metrics }: Kind & { readonly label?: string },
) {
  const sources = new Map<string, () => object | null>();
  const labelNames = label === undefined ? [] : [label];
  function valuesOf(member: string) {
    return [...sources].map(([name, read]) => ({
      labels: label === undefined ? {} : { [label]: name },
      value: (read() as Values | null)?.[member] ?? null,
    }));
  }
  for (const [member, [name, help]] of Object.entries(metrics as Record<string, Metric>)) {
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
        ...known,
        collect() {
          for (const { labels, value } of valuesOf(member))
            if (value === null) this.remove(labels);
            else this.set(labels, Number(value));
        },
      });
  }
  return (name: string, read: () => object | null) => void sources.set(name, read);
}
