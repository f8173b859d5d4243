// Every argument of every field of the schema, with hostile values: each gets an answer or an error in the documented form, nothing fails
// and nothing is changed.
import {
  coerceInputValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { all, breakages, cursorsOf, digest, IDS, NUMBERS, TEXTS } from '../support/hostile.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant } from '../support/operations.ts';

// Thousands of requests with one key: looking it up for each would take a tenth of the time.
const gateway = await ownGateway({ env: { MAX_QUERY_COST: '999999999', LOOKUP_CACHE_MS: '60000' } });
const { team } = await createTenant(gateway.app, 'ours');
await createTenant(gateway.app, 'theirs');
const caller = await factories.apiKey(gateway.app, { teamId: team.id });
const before = await digest(gateway);

type Field = GraphQLField<unknown, unknown>;
/** A place for a client's value, and the operation around it. */
interface Slot {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly kind: 'query' | 'mutation';
  /** The text around the field. */
  readonly within: (field: string) => string;
  /** The field, with this value, as GraphQL text, in its place. */
  readonly field: (value: string) => string;
}

const nothing = (type: string) => `"${btoa(`${type}:4611686018427387904`)}"`;

/** Values for other required places: well-formed, without an existing object. */
const BESIDE: Record<string, string> = {
  'createSavedFilter.input.criteria': '[{ attribute: FIRST_NAME, clause: EQUALS, value: { text: "x" } }]',
  'removeConditionalSplit.input.conditionalSplitId': nothing('ConditionalSplit'),
  'updateConditionalSplit.input.conditionalSplitId': nothing('ConditionalSplit'),
  'createSplitTest.input.leftPageId': nothing('Page'),
  'createSplitTest.input.rightPageId': nothing('Page'),
  'updateSplitTest.input.splitTestId': nothing('SplitTest'),
  'removeSplitTest.input.splitTestId': nothing('SplitTest'),
  'moveStep.input.stepId': nothing('PageStep'),
  'moveStep.input.place': '{ onTopLevel: { position: 0 } }',
  'renameStep.input.stepId': nothing('PageStep'),
  'replaceStepPage.input.stepId': nothing('PageStep'),
  'reorderSteps.input.stepIds': `[${nothing('PageStep')}]`,
  'removePageProducts.input.productIds': '[]',
  'addTags.input.tagIds': `[${nothing('ContactTag')}]`,
  'addTags.input.taggableIds': `[${nothing('Contact')}]`,
  'removeTags.input.tagIds': `[${nothing('ContactTag')}]`,
  'removeTags.input.taggableIds': `[${nothing('Contact')}]`,
  'createOrder.input.contact': '{ emailAddress: "a@example.com" }',
  'createFulfillment.input.locationId': nothing('FulfillmentLocation'),
  'createFulfillment.input.lineItems[].invoiceLineItemId': nothing('InvoiceLineItem'),
  'createCourseLessonCompletion.input.enrollmentId': nothing('CourseEnrollment'),
  'createCourseLessonCompletion.input.lessonId': nothing('CourseLesson'),
  'createAppointment.input.startsAt': '"2026-01-01T00:00:00Z"',
  'rescheduleAppointment.input.startsAt': '"2026-01-01T00:00:00Z"',
  'createShippingRate.input.rateNameId': nothing('ShippingRateName'),
  'redeliverFailedWebhookDeliveries.input.since': '"2026-01-01T00:00:00Z"',
  'revokeOauthGrant.input.oauthGrantId': nothing('OauthGrant'),
};

/** The types of objects that arguments call by a shorter name. */
const SHORT_NAMES: Record<string, string> = {
  Field: 'FormField',
  OauthClient: 'TeamOauthClient',
  Price: 'ProductPrice',
  PrimaryContact: 'Contact',
  Split: 'ConditionalSplit',
  Stage: 'PipelineStage',
  Tag: 'ContactTag',
  Variant: 'ProductVariant',
};

/** Values for a place that is named after the type of its object, such as `contactId`, and for any text. */
function usualBeside({ name, type }: Pick<GraphQLArgument, 'name' | 'type'>): string | undefined {
  const noun = name.charAt(0).toUpperCase() + name.slice(1, -'Id'.length);
  const ofId = SHORT_NAMES[noun] ?? noun;
  const named = getNamedType(type);
  if (name === 'idsInOrder') return '[]';
  if (named.name === 'String') return '"a@example.com"';
  if (named.name === 'Decimal') return '"1"';
  if (named.name === 'CurrencyCode') return '"EUR"';
  if (['Int', 'Float'].includes(named.name)) return '1';
  if (named.name === 'Boolean') return 'true';
  if (isEnumType(named)) return named.getValues()[0]?.name;
  return schema.getType(ofId) === undefined ? undefined : nothing(ofId);
}

/** Paths to objects of each type without arguments. */
function* placesOf(): Generator<{ type: GraphQLObjectType; kind: Slot['kind']; within: Slot['within'] }> {
  const places: { type: GraphQLObjectType; kind: Slot['kind']; within: Slot['within'] }[] = [];
  const seen = new Set<GraphQLObjectType>();
  for (const [kind, type] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const) {
    if (type) places.push({ type, kind, within: (field) => field });
  }
  for (let place = places.shift(); place !== undefined; place = places.shift()) {
    const { type, kind, within } = place;
    if (seen.has(type)) continue;
    seen.add(type);
    yield place;
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type);
      if (!isCompositeType(next) || field.args.some(isRequiredArgument)) continue;
      // Small pages: some types are behind six lists, and whole pages of each would cost more than any limit.
      const page = field.args.some((arg) => arg.name === 'first') ? '(first: 5)' : '';
      const wrap = (on: string) => (inner: string) => within(`${field.name}${page} { ${on}${inner} }`);
      const objects = isObjectType(next) ? [next] : schema.getPossibleTypes(next);
      for (const object of objects) {
        const on =
          object === next
            ? (inner: string) => inner
            : (inner: string) => `... on ${object.name} { ${inner} }`;
        places.push({ type: object, kind, within: (inner) => wrap('')(on(inner)) });
      }
    }
  }
}

