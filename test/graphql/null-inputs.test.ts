// Null for an optional field of any mutation's input counts as absent, or clears the field: it is refused only if an absent field is, or
// where an absent field means something else.
import { GraphQLNonNull, isInputObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { sampleMutations } from '../support/mutations.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant } from '../support/operations.ts';
import { idsOf, mutationIn } from '../support/tenant-mutations.ts';
import { refusalOf } from '../support/user-errors.ts';

const gateway = await ownGateway({ env: { LOOKUP_CACHE_MS: '60000' } });
const teamId = (await factories.team(gateway.app)).id;
const caller = await factories.apiKey(gateway.app, { teamId });

const MUTATIONS = Object.values(schema.getMutationType()?.getFields() ?? {}).map(({ name, args }) => {
  const type = args[0]?.type;
  const input = type instanceof GraphQLNonNull ? type.ofType : type;
  if (!isInputObjectType(input)) throw new Error(`${name} takes no input.`);
  const fields = Object.values(input.getFields()).filter(({ type }) => !(type instanceof GraphQLNonNull));
  return { name, optional: fields.map((field) => field.name) };
});

/** Absent, all is refunded: null may be an amount that the client has lost. */
const REFUSES_NULL = ['refundOrderTransaction.amount'];

/** The result of a mutation in its own tenant, whose input also has these values. */
async function codeOf(name: string, values: Readonly<Record<string, unknown>>): Promise<string | null> {
  const tenant = await createTenant(gateway.app, 'ours', teamId);
  const ids = await idsOf(gateway.app, tenant);
  const mutation = mutationIn(tenant, ids, name);
  const input = { ...mutation.input, ...values };
  const answer = await post(gateway, { query: mutation.query, variables: { input } }, { caller });
  return refusalOf(answer)?.code ?? null;
}

describe.each(sampleMutations('null', MUTATIONS, ({ name }) => name, 2))('$name', ({ name, optional }) => {
  test('accepts null for its optional fields', async () => {
    for (const field of sampleAt(name, optional, 12)) {
      const without = await codeOf(name, { [field]: undefined });
      const withNull = await codeOf(name, { [field]: null });
      if (REFUSES_NULL.includes(`${name}.${field}`)) {
        expect(withNull).toBe('REQUIRED');
        continue;
      }
      // A contact can be created with members without values, but not without members.
      if (withNull !== null) expect([field, withNull]).toEqual([field, without]);
    }
  });
});
