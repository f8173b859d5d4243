// Visits to pages: the mutation that records them, and the visits of a contact.
import { contact } from '../../resources/contacts.ts';
import { page } from '../../resources/pages.ts';
import { CONTACT_VISITS, VISIT } from '../../resources/visits.ts';
import * as visits from '../../services/funnels/visits.ts';
import { builder } from '../builder.ts';
import { defineMutation } from '../mutations.ts';
import { nodeOf } from '../nouns.ts';
import { objectFields, objectType } from '../resource-fields.ts';

const Page = nodeOf(page);

const Visit = objectType('Visit', 'A visit to a page.', VISIT);

const ContactVisits = objectType(
  'ContactVisits',
  'The first and the last visits of a contact.',
  CONTACT_VISITS,
  (t) => objectFields(t, CONTACT_VISITS, { firstVisit: Visit, lastVisit: Visit, lastVisitWithUtm: Visit }),
);

builder.objectFields(nodeOf(contact).ref, (t) => objectFields(t, contact.fields, { visits: ContactVisits }));

defineMutation('recordVisits', {
  description:
    'Records visits to a page, at most 500 at once. A visit is ignored if the page received one with the same uuid in the last 24 hours.',
  scope: visits.writeScope,
  of: [Page],
  fields: { visits: { ...visits.VISITS_INPUT.visits, required: true } },
  moment: 'creation',
  change: (ctx, [id = 0n], input, options) => visits.record(ctx, id, input, options),
  payload: (t) => ({
    page: t.field({
      type: Page.ref,
      scope: null,
      sameRows: true,
      description: 'The visited page.',
      resolve: ({ result }) => result,
    }),
  }),
});
