// The computed columns of a price: its payment terms in the clients' form.
import { price } from '../../resources/product-prices.ts';
import { priceTerms } from '../sql/price-terms.ts';
import { ownTable } from './table.ts';

export const priceTable = ownTable(price, { computed: priceTerms('t') });
