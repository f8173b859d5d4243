// The computed columns of an applied tag.
import { appliedTag } from '../../resources/applied-tags.ts';
import { contactOfApplied, tagOfApplied } from '../sql/tags.ts';
import { ownTable } from './table.ts';

export const appliedTagTable = ownTable(appliedTag, {
  computed: {
    createdAt: 't.applied_at',
    updatedAt: 't.applied_at',
    tag: tagOfApplied(),
    contact: contactOfApplied('contacts'),
  },
});
