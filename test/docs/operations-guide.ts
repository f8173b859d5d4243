// The guide to every operation: what REST calls it, what GraphQL calls it, which scope it needs, and whether the public API has it.
import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';
import { graphqlTypeNameOf, pluralOf, uncapitalize } from '../../src/resources/description/names.ts';
import type { Resource } from '../../src/resources/description/resource.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import { routes } from '../../src/rest/nouns.ts';
import { type Route, toTemplate } from '../../src/rest/route.ts';
import { PUBLIC_TAGS } from '../support/facts.ts';
import { MUTATIONS } from '../support/mutations.ts';

/** The reads whose field over GraphQL does not follow from their noun: by their operationId. */
const READS: Readonly<Record<string, string>> = {
  listTeams: 'Viewer.teams',
  getMe: 'Query.viewer',
  listSites: 'Workspace.site',
  listUsers: 'Team.users',
  getSiteOfWorkspace: 'Workspace.site',
  listWebhookEventTypes: 'Query.webhookEventTypes',
  getEmailSettings: 'Workspace.emailSettings',
  getFunnelStructure: 'Funnel.steps',
  getFunnelStats: 'Funnel.stats',
  getPageStats: 'Page.stats',
  getConditionalSplitStepBranch: 'ConditionalSplit.matched, ConditionalSplit.unmatched',
  listSplitTestSteps: 'Funnel.steps',
  listPricesOfProduct: 'ProductVariant.prices',
  getPriceChangeOptions: 'ProductPrice.changeOptions',
  listContactAppliedTags: 'Contact.tags',
  listOrderAppliedTags: 'Order.tags',
};

/** The end of the name of an operation that is the same by PATCH as by PUT. */
const TWIN = 'ByPatch';

/** `npm run codegen` writes it to docs/operations.md. */
export function operationsGuide(schema: GraphQLSchema): string {
  const shown = routes.filter(({ path }) => path.startsWith('/api/v2/'));
  const publicCount = PUBLIC_TAGS.flatMap(({ operations }) => operations).length;
  const servedCount = shown.filter(isPublic).length;
  const sections = Map.groupBy(shown, ({ resource }) => resource);
  const ordered = [...sections].toSorted(([a], [b]) => placeOf(a) - placeOf(b));
  return `# Operations

Every operation over REST, with its field over GraphQL and the scope that it needs. ${servedCount} are of the public API, which has ${publicCount}; the others
are *ours*: of this service alone. Written by \`npm run codegen\`.

${ordered.map(([noun, same]) => sectionOf(schema, noun, same)).join('\n')}`;
}

/** The place of a noun in the list of all; what is no noun comes last. */
function placeOf({ type }: Resource): number {
  const place = NOUNS.findIndex((noun) => noun.type === type);
  return place === -1 ? NOUNS.length : place;
}

function sectionOf(schema: GraphQLSchema, noun: Resource, same: readonly Route[]): string {
  const { title, topic, events = [], moreEvents = [] } = noun;
  const raised = [...events.map((event) => `${topic}.${event}`), ...moreEvents];
  const rows = same
    .filter(({ operationId }) => !operationId.endsWith(TWIN))
    .map((route) => {
      const twins = same.filter(({ operationId }) => operationId === `${route.operationId}${TWIN}`);
      const methods = [route, ...twins].map(({ method }) => method).join(', ');
      const path = toTemplate(route.path).replace('/api/v2', '');
      const scope = route.scope === undefined ? 'any' : `\`${route.scope}\``;
      const origin = [route, ...twins].some(isPublic) ? 'public' : 'ours';
      return `| ${methods} \`${path}\` | ${fieldOf(schema, route)} | ${scope} | ${origin} |`;
    });
  return `## ${title}

${noun.description}${raised.length === 0 ? '' : ` Events: ${raised.map((event) => `\`${event}\``).join(', ')}.`}

| REST, below \`/api/v2\` | GraphQL | scope | origin |
|---|---|---|---|
${rows.join('\n')}
`;
}

/** The fields of GraphQL that do the same, as the guide writes them. @throws Error if there is none for a read */
function fieldOf(schema: GraphQLSchema, route: Route): string {
  return fieldsOf(schema, route)
    .map((path) => {
      const [typeName, name = ''] = path.split('.');
      if (typeName === 'Mutation') return `\`${name}\``;
      if (path === 'Query.node') return '`node(id:)`';
      return route.path.endsWith('/:id') && typeName === 'Query' ? `\`${name}(by:)\`` : `\`${path}\``;
    })
    .join(', ');
}

/** The fields of GraphQL that do the same as a route, as `Type.field`; none for some changes. @throws Error if a read has none */
export function fieldsOf(schema: GraphQLSchema, { method, path, operationId, resource }: Route): string[] {
  if (method !== 'GET') {
    const [field] = MUTATIONS[`${method} ${path}`] ?? [];
    return field === undefined ? [] : [`Mutation.${field}`];
  }
  const own = READS[operationId];
  if (own !== undefined) return own.split(', ').map((field) => requireField(schema, field));
  const type = graphqlTypeNameOf(resource);
  if (path.endsWith('/:id')) {
    const field = uncapitalize(type);
    return [field in (schema.getQueryType()?.getFields() ?? {}) ? `Query.${field}` : 'Query.node'];
  }
  const above = /\/:(\w+)_id\//.exec(path)?.[1] ?? '';
  const parent = [resource.parent, ...(resource.lists ?? []).map(({ under }) => under)].find(
    (noun) =>
      noun !== undefined &&
      path.includes(`/:${above}_id/`) &&
      path.includes(`/${noun.members ?? noun.path}/`),
  );
  const list = resource.lists?.find(({ under }) => under === parent);
  const plural = list?.plural ?? resource.plural ?? pluralOf(uncapitalize(type));
  return [requireField(schema, `${parent === undefined ? 'Query' : graphqlTypeNameOf(parent)}.${plural}`)];
}

/** @throws Error unless the schema has the field `Type.field` */
function requireField(schema: GraphQLSchema, path: string): string {
  const [name = '', field = ''] = path.split('.');
  const type = schema.getType(name);
  if (!(isObjectType(type) || isInterfaceType(type)) || !(field in type.getFields()))
    throw new Error(`The schema has no ${path}.`);
  return path;
}

const PUBLIC = new Set(
  PUBLIC_TAGS.flatMap(({ operations }) =>
    operations.map(({ method, path }) => `${method} ${anonymous(`/api/v2${path}`)}`),
  ),
);

function isPublic({ method, path }: Route): boolean {
  return PUBLIC.has(`${method} ${anonymous(toTemplate(path))}`);
}

function anonymous(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}');
}
