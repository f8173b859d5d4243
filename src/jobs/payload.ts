// The body of a delivery.
import type { DueEvent } from '../store/webhooks/deliveries-due.ts';

/**
 * The JSON that receivers get. What the event recorded of its subject is sent as it was recorded, byte for byte; every attempt has the
 * same body.
 */
export function toBody(event: DueEvent, workspaceId: bigint): string {
  const { uuid, type, subjectId, subjectType, data, page, funnel, apiVersion, createdAt } = event;
  return `{"event_id":"${uuid}","event_type":${JSON.stringify(type)},"subject_id":${subjectId},"subject_type":${JSON.stringify(subjectType)},"data":${data},"page":${page},"funnel":${funnel},"workspace_id":${workspaceId},"api_version":${apiVersion},"created_at":"${createdAt.toISOString()}"}`;
}
