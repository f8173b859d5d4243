// The computed columns of a price: how it is paid, as clients see it.
import type { price } from '../../resources/product-prices.ts';
import { priceTerms } from '../sql/price-terms.ts';
import type { Special } from './table.ts';

export const priceTable: Special<typeof price> = { computed: priceTerms('t') };
