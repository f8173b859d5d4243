// The computed columns of an applied tag.
import type { appliedTag } from '../../resources/applied-tags.ts';
import { contactOfApplied, tagOfApplied } from '../sql/tags.ts';
import type { Special } from './table.ts';

export const appliedTagTable: Special<typeof appliedTag> = {
  computed: {
    createdAt: 't.applied_at',
    updatedAt: 't.applied_at',
    tag: tagOfApplied(),
    contact: contactOfApplied('contacts'),
  },
};
