// The arithmetic of statistics: sums of pages added up, rates and averages. Amounts are exact: whole numbers of the smallest unit of their
// currency. Pure.
import { decimalPlacesOf } from '../../resources/description/currencies.ts';
import type { Sums } from '../../store/reading/page-stats.ts';

/** An amount of money. */
interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** What was counted, and the sales of each currency, in the order of the currencies. */
export interface Figures {
  readonly views: number;
  readonly uniqueViews: number;
  readonly optIns: number;
  readonly salesCount: number;
  readonly sales: readonly Money[];
  readonly recurringSalesCount: number;
  readonly recurringSales: readonly Money[];
  readonly averageSale: readonly Money[];
  readonly optInRate: number;
  readonly salesRate: number;
  readonly earningsPerView: readonly Money[];
  readonly earningsPerUniqueView: readonly Money[];
}

/** Adds sums up, in every currency that something was sold in. */
export function figuresOf(sums: readonly Sums[]): Figures {
  const currencies = [...new Set(sums.map(({ currency }) => currency))].filter((one) => one !== '').sort();
  const totals = currencies.map((currency) => ({ currency, ...addUp(currency, sums) }));
  const amounts = (of: readonly CurrencyTotal[], unitsOf: (total: CurrencyTotal) => bigint): Money[] =>
    of.map((total) => ({ amount: toAmount(unitsOf(total), total.currency), currency: total.currency }));
  const sold = totals.filter(({ salesCount }) => salesCount > 0);
  const renewed = totals.filter(({ recurringSalesCount }) => recurringSalesCount > 0);
  const { viewsAll, viewsUnique, optins } = addUp('', sums);
  const salesCount = sold.reduce((count, total) => count + total.salesCount, 0);
  return {
    ...{ views: viewsAll, uniqueViews: viewsUnique, optIns: optins, salesCount },
    sales: amounts(sold, (total) => total.sales),
    averageSale: amounts(sold, averageSale),
    recurringSalesCount: renewed.reduce((count, total) => count + total.recurringSalesCount, 0),
    recurringSales: amounts(renewed, (total) => total.recurring),
    optInRate: rate(optins, viewsUnique),
    salesRate: rate(salesCount, viewsUnique),
    earningsPerView: amounts(totals, (total) => earningsPer(total, 'viewsAll')),
    earningsPerUniqueView: amounts(totals, (total) => earningsPer(total, 'viewsUnique')),
  };
}

/** The currency with the most sales; null if nothing was sold. */
export function mostSoldCurrency(sums: readonly Sums[]): string | null {
  const sales = new Map<string, number>();
  for (const { currency, salesCount, recurringSalesCount } of sums)
    if (currency !== '') sales.set(currency, (sales.get(currency) ?? 0) + salesCount + recurringSalesCount);
  const [most] = [...sales].toSorted(([a, of], [b, than]) => than - of || (a < b ? -1 : 1));
  return most?.[0] ?? null;
}

/** Sums whose amounts are in the smallest unit of their currency. */
interface Total {
  readonly viewsAll: number;
  readonly viewsUnique: number;
  readonly optins: number;
  readonly salesCount: number;
  readonly sales: bigint;
  readonly recurringSalesCount: number;
  readonly recurring: bigint;
}

interface CurrencyTotal extends Total {
  readonly currency: string;
}

/** Adds sums up, without sales in other currencies. */
export function addUp(currency: string, sums: readonly Sums[]): Total {
  const own = sums.filter((one) => one.currency === currency);
  const sum = (
    of: readonly Sums[],
    property: 'viewsAll' | 'viewsUnique' | 'optins' | 'salesCount' | 'recurringSalesCount',
  ) => of.reduce((total, one) => total + one[property], 0);
  const amount = (property: 'salesValue' | 'recurringSalesValue') =>
    own.reduce((total, one) => total + toUnits(one[property], currency), 0n);
  return {
    ...{
      viewsAll: sum(sums, 'viewsAll'),
      viewsUnique: sum(sums, 'viewsUnique'),
      optins: sum(sums, 'optins'),
    },
    ...{ salesCount: sum(own, 'salesCount'), sales: amount('salesValue') },
    ...{ recurringSalesCount: sum(own, 'recurringSalesCount'), recurring: amount('recurringSalesValue') },
  };
}

/** The members of sums that REST shows as they are, with amounts as decimal text. */
export function outputSums(currency: string, { sales, recurring, ...counts }: Total) {
  return {
    ...counts,
    salesValue: toAmount(sales, currency),
    recurringSalesValue: toAmount(recurring, currency),
  };
}

/** The value of the average sale. */
export const averageSale = ({ sales, salesCount }: Total): bigint => quotient(sales, salesCount);

/** The value of all sales for each view. */
export const earningsPer = (total: Total, views: 'viewsAll' | 'viewsUnique'): bigint =>
  quotient(total.sales + total.recurring, total[views]);

/** With four digits after the decimal point; 0 of none. */
export function rate(part: number, of: number): number {
  return of === 0 ? 0 : Math.round((part / of) * 10_000) / 10_000;
}

/** A quotient, rounded half up; 0 if `by` is 0. Amounts are never negative. */
function quotient(units: bigint, by: number): bigint {
  return by === 0 ? 0n : (2n * units + BigInt(by)) / (2n * BigInt(by));
}

/** Converts an amount to the smallest unit of its currency; further digits are cut off. */
function toUnits(amount: string, currency: string): bigint {
  const [whole = '0', digits = ''] = amount.split('.');
  const places = decimalPlacesOf(currency) ?? 0;
  return BigInt(whole + digits.padEnd(places, '0').slice(0, places));
}

/** Converts units to decimal text with the places of the currency. */
export function toAmount(units: bigint, currency: string): string {
  const places = decimalPlacesOf(currency) ?? 0;
  const digits = String(units).padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
