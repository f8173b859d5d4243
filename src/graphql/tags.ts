// Tags applied to contacts and funnels.
import { type AppliedTagRow, appliedTag } from '../resources/tags.ts';
import { builder } from './builder.ts';
import { resourceFields } from './resource-fields.ts';

export const AppliedTag = builder.objectRef<AppliedTagRow>('AppliedTag').implement({
  description: 'A tag of a workspace as it stands on one contact or funnel.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt', description: 'The integer id of the tag.' }),
    ...resourceFields(t, appliedTag),
  }),
});