/** The places in one argument or input field, itself included; `write` puts a value there and the rest around it. */
function* slotsIn(
  path: string,
  { name, type }: GraphQLArgument | GraphQLInputField,
  write: (value: string) => string,
): Generator<Pick<Slot, 'name' | 'type' | 'field'>> {
  const here = `${path}.${name}`;
  const put = (value: string) => write(`${name}: ${value}`);
  yield { name: here, type, field: put };
  const named = getNullableType(type);
  if (isListType(named)) yield { name: `${here}[]`, type: named.ofType, field: (value) => put(`[${value}]`) };
  if (!isInputObjectType(named)) return;
  const members = Object.values(named.getFields());
  for (const member of members) {
    const others = members.filter((other) => other !== member);
    // A variable for the one member of such an input must not be null.
    const { type: own } = member;
    const type = named.isOneOf && !isNonNullType(own) ? new GraphQLNonNull(own) : own;
    yield* slotsIn(here, { ...member, type } as GraphQLInputField, (text) =>
      put(`{ ${[text, ...besideIn(here, others)].join(', ')} }`),
    );
  }
}

function besideIn(path: string, members: readonly (GraphQLArgument | GraphQLInputField)[]): string[] {
  return members
    .filter((member) => isRequiredArgument(member as GraphQLArgument))
    .map(({ name, type }) => {
      const value =
        BESIDE[`${path}.${name}`] ?? objectBeside(`${path}.${name}`, type) ?? usualBeside({ name, type });
      if (value === undefined) throw new Error(`Say in BESIDE what may stand in ${path}.${name}.`);
      return `${name}: ${value}`;
    });
}

function objectBeside(path: string, type: GraphQLInputType): string | undefined {
  const named = getNullableType(type);
  if (isListType(named)) {
    const item = objectBeside(`${path}[]`, named.ofType);
    return item && `[${item}]`;
  }
  return isInputObjectType(named)
    ? `{ ${besideIn(path, Object.values(named.getFields())).join(', ')} }`
    : undefined;
}

/** The selection for a field: all fields without arguments, and their content. */
function selectionOf(field: Field, depth = 1): string {
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return '';
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const inner = fields
    .filter((next) => next.args.length === 0 && (depth > 0 || !isCompositeType(getNamedType(next.type))))
    .map((next) => `${next.name} ${selectionOf(next, depth - 1)}`);
  return `{ __typename ${inner.join(' ')} }`;
}

