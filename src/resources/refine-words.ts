// What the words of saved filters are called over GraphQL, and what they mean: classes, attributes and clauses. Each list of them is in
// refine-attributes.ts.
import { type Clause, REFINE_ATTRIBUTES } from './refine-attributes.ts';

/** GraphQL's name of a word, and its meaning as a sentence. */
interface Word {
  readonly name: string;
  readonly description: string;
}

export type Words = Readonly<Record<string, Word>>;

const word = (name: string, description: string): Word => ({ name, description });

const CLASSES: Words = {
  ContactsFilter: word('contacts', 'The filter selects contacts.'),
  OrdersFilter: word('orders', 'The filter selects orders.'),
  ProductsFilter: word('products', 'The filter selects products.'),
};

const ATTRIBUTES: Words = {
  email_address: word('email_address', 'The e-mail address of the contact, in any letter case.'),
  first_name: word('first_name', 'The first name of the contact, in any letter case.'),
  last_name: word('last_name', 'The last name of the contact, in any letter case.'),
  anonymous: word('is_anonymous', 'Whether the contact has no e-mail address.'),
  created_at: word('created_at', 'When the object was created.'),
  unsubscribed_at: word('unsubscribed_at', 'When the contact unsubscribed from e-mail.'),
  last_activity: word('last_visit_at', 'When the contact last visited a page.'),
  'tags.id': word('tag', 'A tag of the object.'),
  email_suppression: word('email_suppression', 'Why no e-mail is sent to the contact.'),
  billing_status: word('billing_status', 'The billing status of the order.'),
  service_status: word('service_status', 'The service status of the order.'),
  order_type: word('type', 'The type of the order.'),
  currency: word('currency', 'The currency of the order (ISO 4217).'),
  total_amount: word('total_amount', 'The total of the order, in its currency.'),
  contact_id: word('contact', 'The contact who placed the order.'),
  'products.id': word('product', 'A product of the order’s lines.'),
  name: word('name', 'The name of the product, in any letter case.'),
  archived: word('is_archived', 'Whether the product is archived.'),
  visible_in_store: word('is_visible_in_store', 'Whether the store shows the product.'),
};

const CLAUSES: Readonly<Record<Clause, Word>> = {
  eq: word('equals', 'The attribute has this value.'),
  dne: word('does_not_equal', 'The attribute has another value, or none.'),
  in: word('in', 'The attribute has one of these values.'),
  nin: word('not_in', 'The attribute has none of these values.'),
  sw: word('starts_with', 'The text begins with this one.'),
  st: word('is_set', 'The attribute has a value. The criterion has none.'),
  nst: word('is_not_set', 'The attribute has no value. The criterion has none either.'),
  gt: word('greater_than', 'The attribute is greater, or later. “More than 30 days ago” is earlier.'),
  gte: word('at_least', 'The attribute is this value, or greater, or later.'),
  lt: word('less_than', 'The attribute is less, or earlier. “Less than 30 days ago” is later.'),
  lte: word('at_most', 'The attribute is this value, or less, or earlier.'),
  btwn: word('between', 'The attribute is between the two values, or one of them.'),
  nbtwn: word('not_between', 'The attribute is outside the two values, or there is none.'),
  exct: word('on_day', 'The time is on the day so many days before or after today.'),
};

/** The words of a list. @throws TypeError for one that has no name */
function wordsOf(list: Iterable<string>, words: Words): Words {
  return Object.fromEntries(
    [...new Set(list)].map((one) => {
      const found = words[one];
      if (found === undefined) throw new TypeError(`Saved filters have no name for ${one}.`);
      return [one, found];
    }),
  );
}

/** The classes of saved filters. */
export const FILTER_CLASSES = wordsOf(Object.keys(REFINE_ATTRIBUTES), CLASSES);

const attributes = Object.values(REFINE_ATTRIBUTES).flatMap((of) => Object.entries(of));

/** The attributes of all classes, without those that no object has. */
export const FILTER_ATTRIBUTES = wordsOf(
  attributes.flatMap(([name, { property }]) => (property === undefined ? [] : [name])),
  ATTRIBUTES,
);

/** The clauses of all attributes. */
export const FILTER_CLAUSES = wordsOf(
  attributes.flatMap(([, { clauses }]) => clauses),
  CLAUSES,
);
