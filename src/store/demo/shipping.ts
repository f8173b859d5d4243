// Where a workspace of the demo ships from, and what that costs.
import type { Filling } from './demo.ts';

/** Inserts all of it. */
export async function insertShipping({ insert, idOf, data }: Filling): Promise<void> {
  if (data.shipping === undefined) return;
  const { locations, packages, rateNames, profiles } = data.shipping;
  await insert('FulfillmentLocation', locations, ({ archived = false, ...location }, createdAt) => ({
    ...{ ...location, archivedAt: archived ? createdAt : null },
  }));
  await insert('ShippingPackage', packages, (it) => it);
  await insert('ShippingRateName', rateNames, (name) => ({ name }));
  const made = await insert('ShippingProfile', profiles, ({ name }) => ({ name }));
  for (const { id: profileId, data: profile } of made) {
    const [group] = await insert('ShippingLocationGroup', [{ profileId }], (it) => it);
    if (group === undefined) throw new Error('no id');
    const zones = await insert('ShippingZone', profile.zones, ({ rates: _, ...zone }) => ({
      ...{ ...zone, locationGroupId: group.id },
    }));
    for (const { id: zoneId, data: zone } of zones)
      await insert('ShippingRate', zone.rates, ({ name, ...rate }) => ({
        ...{ ...rate, zoneId, ratesNameId: idOf('ShippingRateName', name) },
      }));
  }
}
