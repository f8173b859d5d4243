// The mutations as data: the change of REST that corresponds to each, and its input in a tenant.
import { type Moment, writableFields } from '../../src/resources/description/inputs.ts';
import { ownNameOf, pluralOf, toSnakeCase, uncapitalize } from '../../src/resources/description/names.ts';
import { NOUNS, type Noun } from '../../src/resources/nouns.ts';
import { inputOf } from './graphql-input.ts';
import { givenOf, graphqlNameOfType, inGraphql } from './nouns.ts';
import { referredTo, reorderedIds, sampleOperations, type Tenant, UNSAFE } from './operations.ts';

/** The global id of an object. */
const globalId = (type: string, id: bigint) => btoa(`${type}:${id}`);
export const contactId = ({ contact }: Tenant) => globalId('Contact', contact.id);
const workspaceId = ({ workspace }: Tenant) => globalId('Workspace', workspace.id);

/** A mutation, and its input in a tenant. */
export type Mutation = readonly [field: string, input: (tenant: Tenant) => object];
const removeSplit: Mutation = [
  'removeConditionalSplit',
  ({ split }) => ({ conditionalSplitId: globalId('ConditionalSplit', split.id) }),
];
const inFunnel = ({ funnel }: Tenant) => ({ funnelId: globalId('Funnel', funnel.id) });
const testId = ({ splitTest }: Tenant) => ({ splitTestId: globalId('SplitTest', splitTest.id) });
const SPLITS = '/api/v2/funnels/:funnel_id/conditional_split_steps';
const TESTS = '/api/v2/funnels/:funnel_id/split_test_steps';
const endpointId = ({ webhookEndpoint }: Tenant) => globalId('WebhookEndpoint', webhookEndpoint.id);
const ENDPOINT = '/api/v2/webhooks/outgoing/endpoints/:id';
const DELIVERY = '/api/v2/webhooks/outgoing/deliveries/:id';

/** The mutations that the description of a noun lists. */
function changesOf(noun: Noun): [route: string, Mutation][] {
  const { type, graphql, parent, path, members = path, verbs = [], actions = {} } = noun;
  if (parent === undefined || path === undefined || graphql === false) return [];
  const above = `/api/v2/${parent.members ?? parent.path}/:${ownNameOf(parent)}_id/${path}`;
  const member = `/api/v2/${members}/:id`;
  const name = graphqlNameOfType(type);
  const idOf = ({ rows }: Tenant, of: string) => globalId(graphqlNameOfType(of), rows[of]?.id ?? 0n);
  const idField = (of: string) => `${uncapitalize(graphqlNameOfType(of))}Id`;
  const given = (tenant: Tenant, moment: Moment, text: string) =>
    inGraphql(
      writableFields(noun, moment),
      givenOf(noun, moment, text, (of) =>
        globalId(graphqlNameOfType(of), referredTo(tenant, noun, moment, of)?.id ?? 0n),
      ),
    );
  const itself = (t: Tenant) => ({ [idField(type)]: idOf(t, type) });
  const acts = Object.keys(actions).map((action): [string, Mutation] => [
    `POST ${member}/${toSnakeCase(action)}`,
    [`${action}${name}`, itself],
  ]);
  const changes = verbs.flatMap((verb): [string, Mutation][] => {
    if (verb === 'create')
      return [
        [
          `POST ${above}`,
          [
            `create${name}`,
            (t) =>
              inputOf(`create${name}`, {
                [idField(parent.type)]: idOf(t, parent.type),
                ...given(t, 'creation', 'New'),
              }),
          ],
        ],
      ];
    if (verb === 'reorder') {
      const order = (t: Tenant) => ({
        [idField(parent.type)]: idOf(t, parent.type),
        idsInOrder: reorderedIds(t, type).map((id) => globalId(name, id)),
      });
      return [[`POST ${above}/reorder`, [`reorder${pluralOf(name)}`, order]]];
    }
    if (verb === 'archive')
      return ['archive', 'unarchive'].map((way) => [`POST ${member}/${way}`, [`${way}${name}`, itself]]);
    if (verb === 'remove') {
      const spare = (t: Tenant) => ({
        [idField(type)]: globalId(name, (t.rows[type]?.spare ?? t.rows[type])?.id ?? 0n),
      });
      return [[`DELETE ${member}`, [`delete${name}`, spare]]];
    }
    const update: Mutation = [
      `update${name}`,
      (t) => inputOf(`update${name}`, { ...itself(t), ...given(t, 'change', 'Other') }),
    ];
    return [
      [`PUT ${member}`, update],
      [`PATCH ${member}`, update],
    ];
  });
  return [...acts, ...changes];
}

