// The command line of the bench, and how much of everything a run does.
import { parseArgs } from 'node:util';
import { StartupError } from '../../src/errors.ts';

/** How much a run does. */
export interface Plan {
  readonly rows: number;
  readonly connections: number;
  readonly poolSize: number;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  /** So many requests warm a subject up, however long they take, within bounds: V8 compiles what has been called often. */
  readonly warmUpRequests: number;
  /** Contacts of the complete walk. */
  readonly walkContacts: number;
  /** Pairs of requests that compare the deep page with the first. */
  readonly deepPairs: number;
  readonly contendedFunnels: number;
  /** Contacts that a subject creates in a round. */
  readonly creates: number;
  /** Orders that a subject creates in a round. */
  readonly orderCreates: number;
  /** Batches of visits that are recorded. */
  readonly visitBatches: number;
  /** Pairs of requests that compare a filtered page with the one without the filter. */
  readonly filterPairs: number;
  /** Deliveries of a backlog. */
  readonly deliveries: number;
  /** How long contacts are created at half load. */
  readonly openLoopSeconds: number;
  readonly memoryRequests: number;
  readonly starts: number;
}

export interface Options {
  readonly plan: Plan;
  readonly format: 'text' | 'json' | 'markdown';
  /** The parts to run, by letter or name. */
  readonly parts: ReadonlySet<string>;
  /** Where to write a CPU profile of the gateway, if at all. */
  readonly profileDir: string | null;
}

const FULL: Plan = {
  rows: 1_000_000,
  connections: 32,
  poolSize: 10,
  rounds: 5,
  roundSeconds: 2.5,
  warmUpSeconds: 1.5,
  warmUpRequests: 8_000,
  walkContacts: 100_000,
  deepPairs: 2_000,
  contendedFunnels: 200,
  creates: 8_000,
  orderCreates: 3_000,
  visitBatches: 400,
  filterPairs: 100,
  deliveries: 8_000,
  openLoopSeconds: 10,
  memoryRequests: 200_000,
  starts: 5,
};

const QUICK: Plan = {
  ...FULL,
  rows: 100_000,
  rounds: 3,
  roundSeconds: 0.4,
  warmUpSeconds: 0.3,
  warmUpRequests: 500,
  walkContacts: 10_000,
  deepPairs: 300,
  contendedFunnels: 30,
  creates: 1_000,
  orderCreates: 250,
  visitBatches: 60,
  filterPairs: 30,
  deliveries: 2_000,
  openLoopSeconds: 2,
  memoryRequests: 40_000,
  starts: 2,
};

const PARTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'shop', 'visits', 'filters'];

export const HELP = `npm run bench -- [options]

  --quick          about ten minutes: fewer rows, rounds and requests; shows that it works, not how fast it is
  --rows N         contacts in the one workspace (default ${FULL.rows.toLocaleString('en')}; ${QUICK.rows.toLocaleString('en')} with --quick)
  --only a,b,...   these parts alone:
                     a  REST page of 20, first and random position; with an access token; the deep page against the first
                     b  REST page of 100
                     c  GraphQL connection of 20 contacts; what is refused against what is answered
                     d  GraphQL nested three levels, and its SQL statements
                     e  complete walk of 100,000 contacts
                     f  split removal under contention
                     g  start-up time, and memory before and after 200,000 requests
                     h  creating contacts; changing and deleting them
                     i  delivering webhooks; what events cost a change; from commit to first attempt
                     shop  page of 20 orders with contact, lines, variants and prices, and its SQL statements; creating an order
                     visits  recording visits in batches of 500
                     filters  page of 100 through saved filters, against the page without
  --json           one JSON object on standard output
  --markdown       the tables as Markdown
  --profile DIR    a CPU profile of the gateway for each time it was started (not to be timed: use with --only)
`;

/** @throws StartupError with what to correct; null when only help was asked for */
export function parseOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      rows: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const base = values.quick ? QUICK : FULL;
  const parts = values.only === undefined ? PARTS : values.only.split(',').map((part) => part.trim());
  const unknown = parts.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0)
    throw new StartupError(`--only takes ${PARTS.join(', ')}, not ${unknown.join(', ')}`);
  const rows = values.rows === undefined ? base.rows : Number(values.rows.replaceAll(/[,_]/g, ''));
  if (!Number.isSafeInteger(rows) || rows < 1_000 || rows > 30_000_000)
    throw new StartupError('--rows takes a whole number from 1,000 to 30,000,000');
  return {
    plan: { ...base, rows, walkContacts: Math.min(base.walkContacts, rows) },
    format: values.json ? 'json' : values.markdown ? 'markdown' : 'text',
    parts: new Set(parts),
    profileDir: values.profile ?? null,
  };
}
