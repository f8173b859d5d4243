// OAuth clients in the form of oidc-provider: their metadata (RFC 7591 §2), with the hash of the secret in place of the secret. Disabled
// and expired clients are not found.
import { timingSafeEqual } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { hashOfClientSecret } from '../auth/tokens.ts';
import type { App } from '../context.ts';
import {
  type ClientMetadata,
  ensureBuiltInClient,
  findClient,
  GRAPHIQL_CLIENT_ID,
  isEnabled,
  LEGACY_MEMBER,
  legacyTermsOf,
  type OauthClient,
  registerClient,
} from '../services/sign-in/oauth-records.ts';
import { graphiqlMetadata } from './graphiql-client.ts';

/** RFC 6749 appendix A.1, without spaces. */
const CLIENT_ID = /^[\x21-\x7e]{1,200}$/;

/** Whether a text can be a `client_id`. */
export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text);
}

/** The adapter for clients: finds them, and stores those that register themselves. */
export function clientAdapter(app: App): Partial<Adapter> {
  return {
    async find(id) {
      if (!isClientId(id) || (id === GRAPHIQL_CLIENT_ID && !app.config.graphiql)) return undefined;
      const client = await findClient(app, id);
      if (client === null) return id === GRAPHIQL_CLIENT_ID ? insertGraphiql(app) : undefined;
      return isEnabled(client, app.clock()) ? toPayload(app, client) : undefined;
    },
    async upsert(id, { client_secret, client_id: _, ...metadata }) {
      await registerClient(app, {
        id,
        name: metadata.client_name ?? '',
        metadata: metadata as unknown as ClientMetadata,
        secretHash: client_secret === undefined ? null : hashOfClientSecret(client_secret),
      });
    },
  };
}

/** Whether `stored` is the hash of the secret `actual`. */
export function isSecretOf(stored: string | undefined, actual: string): boolean {
  const actualHash = hashOfClientSecret(actual);
  const right = Buffer.from(stored ?? '', 'base64url');
  return actualHash !== null && right.length === actualHash.length && timingSafeEqual(right, actualHash);
}

function toPayload(app: App, client: OauthClient): AdapterPayload {
  const { id, metadata, secretHash } = client;
  const own = id === GRAPHIQL_CLIENT_ID ? graphiqlMetadata(app.config) : (metadata as AdapterPayload);
  const secret = secretHash && Buffer.from(secretHash).toString('base64url');
  const legacy = { [LEGACY_MEMBER]: legacyTermsOf(client) ?? undefined };
  return { ...own, ...legacy, client_id: id, ...(secret !== null && { client_secret: secret }) };
}

/** Inserts the row of GraphiQL, at the first sign-in with it. */
async function insertGraphiql(app: App): Promise<AdapterPayload> {
  const metadata = graphiqlMetadata(app.config);
  await ensureBuiltInClient(app, { id: GRAPHIQL_CLIENT_ID, name: metadata.client_name, metadata });
  return { ...metadata, client_id: GRAPHIQL_CLIENT_ID };
}
