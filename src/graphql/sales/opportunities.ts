// Adds to opportunities and notes the users who look after them and who wrote them.
import { opportunity, opportunityNote } from '../../resources/sales/opportunities.ts';
import { user } from '../../resources/users.ts';
import { builder } from '../builder.ts';
import { nodeOf } from '../nouns.ts';

const User = nodeOf(user);

builder.objectFields(nodeOf(opportunity).ref, (t) => ({
  assignee: User.field(
    t,
    'assigneeId',
    'The user who looks after the opportunity. Null if there is none, or if they have left the team.',
  ),
}));

builder.objectFields(nodeOf(opportunityNote).ref, (t) => ({
  createdBy: User.field(
    t,
    'createdById',
    'The user who wrote the note. Null if it is not known, or if they have left the team.',
  ),
}));
