// The metrics of the processes of one gateway as those of one, over prom-client's aggregation: counts are added, of a gauge its
// aggregator says what becomes of several. Loaded only when METRICS_PORT is set.
import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';

/** What a process's `Metrics.snapshot` gave. */
type Snapshot = readonly { readonly type: unknown }[];

export interface MetricsSum {
  /** Remembers what a process said last, if it can be added up: one that was started anew may be of another version. */
  update(process: number, snapshot: readonly unknown[]): void;
  /** A process has ended: what it had counted stays, for a sum that falls would be taken for a restart. */
  ended(process: number): void;
  /** The sum in Prometheus' text format. */
  render(): Promise<string>;
}

/** What only grows. In the library's declarations the type is a number; in what it gives it is the name. */
const COUNTED: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** A sum of nothing yet. */
export function createMetricsSum(): MetricsSum {
  const latest = new Map<number, Snapshot>();
  /** What ended processes had counted, added up in their order. */
  let counted: Promise<Snapshot> = Promise.resolve([]);

  return {
    update(process, snapshot) {
      if (isSummable(snapshot)) latest.set(process, snapshot);
    },
    ended(process) {
      const last = latest.get(process);
      latest.delete(process);
      if (last === undefined) return;
      const own = last.filter(({ type }) => COUNTED.has(type));
      counted = counted.then((earlier) => sum([earlier, own]).getMetricsAsJSON());
    },
    async render() {
      const running = [...latest.values()];
      return sum([...running, await counted]).metrics();
    },
  };
}

function isSummable(snapshot: unknown): snapshot is Snapshot {
  try {
    sum([snapshot as Snapshot]);
    return true;
  } catch {
    return false;
  }
}

function sum(snapshots: readonly Snapshot[]): Registry<PrometheusContentType> {
  return AggregatorRegistry.aggregate<PrometheusContentType>(snapshots as object[]);
}
