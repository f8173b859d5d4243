import { appliedTag } from '../../resources/applied-tags.ts';
import * as appliedTags from '../../services/contacts/applied-tags.ts';
import type { OwnRoutes } from '../noun-routes.ts';
import { emptyResponse } from '../responses.ts';
import { route } from '../route.ts';

export const appliedTagRoutes: OwnRoutes = {
  unchanged: 'The contact already has the tag. The answer is the existing applied tag, and nothing changes.',
  routes: [
    route({
      method: 'DELETE',
      path: '/api/v2/contacts/:contact_id/applied_tags/:tag_id',
      operationId: 'removeTagFromContact',
      summary: 'Removes a tag from a contact',
      resource: appliedTag,
      scope: appliedTags.writeScope,
      gatewayOnly: true,
      response: emptyResponse('The tag is removed from the contact.'),
      handle: ({ ctx, params, options }) =>
        appliedTags.removeTag(ctx, params.contact_id, params.tag_id, options),
    }),
  ],
};
