// GraphQL values for any input type of schema.graphql, valid and invalid, as GraphQL text and as JSON.
import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql';
import type { Tenant } from '../operations.ts';
import type { Random } from './random.ts';
import { JSON_VALUES, TEXTS } from './values.ts';

/** A value in both notations. */
export interface Value {
  readonly inline: string;
  readonly json: string;
}

/** The ids of a tenant by the name of their argument, and their types. */
export function globalIds(tenant: Tenant): Readonly<Record<string, string>> {
  const id = (type: string, { id }: { readonly id: bigint }) => btoa(`${type}:${id}`);
  return {
    workspaceId: id('Workspace', tenant.workspace),
    contactId: id('Contact', tenant.contact),
    tagId: id('ContactTag', random50(tenant)),
    tagIds: id('ContactTag', tenant.tag),
    funnelId: id('Funnel', tenant.funnel),
    funnelIds: id('Funnel', tenant.funnel),
    splitId: id('ConditionalSplit', tenant.split),
    conditionalSplitId: id('ConditionalSplit', tenant.split),
    webhookEndpointId: id('WebhookEndpoint', tenant.webhookEndpoint),
    webhookDeliveryId: id('WebhookDelivery', tenant.pendingDelivery),
    teamId: id('Team', tenant.team),
    apiKeyId: id('ApiKey', { id: 4_611_686_018_427_387_904n }),
    oauthClientId: id('TeamOauthClient', { id: 4_611_686_018_427_387_904n }),
    oauthGrantId: id('OauthGrant', { id: 4_611_686_018_427_387_904n }),
    id: id('Contact', tenant.contact),
    ids: id('Workspace', tenant.workspace),
  };
}

/** The tag on the contact can be removed from it; the other one can be applied to it. */
function random50(tenant: Tenant): { readonly id: bigint } {
  return tenant.contact.id % 2n === 0n ? tenant.tag : { id: tenant.appliedTag.tagId };
}

/** GraphQL texts for a value that are not JSON, and that no type allows. */
const INLINE_ONLY = [
  'UNKNOWN',
  '$unknown',
  '"""block\n"""',
  '"\\u{110000}"',
  '"\\uD800"',
  '[1 2',
  '{a:1 a:2}',
  '{a b}',
  '-',
  '0x1',
  '1_0',
  '"a',
  '@a',
  '...',
];

/** @param share how many values in a hundred are hostile */
export function valueFor(
  name: string,
  type: GraphQLInputType,
  ids: Readonly<Record<string, string>>,
  random: Random,
  share: number,
): Value {
  if (random.percent(share)) return hostile(random);
  const nullable = getNullableType(type);
  if (nullable === type && random.percent(5)) return { inline: 'null', json: 'null' };
  if (isListType(nullable)) {
    const items = Array.from({ length: random.int(3) }, () =>
      valueFor(name, nullable.ofType, ids, random, share),
    );
    return {
      inline: `[${items.map(({ inline }) => inline).join(' ')}]`,
      json: `[${items.map(({ json }) => json).join(',')}]`,
    };
  }
  if (isInputObjectType(nullable)) {
    const members = Object.values(nullable.getFields())
      .filter((field) => isRequiredInputField(field) || random.percent(30))
      .map((field) => ({ name: field.name, value: valueFor(field.name, field.type, ids, random, share) }));
    if (random.percent(share / 4))
      members.push({
        name: random.pick(['unknown', '__proto__', 'id', 'idempotencyKey']),
        value: hostile(random),
      });
    return {
      inline: `{${members.map((member) => `${member.name}: ${member.value.inline}`).join(' ')}}`,
      json: `{${members.map((member) => `"${member.name}":${member.value.json}`).join(',')}}`,
    };
  }
  if (isEnumType(nullable)) {
    const { name: chosen } = random.pick(nullable.getValues());
    return { inline: chosen, json: JSON.stringify(chosen) };
  }
  return both(scalar(name, nullable.name, ids, random));
}

function scalar(name: string, type: string, ids: Readonly<Record<string, string>>, random: Random): unknown {
  switch (type) {
    case 'ID':
      return ids[name] ?? random.pick(Object.values(ids));
    case 'Int':
      return random.int(120);
    case 'Boolean':
      return random.percent(50);
    case 'BigInt':
      return random.int(1_000);
    case 'DateTime':
      return new Date(Date.UTC(2026, random.int(12), 1)).toISOString();
    default:
      if (name === 'emailAddress') return `person-${random.int(1_000_000)}@example.com`;
      if (name === 'color') return '#336699';
      if (name === 'url') return 'https://hooks.example.com/in';
      if (name === 'eventTypeIds') return 'contact.created';
      if (name === 'idempotencyKey') return `key-${random.int(1_000)}`;
      return `text ${random.int(1_000)}`;
  }
}

const both = (value: unknown): Value => ({ inline: JSON.stringify(value), json: JSON.stringify(value) });

function hostile(random: Random): Value {
  if (random.percent(10)) return { inline: random.pick(INLINE_ONLY), json: '"INLINE"' };
  if (random.percent(60)) return both(random.pick(TEXTS));
  const json = random.pick(JSON_VALUES);
  return { inline: json.replaceAll(/"([A-Za-z_]\w*)":/g, '$1:'), json };
}
