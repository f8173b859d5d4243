// Makes values for the fields of any noun, and clients' input for it, from its description.
import { type Field, type Fields, referencedNoun } from '../../src/resources/description/fields.ts';
import { isRequired, type Moment, writableFields } from '../../src/resources/description/inputs.ts';
import { graphqlNameOf, graphqlTypeNameOf, restNameOf } from '../../src/resources/description/names.ts';
import type { Resource } from '../../src/resources/description/resource.ts';
import { NOUNS } from '../../src/resources/nouns.ts';

/** A value of a field that is not an id. @param text the value of texts */
function sampleOf(
  { type, format, graphqlValues, values = graphqlValues, maxLength, items, currency }: Field,
  text: string,
): unknown {
  if (format === 'uuid') return crypto.randomUUID();
  if (format === 'email') return 'new@example.com';
  if (format === 'uri') return 'https://shop.example/new';
  if (format === 'color') return '#336699';
  if (values !== undefined) return values[0];
  if (type === 'bool') return true;
  if (['int4', 'int8', 'count', 'number'].includes(type)) return 1;
  if (type === 'decimal') return currency === undefined ? '1' : '1.00';
  if (type === 'currency') return 'EUR';
  if (type === 'date') return '2026-01-31';
  if (type === 'timestamp') return '2026-01-01T00:00:00.000Z';
  if (type === 'json' || type === 'jsonb') return items === undefined ? {} : [];
  return type.endsWith('[]') ? [] : text.slice(0, maxLength);
}

/** The input of nouns whose valid values do not follow from the description. */
const GIVEN: Readonly<
  Record<string, ((text: string, idOf: (type: string) => unknown) => Record<string, unknown>) | undefined>
> = {
  Contact: (firstName) => ({ firstName }),
  // It is unique in its workspace.
  EmailAddress: (name) => ({
    name,
    emailAddress: `${name.toLowerCase().replaceAll(/\W/g, '-')}@example.com`,
  }),
  Price: (name) => ({ name, amount: '2.50', currency: 'EUR' }),
  // It pays nothing, so that it can be recorded again and again.
  Transaction: (externalId) => ({ externalId, amount: '1.00', result: 'declined' }),
  Restock: (_, idOf) => ({
    includedInvoicesLineItemsAttributes: [{ invoicesLineItemId: idOf('InvoiceLineItem'), quantity: 1 }],
  }),
  RefineFilter: (name) => ({ name, criteria: [{ attribute: 'first_name', clause: 'eq', value: name }] }),
  WebhookEndpoint: (name) => ({
    url: 'https://hooks.example.com/new',
    name,
    eventTypeIds: ['contact.created'],
  }),
};

/** Input of new objects in addition to the required fields. */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  Order: ['contactId'],
  FormSubmission: ['contactId'],
};
/** Fields for changes of nouns whose required fields cannot change to any value. */
const CHANGED: Readonly<Record<string, readonly string[]>> = {
  Order: ['notes'],
  Invoice: ['externalId'],
  FormSubmission: ['contactId'],
  FormSubmissionAnswer: ['entry'],
  ShippingRate: ['description'],
  Workspace: ['name'],
};

/**
 * A client's input by property: for a new object all required fields, for a change one text.
 * @param idOf the id of a referenced object by its type, in the form of REST or GraphQL
 */
export function givenOf(
  noun: Resource,
  moment: Moment,
  text: string,
  idOf: (type: string) => unknown,
): Record<string, unknown> {
  const own = GIVEN[noun.type]?.(text, idOf);
  if (own !== undefined) return own;
  const fields = Object.entries<Field>(writableFields(noun, moment));
  const changed = moment === 'change' ? CHANGED[noun.type] : undefined;
  const needed = fields.filter(
    ([property, field]) =>
      changed?.includes(property) ??
      ((isRequired(field, 'creation') && !(moment === 'change' && field.children)) ||
        (moment === 'creation' && BESIDES[noun.type]?.includes(property))),
  );
  const texts = fields.filter(([, { type }]) => type === 'text').slice(0, 1);
  return samplesOf(Object.fromEntries(needed.length > 0 ? needed : texts), text, idOf);
}

/** An object with these fields, as the JSON of a row has it. */
export function jsonOf(fields: Fields): object {
  return Object.fromEntries(
    Object.entries(fields).map(([property, field]) => [
      restNameOf(property, field),
      field.object === undefined ? sampleOf(field, 'Some') : jsonOf(field.object),
    ]),
  );
}

/** The values of a new object or of a change by their REST names. */
export function inRest(fields: Fields, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return renamed(fields, given, restNameOf);
}

/** The values of a new object or of a change by their GraphQL names, without those for which GraphQL has no input. */
export function inGraphql(fields: Fields, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const choices = new Map(
    Object.entries(fields).flatMap(([property, field]) =>
      field.choice === undefined ? [] : [[field.choice.idOf, graphqlNameOf(property, field)]],
    ),
  );
  const sent: Record<string, unknown> = {};
  for (const [property, value] of Object.entries(given)) {
    const {
      graphql = 'input',
      address,
      items,
      object,
      ...field
    } = fields[property] ?? ({} as Partial<Field>);
    if (graphql !== 'input') continue;
    const choice = choices.get(property);
    const { of, part } = address ?? {};
    if (choice !== undefined) sent[choice] = { id: value };
    else if (of !== undefined)
      sent[of.name] = {
        ...(sent[of.name] as object | undefined),
        ...(part === undefined
          ? inGraphql(object ?? {}, value as Record<string, unknown>)
          : { [part]: value }),
      };
    else
      sent[graphqlNameOf(property, field)] =
        items === undefined
          ? value
          : (value as Record<string, unknown>[]).map((row) => inGraphql(items, row));
  }
  return sent;
}

function renamed(
  fields: Fields,
  given: Readonly<Record<string, unknown>>,
  nameOf: (property: string, field?: Field) => string,
): Record<string, unknown> {
  const named = Object.entries(given).map(([property, value]) => {
    const { items } = fields[property] ?? {};
    const rows = value as Record<string, unknown>[];
    return [
      nameOf(property, fields[property]),
      items === undefined ? value : rows.map((row) => renamed(items, row, nameOf)),
    ];
  });
  return Object.fromEntries(named);
}

/** The name of GraphQL's type for the noun of this type. */
export function graphqlNameOfType(type: string): string {
  const noun = NOUNS.find((one) => one.type === type);
  return noun === undefined ? type : graphqlTypeNameOf(noun);
}

/** A value for each field. */
export function samplesOf(
  fields: Fields,
  text: string,
  idOf: (type: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([property, field]) => {
      if (property === 'uploadSourceUrl')
        return [property, `https://example.com/${encodeURIComponent(text)}`];
      const named = referencedNoun(field);
      if (field.children !== undefined) {
        const needed = Object.entries(field.items ?? {}).filter(([, { optional }]) => optional !== true);
        return [property, [samplesOf(Object.fromEntries(needed), text, idOf)]];
      }
      return [property, named && field.type === 'int8' ? idOf(named.type) : sampleOf(field, text)];
    }),
  );
}
