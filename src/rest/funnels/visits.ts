// Visits to a page, which its renderer reports.
import { restNameOf } from '../../resources/description/names.ts';
import { page } from '../../resources/pages.ts';
import { MAX_VISITS, VISIT_INPUT } from '../../resources/visits.ts';
import * as visits from '../../services/funnels/visits.ts';
import type { Input } from '../../services/input/parse-fields.ts';
import { type Body, type Route, route } from '../route.ts';
import { requestSchema, schemaRef, wrappedSchema } from '../schemas.ts';

const ONE = schemaRef('VisitCreation');
const SEVERAL = { type: 'array', items: ONE, minItems: 1, maxItems: MAX_VISITS };

const body: Body<Input> = {
  required: true,
  schema: { anyOf: [wrappedSchema('visit', ONE), wrappedSchema('visits', SEVERAL)] },
  components: () => ({ VisitCreation: requestSchema(VISIT_INPUT, 'creation') }),
  parse: (members) => ({ members, nameOf: restNameOf }),
};

export const visitRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v2/pages/:id/visits',
    operationId: 'recordVisits',
    summary: `Records visits to a page, at most ${MAX_VISITS} at once`,
    resource: page,
    scope: visits.writeScope,
    gatewayOnly: true,
    body,
    response: {
      answers: {
        202: 'The visits are recorded, and the statistics count them. Visits that were recorded before are ignored.',
      },
      schema: null,
      reply: () => ({ status: 202, headers: {}, body: null }),
    },
    handle: ({ ctx, params, body, options }) => visits.record(ctx, params.id, body, options),
  }),
];
