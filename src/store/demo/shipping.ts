// Where a workspace of the demo ships from, and what that costs.
import type { PublicIdTable } from '../sql/public-ids.ts';
import type { ShippingData } from './data/shape.ts';
import { type Demo, newRows } from './demo.ts';
import { requireNamed } from './named.ts';

/** How old all of it is. */
const AGE_DAYS = 640;

export async function insertShipping(
  demo: Demo,
  workspaceId: bigint,
  { locations, packages, rateNames, profiles }: ShippingData,
): Promise<void> {
  const { tx } = demo;
  const at = demo.daysAgo(AGE_DAYS);
  const rowsOf = <Data>(table: PublicIdTable, all: readonly Data[]) =>
    newRows(demo, table, workspaceId, all, () => at);

  await tx.fulfillmentLocation.createMany({
    data: (await rowsOf('fulfillment_locations', locations)).map(({ columns, data }) => {
      const { archived = false, ...rest } = data;
      return { ...columns, ...rest, archivedAt: archived ? at : null };
    }),
  });
  await tx.shippingPackage.createMany({
    data: (await rowsOf('shipping_packages', packages)).map(({ columns, data }) => ({ ...columns, ...data })),
  });
  const names = await rowsOf('shipping_rate_names', rateNames);
  await tx.shippingRateName.createMany({
    data: names.map(({ columns, data: name }) => ({ ...columns, name })),
  });
  const nameIds = new Map(names.map(({ columns, data }) => [data, columns.id]));
  for (const profile of await rowsOf('shipping_profiles', profiles)) {
    await tx.shippingProfile.create({ data: { ...profile.columns, name: profile.data.name } });
    const [group] = await rowsOf('shipping_location_groups', [profile.data]);
    if (group === undefined) throw new Error('no id');
    await tx.shippingLocationGroup.create({ data: { ...group.columns, profileId: profile.columns.id } });
    for (const zone of await rowsOf('shipping_zones', profile.data.zones)) {
      const { rates, ...data } = zone.data;
      const locationGroupId = group.columns.id;
      await tx.shippingZone.create({
        data: { ...zone.columns, ...data, locationGroupId },
      });
      await tx.shippingRate.createMany({
        data: (await rowsOf('shipping_rates', rates)).map(({ columns, data: { name, ...rate } }) => ({
          ...{ ...columns, ...rate, zoneId: zone.columns.id },
          ratesNameId: requireNamed(nameIds, 'shipping rate name', name),
        })),
      });
    }
  }
}
