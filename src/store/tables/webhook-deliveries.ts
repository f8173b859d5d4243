// The owner of a delivery, and its computed columns.
import { webhookDelivery } from '../../resources/webhook-deliveries.ts';
import { ownedWorkspace, ownTable } from './table.ts';

export const webhookDeliveryTable = ownTable(webhookDelivery, {
  // No foreign key deletes the deliveries of a deleted endpoint. Until they are cleaned up, nobody owns them.
  owned: (
    team,
    workspaces,
    workspace = 't.workspace_id',
  ) => `${ownedWorkspace(workspace, team, workspaces)} and (select true from webhook_endpoints e
      where e.workspace_id = ${workspace} and e.id = t.endpoint_id)`,
  computed: { eventTypeId: 't.event_type' },
});
