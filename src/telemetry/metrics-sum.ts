// Adds up the metrics of a gateway's processes, over prom-client's aggregation: counts are added, and a gauge's aggregator says how its
// values are combined. Loaded only if METRICS_PORT is set.
import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';

/** The result of a process's `Metrics.snapshot`. */
type Snapshot = readonly { readonly type: unknown }[];

export interface MetricsSum {
  /** Stores a process's latest snapshot, if it can be added up: a restarted process may run another version. */
  update(process: number, snapshot: readonly unknown[]): void;
  /** A process has ended. Its counts stay in the sum, because a falling sum would look like a restart. */
  ended(process: number): void;
  /** The sum in Prometheus' text format. */
  render(): Promise<string>;
}

/** Types that only grow. The library declares the type as a number, but returns its name. */
const COUNTED: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** An empty sum. */
export function createMetricsSum(): MetricsSum {
  const latest = new Map<number, Snapshot>();
  /** The counts of ended processes, added up in the order of their end. */
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
