// Collections of products.
import { collection } from '../../resources/product-collections.ts';
import { COLLECTION_RULES } from '../../store/changing/product-collections.ts';
import { writesOf } from '../changing/writes.ts';

export const { writeScope, create, update } = writesOf(collection, COLLECTION_RULES);
