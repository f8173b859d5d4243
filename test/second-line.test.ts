// A forgotten `where` is harmless: with the condition on the owner taken out of every statement, nobody is shown or changes anything of
// another team's, or of a workspace that they are narrowed away from, over either face. Without the second line they are.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type Server } from '../src/http/server.ts';
import { NOUNS } from '../src/resources/nouns.ts';
import * as factories from './support/factories.ts';
import { type Condition, disarm, forget } from './support/forgotten-conditions.ts';
import {
  type Caller,
  createGateway,
  type Gateway,
  type RequestOptions,
  toRequest,
} from './support/gateway.ts';
import { post } from './support/graphql.ts';
import { CHANGEABLE, digest } from './support/hostile.ts';
import { sampleAt } from './support/nightly.ts';
import {
  createTenant,
  methodOf,
  OPERATIONS,
  type Operation,
  requestOf,
  sampleOperations,
  type Tenant,
  UNSAFE,
} from './support/operations.ts';
import { prismaOf } from './support/prisma.ts';
import { idsOf, mutationsIn } from './support/tenant-mutations.ts';
import { refusalOf } from './support/user-errors.ts';
import { limitedCallers } from './support/wrong-callers.ts';

const MARKERS = { ours: 'OURS-41ce', sibling: 'SIBLING-9b07', theirs: 'THEIRS-e3d8' };
/** It leads to the sibling. */
const DOMAIN = 'sibling.example.com';
const OWN_DOMAIN = 'ours.example.com';
const TEAM_SUBDOMAIN = 'second-line-team';
const SAFE = OPERATIONS.filter((operation) => methodOf(operation) === 'GET');
/** A credential for the whole team may change the team on the host of any of its workspaces. */
const changesTeam = ({ route }: Operation) => /^P.* \/api\/v2\/teams\/:id$/.test(route);
const TEAM_CHANGES = OPERATIONS.filter(changesTeam);
/** Its objects belong to nobody, or to the caller. */
const isOfNobody = ({ route }: Operation) => /event_types$|\/me$|\/api\/v2\/teams$/.test(route);

class Bed {
  readonly gateway: Gateway;
  readonly changed: Set<string>;
  readonly server: Server;
  ours!: Tenant;
  sibling!: Tenant;
  theirs!: Tenant;
  caller!: Caller;
  /** Credentials that are limited to our workspace. */
  limited!: Record<string, Caller>;

  constructor(gateway: Gateway, condition: Condition) {
    this.gateway = gateway;
    this.changed = forget(gateway, condition);
    this.server = createServer(gateway.app);
  }

  async fill(): Promise<void> {
    const { app } = this.gateway;
    this.ours = await createTenant(app, MARKERS.ours);
    this.sibling = await createTenant(app, MARKERS.sibling, this.ours.team.id);
    this.theirs = await createTenant(app, MARKERS.theirs);
    await factories.customDomain(app, this.sibling.workspace.id, DOMAIN);
    await factories.customDomain(app, this.ours.workspace.id, OWN_DOMAIN);
    await prismaOf(app.store).team.update({
      where: { id: this.ours.team.id },
      data: { subdomain: TEAM_SUBDOMAIN },
    });
    this.caller = await factories.apiKey(app, { teamId: this.ours.team.id });
    this.limited = await limitedCallers(app, this.ours);
  }

  async send(operation: Operation, tenant: Tenant, options: RequestOptions = {}) {
    const request = { ...requestOf(operation, tenant), caller: this.caller, ...options };
    // By the server itself: a row that is put together of two teams' may be of no form that openapi.json describes.
    const response = await this.server.fetch(toRequest(operation.path(tenant), request));
    return { status: response.status, text: await response.text() };
  }

  graphql(query: string, variables: object = {}, options: RequestOptions = {}) {
    return post(this.gateway, { query, variables }, { caller: this.caller, ...options });
  }
}

async function openBed(condition: Condition): Promise<Bed> {
  const bed = new Bed(await createGateway(), condition);
  await bed.fill();
  return bed;
}

function expectNothingOf(text: string, { workspace, contact }: Tenant, marker: string): void {
  for (const secret of [marker, workspace.publicId, contact.publicId]) expect(text).not.toContain(secret);
}

