// The metrics of transactions that delay new rows in lists, for prometheus.ts.
import { Gauge, type Registry } from 'prom-client';
import type { HeldReading, Metrics } from './metrics.ts';

/** Reads the latest state at each scrape; zeros in a process that does not watch lists. */
export function createLists(registers: Registry[]): Metrics['watchLists'] {
  let read = (): readonly HeldReading[] => [];
  for (const [name, help, pick] of [
    [
      'gateway_lists_held_seconds',
      'Age of the oldest transaction that delays new rows in lists; 0 if none has run for long.',
      ({ seconds }) => seconds,
    ],
    [
      'gateway_lists_held_rows',
      'Ids drawn since such a transaction drew its first one: at most as many rows are not listed yet.',
      ({ rows }) => rows,
    ],
  ] satisfies [string, string, (held: HeldReading) => number][])
    new Gauge({
      ...{ name, help, labelNames: ['holder'], registers, aggregator: 'max' as const },
      collect() {
        const held = read();
        for (const [holder, isOfGroup] of [
          ['own', true],
          ['foreign', false],
        ] as const)
          this.set({ holder }, Math.max(0, ...held.filter(({ isOwn }) => isOwn === isOfGroup).map(pick)));
      },
    });
  return (source) => {
    read = source;
  };
}
