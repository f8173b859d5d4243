import { parsePageQuery } from '../pagination.ts';
import * as contacts from '../services/contacts.ts';
import { writeContact } from '../views/contacts.ts';
import { objectReply, pageReply } from './pagination.ts';
import { param, type Route } from './route.ts';

export const contactRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/contacts',
    async handle(request) {
      const { ctx, query, url } = request;
      const page = await contacts.list(ctx, param(request, 'workspace_id'), () => parsePageQuery(query));
      return pageReply(page, writeContact, url);
    },
  },
  {
    method: 'GET',
    path: '/api/v2/contacts/:id',
    async handle(request) {
      return objectReply(await contacts.get(request.ctx, param(request, 'id')), writeContact);
    },
  },
];
