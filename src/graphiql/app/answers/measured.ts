// What the last answer cost and how long it took, measured around the request. The gateway tells the cost when a request asks for it.
import { observed } from '../observed.ts';

export interface Measurement {
  readonly milliseconds: number;
  readonly bytes: number;
  /** Points of the rate limits, and rows that the operation may read; null if the gateway did not say. */
  readonly cost: { readonly points: number; readonly rows: number } | null;
}

const last = observed<Measurement | null>(null);
export const { get: getMeasurement } = last;

const COST_HEADER = 'graphql-cost';

/**
 * `fetch` that records a measurement of each answer, and shows the answer without the cost, unless the headers of the person ask for it.
 * @param send sends the request
 */
export function measuring(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    const isAskedFor = headers.has(COST_HEADER);
    if (!isAskedFor) headers.set(COST_HEADER, '1');
    last.set(null);
    const start = performance.now();
    const response = await send(input, { ...init, headers });
    const text = await response.text();
    const milliseconds = performance.now() - start;
    const [cost, answer] = splitCost(text);
    last.set({ milliseconds, bytes: text.length, cost });
    return new Response(isAskedFor ? text : answer, response);
  };
}

/** The cost, and the answer without it. */
function splitCost(text: string): [Measurement['cost'], string] {
  try {
    const { extensions: { cost = null, ...others } = {}, ...answer } = JSON.parse(text) as {
      extensions?: { cost?: Measurement['cost'] };
    };
    const extensions = Object.keys(others).length > 0 ? { extensions: others } : {};
    return cost === null ? [null, text] : [cost, JSON.stringify({ ...answer, ...extensions })];
  } catch {
    return [null, text];
  }
}
