// A client of the REST face in a workspace of its own.
import { expect } from 'vitest';
import * as factories from './factories.ts';
import type { Caller, Gateway } from './gateway.ts';
import { CHANGEABLE, digest } from './hostile.ts';
import { prismaOf } from './prisma.ts';

/** An object as REST answers it, or a problem document. */
export interface Shown {
  readonly id: number;
  readonly tags: readonly { readonly id: number; readonly name: string }[];
  readonly errors: readonly { readonly field: string }[];
  readonly [member: string]: unknown;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly tag: string;
  readonly text: string;
  /** {} without a body, and for a compressed one. */
  readonly body: Shown;
}

type Headed = Record<string, string>;

export interface RestClient {
  readonly caller: Caller;
  readonly teamId: bigint;
  readonly workspaceId: bigint;
  /** The path of the workspace's contacts. */
  readonly contacts: string;
  /** Sends a request. @param body text is sent unchanged, any other value as JSON; undefined: no body */
  send(method: string, path: string, body?: unknown, headers?: Headed): Promise<Answer>;
  /** Sends a request that must be refused, and must neither change nor record anything of the team. @returns the fields in the errors, in order */
  refused(status: number, ...request: Parameters<RestClient['send']>): Promise<string[]>;
  /** Creates a contact with members, and an address of its own unless they have one. */
  create(members?: object, headers?: Headed): Promise<Answer>;
  /** @returns the tag's id */
  tag(name: string): Promise<number>;
  /** The records of a contact: the actions of its audit entries, and the types of its events, the oldest first. */
  recordOf(contactId: number): Promise<{ actions: string[]; events: string[] }>;
}

/** Sends requests as a caller. @param body text is sent as it is, anything else as JSON; undefined: none */
export function sendingAs(gateway: Gateway, caller: Caller): RestClient['send'] {
  return async (method, path, body, headers = {}) => {
    const response = await gateway.send(path, {
      ...{ caller, method },
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = text !== '' && !response.headers.has('Content-Encoding');
    return {
      status: response.status,
      headers: response.headers,
      tag: response.headers.get('ETag') ?? '',
      text,
      body: JSON.parse(isJson ? text : '{}') as Shown,
    };
  };
}

let count = 0;

export async function createRestClient(gateway: Gateway, team?: bigint): Promise<RestClient> {
  const { app } = gateway;
  const teamId = team ?? (await factories.team(app)).id;
  const { id: workspaceId } = await factories.workspace(app, { teamId });
  const caller = await factories.apiKey(app, { teamId });
  const contacts = `/api/v2/workspaces/${workspaceId}/contacts`;
  const client: RestClient = {
    ...{ caller, teamId, workspaceId, contacts },
    send: sendingAs(gateway, caller),
    async refused(status, ...request) {
      const before = await digest(gateway, CHANGEABLE, teamId);
      const answer = await client.send(...request);
      expect([answer.status, answer.text]).toEqual([status, answer.text]);
      expect(await digest(gateway, CHANGEABLE, teamId)).toEqual(before);
      return (answer.body.errors ?? []).map(({ field }) => field);
    },
    async create(members = {}, headers = {}) {
      const contact = { email_address: `somebody-${++count}@example.com`, ...members };
      const answer = await client.send('POST', contacts, { contact }, headers);
      expect([answer.status, answer.text]).toEqual([201, answer.text]);
      return answer;
    },
    tag: async (name) => Number((await factories.tag(app, workspaceId, name)).id),
    async recordOf(contactId) {
      const where = { workspaceId, contactId: BigInt(contactId) };
      const orderBy = { id: 'asc' } as const;
      const entries = await prismaOf(app.store).auditEntry.findMany({ where, orderBy });
      const events = await prismaOf(app.store).event.findMany({ where, orderBy });
      return {
        actions: entries.map(({ action }) => action),
        events: events.map(({ eventType }) => eventType),
      };
    },
  };
  return client;
}