describe('without the owner condition in any statement', () => {
  let bed: Bed;
  let before: Record<string, unknown>;
  beforeAll(async () => {
    bed = await openBed('owner');
    before = await digest(bed.gateway);
  });
  afterAll(() => bed.gateway.close());

  // The policies of row security are one for each table: all reads.
  test.each([
    ...SAFE,
    ...sampleOperations(
      'others',
      OPERATIONS.filter((operation) => !SAFE.includes(operation)),
    ),
  ])("$route of another team's neither reads nor changes anything", async (operation) => {
    const { status, text } = await bed.send(operation, bed.theirs);
    expectNothingOf(text, bed.theirs, MARKERS.theirs);
    if (!isOfNobody(operation)) expect([403, 404, 500]).toContain(status);
  });

  test.each(
    sampleOperations(
      'narrowed',
      OPERATIONS.filter((operation) => !changesTeam(operation)),
    ),
  )('$route neither reads nor changes anything beyond a narrowing host', async (operation) => {
    const hosts = [`${bed.sibling.workspace.subdomain}.localhost`, DOMAIN];
    for (const host of sampleAt(operation.route, hosts, 2)) {
      const { text } = await bed.send(operation, bed.ours, { host });
      for (const secret of [
        `${MARKERS.ours} contact`,
        bed.ours.workspace.publicId,
        bed.ours.contact.publicId,
      ])
        expect(text).not.toContain(secret);
    }
  });

  test('a credential that is limited to a workspace changes its team on no host, over neither face', async () => {
    const { ours, sibling, theirs } = bed;
    expect(TEAM_CHANGES.map(({ route }) => route.split(' ')[0])).toEqual(['PUT', 'PATCH']);
    const hosts = [
      ...['localhost', 'api.localhost', 'app.localhost'],
      ...[ours, sibling, theirs].map(({ workspace }) => `${workspace.subdomain}.localhost`),
      ...[DOMAIN, OWN_DOMAIN, `${TEAM_SUBDOMAIN}.localhost`],
    ];
    const query = 'mutation ($input: UpdateTeamInput!) { updateTeam(input: $input) { team { name } } }';
    const input = { teamId: btoa(`Team:${ours.team.id}`), name: 'Another' };
    for (const [who, caller] of Object.entries(bed.limited)) {
      for (const host of hosts) {
        const of = `${who} on ${host}`;
        for (const operation of TEAM_CHANGES) {
          const { status, text } = await bed.send(operation, ours, { caller, host });
          const { code } = JSON.parse(text) as { code: string };
          expect([of, status, code]).toEqual([of, 403, 'insufficient_scope']);
        }
        const { data, errors } = await bed.graphql(query, { input }, { caller, host });
        expect([of, data?.['updateTeam'] ?? null, errors?.map(({ extensions }) => extensions.code)]).toEqual([
          of,
          null,
          ['INSUFFICIENT_SCOPE'],
        ]);
      }
    }
  });

  test("a credential for the whole team does not change it on another team's host", async () => {
    const host = `${bed.theirs.workspace.subdomain}.localhost`;
    for (const operation of TEAM_CHANGES) {
      for (const tenant of [bed.ours, bed.theirs])
        expect([404, 500]).toContain((await bed.send(operation, tenant, { host })).status);
    }
  });

  test('afterwards no row is changed', async () => expect(await digest(bed.gateway)).toEqual(before));

  test('no node of another team is found by its global id, of whatever type', async () => {
    const ids = Object.entries(await idsOf(bed.gateway.app, bed.theirs));
    before = await digest(bed.gateway);
    for (const [type, id] of ids) {
      const query = 'query ($id: ID!) { node(id: $id) { id ... on Contact { firstName } } }';
      const { data } = await bed.graphql(query, { id });
      expect([type, data?.['node'] ?? null]).toEqual([type, null]);
    }
    const { data } = await bed.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: ids.map(([, id]) => id),
    });
    expect(JSON.stringify(data ?? null)).not.toMatch(/"id":/);
  });

  test('no mutation changes anything of another team', async () => {
    const { app } = bed.gateway;
    const mutations = mutationsIn(bed.theirs, await idsOf(app, bed.theirs));
    expect(mutations.length).toBeGreaterThan(20);
    before = await digest(bed.gateway);
    for (const { name, query, input } of mutations) {
      const code = refusalOf(await bed.graphql(query, { input }))?.code ?? '';
      expect([name, ['NOT_FOUND', 'INTERNAL'].includes(code)]).toEqual([name, true]);
    }
    expect(await digest(bed.gateway)).toEqual(before);
  });

  test('a caller who is limited to a workspace neither sees nor ends credentials of the team', async () => {
    const { app } = bed.gateway;
    const host = `${bed.sibling.workspace.subdomain}.localhost`;
    const ids = await idsOf(app, bed.ours);
    before = await digest(bed.gateway);
    for (const { name, query, input } of mutationsIn(bed.ours, ids)) {
      // A key for the whole team may change the team here; a limited credential may not, see above.
      if (name === 'updateTeam') continue;
      expect([name, refusalOf(await bed.graphql(query, { input }, { host }))]).not.toEqual([name, null]);
    }
    expect(await digest(bed.gateway)).toEqual(before);
    for (const type of ['ApiKey', 'OauthGrant', 'TeamOauthClient']) {
      const query = 'query ($id: ID!) { node(id: $id) { id } }';
      expect((await bed.graphql(query, { id: ids[type] }, { host })).data?.['node'] ?? null).toBeNull();
    }
  });

  test('a refusal is logged with the name of the statement, and counted', async () => {
    const route = SAFE.find(({ route }) => route === 'GET /api/v2/contacts/:id') as Operation;
    const { refused } = bed.gateway.app.store.rowGuard;
    expect((await bed.send(route, bed.theirs)).status).toBe(500);
    expect(bed.gateway.app.store.rowGuard.refused).toBe(refused + 1);
    expect(bed.gateway.logLines.some((line) => line.includes('"statement":"contacts.id"'))).toBe(true);
  });
});

