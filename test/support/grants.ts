// Makes grants for tests like the authorization server, with a token and a refresh token each.
import { createHash, randomUUID } from 'node:crypto';
import type { TeamRole } from '#prisma';
import type { App } from '../../src/context.ts';
import {
  completeGrant,
  findGrantByKey,
  type OauthGrant,
  saveGrant,
} from '../../src/store/accounts/oauth-grants.ts';
import * as factories from './factories.ts';
import { prismaOf } from './prisma.ts';

interface GrantOptions {
  readonly teamId: bigint;
  /** Absent: every workspace of the team. */
  readonly workspaceIds?: readonly bigint[];
  readonly scopes?: readonly string[];
  readonly role?: TeamRole;
  /** The person of the grant; absent: a new person. */
  readonly userId?: bigint;
  readonly clientId?: string;
  readonly expiresAt?: Date;
}

const HOUR_MS = 3_600_000;

/** Makes a grant of a person of the team to a client, with the client's tokens. */
export async function oauthGrant(app: App, options: GrantOptions): Promise<OauthGrant> {
  const prisma = prismaOf(app.store);
  const { teamId, role = 'admin', scopes = ['contacts:read'], workspaceIds = null } = options;
  const userId = options.userId ?? (await factories.user(app)).id;
  const clientId = options.clientId ?? (await factories.oauthClient(app)).id;
  const expiresAt = options.expiresAt ?? new Date(Date.now() + HOUR_MS);
  const member = { userId, teamId };
  await prisma.teamMember.upsert({
    where: { userId_teamId: member },
    create: { ...member, role },
    update: {},
  });
  const key = randomUUID();
  await saveGrant(app.store, { key, userId, clientId, payload: { accountId: String(userId) }, expiresAt });
  await completeGrant(app, key, { teamId, workspaceIds, scopes });
  await prisma.oauthAccessToken.create({
    data: { jti: key, kind: 'AccessToken', payload: {}, clientId, grantKey: key, expiresAt },
  });
  const idHash = createHash('sha256').update(key).digest();
  await prisma.oauthState.create({
    data: { model: 'RefreshToken', idHash, payload: {}, grantKey: key, expiresAt },
  });
  const grant = await findGrantByKey({ store: app.store, clock: () => new Date(0) }, key);
  if (grant === null) throw new Error('no grant');
  return grant;
}

/** The state of a grant's tokens: whether its access token is revoked, and the number of its refresh tokens. */
export async function tokensOf(app: App, { key }: { key: string }) {
  const token = await prismaOf(app.store).oauthAccessToken.findUniqueOrThrow({ where: { jti: key } });
  const refreshTokens = await prismaOf(app.store).oauthState.count({ where: { grantKey: key } });
  return { revoked: token.revokedAt !== null, refreshTokens };
}
