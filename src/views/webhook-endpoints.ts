import { toInteger, toTimestamp } from '../json.ts';
import type { WebhookEndpointRow } from '../services/webhook-endpoints.ts';

/** The eleven fields of spec §2 "Webhook endpoint (outgoing)". */
export function viewWebhookEndpoint(endpoint: WebhookEndpointRow) {
  return {
    id: toInteger(endpoint.id),
    public_id: endpoint.publicId,
    workspace_id: toInteger(endpoint.workspaceId),
    url: endpoint.url,
    name: endpoint.name,
    event_type_ids: endpoint.eventTypeIds,
    api_version: endpoint.apiVersion,
    created_at: toTimestamp(endpoint.createdAt),
    updated_at: toTimestamp(endpoint.updatedAt),
    page_ids: endpoint.pageIds.map(toInteger),
    funnel_ids: endpoint.funnelIds.map(toInteger),
  };
}
