// OAuth clients as the authorization server sees them: their metadata (RFC 7591 §2), with the secret's hash in the
// secret's place. Disabled ones are not there.
import { timingSafeEqual } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { hashOfClientSecret } from '../auth/tokens.ts';
import type { App } from '../context.ts';
import { findClient, insertClient, type NewOauthClient, type OauthClient } from '../store/oauth-clients.ts';
import { GRAPHIQL_CLIENT_ID, graphiqlMetadata } from './graphiql-client.ts';

/** RFC 6749 appendix A.1, without spaces. */
const CLIENT_ID = /^[\x21-\x7e]{1,200}$/;

/** Finds clients, and keeps those that register themselves. */
export function clientAdapter(app: App): Partial<Adapter> {
  return {
    async find(id) {
      if (!CLIENT_ID.test(id)) return undefined;
      const client = await findClient(app.store, id);
      if (client === null) return id === GRAPHIQL_CLIENT_ID ? insertGraphiql(app) : undefined;
      return client.disabledAt === null ? toPayload(app, client) : undefined;
    },
    async upsert(id, { client_secret, client_id: _, ...metadata }) {
      const name = metadata.client_name?.trim() ?? '';
      await insertClient(app.store, {
        id,
        name: name === '' ? id : name,
        metadata: metadata as unknown as NewOauthClient['metadata'],
        secretHash: client_secret === undefined ? null : hashOfClientSecret(client_secret),
        ...REACH_OF_NONE,
        dynamic: true,
        createdAt: app.clock(),
      });
    },
  };
}

/** Whether `actual` is the secret whose hash stands in the secret's place. */
export function isSecretOf(stored: string | undefined, actual: string): boolean {
  const given = hashOfClientSecret(actual);
  const right = Buffer.from(stored ?? '', 'base64url');
  return given !== null && right.length === given.length && timingSafeEqual(right, given);
}

const REACH_OF_NONE = { teamId: null, workspaceIds: [], wholeTeam: true };

function toPayload(app: App, { id, metadata, secretHash }: OauthClient): AdapterPayload {
  const own = id === GRAPHIQL_CLIENT_ID ? graphiqlMetadata(app.config) : (metadata as AdapterPayload);
  const secret = secretHash && Buffer.from(secretHash).toString('base64url');
  return { ...own, client_id: id, ...(secret !== null && { client_secret: secret }) };
}

/** Grants and tokens refer to their client's row, and the operator disables that row to switch it off. */
async function insertGraphiql(app: App): Promise<AdapterPayload> {
  const metadata = graphiqlMetadata(app.config);
  const row = { id: GRAPHIQL_CLIENT_ID, name: metadata.client_name, metadata, secretHash: null };
  try {
    await insertClient(app.store, { ...row, ...REACH_OF_NONE, dynamic: false, createdAt: app.clock() });
  } catch (error) {
    // Another process was first.
    if ((await findClient(app.store, GRAPHIQL_CLIENT_ID)) === null) throw error;
  }
  return { ...metadata, client_id: GRAPHIQL_CLIENT_ID };
}
