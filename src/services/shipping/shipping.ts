// Shipping: its packages, profiles, zones, and the names of its rates.
import { shippingPackage } from '../../resources/shipping-packages.ts';
import { shippingProfile } from '../../resources/shipping-profiles.ts';
import { shippingRateName } from '../../resources/shipping-rate-names.ts';
import { shippingZone } from '../../resources/shipping-zones.ts';
import {
  SHIPPING_PACKAGE_RULES,
  SHIPPING_PROFILE_RULES,
  SHIPPING_RATE_NAME_RULES,
} from '../../store/changing/shipping.ts';
import { writesOf } from '../changing/writes.ts';
import { type Input, isObject } from '../input/parse-fields.ts';
import { defineService } from '../service.ts';

export const packages = defineService(shippingPackage, {
  writes: writesOf(shippingPackage, SHIPPING_PACKAGE_RULES),
});
export const profiles = defineService(shippingProfile, {
  writes: writesOf(shippingProfile, SHIPPING_PROFILE_RULES),
});
export const rateNames = defineService(shippingRateName, {
  writes: writesOf(shippingRateName, SHIPPING_RATE_NAME_RULES),
});
export const zones = defineService(shippingZone, {
  writes: writesOf(shippingZone, { normalize: withTexts }),
});

const PLACES = ['countryIds', 'regionIds'] as const;

/** Converts the ids of places to texts: some clients send numbers. */
function withTexts(input: Input): Input {
  const { members } = input;
  if (!isObject(members)) return input;
  const given = PLACES.map((property) => input.nameOf(property, shippingZone.fields[property])).flatMap(
    (name) => {
      const ids = members[name];
      return Array.isArray(ids)
        ? [[name, ids.map((id: unknown) => (Number.isSafeInteger(id) ? String(id) : id))]]
        : [];
    },
  );
  return { ...input, members: { ...members, ...Object.fromEntries(given) } };
}
