// Makes the input of a mutation from stored values: values of enums become their names.
import { type GraphQLInputType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql';
import { schema } from '../../src/graphql/schema.ts';

/** The input of a mutation. @param members the stored values */
export function inputOf(mutation: string, members: Readonly<Record<string, unknown>>): object {
  const [arg] = schema.getMutationType()?.getFields()[mutation]?.args ?? [];
  if (arg === undefined) throw new Error(`There is no mutation ${mutation}.`);
  return sent(members, arg.type) as object;
}

function sent(value: unknown, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  if (value == null) return value;
  if (isEnumType(nullable)) return nullable.getValues().find((one) => one.value === value)?.name ?? value;
  if (isListType(nullable)) return (value as unknown[]).map((item) => sent(item, nullable.ofType));
  if (!isInputObjectType(nullable)) return value;
  const fields = nullable.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const field = fields[name];
      return [name, field === undefined ? member : sent(member, field.type)];
    }),
  );
}
