// What a GraphQL operation costs that is refused inside, against the same operation with a good answer.
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import type { Manifest } from './dataset.ts';
import { DOCUMENTS } from './documents.ts';
import { timeInTurns } from './in-turns.ts';
import { graphqlRequest } from './requests.ts';

interface RefusalsResult {
  /** Time of the refused request / time of the good one, of the kind of refusal where it is worst. */
  readonly ratio: number | null;
  readonly rows: Row[];
}

const NOBODYS = 4_611_686_018_427_387_904n;

/** By kind, the variables that are refused. */
const KINDS: Readonly<Record<string, object>> = {
  'a bad cursor': { after: 'x' },
  'a workspace that is not there': { workspace: String(NOBODYS) },
  'a negative page size': { first: -1 },
};

export async function measureRefusals(bench: Bench): Promise<RefusalsResult> {
  const subject = bench.subjects.get('gateway');
  if (subject === undefined) return { ratio: null, rows: [] };
  bench.progress.say('(c) Refused operations against good ones');
  const rows: Row[] = [];
  const ratios: number[] = [];
  for (const [kind, variables] of Object.entries(KINDS)) {
    const request = (refused: object) => connectionWith(bench.dataset.manifest, refused);
    const requests = { one: request({}), other: request(variables) };
    const times = await attempt(bench, `gateway, ${kind}`, () =>
      timeInTurns(subject, requests, bench.plan.deepPairs),
    );
    if (times === null) continue;
    ratios.push(times.ratio);
    rows.push(
      plainRow({
        part: 'c',
        workload: `(c) GraphQL, refused for ${kind} / answered, one connection`,
        subject: 'gateway',
        p50_ms: times.other,
        note: `${times.ratio.toFixed(2)} of the good answer's ${times.one.toFixed(3)} ms`,
      }),
    );
  }
  return { ratio: ratios.length > 0 ? Math.max(...ratios) : null, rows };
}

function connectionWith({ workspaceId, token }: Manifest, variables: object): string {
  const document = DOCUMENTS.gateway.connection
    .replace('$after: String', '$after: String, $first: Int = 20')
    .replace('first: 20', 'first: $first');
  return graphqlRequest(document, { workspace: workspaceId, ...variables }, token);
}
