// Visits to pages: the mutation that records them, and what a contact shows of its visits.
import { contact } from '../../resources/contacts.ts';
import { page } from '../../resources/pages.ts';
import { CONTACT_VISITS, type ContactVisitsRow, VISIT, type VisitRow } from '../../resources/visits.ts';
import * as visits from '../../services/funnels/visits.ts';
import { builder } from '../builder.ts';
import { defineMutation } from '../mutations.ts';
import { nodeOf } from '../nouns.ts';
import { resourceFields } from '../resource-fields.ts';

const Page = nodeOf(page);

const Visit = builder.objectRef<VisitRow>('Visit').implement({
  description: 'A visit to a page.',
  isPart: true,
  fields: (t) => resourceFields(t, VISIT) as never,
});

const ContactVisits = builder.objectRef<ContactVisitsRow>('ContactVisits').implement({
  description: 'The first and the last visits of a contact.',
  isPart: true,
  fields: (t) => ({
    firstVisit: t.expose('firstVisit', {
      type: Visit,
      nullable: true,
      description: CONTACT_VISITS.firstVisit.description,
    }),
    lastVisit: t.expose('lastVisit', {
      type: Visit,
      nullable: true,
      description: CONTACT_VISITS.lastVisit.description,
    }),
    lastVisitWithUtm: t.expose('lastVisitWithUtm', {
      type: Visit,
      nullable: true,
      description: CONTACT_VISITS.lastVisitWithUtm.description,
    }),
  }),
});

builder.objectField(nodeOf(contact).ref, 'visits', (t) =>
  t.field({
    type: ContactVisits,
    description: contact.fields.visits.description,
    columns: ['visits'],
    resolve: (row) => row.visits,
  }),
);

defineMutation('recordVisits', {
  description:
    'Records visits to a page, up to 500 at once. A visit whose uuid the page has got in the last 24 hours is left out.',
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
      description: 'The page that was visited.',
      resolve: ({ result }) => result,
    }),
  }),
});
