// The metrics of replicas, for prometheus.ts.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Metrics, ReplicaReading } from './metrics.ts';

/** Reads the latest state at each scrape; nothing without replicas. */
export function createReplicaMetrics(registers: Registry[]): Metrics['watchReplicas'] {
  let read = (): readonly ReplicaReading[] => [];
  const labelNames = ['replica'] as const;
  new Gauge({
    name: 'gateway_replica_used',
    help: '1 while a replica is read, 0 while it is left out.',
    ...{ labelNames, registers, aggregator: 'min' as const },
    collect() {
      for (const { replica, isUsed } of read()) this.set({ replica }, Number(isUsed));
    },
  });
  new Gauge({
    name: 'gateway_replica_lag_seconds',
    help: 'How far a replica is behind the primary at most; absent where that is not known.',
    ...{ labelNames, registers, aggregator: 'max' as const },
    collect() {
      this.reset();
      for (const { replica, lagSeconds } of read())
        if (lagSeconds !== null) this.set({ replica }, lagSeconds);
    },
  });
  for (const [name, help, pick] of [
    [
      'gateway_replica_requests_total',
      'Requests whose reads a replica answered.',
      ({ requests }) => requests,
    ],
    [
      'gateway_replica_resent_total',
      'Reads of a replica that failed there, and were sent again to the primary.',
      ({ resent }) => resent,
    ],
  ] satisfies [string, string, (reading: ReplicaReading) => number][])
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset();
        for (const reading of read()) this.inc({ replica: reading.replica }, pick(reading));
      },
    });
  return (source) => {
    read = source;
  };
}