const apiKeyId = ({ rows }: Tenant) => ({ apiKeyId: globalId('ApiKey', rows['ApiKey']?.id ?? 0n) });
const oauthClientId = ({ rows }: Tenant) => ({
  oauthClientId: globalId('TeamOauthClient', rows['TeamOauthClient']?.id ?? 0n),
});

/** The mutation for each change of REST. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(NOUNS.flatMap(changesOf)),
  'POST /api/v2/workspaces/:workspace_id/contacts/upsert': [
    'upsertContact',
    (t) => ({ workspaceId: workspaceId(t), emailAddress: 'new@example.com' }),
  ],
  ...Object.fromEntries(
    ['PUT', 'PATCH'].map((method) => [
      `${method} /api/v2/workspaces/:workspace_id/site`,
      ['updateSite', ({ rows }) => ({ siteId: globalId('Site', rows['Site']?.id ?? 0n), name: 'Other' })],
    ]),
  ),
  ...Object.fromEntries(
    ['PUT', 'PATCH'].map((method) => [
      `${method} /api/v2/workspaces/:workspace_id/emails/settings`,
      [
        'updateEmailSettings',
        ({ rows }) => ({
          emailSettingsId: globalId('EmailSettings', rows['EmailSettings']?.id ?? 0n),
          systemEmailsFromAddressId: globalId('EmailAddress', rows['EmailAddress']?.spare?.id ?? 0n),
        }),
      ],
    ]),
  ),
  'POST /api/v2/appointments/scheduled_events/:id/reschedule': [
    'rescheduleAppointment',
    ({ rows }) => ({
      appointmentId: globalId('Appointment', rows['Appointment']?.id ?? 0n),
      startsAt: '2026-02-01T09:00:00Z',
    }),
  ],
  ...Object.fromEntries(
    ['PUT', 'PATCH'].map((method) => [
      `${method} /api/v2/teams/:id`,
      ['updateTeam', ({ team }) => ({ teamId: globalId('Team', team.id), name: 'Other' })],
    ]),
  ),
  'POST /api/v2/teams/:team_id/api_keys': [
    'createApiKey',
    ({ team }) => ({ teamId: globalId('Team', team.id), name: 'New', scopes: ['account:write'] }),
  ],
  ...Object.fromEntries(
    ['PUT', 'PATCH'].map((method) => [
      `${method} /api/v2/api_keys/:id`,
      ['updateApiKey', (t) => ({ ...apiKeyId(t), name: 'Other' })],
    ]),
  ),
  'DELETE /api/v2/api_keys/:id': ['revokeApiKey', apiKeyId],
  'POST /api/v2/teams/:team_id/oauth_clients': [
    'createOauthClient',
    ({ team }) => ({
      ...{ teamId: globalId('Team', team.id), name: 'New', scopes: ['account:write'] },
      grantTypes: ['client_credentials'],
    }),
  ],
  ...Object.fromEntries(
    ['PUT', 'PATCH'].map((method) => [
      `${method} /api/v2/oauth_clients/:id`,
      ['updateOauthClient', (t) => ({ ...oauthClientId(t), name: 'Other' })],
    ]),
  ),
  'DELETE /api/v2/oauth_clients/:id': ['revokeOauthClient', oauthClientId],
  'DELETE /api/v2/oauth_grants/:id': [
    'revokeOauthGrant',
    ({ rows }) => ({ oauthGrantId: globalId('OauthGrant', rows['OauthGrant']?.id ?? 0n) }),
  ],
  'POST /api/v2/workspaces/:workspace_id/pages/external': [
    'createPage',
    (t) => ({ workspaceId: workspaceId(t), name: 'New', externalUrl: 'https://shop.example/new' }),
  ],
  'POST /api/v2/workspaces/:workspace_id/pages/custom_html': [
    'createPage',
    (t) => ({ workspaceId: workspaceId(t), name: 'New', markup: '<h1>New</h1>' }),
  ],
  'DELETE /api/v2/pages/:id/products': [
    'removePageProducts',
    ({ rows }) => ({
      pageId: globalId('Page', rows['Page']?.id ?? 0n),
      productIds: [globalId('Product', rows['Product']?.id ?? 0n)],
    }),
  ],
  'DELETE /api/v2/contacts/:id/gdpr_destroy': ['eraseContact', (t) => ({ contactId: contactId(t) })],
  [`POST ${ENDPOINT}/rotate_secret`]: [
    'rotateWebhookEndpointSecret',
    (t) => ({ webhookEndpointId: endpointId(t) }),
  ],
  [`POST ${ENDPOINT}/redeliver`]: [
    'redeliverFailedWebhookDeliveries',
    (t) => ({ webhookEndpointId: endpointId(t), since: '2026-01-01T00:00:00Z' }),
  ],
  [`POST ${ENDPOINT}/test`]: ['testWebhookEndpoint', (t) => ({ webhookEndpointId: endpointId(t) })],
  [`POST ${DELIVERY}/redeliver`]: [
    'redeliverWebhookDelivery',
    ({ webhookDelivery }) => ({ webhookDeliveryId: globalId('WebhookDelivery', webhookDelivery.id) }),
  ],
  [`POST ${DELIVERY}/cancel`]: [
    'cancelWebhookDelivery',
    ({ pendingDelivery }) => ({ webhookDeliveryId: globalId('WebhookDelivery', pendingDelivery.id) }),
  ],
  'POST /api/v2/pages/:id/visits': [
    'recordVisits',
    ({ page }) => ({
      pageId: globalId('Page', page.id),
      visits: [{ uuid: '0b9f2a38-6ad6-4a70-8cd9-0e1f3a5f5d10', visitorId: 'somebody' }],
    }),
  ],
  'POST /api/v2/orders/line_items/:line_item_id/changes/perform': [
    'performLineItemChange',
    (t) => ({
      orderLineItemId: globalId('OrderLineItem', t.rows['OrderLineItem']?.id ?? 0n),
      priceId: globalId('ProductPrice', t.rows['Price']?.next?.id ?? 0n),
    }),
  ],
  [`POST ${SPLITS}`]: ['createConditionalSplit', inFunnel],
  [`PATCH ${SPLITS}/:id`]: [
    'updateConditionalSplit',
    (t) => ({
      conditionalSplitId: globalId('ConditionalSplit', t.split.id),
      matched: { firstPageId: globalId('Page', t.freePage.id) },
    }),
  ],
  [`DELETE ${SPLITS}/:id`]: removeSplit,
  [`POST ${TESTS}`]: [
    'createSplitTest',
    (t) => ({
      ...inFunnel(t),
      leftPageId: globalId('Page', t.page.id),
      rightPageId: globalId('Page', t.freePage.id),
    }),
  ],
  [`PATCH ${TESTS}/:id`]: ['updateSplitTest', (t) => ({ ...testId(t), leftWeight: 90 })],
  [`DELETE ${TESTS}/:id`]: ['removeSplitTest', testId],
  'DELETE /funnels/:funnel_id/conditional_split_steps/:id': removeSplit,
};

/** The mutations that the suite tries at one place: those of REST's operations there (`sampleOperations`), and all of GraphQL alone. */
export function sampleMutations<T>(
  place: string,
  all: readonly T[],
  nameOf: (one: T) => string,
  ofOwn = 1,
): readonly T[] {
  const namesOf = (operations: readonly { readonly route: string }[]) =>
    new Set(operations.map(({ route }) => MUTATIONS[route]?.[0]));
  const [tried, known] = [namesOf(sampleOperations(place, UNSAFE, ofOwn)), namesOf(UNSAFE)];
  return all.filter((one) => tried.has(nameOf(one)) || !known.has(nameOf(one)));
}
