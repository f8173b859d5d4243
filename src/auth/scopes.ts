// The only table of scopes (spec §5 rule 4): services check scopes with it, challenges and the RFC 9728 document print it, and
// a person's role decides which scopes they may grant.
import { AppError } from '../errors.ts';
import type { Category } from '../resources/description/categories.ts';
import type { Resource } from '../resources/description/resource.ts';
import type { TeamRole } from '../store/accounts/users.ts';
import type { Actor, AnonymousActor, Caller } from './actor.ts';

type Access = 'read' | 'write';

/** Each category, with the data that its two scopes give access to, in the words of the consent page. */
export const CATEGORIES = {
  account: {
    read: 'teams and workspaces, their people, API keys, applications and audit trail',
    write: 'teams and workspaces, and create and end their API keys and applications',
  },
  blogs: sameForBothAccesses('blogs, their posts, tags and categories'),
  contacts: sameForBothAccesses('contacts, their tags and appointments, and saved filters'),
  courses: sameForBothAccesses('courses, their lessons, and who is enrolled in them'),
  emails: sameForBothAccesses('e-mail topics, templates and addresses, broadcasts and their recipients'),
  forms: sameForBothAccesses('forms with their fields, and what people have entered in them'),
  funnels: sameForBothAccesses('funnels and sites, their pages and splits'),
  sales: sameForBothAccesses('sales pipelines with their opportunities and notes'),
  store: sameForBothAccesses('the shop: products, orders, payments and shipping'),
  webhooks: sameForBothAccesses('outgoing webhook endpoints, their events and deliveries'),
} as const satisfies Record<Category, Record<Access, string>>;

function sameForBothAccesses(what: string): Record<Access, string> {
  return { read: what, write: what };
}

/** A scope that an operation needs. */
export type Scope = `${Category}:${Access}`;

/** The scope for reading or changing objects of a noun. */
export function scopeFor({ type, scope }: Pick<Resource, 'type' | 'scope'>, access: Access): Scope {
  if (scope === undefined) throw new TypeError(`The description of ${type} names no scope.`);
  return `${scope}:${access}`;
}

/** The scope for reading the objects that `scope` allows to change. */
export function readScopeOf(scope: Scope): Scope {
  return scope.replace(/:write$/, ':read') as Scope;
}

/** Every scope that a key may carry: each category's two, and the coarse wildcards. */
export const SCOPES: readonly string[] = [
  ...Object.keys(CATEGORIES).flatMap((category) => [`${category}:read`, `${category}:write`]),
  'read',
  'write',
];

/** Scopes that a member may not grant: those that change the team itself. */
const NOT_FOR_MEMBERS = ['account:write', 'write'];

const GRANTABLE: Readonly<Record<TeamRole, ReadonlySet<string>>> = {
  owner: new Set(SCOPES),
  admin: new Set(SCOPES),
  member: new Set(SCOPES.filter((scope) => !NOT_FOR_MEMBERS.includes(scope))),
};

/** The scopes that a person with this role may grant for the team: checked at consent, and for as long as a token lives. */
export function grantable(role: TeamRole): ReadonlySet<string> {
  return GRANTABLE[role];
}

/** A description of the scope for people. @param scope one of SCOPES; any other text is returned unchanged */
export function scopeSentence(scope: string): string {
  if (!SCOPES.includes(scope)) return scope;
  const [category, access] = scope.includes(':') ? scope.split(':') : ['', scope];
  const what = Object.entries(CATEGORIES)
    .filter(([name]) => category === '' || name === category)
    .map(([, words]) => words[access as Access]);
  const prefix = category === '' ? 'everything: ' : '';
  return `${access === 'read' ? 'Read' : 'Change'} ${prefix}${what.join('; ')}`;
}

/** Whether `granted` covers `scope`: by the scope itself, or by the wildcard of its access. `write` does not imply `read`. */
export function coversScope(granted: ReadonlySet<string>, scope: Scope): boolean {
  return granted.has(scope) || granted.has(scope.endsWith(':read') ? 'read' : 'write');
}

/** The members of SCOPES that allow anything. @param needed the scopes that operations need */
export function usableScopes(needed: ReadonlySet<Scope>): ReadonlySet<string> {
  return new Set(SCOPES.filter((scope) => [...needed].some((each) => coversScope(new Set([scope]), each))));
}

/** Whether a scope allows any change. */
export function isWriteScope(scope: string): boolean {
  return scope === 'write' || scope.endsWith(':write');
}

/** The caller, whatever its scopes. @throws AppError `unauthenticated` without valid credentials; the error contains `scope` */
export function requireCaller({ actor }: { readonly actor: Actor }, scope?: Scope): Caller {
  if (actor.kind === 'anonymous') throw unauthenticated(actor, scope);
  return actor;
}

declare const HOLDS_SCOPE: unique symbol;

/** A caller whose scope `requireScope` has checked. Only it returns one, so functions that take a `Permitted` need not check again. */
export type Permitted = Caller & { readonly [HOLDS_SCOPE]: true };

/**
 * The caller, who must hold `scope`: the first line of every service function that a request can call. Functions that read and write rows
 * rely on it, and check only owners.
 * @throws AppError `unauthenticated` without valid credentials, `insufficient_scope` with too few scopes
 */
export function requireScope(ctx: { readonly actor: Actor }, scope: Scope): Permitted {
  const actor = requireCaller(ctx, scope);
  if (!coversScope(actor.scopes, scope)) {
    throw new AppError('insufficient_scope', `This needs the scope ${scope}.`, { scope });
  }
  return actor as Permitted;
}

/** The error for a client without valid credentials. @param scope the scope that the request needed, if any */
export function unauthenticated({ rejected }: AnonymousActor, scope: string | undefined): AppError {
  const message =
    rejected ??
    'Credentials missing. Send an API key or an access token as "Authorization: Bearer <credential>".';
  return new AppError('unauthenticated', message, {
    ...(scope !== undefined && { scope }),
    invalidToken: rejected !== null,
  });
}