const SLOTS: Slot[] = [...placesOf()].flatMap(({ type, kind, within }) =>
  Object.values(type.getFields()).flatMap((field) =>
    field.args.flatMap((arg) => {
      const path = kind === 'mutation' ? field.name : `${type.name}.${field.name}`;
      const others = field.args.filter((other) => other !== arg);
      const write = (text: string) =>
        `${field.name}(${[text, ...besideIn(path, others)].join(', ')}) ${selectionOf(field)}`;
      return [...slotsIn(path, arg, write)].map((slot) => ({ ...slot, kind, within }));
    }),
  ),
);

test('the tests cover every field with arguments', () => {
  const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
  const withArguments = objects
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap((field) => field.args.map((arg) => ({ type, field, arg }))),
    );
  const tried = new Set(SLOTS.map(({ name }) => name));
  const missed = withArguments.filter(({ type, field, arg }) =>
    [`${type.name}.${field.name}.${arg.name}`, `${field.name}.${arg.name}`].every((name) => !tried.has(name)),
  );
  expect(withArguments.length).toBeGreaterThan(50);
  expect(missed.map(({ type, field, arg }) => `${type.name}.${field.name}(${arg.name})`)).toEqual([]);
});

interface PublicError {
  readonly message?: string;
  readonly extensions?: { readonly code?: string; readonly requestId?: unknown };
}

/** Sends a body of JSON text, and makes sure that what comes back is in the documented form and tells of no failure. */
async function expectAnswered(what: string, body: string): Promise<object> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await gateway.send('/graphql', { caller, method: 'POST', body, headers });
  const text = await response.text();
  const { data, errors = [] } = JSON.parse(text) as { data?: unknown; errors?: PublicError[] };
  const wrong = errors.filter(
    ({ message, extensions }) =>
      !/\S/.test(message ?? '') ||
      !/^(?!INTERNAL)[A-Z_]+$/.test(extensions?.code ?? '') ||
      extensions?.requestId !== response.headers.get('X-Request-Id'),
  );
  const hasResult = (data ?? null) !== null || errors.length > 0;
  const isAnswer = response.status < 500 && hasResult && wrong.length === 0;
  if (!isAnswer) expect.fail(`${what}: ${response.status} ${JSON.stringify(wrong)} ${text.slice(0, 400)}`);
  // An error in a field that is never null, within others of that kind, leaves `data: null`; a refused operation has no `data`.
  return { ...(data !== undefined && { data }), ...(errors.length > 0 && { errors }) };
}

const CURSORS = ['contacts', 'teams'].flatMap(cursorsOf);

/** JSON texts for a place of this type: of its own kind all, and some of others. */
function jsonFor(name: string, type: GraphQLInputType): string[] {
  const { name: named } = getNamedType(type);
  const texts = named === 'ID' ? IDS : /after|before/.test(name) ? [...TEXTS, ...CURSORS] : TEXTS;
  const takesText = named === 'ID' || named === 'String' || named === 'BigInt';
  return [
    ...valuesOf(type).map((value) => JSON.stringify(value)),
    ...(takesText ? texts : texts.slice(0, 3)).map((text) => JSON.stringify(text)),
    ...(named === 'Int' || named === 'BigInt' ? NUMBERS : NUMBERS.slice(-2)),
    ...['null', '[[]]', '{"a":{"\\u0000":"\\ud800"}}'],
  ];
}

/** The names of an enum's values. */
function valuesOf(type: GraphQLInputType): string[] {
  const named = getNamedType(type);
  return isEnumType(named) ? named.getValues().map((value) => value.name) : [];
}

/** JSON text as GraphQL text: names of values have no quotes. */
function literalOf(value: string, type: GraphQLInputType): string {
  const text: unknown = JSON.parse(value);
  return typeof text === 'string' && valuesOf(type).includes(text) ? text : value;
}

/** Whether a value reaches the field. Other values cause a refusal of the complete operation, so they are sent alone. */
function fits(value: string, type: GraphQLInputType): boolean {
  return coerceInputValue(JSON.parse(value), type) !== undefined;
}

/** The maximum of fields in an operation. */
function* inGroups<T>(items: readonly T[], size = 25): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

const FIELDS = [...Map.groupBy(SLOTS, ({ name }) => name.replace(/\.[^.]+$/, '')).values()];
/** One place at least of a sixth of the fields: arguments are read by their types, in one way for all fields. */
const TRIED = [
  ...new Set([
    ...sampleAt('fields', FIELDS, 6).flatMap((slots) => sampleAt(slots[0]?.name ?? '', slots, 8)),
    ...sampleAt('places', SLOTS, 48),
  ]),
];
const LITERAL = new Set(sampleAt('literals', TRIED, 3));

