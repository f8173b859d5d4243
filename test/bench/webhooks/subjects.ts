// Who is measured where events are delivered, and how each one is started. A worker takes what it finds in the store: none of these
// runs beside another part of the bench.
import { fileURLToPath } from 'node:url';
import type { SubjectSpec } from '../subject.ts';
import { GATEWAY_NODE_OPTIONS, GATEWAY_SCRIPT, SECRET_KEY, WORKER_SCRIPT } from '../subjects.ts';

const path = (script: string) => fileURLToPath(new URL(`../subjects/${script}`, import.meta.url));

const ENV = { SECRET_KEY, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
const GATEWAY = { script: GATEWAY_SCRIPT, nodeOptions: GATEWAY_NODE_OPTIONS };

/** `work`, which delivers and is nothing else. */
export const WORKER: SubjectSpec = {
  name: 'gateway-work',
  script: WORKER_SCRIPT,
  nodeOptions: GATEWAY_NODE_OPTIONS,
  env: ENV,
  portVariable: 'METRICS_PORT',
};

export const LOOP: SubjectSpec = { name: 'pg-boss-loop', script: [path('pg-boss-loop.ts')] };

/** Writes events and deliveries, and delivers nothing. */
export const TELLING: SubjectSpec = { ...GATEWAY, name: 'gateway-telling', env: { ...ENV, JOBS: 'off' } };

/** The same, but that changes of contacts have no events. */
export const SILENT: SubjectSpec = {
  ...TELLING,
  name: 'gateway-silent',
  nodeOptions: [...GATEWAY_NODE_OPTIONS, '--import', path('silent-contacts.ts')],
};

/** `serve` as it is by default: it delivers, too. */
export const SERVING: SubjectSpec = { ...GATEWAY, name: 'gateway-serving', env: ENV };

/** For the list below the tables. */
export const ABOUT: readonly { readonly name: string; readonly about: string }[] = [
  {
    name: 'pg-boss-loop',
    about:
      'fetches jobs from pg-boss in batches, posts their payloads with undici, unsigned, and completes them in batches; nothing else',
  },
  {
    name: 'gateway-silent',
    about: 'the gateway, but that changes of contacts have no events',
  },
];
