// The public GraphQL contract: what is committed is what is served, and it reads as a manual.
import { readFile } from 'node:fs/promises';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  Kind,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { fieldOptions, scopeOf, typeOptions } from '../src/graphql/field-options.ts';
import { printWithScopes } from '../src/graphql/print.ts';
import { schema } from '../src/graphql/schema.ts';
import { graphqlTypeNameOf, uncapitalize } from '../src/resources/description/names.ts';
import { childLists } from '../src/resources/description/resource.ts';
import { NOUNS } from '../src/resources/nouns.ts';
import { listedUser } from '../src/resources/users.ts';
import { IDS_OF_OTHER_SYSTEMS } from './docs/schema-counts.ts';
import { RESOURCES } from './support/resources.ts';

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
const objects = types.filter((type) => isObjectType(type) || isInterfaceType(type));
const fields = objects.flatMap((type) =>
  Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, type, field] as const),
);

test('schema.graphql equals the schema of the code; if not, run npm run codegen', async () => {
  expect(await readFile('schema.graphql', 'utf8')).toBe(printWithScopes(schema));
});

test.each(['README.md', 'docs/browser-app.md'])(
  'what %s configures for typed documents has a type for every scalar',
  async (guide) => {
    const [, configured = ''] = /scalars: \{ (.*) \}/.exec(await readFile(guide, 'utf8')) ?? [];
    const scalars = ['ID', ...types.filter((type) => isScalarType(type)).map(({ name }) => name)];
    expect(configured.split(', ').map((one) => one.split(':')[0])).toEqual(scalars.sort());
  },
);

/** What belongs to the caller, to no workspace, or to the answer of a change. */
const NOT_BELOW_WORKSPACE = ['Mutation', 'Query', 'TeamConnection', 'TeamEdge', 'UserError', 'Viewer'];

test('every type of objects is reachable from a workspace; access-matrix.test.ts reads each by node(id:)', () => {
  const reached = new Set<GraphQLNamedType>();
  const next: (GraphQLNamedType | undefined)[] = [schema.getType('Workspace')];
  for (let type = next.pop(); type !== undefined; type = next.pop()) {
    if (reached.has(type)) continue;
    reached.add(type);
    if (isObjectType(type) || isInterfaceType(type))
      next.push(...Object.values(type.getFields()).map((field) => getNamedType(field.type)));
    // `Node` is every object.
    if (isUnionType(type) || (isInterfaceType(type) && type.name !== 'Node'))
      next.push(...schema.getPossibleTypes(type));
  }
  const others = types
    .filter((type) => isObjectType(type) && !type.name.endsWith('Payload') && !reached.has(type))
    .map(({ name }) => name);
  // The types of events are the same for everybody.
  expect(others.sort()).toEqual([...NOT_BELOW_WORKSPACE, 'WebhookEventType']);
});

