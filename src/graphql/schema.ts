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
import { builder } from './builder.ts';

export const schema = builder.toSchema({ sortSchema: true });
