import { contact, upsertFields } from '../../resources/contacts.ts';
import * as contacts from '../../services/contacts/contacts.ts';
import { bodyOf } from '../body.ts';
import { changedOf, createdOf, outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

const objects = outputOf(contact);

export const contactRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v2/workspaces/:workspace_id/contacts/upsert',
    operationId: 'upsertContact',
    summary: 'Creates a contact, or changes the existing contact with the e-mail address',
    resource: contact,
    scope: contacts.writeScope,
    body: bodyOf(contact, 'creation', upsertFields, 'ContactUpsert'),
    response: createdOf(objects, '/api/v2/contacts/', {
      200: 'The existing contact with the e-mail address after the change. Fields that were null or an empty list in the request stay unchanged.',
      201: 'The created contact.',
    }),
    handle: ({ ctx, params, body, options }) => contacts.upsert(ctx, params.workspace_id, body, options),
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/contacts/:id/gdpr_destroy',
    operationId: 'eraseContact',
    summary:
      'Erases the personal data of a contact, including all copies that the service keeps; works for a deleted contact too',
    resource: contact,
    scope: contacts.writeScope,
    response: changedOf(objects, 'The contact without its personal data.'),
    handle: ({ ctx, params, options }) => contacts.erase(ctx, params.id, options),
  }),
];
