// The metrics of time partitions, for prometheus.ts.
import { Gauge, type Registry } from 'prom-client';
import type { Metrics, PartitionReading } from './metrics.ts';

/** Reads the latest state at each scrape; nothing in a process that does not maintain partitions. */
export function createPartitions(registers: Registry[]): Metrics['watchPartitions'] {
  let read = (): readonly PartitionReading[] => [];
  for (const [name, help, pick] of [
    [
      'gateway_partitions_ahead_seconds',
      'How far ahead partitions exist.',
      ({ aheadSeconds }) => aheadSeconds,
    ],
    [
      'gateway_partitions_stray',
      '1 if the default partition has rows although there are partitions for earlier ones.',
      ({ hasStray }) => Number(hasStray),
    ],
  ] satisfies [string, string, (reading: PartitionReading) => number][])
    new Gauge({
      ...{ name, help, labelNames: ['table'], registers },
      collect() {
        for (const reading of read()) this.set({ table: reading.table }, pick(reading));
      },
    });
  return (source) => {
    read = source;
  };
}
