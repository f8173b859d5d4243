// Adds to collections their products, in the order of the sort method.
import { encodePlaceCursor } from '../../cursors.ts';
import { parseOrderedArgs, partOf } from '../../pagination.ts';
import { type CollectionRow, collection } from '../../resources/product-collections.ts';
import { product } from '../../resources/products.ts';
import { RowWithCursor } from '../connection.ts';
import { connectionOf, nodeOf } from '../nouns.ts';

const Collection = nodeOf(collection);
const Product = nodeOf(product);
/** In cursors. */
const KIND = 'collection_products';

Collection.addField('products', (t) =>
  connectionOf(product).knownField<Pick<CollectionRow, 'productIds'>>(
    t,
    Collection,
    { description: collection.fields.productIds.objectDescription, columns: ['productIds'] },
    async ({ productIds }, args, ctx, projection) => {
      const { after, before, ...request } = parseOrderedArgs(KIND, args);
      const { length } = productIds;
      /** How many products are before a cursor, and how many are not after it. If its product is gone, the next one is in its place. */
      const around = ({ place, id }: { place: number; id: bigint }) => {
        const index = productIds.indexOf(id);
        return index < 0 ? [Math.min(place, length), Math.min(place, length)] : [index, index + 1];
      };
      const [, start = 0] = after === null ? [] : around(after);
      const [end = length] = before === null ? [] : around(before);
      const { from, to, ...info } = partOf(length, start, end, request);
      const rows = await Promise.all(
        productIds.slice(from, to).map((id) => Product.load(ctx, id, projection)),
      );
      const edges = rows.flatMap((row, index) =>
        row === null ? [] : [new RowWithCursor(row, encodePlaceCursor(KIND, from + index, row.id))],
      );
      return { edges, total: length, info };
    },
  ),
);