test('every element has a description that is a sentence', () => {
  const undescribed = elements()
    .filter(
      ([, { description = '' }]) =>
        !/^["A-Z`].{8,}[.`]$/s.test(description ?? '') || /^The (the|its) /.test(description ?? ''),
    )
    .map(([name]) => name);
  expect(undescribed).toEqual([]);
});

test('no description names a field as REST does, or ends before it has said its default', () => {
  /** The parameter of OAuth, and its grant types. */
  const OF_A_STANDARD = ['`client_id`', '`authorization_code`', '`client_credentials`', '`refresh_token`'];
  const wrong = elements().filter(([, { description }]) => {
    const quoted = description?.match(/`[a-z0-9]+(_[a-z0-9]+)+`/g) ?? [];
    return quoted.some((name) => !OF_A_STANDARD.includes(name)) || /By default *\./.test(description ?? '');
  });
  expect(wrong.map(([name]) => name)).toEqual([]);
});

test('what an enum says is more than the name of the field that has its values', () => {
  const wrong = types
    .filter(isEnumType)
    .filter(({ description }) => /possible values/.test(description ?? ''));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

function elements(): [string, { readonly description?: string | null | undefined }][] {
  return [
    ...types.map((type): [string, GraphQLNamedType] => [type.name, type]),
    ...types
      .filter(isEnumType)
      .flatMap((type) =>
        type.getValues().map((value): [string, typeof value] => [`${type.name}.${value.name}`, value]),
      ),
    ...types
      .filter(isInputObjectType)
      .flatMap((type) =>
        Object.values(type.getFields()).map((field): [string, typeof field] => [
          `${type.name}.${field.name}`,
          field,
        ]),
      ),
    ...fields.map(([name, , field]): [string, GraphQLField<unknown, unknown>] => [name, field]),
    ...fields.flatMap(([name, , field]) =>
      field.args.map((arg): [string, GraphQLArgument] => [`${name}(${arg.name})`, arg]),
    ),
  ];
}

describe('names', () => {
  const inputFields = types
    .filter((type) => isInputObjectType(type))
    .flatMap((type) =>
      Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const),
    );
  const args = fields.flatMap(([name, , field]) =>
    field.args.map((arg) => [`${name}(${arg.name})`, arg] as const),
  );
  const named = [...fields.map(([name, , field]) => [name, field] as const), ...inputFields, ...args];

  test('of booleans are questions: they begin with is or has', () => {
    /** Inputs that tell what to do, rather than how the object is. */
    const ORDERS = ['delete', 'dryRun', 'prorate', 'sendMissed'];
    const wrong = named
      .filter(([, { type }]) => getNamedType(type).name === 'Boolean')
      .filter(([, { name }]) => !/^(is|has)[A-Z]/.test(name) && !ORDERS.includes(name))
      .filter(([, { name }]) => name !== 'totalCountIsExact');
    expect(wrong.map(([name]) => name)).toEqual([]);
    const statements = fields.filter(([, , { name }]) => ORDERS.includes(name));
    expect(statements.map(([name]) => name)).toEqual([]);
  });

  test('have neither the suffix of Rails nor the plural of a namespace', () => {
    const ofRails =
      /(?<!custom)Attributes|^(products|invoices|orders|fulfillments|properties|rates|contacts)[A-Z]/;
    const wrong = named.filter(([, { name }]) => ofRails.test(name)).map(([name]) => name);
    expect(wrong).toEqual([]);
  });

  test('have one word for one thing', () => {
    const wrong = named.filter(([, { name }]) =>
      /^(email|\w+Email|fbUrl|pageviews|timerange\w*)$/.test(name),
    );
    expect(wrong.map(([name]) => name)).toEqual([]);
    const values = types.filter(isEnumType).flatMap((type) => type.getValues());
    expect(values.filter(({ name }) => name === 'CANCELLED')).toEqual([]);
  });

  test('are none of fields without values, and of inputs without effect', () => {
    const empty = /[Aa]lways (null|empty|`external`|`restocked`)|without effect/;
    expect(elements().filter(([, { description }]) => empty.test(description ?? ''))).toEqual([]);
  });
});

/** Payloads name what is gone. */
const IDS_OF_GONE = /Payload\.(deleted|removed|revoked)\w+Id$/;

/** Of what may be gone: the global id of the object beside it. */
const IDS_OF_SUBJECTS = ['AuditEntry.subjectId', 'WebhookEvent.subjectId'];

test('an output has other objects themselves, and not their ids', () => {
  const ids = fields.filter(
    ([, , { name, type }]) =>
      !['databaseId', 'publicId'].includes(name) &&
      (/[a-z]Ids?$/.test(name) || getNamedType(type).name === 'BigInt'),
  );
  const unexpected = ids.filter(
    ([path, , { name }]) => !IDS_OF_OTHER_SYSTEMS.includes(name) && !IDS_OF_GONE.test(path),
  );
  expect(unexpected.map(([path, , { type }]) => [path, String(type)])).toEqual(
    IDS_OF_SUBJECTS.map((path) => [path, 'ID!']),
  );
});

/** Money itself, and what a filter compares with amounts of any currency. */
const BARE = ['Money', 'FilterCriterionValue'];

test('an amount is Money, with its currency in it and not beside it', () => {
  const isMoney = (type: GraphQLOutputType) => getNamedType(type).name === 'Money';
  const withAmounts = new Set(fields.filter(([, , { type }]) => isMoney(type)).map(([, of]) => of));
  const beside = fields.filter(([, of, { name }]) => withAmounts.has(of) && /currency/i.test(name));
  expect(beside.map(([path]) => path)).toEqual([]);
  const bare = fields.filter(
    ([, { name: of }, { name, type }]) =>
      /[aA]mount$|[pP]rice$/.test(name) && !BARE.includes(of) && isScalarType(getNamedType(type)),
  );
  expect(bare.map(([path]) => path)).toEqual([]);
});

/** Lists of objects that are no connections: of few members, or read whole by their nature. */
const WHOLE_LISTS = [
  'AddTagsPayload.taggables',
  'BlogPost.authors',
  'BlogPost.categories',
  'BlogPost.tags',
  'Collection.tags',
  'ConditionalSplit.matched',
  'ConditionalSplit.unmatched',
  'Contact.customAttributes',
  'EmailBroadcast.topics',
  'FormSubmissionAnswer.options',
  'Funnel.pages',
  'Funnel.pagesFor',
  'Funnel.steps',
  'FunnelStats.series',
  'FunnelStats.averageSale',
  'FunnelStats.earningsPerView',
  'FunnelStats.recurringSales',
  'FunnelStats.sales',
  'FunnelStats.steps',
  'StepStats.earningsPerUniqueView',
  'StepStats.earningsPerView',
  'StepStats.recurringSales',
  'StepStats.sales',
  'StepStats.series',
  'Stats.recurringSales',
  'Stats.sales',
  'DayStats.recurringSales',
  'DayStats.sales',
  'OauthGrant.workspaces',
  'TeamOauthClient.workspaces',
  'Page.bumps',
  'Page.products',
  'Product.courses',
  'Product.images',
  'PriceChangeOptions.downgrade',
  'PriceChangeOptions.upgrade',
  'Query.nodes',
  'Query.webhookEventTypes',
  'SavedFilter.criteria',
  'RemoveConditionalSplitPayload.discardedPages',
  'RemoveConditionalSplitPayload.promotedPages',
  'RemoveSplitTestPayload.discardedPages',
  'RemoveSplitTestPayload.promotedPages',
  'RemoveTagsPayload.taggables',
  'Restock.lineItems',
  'Theme.styles',
  'ReorderStepsPayload.steps',
  'SplitRemovalPreview.discardedPages',
  'SplitRemovalPreview.promotedPages',
  'SplitTest.arms',
  'SplitTestArm.steps',
  'ProductVariant.fulfillmentLocations',
  'ProductVariant.images',
  'ProductVariant.propertyValues',
  'WebhookDelivery.attempts',
  // At most the first 100 of a team, and one of a user.
  'Team.memberships',
  'User.memberships',
];

/** Lists of children that are written with their parent: there are few. */
const OF_CHILDREN = NOUNS.flatMap((noun) =>
  childLists(noun)
    .filter(([, { graphql }]) => graphql !== 'input')
    .map(([property]) => `${graphqlTypeNameOf(noun)}.${property}`),
);

describe('lists', () => {
  test('of objects are connections, except for justified ones', () => {
    const lists = fields
      .filter(([, type, field]) => isList(field.type) && !type.name.endsWith('Connection'))
      .filter(([, , field]) => isCompositeType(getNamedType(field.type)))
      .filter(([, , field]) => getNamedType(field.type).name !== 'UserError');
    expect(lists.map(([name]) => name).sort()).toEqual([...WHOLE_LISTS, ...OF_CHILDREN].sort());
  });

  test('that are not paginated say so', () => {
    const silent = fields
      .filter(([name]) => WHOLE_LISTS.includes(name) && /^(Contact|Funnel|SavedFilter)\./.test(name))
      .filter(([, , { description }]) => !/not paginated/i.test(description ?? ''));
    expect(silent.map(([name]) => name)).toEqual([]);
  });
});

describe('connections', () => {
  const LISTED: typeof RESOURCES = [listedUser, ...RESOURCES];
  const connections = fields.filter(([, , field]) => getNamedType(field.type).name.endsWith('Connection'));

  test('all have the same five arguments, and more if the noun can be filtered; the tags of an object have one order', () => {
    const PAGE = ['after', 'before', 'first', 'last'];
    for (const [name, , field] of connections) {
      const type = getNamedType(field.type).name.replace('Connection', '');
      const resource = LISTED.find((one) => graphqlTypeNameOf(one) === type);
      const { filters, search, refinedBy } = resource ?? {};
      // The lists of a saved filter are selected by it, and it is of a whole workspace.
      // Its order is that of the collection.
      const isOwnOrder = name === 'Collection.products';
      const isRefined = refinedBy !== undefined && name.startsWith('Workspace.');
      const more = [
        ...(type === 'Tag' || isOwnOrder ? [] : ['orderBy']),
        ...(filters && !isOwnOrder ? ['filter'] : []),
        ...(search && /^(Workspace|SavedFilter)\./.test(name) ? ['search'] : []),
        ...(isRefined ? ['criteria', 'savedFilterId'] : []),
      ];
      expect([name, field.args.map((arg) => arg.name)]).toEqual([name, [...PAGE, ...more].sort()]);
    }
  });

  test('all have edges, nodes, pageInfo, totalCount and totalCountIsExact', () => {
    for (const type of objects.filter(({ name }) => name.endsWith('Connection'))) {
      expect(Object.keys(type.getFields())).toEqual([
        'edges',
        'nodes',
        'pageInfo',
        'totalCount',
        'totalCountIsExact',
      ]);
    }
  });
});

/** Payloads with a new object that has no edge. */
const WITHOUT_EDGE = new Map([
  ['addPageStep', 'No connection has steps: Funnel.steps is a list, and the payload has the funnel.'],
  [
    'createSplitTest',
    'No connection has split tests: Funnel.steps is a list, and the payload has the funnel.',
  ],
]);

/** What other mutations than `create…` make. */
const MADE: Readonly<Record<string, string>> = {
  addPageStep: 'pageStep',
  refundOrderTransaction: 'refund',
  testWebhookEndpoint: 'webhookDelivery',
  upsertContact: 'contact',
};

test('the payload of each mutation that makes an object has it, and its edge for the connections that show it', () => {
  const without: string[] = [];
  for (const { name, type } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const [, created] = /^create(.*)$/.exec(name) ?? [];
    const made = MADE[name] ?? (created && uncapitalize(created));
    const payload = getNamedType(type);
    if (made === undefined || !isObjectType(payload)) continue;
    const { [made]: object, [`${made}Edge`]: edge } = payload.getFields();
    const of = object && getNamedType(object.type).name;
    expect([name, schema.getType(of ?? '')?.name]).toEqual([name, of]);
    const hasConnection = schema.getType(`${of}Connection`) !== undefined;
    expect([name, edge && getNamedType(edge.type).name]).toEqual([
      name,
      hasConnection ? `${of}Edge` : undefined,
    ]);
    if (!hasConnection) without.push(name);
  }
  expect(without).toEqual([...WITHOUT_EDGE.keys()]);
});

test('every object with a public id of its own is a node', () => {
  const plain = objects
    .filter((type) => Object.hasOwn(type.getFields(), 'publicId'))
    .filter((type) => !type.getInterfaces().some(({ name }) => name === 'Node'));
  expect(plain).toEqual([]);
});

test('every field that needs a scope beyond its type’s can be null', () => {
  const wrong = fields.filter(([, type, field]) => {
    const scope = scopeOf(field);
    const below = typeOptions(type).scope ?? (type.name.endsWith('Edge') ? scope : null);
    return scope !== null && scope !== below && getNullableType(field.type) !== field.type;
  });
  // The steps of an arm have come with their split test.
  expect(wrong.map(([name]) => name)).toEqual(['SplitTestArm.steps']);
});

test('every field that loads something declares its scope, in its description too if it is not that of its type', () => {
  const loading = fields.filter(
    ([, , field]) => scopeOf(field) !== null && fieldOptions(field).sameRows !== true,
  );
  const silent = loading.filter(
    ([, type, field]) =>
      fieldOptions(field).scope === undefined ||
      field.description?.endsWith(` Needs ${scopeOf(field)}.`) ===
        (scopeOf(field) === typeOptions(type).scope),
  );
  // Read with the row itself: the page of a step stands in its funnel's workflow.
  expect(silent.map(([name]) => name)).toEqual(['PageStep.page']);
  const claims = fields.filter(([, , field]) => / Needs [a-z]+:/.test(field.description ?? ''));
  for (const [name, , field] of claims)
    expect([name, fieldOptions(field).scope]).toEqual([name, scopeOf(field)]);
  expect(claims.length).toBeGreaterThan(20);
});

test('the printed schema has the scope of each field as a directive', () => {
  const printed = buildSchema(printWithScopes(schema));
  for (const [name, type, field] of fields) {
    const { scope } = fieldOptions(field);
    const shown = printed.getType(type.name);
    const { astNode } =
      isObjectType(shown) || isInterfaceType(shown) ? (shown.getFields()[field.name] ?? {}) : {};
    const directive = astNode?.directives?.find((one) => one.name.value === 'scope');
    const [argument] = directive?.arguments ?? [];
    const said = argument?.value.kind === Kind.STRING ? argument.value.value : null;
    expect([name, said]).toEqual([name, scope ?? null]);
  }
});

function isList(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type));
}
