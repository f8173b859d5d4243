// What an answer says, in one form for all subjects, so that answers can be compared before and while they are timed.
// Opaque ids and cursors have to be there and to differ; what is in them is each server's own affair. Pure.

interface ConnectionAnswer {
  readonly data: {
    readonly workspace: {
      readonly contacts: {
        readonly edges: { readonly cursor: string; readonly node: Readonly<Record<string, unknown>> }[];
        readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
      };
    };
  };
}

interface NestedAnswer {
  readonly data: {
    readonly team: {
      readonly workspaces: Edges<{
        name: string;
        funnels: Edges<{ name: string; currentPath: string; steps: Steps }>;
      }>;
    };
  };
}

interface OrdersAnswer {
  readonly data: {
    readonly workspace: {
      readonly orders: {
        readonly edges: { readonly cursor: string; readonly node: AnyOrder }[];
        readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
      };
    };
  };
}

interface AnyOrder extends Node {
  readonly createdAt: string;
  readonly billingStatus: string;
  /** Absent where the total says it. */
  readonly currency?: string;
  readonly totalAmount: Amount;
  readonly contact: Node;
  readonly lineItems: AnyLine[] | { readonly nodes: AnyLine[] };
}

interface AnyLine extends Node {
  readonly amount: Amount;
  readonly variant: Node;
  readonly price: Node & { readonly paymentType: string; readonly amount: Amount };
}

/** An object with whatever else was asked for. */
interface Node {
  readonly id: string;
  readonly databaseId: unknown;
  readonly [member: string]: unknown;
}

/** A decimal text, in an object where a server says the currency too. */
type Amount = string | { readonly amount: string; readonly currency?: string };

interface Edges<Node> {
  readonly edges: { readonly node: Node & Named }[];
}
interface Named {
  readonly id: string;
  readonly databaseId: unknown;
}
type Steps = AnyStep[] | { readonly nodes: AnyStep[] };

/** A step with its place: its parent as an object of the same list, or as the integer id of it. */
interface AnyStep extends Named {
  readonly name: string;
  readonly kind: string;
  readonly parent?: { readonly id: string } | null;
  readonly parentId?: unknown;
  readonly branch: string | null;
  readonly position: number;
}

/** REST pages have to be the same to the last byte. */
export function canonicalBytes(body: string): string {
  return body;
}

/** @throws Error for anything but a page of contacts */
export function canonicalConnection(body: string): string {
  const { data } = parse<ConnectionAnswer>(body);
  const { edges, pageInfo } = data.workspace.contacts;
  requireOpaque(edges.map(({ cursor }) => cursor));
  requireOpaque(edges.map(({ node: { id } }) => String(id)));
  if (pageInfo.endCursor !== (edges.at(-1)?.cursor ?? null))
    throw new Error('endCursor is not the last cursor');
  const contacts = edges.map(({ node: { id, databaseId, createdAt, updatedAt, ...rest } }) => ({
    databaseId: Number(databaseId),
    ...rest,
    createdAt: new Date(String(createdAt)).toISOString(),
    updatedAt: new Date(String(updatedAt)).toISOString(),
  }));
  return JSON.stringify({ hasNextPage: pageInfo.hasNextPage, contacts });
}

/** @throws Error for anything but workspaces with funnels with steps */
export function canonicalNested(body: string): string {
  const { data } = parse<NestedAnswer>(body);
  const workspaces = data.team.workspaces.edges.map(({ node: workspace }) => ({
    databaseId: Number(workspace.databaseId),
    name: workspace.name,
    funnels: workspace.funnels.edges.map(({ node: funnel }) => ({
      databaseId: Number(funnel.databaseId),
      name: funnel.name,
      currentPath: funnel.currentPath,
      steps: withPlaces(Array.isArray(funnel.steps) ? funnel.steps : funnel.steps.nodes).sort(
        (a, b) => a.databaseId - b.databaseId,
      ),
    })),
  }));
  return JSON.stringify(workspaces);
}

/** @throws Error for anything but a page of orders with contact, lines, variants and prices */
export function canonicalOrders(body: string): string {
  const { data } = parse<OrdersAnswer>(body);
  const { edges, pageInfo } = data.workspace.orders;
  requireOpaque(edges.map(({ cursor }) => cursor));
  requireOpaque(edges.map(({ node: { id } }) => id));
  if (pageInfo.endCursor !== (edges.at(-1)?.cursor ?? null))
    throw new Error('endCursor is not the last cursor');
  const orders = edges.map(
    ({ node: { billingStatus, currency, totalAmount, createdAt, contact, lineItems, ...order } }) => ({
      ...plain(order),
      billingStatus: nameOf(billingStatus),
      createdAt: new Date(createdAt).toISOString(),
      currency: currency ?? currencyOf(totalAmount),
      totalAmount: cents(totalAmount),
      contact: plain(contact),
      lines: (Array.isArray(lineItems) ? lineItems : lineItems.nodes).map(
        ({ amount, variant, price: { amount: priceAmount, paymentType, ...price }, ...line }) => ({
          ...plain(line),
          amount: cents(amount),
          variant: plain(variant),
          price: { ...plain(price), paymentType: nameOf(paymentType), amount: cents(priceAmount) },
        }),
      ),
    }),
  );
  return JSON.stringify({ hasNextPage: pageInfo.hasNextPage, orders });
}

/** An object without its opaque id. */
function plain({ id, databaseId, ...rest }: Node) {
  requireOpaque([id]);
  return { databaseId: Number(databaseId), ...rest };
}

/** The name of a value in an enum, from that or from the text that is stored. */
function nameOf(value: string): string {
  return value.toUpperCase().replaceAll('-', '_');
}

/** Prisma drops zeros at the end. */
function cents(amount: Amount): string {
  return Number(typeof amount === 'string' ? amount : amount.amount).toFixed(2);
}

function currencyOf(amount: Amount): string | undefined {
  return typeof amount === 'string' ? undefined : amount.currency;
}

function withPlaces(steps: readonly AnyStep[]): StepInPlace[] {
  requireOpaque(steps.map(({ id }) => id));
  const byId = new Map(steps.map(({ id, databaseId }) => [id, databaseId]));
  return steps.map(({ databaseId, name, kind, parent, parentId, branch, position }) => ({
    databaseId: Number(databaseId),
    name,
    isSplit: /split/i.test(kind),
    parentId: toNumber(parent == null ? parentId : byId.get(parent.id)),
    branch: branch?.toLowerCase() ?? null,
    position,
  }));
}

interface StepInPlace {
  readonly databaseId: number;
  readonly name: string;
  readonly isSplit: boolean;
  readonly parentId: number | null;
  readonly branch: string | null;
  readonly position: number;
}

function toNumber(value: unknown): number | null {
  return value == null ? null : Number(value);
}

function parse<Answer>(body: string): Answer {
  const answer = JSON.parse(body) as Answer & { errors?: { message: string }[] };
  if (answer.errors !== undefined) throw new Error(`errors: ${answer.errors[0]?.message}`);
  return answer;
}

function requireOpaque(values: readonly string[]): void {
  if (values.some((value) => value === '') || new Set(values).size !== values.length)
    throw new Error('ids or cursors that are empty or not unique');
}
