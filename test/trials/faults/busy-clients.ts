// Clients that ask again as soon as they are answered, each on a connection of its own that it keeps, and write everything down. They
// stop where a new connection is refused, or when they are told to.
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { type Entry, outcomeOf } from './ledger.ts';
import type { Caller } from './load.ts';

/** How a request failed that has no answer: nobody took its connection, its fresh connection was reset, or one that was in use. */
type Failure = 'refused' | 'reset when new' | 'cut' | null;

export interface BusyEntry extends Entry {
  readonly failure: Failure;
}

interface BusyOptions {
  readonly origin: string;
  readonly callers: readonly Caller[];
  /** What the request ids begin with. */
  readonly run: string;
  /** How many keep their connections, open one for each request, and send several at once. */
  readonly keeping: number;
  readonly opening: number;
  readonly pipelining: number;
  /** The longest that a client waits before it asks again, in milliseconds. */
  readonly pauseMs?: number;
}

export interface BusyClients {
  readonly entries: readonly BusyEntry[];
  /** Resolves when all have been refused. */
  readonly ended: Promise<void>;
  /** Lets each end the request that it has sent, and waits for that. */
  stop(): Promise<void>;
}

const BATCH = 8;
const pause = (ms: number) => new Promise((done) => setTimeout(done, Math.random() * ms));

/** Starts them. */
export function startBusyClients(options: BusyOptions): BusyClients {
  const { origin, callers, run, keeping, opening, pipelining, pauseMs = 0 } = options;
  const entries: BusyEntry[] = [];
  let count = 0;
  let isOver = false;
  const next = () => `${run}-${count++}`;
  const callerOf = (index: number) => callers[index % callers.length] as Caller;

  async function askUntilRefused(caller: Caller, keepAlive: boolean): Promise<void> {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!isOver) {
      if (pauseMs > 0) await pause(pauseMs);
      const id = next();
      const entry = await ask(agent, origin, caller, id, count);
      entries.push(entry);
      if (entry.failure === 'refused') break;
    }
    agent.destroy();
  }

  async function pipelineUntilRefused(caller: Caller): Promise<void> {
    for (let isOpen = true; isOpen && !isOver; )
      isOpen = await pipeline(origin, caller, next, entries, () => isOver);
  }

  const clients = [
    ...Array.from({ length: keeping }, (_, index) => askUntilRefused(callerOf(index), true)),
    ...Array.from({ length: opening }, (_, index) => askUntilRefused(callerOf(index), false)),
    ...Array.from({ length: pipelining }, (_, index) => pipelineUntilRefused(callerOf(index))),
  ];
  const ended = Promise.all(clients).then(() => {});
  return {
    entries,
    ended,
    stop() {
      isOver = true;
      return ended;
    },
  };
}

const KINDS = ['rest create', 'graphql create', 'rest list', 'graphql list'] as const;

async function ask(
  agent: Agent,
  origin: string,
  caller: Caller,
  requestId: string,
  turn: number,
): Promise<BusyEntry> {
  const kind = KINDS[turn % KINDS.length] as (typeof KINDS)[number];
  const { path, body } = messageOf(kind, caller, requestId);
  const sentAt = performance.now();
  const { status, text, failure } = await new Promise<{ status: number; text: string; failure: Failure }>(
    (resolve) => {
      const headers = {
        ...{ Authorization: caller.authorization, 'X-Request-Id': requestId },
        ...{ 'Idempotency-Key': requestId, 'Content-Type': 'application/json' },
      };
      const method = body === undefined ? 'GET' : 'POST';
      const failed = (error: NodeJS.ErrnoException) => {
        const isNew = !sent.reusedSocket;
        const failure = error.code === 'ECONNREFUSED' ? 'refused' : isNew ? 'reset when new' : 'cut';
        resolve({ status: 0, text: error.message, failure });
      };
      const sent = request(origin + path, { method, agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, failure: null }));
        response.on('error', (error) => resolve({ status: 0, text: error.message, failure: 'cut' }));
      });
      sent.on('error', failed);
      sent.end(body);
    },
  );
  const action = kind.endsWith('create') ? 'contact.created' : null;
  const isMade = action !== null && outcomeOf({ status, text }) === 'made';
  const createdId = isMade ? (/"(?:id|databaseId)":"?(\d+)/.exec(text)?.[1] ?? null) : null;
  const face = kind.startsWith('rest') ? 'rest' : 'graphql';
  const ms = performance.now() - sentAt;
  return {
    ...{ requestId, caller: caller.name, face, action, sentAt, ms, status },
    ...{ text: text.slice(0, 500), createdId, failure },
  };
}

