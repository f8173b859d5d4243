import { contact } from '../resources/contacts.ts';
import * as contacts from '../services/contacts.ts';
import { listQuery } from './list-queries.ts';
import { pageOf } from './lists.ts';
import { objectOf, shown } from './responses.ts';
import { type Route, route } from './route.ts';

const objects = shown(contact);

export const contactRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/contacts',
    operationId: 'listContacts',
    summary: 'Lists the contacts of a workspace',
    resource: contact,
    scope: contacts.scope,
    query: listQuery(contact),
    response: pageOf(objects),
    handle: ({ ctx, params, query }) => contacts.list(ctx, params.workspace_id, query),
  }),
  route({
    method: 'GET',
    path: '/api/v2/contacts/:id',
    operationId: 'getContact',
    summary: 'Gets a contact',
    resource: contact,
    scope: contacts.scope,
    response: objectOf(objects, 'The contact.'),
    handle: ({ ctx, params }) => contacts.get(ctx, params.id),
  }),
];
