// A constant load of reads and writes over both faces, by clients that retry nothing and write everything down.
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { type Entry, outcomeOf } from './ledger.ts';

export interface Caller {
  readonly name: string;
  /** The value of the header. */
  readonly authorization: string;
  readonly workspaceId: bigint | string;
  /** The global id of the workspace. */
  readonly workspaceRef: string;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface LoadOptions {
  /** Where the next request goes to, such as http://127.0.0.1:4000. */
  readonly origin: () => string;
  /** They take turns. */
  readonly callers: readonly Caller[];
  /** All of them together; sent whether or not earlier ones are answered. */
  readonly perSecond: number;
  /** What the request ids begin with. */
  readonly run: string;
  /** What is sent, in turn; by default as many writes as reads. */
  readonly mix?: readonly Kind[];
  /** So many contacts of each caller and face are changed, several times at once; nothing is to be deleted then. */
  readonly hot?: number;
}

export interface Load {
  readonly entries: readonly Entry[];
  /** How many were not sent because too many were not answered yet. */
  readonly unsent: number;
  /** Sends no more, and waits for the answers. */
  stop(): Promise<void>;
}

type Face = Entry['face'];
export type Kind = `${Face} ${'list' | 'show' | 'create' | 'update' | 'delete'}`;

const MIX: readonly Kind[] = [
  ...(['rest create', 'rest list', 'graphql create', 'graphql list'] as const),
  ...(['rest update', 'rest show', 'graphql update', 'graphql show'] as const),
  ...(['rest create', 'rest list', 'rest delete', 'rest show'] as const),
  ...(['graphql create', 'graphql list', 'graphql delete', 'graphql show'] as const),
];
const ACTIONS = { create: 'contact.created', update: 'contact.updated', delete: 'contact.deleted' } as const;
const MAX_OUTSTANDING = 1_000;
const CLIENT_TIMEOUT_MS = 60_000;
const MAX_TEXT = 500;

const DOCUMENTS: Readonly<Record<string, string>> = {
  list: 'query ($id: ID!) { node(id: $id) { ... on Workspace { contacts(first: 20) { nodes { databaseId firstName } } } } }',
  show: 'query ($id: ID!) { node(id: $id) { ... on Contact { databaseId firstName } } }',
  create:
    'mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id databaseId } } }',
  update: 'mutation ($input: UpdateContactInput!) { updateContact(input: $input) { contact { id } } }',
  delete: 'mutation ($input: DeleteContactInput!) { deleteContact(input: $input) { deletedContactId } }',
};

/** A contact that nothing else is being done to. @property ref its id, as its face has it */
interface Known {
  readonly ref: string;
}

/** Starts to send. */
export function startLoad({ origin, callers, perSecond, run, mix = MIX, hot = 0 }: LoadOptions): Load {
  const entries: Entry[] = [];
  const underWay = new Set<Promise<void>>();
  // A connection that was used before may be closed at any time: none is used again.
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const known = new Map<string, Known[]>();
  const contacts = ({ name }: Caller, face: Face) => {
    const found = known.get(`${name} ${face}`) ?? [];
    known.set(`${name} ${face}`, found);
    return found;
  };
  /** One that nothing else is being done to; with `hot`, one of so many. */
  const chosen = (free: Known[]) => {
    if (hot === 0) return free.shift();
    return free.length < hot ? undefined : free[Math.floor(Math.random() * hot)];
  };
  let next = 0;
  let unsent = 0;

  async function sendOne(number: number): Promise<void> {
    const caller = callers[number % callers.length] as Caller;
    let kind = mix[Math.floor(number / callers.length) % mix.length] as Kind;
    const face = kind.split(' ')[0] as Face;
    const free = contacts(caller, face);
    const needsOne = !/create|list/.test(kind);
    const contact = needsOne ? chosen(free) : undefined;
    // There is none left that could be changed.
    if (needsOne && contact === undefined) kind = `${face} create`;
    const verb = kind.split(' ')[1] as keyof typeof ACTIONS | 'list' | 'show';
    const requestId = `${run}-${number}`;
    const sentAt = performance.now();
    const { status, text } = await send(agent, origin(), {
      ...requestOf(face, verb, caller, requestId, contact?.ref),
      headers: {
        Authorization: caller.authorization,
        'X-Request-Id': requestId,
        'Idempotency-Key': requestId,
      },
    });
    const action = verb in ACTIONS ? ACTIONS[verb as keyof typeof ACTIONS] : null;
    const isMade = outcomeOf({ status, text }) === 'made';
    const created = verb === 'create' && isMade ? createdOf(face, text) : null;
    const ms = performance.now() - sentAt;
    const kept = { status, text: text.slice(0, MAX_TEXT), createdId: created?.id ?? null };
    entries.push({ requestId, caller: caller.name, face, action, sentAt, ms, ...kept });
    if (created !== null) free.push({ ref: created.ref });
    // Of what was not made, or only read, there is still the contact as it was; of what is unknown nothing is.
    const isLeft = hot === 0 && verb !== 'delete' && (isMade || verb === 'show');
    if (contact !== undefined && isLeft) free.push(contact);
  }

  const startedAt = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
    for (; next < due; next++) {
      if (underWay.size >= MAX_OUTSTANDING) {
        unsent++;
        continue;
      }
      const sent = sendOne(next).finally(() => underWay.delete(sent));
      underWay.add(sent);
    }
  }, 5);
  return {
    entries,
    get unsent() {
      return unsent;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      agent.destroy();
    },
  };
}

function requestOf(face: Face, verb: string, caller: Caller, id: string, contact: string | undefined): Sent {
  const name = `${verb} ${id}`;
  const email = `${id}@example.com`;
  if (face === 'rest') {
    const list = `/api/v2/workspaces/${caller.workspaceId}/contacts`;
    const one = `/api/v2/contacts/${contact}`;
    if (verb === 'list') return { method: 'GET', path: list };
    if (verb === 'create')
      return { method: 'POST', path: list, body: { contact: { email_address: email, first_name: name } } };
    if (verb === 'update') return { method: 'PATCH', path: one, body: { contact: { first_name: name } } };
    return { method: verb === 'delete' ? 'DELETE' : 'GET', path: one };
  }
  const input: Record<string, unknown> = { idempotencyKey: id };
  if (verb === 'create') Object.assign(input, { workspaceId: caller.workspaceRef, emailAddress: email });
  else input['contactId'] = contact;
  if (verb !== 'delete') input['firstName'] = name;
  const variables = /create|update|delete/.test(verb)
    ? { input }
    : { id: verb === 'list' ? caller.workspaceRef : contact };
  return { method: 'POST', path: '/graphql', body: { query: DOCUMENTS[verb], variables } };
}

function createdOf(face: Face, text: string): { id: string; ref: string } {
  const answer = JSON.parse(text);
  if (face === 'rest') return { id: String(answer.id), ref: String(answer.id) };
  const { id, databaseId } = answer.data.createContact.contact;
  return { id: String(databaseId), ref: id };
}

/** Sends one request. @returns status 0 where the connection ended before the answer did */
function send(
  agent: Agent,
  origin: string,
  { method, path, body, headers = {} }: Sent & { headers?: Record<string, string> },
): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ status: 0, text: error.message });
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const sent = request(origin + path, { method, agent, headers: { ...headers, ...type } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
      response.on('error', failed);
    });
    sent.setTimeout(CLIENT_TIMEOUT_MS, () => sent.destroy(new Error('no answer')));
    sent.on('error', failed);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
