// Whose a delivery is, and what is computed of it.
import type { webhookDelivery } from '../../resources/webhook-deliveries.ts';
import { ownedWorkspace, type Special } from './table.ts';

export const webhookDeliveryTable: Special<typeof webhookDelivery> = {
  // No foreign key removes those of an endpoint that was deleted: until they are cleaned away they are nobody's.
  owned: (
    team,
    workspaces,
  ) => `${ownedWorkspace('t.workspace_id', team, workspaces)} and (select true from webhook_endpoints e
      where e.workspace_id = t.workspace_id and e.id = t.endpoint_id)`,
  computed: { eventTypeId: 't.event_type' },
};
