// The computed columns of a shipping location group.
import { shippingLocationGroup } from '../../resources/shipping-location-groups.ts';
import { ownTable } from './table.ts';

export const shippingLocationGroupTable = ownTable(shippingLocationGroup, {
  // Each group is created in the transaction that creates its profile.
  commitsInOrder: true,
  computed: {
    fulfillmentsLocationIds: `array(select l.id from fulfillment_locations l
      where l.workspace_id = $row_workspace and not l.archived order by l.id)`,
  },
});
