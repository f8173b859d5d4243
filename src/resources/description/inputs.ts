// The fields that clients may send, to create an object and to change one, and what the documentation says of them.
import type { Field, Fields, Transitions } from './fields.ts';
import type { Resource } from './resource.ts';

/** When clients send fields: to create an object, or to change one. */
export type Moment = 'creation' | 'change';

function isWritable(writable: Field['writable'], moment: Moment): boolean {
  return writable === 'always' || writable === (moment === 'creation' ? 'at_creation' : 'on_change');
}

/** The fields that clients may send, by property name. */
export function writableFields(
  { fields, inputs }: Pick<Resource, 'fields' | 'inputs'>,
  moment: Moment,
): Fields {
  const writable = Object.entries(fields)
    .filter(([, { writable }]) => isWritable(writable, moment))
    .map(([property, field]) => [
      property,
      field.children === undefined ? withOptional(field) : asInputField(field, moment),
    ]);
  const given = Object.entries(inputs ?? {}).filter(([, { writable = 'always' }]) =>
    isWritable(writable, moment),
  );
  return { ...Object.fromEntries(writable), ...Object.fromEntries(given) };
}

/**
 * The members of an item in a list of children that identify the child to change, and that mark it for removal. A new object has no children,
 * but clients may send items that they read from another object.
 */
function namingFields({ children, changes = [] }: Field, moment: Moment): Fields {
  const title = children?.title.toLowerCase();
  const idField = (description: string): Fields => ({
    id: { type: 'int8', nullable: true, ...(children && { idsOf: children }), description },
  });
  if (moment === 'creation')
    return changes.includes('create') ? idField(`Ignored: each ${title} is created with a new id.`) : {};
  return {
    ...(changes.some((verb) => verb !== 'create') &&
      idField(`The integer id of the ${title} to change. Without it, or with null, a new one is added.`)),
    ...(changes.includes('remove') && {
      delete: {
        type: 'bool',
        restName: '_destroy',
        description: 'If true, the object with this id is removed.',
      },
    }),
  };
}

/** The input form of an object: all members are optional. */
function withOptional(field: Field): Field {
  const members = Object.entries(field.object ?? {}).map(([property, of]) => [
    property,
    { ...of, optional: true },
  ]);
  return field.object === undefined ? field : { ...field, object: Object.fromEntries(members) };
}

/** The input form of a list of children: the writable fields of each. In a change, all members of an item are optional. */
function asInputField({ restName, restGiven = restName, ...field }: Field, moment: Moment): Field {
  const settable = writableFields({ fields: field.items ?? {} }, 'creation');
  const all = { ...namingFields(field, moment), ...settable };
  const items = Object.entries(all).map(([property, of]): [string, Field] => [
    property,
    isRequired(of, moment) ? of : { ...of, optional: true },
  ]);
  return { ...field, ...(restGiven && { restName: restGiven }), items: Object.fromEntries(items) };
}

/** Whether REST has a field. */
export function inRest({ graphqlOnly }: Pick<Field, 'graphqlOnly'>): boolean {
  return graphqlOnly !== true;
}

/** Whether clients must send a field. */
export function isRequired({ required }: Field, moment: Moment): boolean {
  return required === true && moment === 'creation';
}

/** Whether the input of an action is checked as that of a new object, because clients must send some of its fields. */
export function momentOfAction(fields: Fields): Moment {
  return Object.values(fields).some((field) => isRequired(field, 'creation')) ? 'creation' : 'change';
}

/** The description of a field in an input. */
export function inputDescription(
  { rule, members, object, transitions, ...field }: Field,
  moment: Moment,
): string {
  const description = rule === undefined ? field.description : `${field.description} ${rule}`;
  if (moment === 'creation') return description;
  if (transitions !== undefined) return `${description} ${transitionsSentence(transitions)}`;
  return (members ?? object) === undefined
    ? description
    : `${description} Members that are not sent stay unchanged.`;
}

function transitionsSentence(transitions: Transitions): string {
  const changes = Object.entries(transitions)
    .filter(([, to]) => to.length > 0)
    .map(([from, to]) => `${from} to ${to.join(' or ')}`);
  return `It can change from ${changes.join('; from ')}.`;
}

/** A sentence with a field's default for a new object; null if there is none, or if it is empty. */
export function defaultSentence({ default: initially }: Field, moment: Moment): string | null {
  if (moment !== 'creation' || initially === undefined || initially === '' || typeof initially === 'object')
    return null;
  return `By default ${initially}.`;
}
