// The total of a line is exact, in the decimal places of its amounts.
import { expect, test } from 'vitest';
import { lineTotal } from '../../src/resources/orders/line-totals.ts';

test.each([
  ['12.34', 3, '1.00', '38.02'],
  ['0.10', 3, '0.00', '0.30'],
  ['100', 2, '0', '200'],
  ['0.05', 1, '0.00', '0.05'],
  ['1.005', 2, '0.1', '2.110'],
  ['999999999999999.99', 2147483647, '0.01', '2147483646999999978525163.54'],
])('%s times %i and %s is %s', (unitPrice, quantity, setupAmount, total) => {
  expect(lineTotal(unitPrice, quantity, setupAmount)).toBe(total);
});
