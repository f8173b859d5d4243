// Collections of products.
import { collection } from '../../resources/product-collections.ts';
import { COLLECTION_RULES } from '../../store/changing/product-collections.ts';
import { writesOf } from '../changing/writes.ts';
import { defineService } from '../service.ts';

const writes = writesOf(collection, COLLECTION_RULES);

/** All there is to call of this noun: what rest/ and graphql/ are made from. */
export const service = defineService(collection, { writes });