describe('without the condition on the parent or the row in any statement', () => {
  let bed: Bed;
  beforeAll(async () => {
    bed = await openBed('parent');
  });
  afterAll(() => bed.gateway.close());

  test.each(sampleOperations('parents', SAFE))('$route shows nothing of another team', async (operation) => {
    const { text } = await bed.send(operation, bed.ours);
    expectNothingOf(text, bed.theirs, MARKERS.theirs);
    const host = `${bed.sibling.workspace.subdomain}.localhost`;
    const narrowed = await bed.send(operation, bed.sibling, { host });
    expectNothingOf(narrowed.text, bed.ours, `${MARKERS.ours} contact`);
  });

  test('nested lists over several parents return nothing of another team', async () => {
    const lists = NOUNS.flatMap(({ parent, plural }) => (parent?.type === 'Workspace' ? (plural ?? []) : []));
    for (const list of lists) {
      const query = `{ viewer { teams { nodes { workspaces { nodes { name ${list} { nodes { id workspace { name } } } } } } } } }`;
      const { data, errors } = await bed.graphql(query);
      expect([list, JSON.stringify(data).includes(MARKERS.theirs)]).toEqual([list, false]);
      expect([list, errors?.[0]?.extensions.code]).toEqual([list, 'INTERNAL']);
    }
  });

  describe('changes of our rows', () => {
    let untouched: Record<string, unknown>;
    beforeAll(async () => {
      untouched = await digest(bed.gateway, CHANGEABLE, bed.theirs.team.id);
    });

    test.each(sampleOperations('mine', UNSAFE))('$route shows nothing of another team', async (operation) => {
      const mine = await createTenant(bed.gateway.app, 'mine', bed.ours.team.id);
      const { text } = await bed.send(operation, mine);
      expectNothingOf(text, bed.theirs, MARKERS.theirs);
    });

    test('afterwards nothing of the other team is changed', async () =>
      expect(await digest(bed.gateway, CHANGEABLE, bed.theirs.team.id)).toEqual(untouched));
  });
});

describe('without row-level security, a forgotten condition', () => {
  let bed: Bed;
  beforeAll(async () => {
    bed = await openBed('owner');
    disarm(bed.gateway);
  });
  afterAll(() => bed.gateway.close());

  test.each(
    sampleOperations(
      'disarmed',
      SAFE.filter((operation) => !isOfNobody(operation)),
      6,
    ),
  )('lets $route return rows of another team', async (operation) => {
    const { status, text } = await bed.send(operation, bed.theirs);
    expect(status).toBe(200);
    const { workspace, rows } = bed.theirs;
    const theirs = [
      `"workspace_id":${workspace.id}`,
      `"order_id":${rows['Order']?.id}`,
      `"broadcast_id":${rows['EmailBroadcast']?.id}`,
      `"enrollment_id":${rows['CourseEnrollment']?.id}`,
    ].join('\\b|');
    expect(text).toMatch(new RegExp(`${MARKERS.theirs}|${theirs}\\b|^{"branch":`));
  });

  test.each(sampleAt('bare', UNSAFE, 24))('lets $route change what is another team’s', async (operation) => {
    const tenant = await createTenant(bed.gateway.app, 'bare');
    expect((await bed.send(operation, tenant)).status).toBe(operation.success);
  });
});
