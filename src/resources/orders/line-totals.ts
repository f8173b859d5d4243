// The total of a line of an order or invoice, exactly: in units of the last decimal place. Pure.

/** What a line costs: its unit price times its quantity, plus an amount whatever the quantity. */
export function lineTotal(unitPrice: string, quantity: number, setupAmount = '0'): string {
  const places = Math.max(placesOf(unitPrice), placesOf(setupAmount));
  const units = unitsOf(unitPrice, places) * BigInt(quantity) + unitsOf(setupAmount, places);
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const sign = units < 0n ? '-' : '';
  return places === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-places)}`;
}

const placesOf = (decimal: string) => decimal.split('.')[1]?.length ?? 0;

function unitsOf(decimal: string, places: number): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`);
}
