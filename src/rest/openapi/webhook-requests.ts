// The `webhooks` of the OpenAPI document: the request that a webhook endpoint gets for each type of event.

import { typeOf } from '../../resources/description/field-types.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { type Schema, schemaRef } from '../schemas.ts';

/** The name of the schema with the members that the payload of every event has. */
export const EVENT = 'WebhookPayload';

const place = (what: string): Schema => ({
  type: ['object', 'null'],
  description: `The ${what} where it happened, if any.`,
  properties: {
    id: { type: 'integer', format: 'int64' },
    public_id: { type: 'string' },
    name: { type: 'string' },
  },
});

const properties = {
  event_id: {
    type: 'string',
    format: 'uuid',
    description:
      'The id of the event, the same at every attempt. Ignore an event that you have processed before.',
  },
  event_type: { type: 'string', description: 'The type of the event, such as `contact.created`.' },
  subject_id: { ...typeOf('int8').schema, description: 'The integer id of the object that `data` shows.' },
  subject_type: { type: 'string', description: 'The type of that object, such as `Contact`.' },
  data: { type: 'object', description: 'The object in its REST form, as it was when the event happened.' },
  page: place('page'),
  funnel: place('funnel'),
  workspace_id: { ...typeOf('int8').schema, description: 'The integer id of the workspace.' },
  api_version: { type: 'integer', description: 'The version of the API in which `data` is written.' },
  created_at: { type: 'string', format: 'date-time', description: 'When the event happened.' },
} as const satisfies Readonly<Record<string, Schema>>;

/** The schema with the name `EVENT`. */
export const eventSchema: Schema = {
  description: 'What happened to an object of a workspace. Webhook endpoints get it as the body of a `POST`.',
  type: 'object',
  properties,
  required: Object.keys(properties),
};

/** @param nouns those whose schemas the document has */
export function webhooksOf(nouns: Iterable<Resource>): Record<string, object> {
  const requests = [...nouns].flatMap((noun) => {
    const { topic, events = [], moreEvents = [] } = noun;
    const types = [...events.map((event) => `${topic}.${event}`), ...moreEvents];
    return types.map((type) => [type, requestOf(noun, type)] as const);
  });
  return Object.fromEntries(requests.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function requestOf({ type, title, scope }: Resource, eventType: string): object {
  return {
    post: {
      operationId: `on ${eventType}`.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: eventType,
      description: `Sent to the webhook endpoints of the workspace that subscribe to \`${eventType}\`, which needs \`${scope}:read\`. The signature headers are in the guide to webhooks.`,
      tags: [title],
      // Its signature is no scheme of OpenAPI's.
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              allOf: [schemaRef(EVENT)],
              properties: { event_type: { type: 'string', enum: [eventType] }, data: schemaRef(type) },
            },
          },
        },
      },
      responses: {
        '2XX': {
          description:
            'The event is delivered. With any other answer, or none within 15 seconds, it is sent again later.',
        },
      },
    },
  };
}
