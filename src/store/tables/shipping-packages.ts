// The computed columns of a shipping package.
import type { shippingPackage } from '../../resources/shipping-packages.ts';
import type { Special } from './table.ts';

export const shippingPackageTable: Special<typeof shippingPackage> = {
  computed: { token: 'null::text' },
};
