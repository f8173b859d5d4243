// What a tag is where it stands on a contact or a funnel.
import { type Fields, IDS, type RowOf } from './resource.ts';

export const appliedTag = {
  id: IDS.id,
  publicId: IDS.publicId,
  name: { type: 'text', description: 'The name of the tag, unique in its workspace.' },
  color: { type: 'text', description: 'The colour of the tag as `#rrggbb`.' },
  appliedAt: { type: 'timestamp', description: 'When the tag was put on this object.' },
} as const satisfies Fields;

export interface AppliedTagRow extends RowOf<typeof appliedTag> {}
