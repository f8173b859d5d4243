// The same three questions in every GraphQL subject's own words. Response keys are the same wherever a server lets them be.
import type { SubjectName } from './subjects.ts';

interface Documents {
  /** 20 contacts of $workspace after $after, with edges, cursors, node ids and pageInfo. */
  readonly connection: string;
  /** 10 workspaces of $team after $after, 10 funnels of each, all steps of each. */
  readonly nested: string;
  /** 20 orders of $workspace after $after with contact, line items, variants and prices; empty for those without orders. */
  readonly orders: string;
}

const CONTACT = 'publicId emailAddress firstName lastName phoneNumber timeZone createdAt updatedAt';

const connection = (cursor: string, workspace: string, contacts: string, databaseId: string, order = '') => `
query Contacts($workspace: BigInt!, $after: ${cursor}) {
  workspace: ${workspace} {
    contacts: ${contacts}(first: 20, after: $after${order}) {
      edges { cursor node { id ${databaseId} ${CONTACT} } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

interface NestedNames {
  readonly cursor: string;
  readonly team: string;
  readonly workspaces: string;
  readonly funnels: string;
  readonly databaseId: string;
  readonly steps: string;
}

const nested = ({ cursor, team, workspaces, funnels, databaseId, steps }: NestedNames) => `
query Nested($team: BigInt!, $after: ${cursor}) {
  team: ${team} {
    workspaces: ${workspaces}(first: 10, after: $after) {
      edges { cursor node { id ${databaseId} name
        funnels: ${funnels}(first: 10) {
          edges { node { id ${databaseId} name currentPath ${steps} } }
        }
      } }
    }
  }
}`;

/** Every server gives a funnel's steps as a flat list, each with its place: its parent as an object's id, or as the integer that its row has. */
const FLAT = 'kind name parentId branch position';
const GATEWAY_STEP = 'kind: __typename name parent { id } branch position';
const PLAIN = {
  cursor: 'String',
  team: 'team(by: { databaseId: $team })',
  workspaces: 'workspaces',
  funnels: 'funnels',
  databaseId: 'databaseId',
};

interface OrderNames {
  readonly cursor: string;
  readonly workspace: string;
  readonly orders: string;
  readonly order?: string;
  readonly databaseId: string;
  readonly contact: string;
  readonly lineItems: string;
  readonly variant: string;
  readonly price: string;
  /** What an amount is written with. */
  readonly money?: string;
  /** The currency and the total. */
  readonly sum?: string;
  readonly unitPrice?: string;
  /** Around the line items. */
  readonly list?: (items: string) => string;
}

const orders = ({
  money = '',
  sum = 'currency totalAmount',
  unitPrice = 'amount',
  order = '',
  list = (items) => items,
  ...names
}: OrderNames) => `
query Orders($workspace: BigInt!, $after: ${names.cursor}) {
  workspace: ${names.workspace} {
    orders: ${names.orders}(first: 20, after: $after${order}) {
      edges { cursor node { id ${names.databaseId} orderNumber billingStatus ${sum} createdAt
        contact: ${names.contact} { id ${names.databaseId} emailAddress firstName lastName }
        lineItems: ${names.lineItems} { ${list(`id ${names.databaseId} quantity ${unitPrice}${money}
          variant: ${names.variant} { id ${names.databaseId} name sku }
          price: ${names.price} { id ${names.databaseId} name paymentType amount${money} }`)} }
      } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

const PLAIN_ORDERS = {
  cursor: 'String',
  workspace: 'workspace(by: { databaseId: $workspace })',
  orders: 'orders',
  databaseId: 'databaseId',
  contact: 'contact',
  lineItems: 'lineItems',
  variant: 'variant',
  price: 'price',
};

const ROW_ID = 'databaseId: rowId';
const GATEWAY_CONNECTION = connection(
  'String',
  'workspace(by: { databaseId: $workspace })',
  'contacts',
  'databaseId',
);
const LIMIT = { connection: GATEWAY_CONNECTION, nested: '', orders: '' };
const GATEWAY = {
  connection: GATEWAY_CONNECTION,
  nested: nested({
    ...PLAIN,
    steps: `steps { id databaseId ${GATEWAY_STEP} }`,
  }),
  orders: orders({
    ...PLAIN_ORDERS,
    ...{ money: ' { amount }', sum: 'totalAmount { amount currency }', unitPrice: 'amount: unitPrice' },
  }),
};

export const DOCUMENTS: Readonly<Record<SubjectName, Documents>> = {
  'limit-json': LIMIT,
  'limit-rows': LIMIT,
  'limit-pipelined': LIMIT,
  go: LIMIT,
  gateway: GATEWAY,
  stock: {
    connection: GATEWAY_CONNECTION,
    nested: nested({ ...PLAIN, steps: `steps { id databaseId ${FLAT} }` }),
    orders: orders(PLAIN_ORDERS),
  },
  mercurius: {
    connection: GATEWAY_CONNECTION,
    nested: nested({ ...PLAIN, steps: `steps { id databaseId ${FLAT} }` }),
    orders: '',
  },
  postgraphile: {
    // By its default, the whole primary key, it reads a list from the beginning for every page.
    connection: connection(
      'Cursor',
      'workspaceByRowId(rowId: $workspace)',
      'contactsByWorkspaceId',
      ROW_ID,
      ', orderBy: [ROW_ID_ASC]',
    ),
    nested: nested({
      cursor: 'Cursor',
      team: 'teamByRowId(rowId: $team)',
      workspaces: 'workspacesByTeamId',
      funnels: 'funnelsByWorkspaceId',
      databaseId: ROW_ID,
      steps: `steps: funnelStepsByWorkspaceIdAndFunnelId(condition: { removedAt: null }) { nodes { id ${ROW_ID} ${FLAT} } }`,
    }),
    orders: orders({
      cursor: 'Cursor',
      workspace: 'workspaceByRowId(rowId: $workspace)',
      orders: 'ordersByWorkspaceId',
      order: ', orderBy: [ROW_ID_ASC]',
      databaseId: ROW_ID,
      contact: 'contactByWorkspaceIdAndContactId',
      lineItems: 'orderLineItemsByWorkspaceIdAndOrderIdAndCurrency',
      variant: 'productVariantByWorkspaceIdAndVariantId',
      price: 'productPriceByWorkspaceIdAndPriceId',
      list: (items) => `nodes { ${items} }`,
    }),
  },
};