function messageOf(kind: (typeof KINDS)[number], { workspaceId, workspaceRef }: Caller, id: string) {
  const list = `/api/v2/workspaces/${workspaceId}/contacts`;
  if (kind === 'rest list') return { path: list };
  const email = `${id}@example.com`;
  if (kind === 'rest create')
    return { path: list, body: JSON.stringify({ contact: { email_address: email } }) };
  const query =
    kind === 'graphql list'
      ? 'query ($id: ID!) { node(id: $id) { ... on Workspace { contacts(first: 20) { nodes { databaseId } } } } }'
      : 'mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { databaseId } } }';
  const input = { workspaceId: workspaceRef, emailAddress: email, idempotencyKey: id };
  const variables = kind === 'graphql list' ? { id: workspaceRef } : { input };
  return { path: '/graphql', body: JSON.stringify({ query, variables }) };
}

/** Sends several reads at once again and again on one connection, until it is told that it ends. @returns false once it is refused */
async function pipeline(
  origin: string,
  caller: Caller,
  next: () => string,
  entries: BusyEntry[],
  isOver: () => boolean,
): Promise<boolean> {
  const { port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  const lines = [
    `GET /api/v2/workspaces/${caller.workspaceId}/contacts?per_page=5 HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${caller.authorization}`,
  ];
  let received = '';
  let batches = 0;
  let ended: NodeJS.ErrnoException | true | null = null;
  let wake = () => {};
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    wake();
  });
  const end = (error?: NodeJS.ErrnoException) => {
    ended ??= error ?? true;
    wake();
  };
  socket.on('error', end).on('close', () => end());
  for (;;) {
    received = '';
    const ids = Array.from({ length: BATCH }, next);
    const sentAt = performance.now();
    socket.write(ids.map((id) => `${[...lines, `X-Request-Id: ${id}`].join('\r\n')}\r\n\r\n`).join(''));
    while (ended === null && statusesOf(received).length < BATCH)
      await new Promise<void>((done) => {
        wake = done;
      });
    const isRefused =
      (ended as NodeJS.ErrnoException | true | null) !== true &&
      (ended as NodeJS.ErrnoException | null)?.code === 'ECONNREFUSED';
    const statuses = statusesOf(received);
    const saidClose = /\r\nConnection: close\r\n/i.test(received);
    for (const [index, requestId] of (isRefused ? ids.slice(0, 1) : ids).entries()) {
      const status = statuses[index] ?? 0;
      const failure = status > 0 ? null : isRefused ? 'refused' : batches === 0 ? 'reset when new' : 'cut';
      entries.push({
        ...{ requestId, caller: caller.name, face: 'rest', action: null, sentAt, failure },
        ...{ ms: performance.now() - sentAt, status },
        ...{ text: '', createdId: null },
      });
    }
    batches++;
    if (isRefused) return false;
    if (ended !== null || saidClose || isOver()) {
      socket.destroy();
      return true;
    }
  }
}

/** The statuses of the answers that have arrived whole: those of lists have a length. */
function statusesOf(text: string): number[] {
  const statuses: number[] = [];
  for (let at = 0; ; ) {
    const body = text.indexOf('\r\n\r\n', at);
    if (body < 0) return statuses;
    const head = text.slice(at, body);
    at = body + 4 + Number(/^Content-Length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (at > text.length) return statuses;
    statuses.push(Number(head.slice(9, 12)));
  }
}