describe.each(TRIED)('$name', (slot) => {
  const { name, type, kind, within, field } = slot;
  const values = jsonFor(name, type);
  const fit = sampleAt(
    name,
    values.filter((value) => fits(value, type)),
    20,
  );
  const unfit = sampleAt(
    name,
    values.filter((value) => !fits(value, type)),
    20,
  );

  test('survives any variable', async () => {
    for (const group of inGroups(fit)) {
      const declared = group.map((_, index) => `$v${index}: ${type}`).join(', ');
      const fields = group.map((_, index) => `a${index}: ${field(`$v${index}`)}`).join(' ');
      const variables = group.map((value, index) => `"v${index}":${value}`).join(',');
      const query = JSON.stringify(`${kind} Fit(${declared}) { ${within(fields)} }`);
      // A compiled operation is answered on another path.
      for (const time of ['first', 'second']) {
        const body = `{"query":${query},"variables":{${variables}}}`;
        const answer = await expectAnswered(`${name}, the ${time} time`, body);
        expect(answer, JSON.stringify(answer)).toHaveProperty('data');
      }
    }
    const alone = JSON.stringify(`${kind} Unfit($v: ${type}) { ${within(field('$v'))} }`);
    await all(unfit, async (value) => {
      const body = `{"query":${alone},"variables":{"v":${value}}}`;
      expect(await expectAnswered(`${name} ${value.slice(0, 80)}`, body)).toHaveProperty('errors');
    });
  });

  // After parsing, literals take the same path as variables.
  test.runIf(LITERAL.has(slot))('survives any literal', async () => {
    const isText = (value: string) => JSON.parse(value)?.isWellFormed?.() ?? true;
    for (const group of inGroups(fit.filter(isText))) {
      const fields = group.map((value, index) => `a${index}: ${field(literalOf(value, type))}`).join(' ');
      const query = `${kind} { ${within(fields)} }`;
      const answer = await expectAnswered(name, JSON.stringify({ query }));
      expect(answer, JSON.stringify(answer)).toHaveProperty('data');
    }
    const raw = ['\0', '\ud800'].map((text) => `"${text}"`);
    const always = sampleAt(name, [...raw, 'UNKNOWN', '$undefined']);
    await all([...unfit, ...fit.filter((value) => !isText(value)), ...always], async (value) => {
      const query = `${kind} { ${within(field(value))} }`;
      await expectAnswered(`${name} ${value.slice(0, 80)}`, JSON.stringify({ query }));
    });
  });
});

describe('the parameters of a request', () => {
  const QUERY = '{ viewer { teams { nodes { name } } } }';

  test('may be anything, in a body', async () => {
    const values = [
      ...[...TEXTS, QUERY].map((text) => JSON.stringify(text)),
      ...NUMBERS,
      'null',
      'true',
      '[]',
      '{}',
    ];
    for (const member of ['query', 'operationName', 'variables', 'extensions', '\\u0000', '__proto__']) {
      await all(sampleAt(member, values), (value) =>
        expectAnswered(`${member} ${value}`, `{"query":${JSON.stringify(QUERY)},"${member}":${value}}`),
      );
    }
    await all(values, (value) => expectAnswered(value, value));
  });

  test('may be anything, in the URL', async () => {
    const values = [
      '%00',
      '%ff',
      '%',
      '%ED%A0%80',
      '%u0000',
      ...TEXTS.map((text) => encodeURIComponent(text.toWellFormed())),
    ];
    for (const member of ['query', 'operationName', 'variables', 'extensions', '%00']) {
      await all(sampleAt(member, values), async (value) => {
        const path = `/graphql?${member}=${value}&query=${encodeURIComponent(QUERY)}`;
        const response = await gateway.send(path, { caller });
        const text = await response.text();
        expect(response.status, `${path} ${text}`).toBeLessThan(500);
        expect(text).not.toContain('INTERNAL');
      });
    }
  });
});

test('afterwards no row is changed, and no failure is logged', async () => {
  expect(await digest(gateway)).toEqual(before);
  expect(breakages(gateway)).toEqual([]);
});
