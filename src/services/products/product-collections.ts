// Collections of products.
import { collection } from '../../resources/product-collections.ts';
import { COLLECTION_RULES } from '../../store/changing/product-collections.ts';
import { writesOf } from '../changing/writes.ts';
import { defineService } from '../service.ts';

const writes = writesOf(collection, COLLECTION_RULES);

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(collection, { writes });
