// Makes the input of a mutation from stored values: values of enums become their names, and amounts have their currency.
import { type GraphQLInputType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql';
import { schema } from '../../src/graphql/schema.ts';

/** The input of a mutation. @param members the stored values */
export function inputOf(mutation: string, members: Readonly<Record<string, unknown>>): object {
  const [arg] = schema.getMutationType()?.getFields()[mutation]?.args ?? [];
  if (arg === undefined) throw new Error(`There is no mutation ${mutation}.`);
  return sent(members, arg.type) as object;
}

/** REST's members that GraphQL has in each amount. */
const CURRENCIES = new Set(['currency', 'priceCurrency']);

/** @param currency that of amounts, unless the object has its own */
function sent(value: unknown, type: GraphQLInputType, currency = 'EUR'): unknown {
  const nullable = getNullableType(type);
  if (value == null) return value;
  if (isEnumType(nullable)) return nullable.getValues().find((one) => one.value === value)?.name ?? value;
  if (isListType(nullable)) return (value as unknown[]).map((item) => sent(item, nullable.ofType, currency));
  if (!isInputObjectType(nullable)) return value;
  if (nullable.name === 'MoneyInput' && typeof value === 'string') return { amount: value, currency };
  if (nullable.name === 'FilterCriterionValueInput' && typeof value === 'string') return { text: value };
  const fields = nullable.getFields();
  const own = (value as { currency?: string }).currency ?? currency;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name in fields || !CURRENCIES.has(name))
      .map(([name, member]) => {
        const field = fields[name];
        return [name, field === undefined ? member : sent(member, field.type, own)];
      }),
  );
}
