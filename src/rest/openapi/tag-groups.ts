// The tags of the OpenAPI document, one for each noun, in groups by family and in the order of a shop's work.
import type { Route } from '../route.ts';

/** The first groups, and the last ones. Those between are named after the category of their scope. */
const FIRST = ['Products', 'Funnels and pages', 'Contacts', 'Orders', 'Shipping'];
const LAST = ['Webhooks', 'Account'];
/** The groups of the store's nouns that are not products, by the beginning of their REST path. */
const OF_STORE: Readonly<Record<string, string>> = {
  orders: 'Orders',
  shipping: 'Shipping',
  fulfillments: 'Shipping',
};

/** The group of an operation's noun. */
function groupOf({ path, scope = 'account:read' }: Route): string {
  const [category = ''] = scope.split(':');
  const [, first = ''] = /^\/api\/v2\/(?:workspaces\/:workspace_id\/)?(\w+)/.exec(path) ?? [];
  if (category === 'store') return OF_STORE[first] ?? 'Products';
  if (category === 'funnels') return 'Funnels and pages';
  return category.charAt(0).toUpperCase() + category.slice(1);
}

/** `tags` and `x-tagGroups` of the document. */
export function tagsOf(routes: readonly Route[]) {
  const nouns = new Map(routes.toReversed().map((route) => [route.resource.title, route]));
  const ordered = [...new Set(routes.map(({ resource }) => resource.title))];
  const byGroup = Map.groupBy(
    ordered.flatMap((title) => nouns.get(title) ?? []),
    groupOf,
  );
  const between = [...byGroup.keys()].filter((name) => !FIRST.includes(name) && !LAST.includes(name));
  const groups = [...FIRST, ...between, ...LAST].flatMap((name) => {
    const members = byGroup.get(name);
    return members === undefined ? [] : { name, members };
  });
  return {
    tags: groups.flatMap(({ members }) =>
      members.map(({ resource: { title, description } }) => ({ name: title, description })),
    ),
    'x-tagGroups': groups.map(({ name, members }) => ({
      name,
      tags: members.map(({ resource }) => resource.title),
    })),
  };
}
