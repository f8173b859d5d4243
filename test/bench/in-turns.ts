// Two requests against each other, asked in turns over one connection, so that nothing but the requests differs.
import { Connection } from './connection.ts';
import { median } from './stats.ts';
import type { Subject } from './subject.ts';

const WARM_UP_PAIRS = 50;

export interface Times {
  /** Medians, in milliseconds. */
  readonly one: number;
  readonly other: number;
  /** The other's / the one's. */
  readonly ratio: number;
}

/** @throws Error for an answer with another status than 200 */
export async function timeInTurns(
  subject: Subject,
  requests: { readonly one: string; readonly other: string },
  pairs: number,
): Promise<Times> {
  const connection = new Connection(subject.port);
  const times = { one: [] as number[], other: [] as number[] };
  try {
    for (let i = -WARM_UP_PAIRS; i < pairs; i++) {
      const order = i % 2 === 0 ? (['one', 'other'] as const) : (['other', 'one'] as const);
      for (const which of order) {
        const request = Buffer.from(requests[which]);
        const startedAt = performance.now();
        const { status } = await connection.ask(request);
        const time = performance.now() - startedAt;
        if (status !== 200) throw new Error(`status ${status}`);
        if (i >= 0) times[which].push(time);
      }
    }
  } finally {
    connection.close();
  }
  const [one, other] = [median(times.one), median(times.other)];
  return { one, other, ratio: other / one };
}
