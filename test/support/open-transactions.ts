// A test's own sessions on the store: what they do in transactions that stay open, and what lists return meanwhile.
import pg from 'pg';
import { expect } from 'vitest';
import type { Gateway } from './gateway.ts';
import { idsOf } from './walk.ts';

export interface Sessions {
  /** Opens a session. */
  connect(): Promise<pg.Client>;
  endAll(): Promise<void>;
}

/** @param gateway returns the gateway whose store is used, at each call */
export function createSessions(gateway: () => Gateway): Sessions {
  const clients: pg.Client[] = [];
  return {
    async connect() {
      const client = new pg.Client(gateway().app.store.connection);
      clients.push(client);
      await client.connect();
      return client;
    },
    async endAll() {
      await Promise.all(clients.splice(0).map((client) => client.end()));
    },
  };
}

/** The owner of the contacts, and the caller who reads them. */
interface Owner {
  readonly gateway: Gateway;
  readonly caller: { authorization: string };
  readonly workspaceId: bigint;
}

export interface Contacts {
  /** Adds a contact. @returns its id */
  insert(client: pg.Client, workspaceId?: bigint): Promise<bigint>;
  /** Opens a transaction that has taken an id and stays open. */
  begin(workspaceId?: bigint): Promise<{ id: bigint; client: pg.Client }>;
  /** The ids on a page over REST. */
  list(parameters?: string, workspaceId?: bigint): Promise<bigint[]>;
}

/** @param owner of the contacts if a call has no workspace */
export function contactsOf({ connect }: Sessions, owner: () => Owner): Contacts {
  async function insert(client: pg.Client, workspaceId = owner().workspaceId): Promise<bigint> {
    const { rows } = await client.query('insert into contacts (workspace_id) values ($1) returning id', [
      workspaceId,
    ]);
    return BigInt(rows[0].id);
  }
  return {
    insert,
    async begin(workspaceId) {
      const client = await connect();
      await client.query('begin');
      return { id: await insert(client, workspaceId), client };
    },
    async list(parameters = '', workspaceId = owner().workspaceId) {
      const { gateway, caller } = owner();
      const response = await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts?${parameters}`, {
        caller,
      });
      expect(response.status).toBe(200);
      return idsOf(response);
    },
  };
}
