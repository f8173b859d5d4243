import type { WebhookEndpointRow } from '../services/webhook-endpoints.ts';
import { writer } from './writer.ts';

/** The eleven fields of spec §2 "Webhook endpoint (outgoing)". */
export const writeWebhookEndpoint = writer<WebhookEndpointRow>({
  id: 'id',
  public_id: 'publicId',
  workspace_id: 'workspaceId',
  url: 'url',
  name: 'name',
  event_type_ids: 'eventTypeIds',
  api_version: 'apiVersion',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  page_ids: 'pageIds',
  funnel_ids: 'funnelIds',
});
