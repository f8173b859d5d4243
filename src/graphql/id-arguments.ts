// Checks every value of the type ID in the arguments of a field: it is a global id. Made from the schema, so that no field can forget it.
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { type FieldError, invalidFields, mustBeId } from '../errors.ts';
import type { GraphContext } from './context.ts';
import { isGlobalId } from './global-ids.ts';

const NOT_GLOBAL = mustBeId(
  'a global id: the field `id` of an object. Look-ups take other ids: `by: { databaseId }` an integer id, `by: { publicId }` a public id',
);

type Members = Readonly<Record<string, unknown>>;

/** Refuses other texts than global ids, with the place of each, before the resolver is called. */
export function requireGlobalIds(field: GraphQLField<unknown, GraphContext>): void {
  const args = field.args.filter(({ type }) => hasIds(type));
  if (args.length === 0) return;
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, given: Members, ctx, info) => {
    // The members of a mutation's input are named without it.
    const faults = args.flatMap(({ name, type }) =>
      faultsIn(type, given[name], name === 'input' ? '' : name),
    );
    if (faults.length > 0) throw invalidFields(faults);
    return resolve(source, given, ctx, info);
  };
}

const known = new Map<GraphQLInputType, boolean>();

/** Whether a type is ID, or contains it. */
function hasIds(type: GraphQLInputType): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return named.name === 'ID';
  const cached = known.get(named);
  if (cached !== undefined) return cached;
  // An input type may contain itself.
  known.set(named, false);
  const has = Object.values(named.getFields()).some((field) => hasIds(field.type));
  known.set(named, has);
  return has;
}

function faultsIn(type: GraphQLInputType, value: unknown, path: string): FieldError[] {
  if (value == null) return [];
  const given = getNullableType(type);
  if (isListType(given)) {
    const items = value as readonly unknown[];
    // A list of ids is named as a whole, as in other errors.
    if (!isInputObjectType(getNamedType(given)))
      return items.flatMap((item) => faultsIn(given.ofType, item, path)).slice(0, 1);
    return items.flatMap((item, index) => faultsIn(given.ofType, item, `${path}[${index}]`));
  }
  if (isInputObjectType(given)) {
    const prefix = path === '' ? '' : `${path}.`;
    return Object.values(given.getFields())
      .filter((field) => hasIds(field.type))
      .flatMap((field) => faultsIn(field.type, (value as Members)[field.name], `${prefix}${field.name}`));
  }
  return isGlobalId(String(value)) ? [] : [{ field: path, ...NOT_GLOBAL }];
}
