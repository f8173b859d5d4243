// Tags as they stand on contacts and funnels.
import type { ContactRow } from '../services/contacts.ts';
import { builder } from './builder.ts';

export const AppliedTag = builder.objectRef<ContactRow['tags'][number]>('AppliedTag').implement({
  description: 'A tag of a workspace as it stands on one contact or funnel.',
  fields: (t) => ({
    databaseId: t.field({
      type: 'BigInt',
      description: 'The integer id of the tag.',
      resolve: (tag) => BigInt(tag.id),
    }),
    publicId: t.exposeString('public_id', { description: 'The short public id of the tag.' }),
    name: t.exposeString('name', { description: 'The name of the tag, unique in its workspace.' }),
    color: t.exposeString('color', { description: 'The colour of the tag as `#rrggbb`.' }),
    appliedAt: t.expose('applied_at', {
      type: 'DateTime',
      description: 'When the tag was put on this object.',
    }),
  }),
});
