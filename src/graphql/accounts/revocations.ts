// Mutations that end a credential of the team at once. Repeating one changes nothing, so it takes no idempotency key.
import type { Scope } from '../../auth/scopes.ts';
import { uncapitalize } from '../../resources/description/names.ts';
import { builder, rowOf } from '../builder.ts';
import type { GraphContext } from '../context.ts';
import { encodeGlobalId, parseGlobalId } from '../global-ids.ts';
import { CHANGE_COST, idFieldsOf } from '../mutations.ts';
import type { NodeType } from '../nodes.ts';
import { refusable, userErrorsField } from '../user-errors.ts';

interface Revocation {
  /** The name of such an object in sentences. */
  readonly what: string;
  /** The name of such an object in the names of mutations and fields; absent: its type. */
  readonly called?: string;
  /** The name of the input field with its global id. */
  readonly idField: string;
  readonly description: string;
  readonly scope: Scope;
  revoke(ctx: GraphContext, id: bigint): Promise<{ readonly id: bigint }>;
}

/** Defines `revokeX`. The payload has the object after the change. */
export function defineRevocation(
  node: NodeType<object>,
  { what, called = node.name, idField, description, scope, revoke }: Revocation,
): void {
  const { name } = node;
  const revokedId = `revoked${idField.charAt(0).toUpperCase()}${idField.slice(1)}`;
  builder.relayMutationField(
    `revoke${called}`,
    {
      description: `The ${what} to revoke.`,
      inputFields: (t) => ({
        [idField]: t.id({ required: true, description: `The global id of the ${what}.` }),
      }),
    },
    {
      description,
      nullable: true,
      scope,
      cost: CHANGE_COST,
      resolve: refusable(idFieldsOf([{ ...node, idField }]), async (_root, args, ctx) => {
        const { [idField]: given } = args.input as Readonly<Record<string, unknown>>;
        const { id } = await revoke(ctx, parseGlobalId(node, String(given), idField));
        // Values that were loaded before the change are stale.
        ctx.loaders.clear();
        return { id };
      }),
    },
    {
      description: `The revoked ${what}.`,
      outputFields: (t) => ({
        userErrors: userErrorsField(t),
        [revokedId]: t.id({
          description: `The global id of the ${what}.`,
          resolve: ({ id }) => encodeGlobalId(name, id),
        }),
        [uncapitalize(called)]: t.field({
          type: node.ref,
          nullable: true,
          description: `The ${what} after the change.`,
          scope: node.scope,
          resolve: ({ id }, _args, ctx) => rowOf(node.load(ctx, id)),
        }),
      }),
    },
  );
}
