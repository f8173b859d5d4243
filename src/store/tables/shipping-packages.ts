// The computed columns of a shipping package.
import { shippingPackage } from '../../resources/shipping-packages.ts';
import { ownTable } from './table.ts';

export const shippingPackageTable = ownTable(shippingPackage, {
  computed: { token: 'null::text' },
});
