// The schema: every noun is imported for what it defines, then all is built.
import './scalars.ts';
import './teams.ts';
import './workspaces.ts';
import './contacts.ts';
import './funnels.ts';
import './funnel-steps.ts';
import './conditional-splits.ts';
import './pages.ts';
import './refine-filters.ts';
import './webhook-endpoints.ts';
import './api-keys.ts';
import './oauth-grants.ts';
import './viewer.ts';
import { invalid } from '../errors.ts';
import { builder } from './builder.ts';

export const schema = builder.toSchema({ sortSchema: true });

/** It comes back in the answer as often as that asks for it. */
const MAX_CLIENT_MUTATION_ID_CHARS = 256;

// Before anything is changed.
for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
  const { resolve } = field;
  field.resolve = (source, args: { input?: { clientMutationId?: string | null } }, ctx, info) => {
    if ((args.input?.clientMutationId?.length ?? 0) > MAX_CLIENT_MUTATION_ID_CHARS) {
      const most = `at most ${MAX_CLIENT_MUTATION_ID_CHARS} characters`;
      throw invalid('clientMutationId', `clientMutationId must have ${most}.`);
    }
    return resolve?.(source, args, ctx, info);
  };
}
