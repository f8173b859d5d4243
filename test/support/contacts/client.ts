// Sends changes of contacts and tags over either API, and reads the result.
import { type Change, type Members, type State, TEXTS } from './model.ts';

/** Sends a request, with a credential. */
export type Send = (
  path: string,
  options: { method: string; headers: Record<string, string>; body?: string },
) => Promise<{ status: number; text: string }>;

export interface Answer {
  /** The status of REST; for GraphQL, the one that REST would have. */
  readonly status: number;
  /** The contact or tag that was created or changed. */
  readonly id?: number;
  readonly contact?: State;
}

export interface Options {
  readonly face: 'rest' | 'graphql';
  readonly key: string | null;
  readonly requestId: string;
}

export interface Client {
  change(change: Change, options: Options): Promise<Answer>;
  /** A contact as in REST; null if it does not exist. */
  contact(id: number): Promise<State | null>;
  /** The ids of the contacts that match a filter. */
  find(address: string, face: 'rest' | 'graphql'): Promise<number[]>;
  /** Every contact's id, and every tag's id and name. */
  all(): Promise<{ contacts: number[]; tags: (readonly [number, string])[] }>;
}

type Tags = readonly { readonly id: number }[];

interface Shown {
  readonly id: number;
  readonly anonymous: boolean | number;
  readonly tags: Tags | { readonly nodes: Tags };
  readonly custom_attributes:
    | Readonly<Record<string, string>>
    | readonly { readonly name: string; readonly value: string }[];
}

/** A contact from an answer of either API. */
export function stateOf(shown: unknown): State {
  const { anonymous, tags, custom_attributes: attributes, ...texts } = shown as Shown;
  const pairs = Array.isArray(attributes)
    ? attributes.map(({ name, value }) => [name, value])
    : Object.entries(attributes);
  return {
    texts: Object.fromEntries(
      TEXTS.map((name) => [name, texts[name as never] ?? null]),
    ) as unknown as State['texts'],
    anonymous: Boolean(anonymous),
    attributes: Object.fromEntries(pairs),
    tags: ('nodes' in tags ? tags.nodes : tags).map(({ id }) => Number(id)).toSorted((a, b) => a - b),
  };
}

/** The client of a workspace. */
export function createClient(send: Send, workspaceId: bigint): Client {
  const workspace = `/api/v2/workspaces/${workspaceId}`;

  async function read<T>(path: string): Promise<T | null> {
    const { status, text } = await send(path, { method: 'GET', headers: {} });
    if (status === 404) return null;
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}: ${text}`);
    return JSON.parse(text) as T;
  }

  async function post<T>(query: string, variables: object, headers: Record<string, string> = {}) {
    const { status, text } = await send('/graphql', {
      method: 'POST',
      headers: { ...JSON_BODY, ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return { status, ...(JSON.parse(text) as { data?: T; errors?: { extensions: { code: string } }[] }) };
  }

  async function changeOverRest(change: Change, { key, requestId }: Options): Promise<Answer> {
    const [method, path, body] = restOf(change, workspace);
    const { status, text } = await send(path, {
      method,
      headers: {
        'X-Request-Id': requestId,
        ...(key !== null && { 'Idempotency-Key': key }),
        ...(body !== undefined && JSON_BODY),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (status >= 300 || status === 204) return { status };
    const shown = JSON.parse(text) as Shown;
    return { status, id: shown.id, ...('tags' in shown && { contact: stateOf(shown) }) };
  }

  async function changeOverGraphql(change: Change, { key, requestId }: Options): Promise<Answer> {
    const { name, input, selection, status } = graphqlOf(change, workspaceId);
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { done: ${name}(input: $input) { userErrors { code path } ${selection} } }`;
    const variables = { input: { ...input, ...(key !== null && { idempotencyKey: key }) } };
    const answer = await post<{ done: Done }>(query, variables, { 'X-Request-Id': requestId });
    const [error] = answer.errors ?? [];
    if (error !== undefined) return { status: STATUS[error.extensions.code] ?? answer.status };
    const { done } = answer.data ?? {};
    if (done == null) return { status: answer.status };
    const [refused] = done.userErrors;
    if (refused !== undefined) return { status: statusOf(refused) };
    const { isNew, contact, contactTag: tag } = done;
    return {
      status: isNew === false ? 200 : status,
      ...(contact !== undefined && { id: Number(contact.id), contact: stateOf(contact) }),
      ...(tag !== undefined && { id: Number(tag.id) }),
    };
  }

  return {
    change: (change, options) =>
      // Over GraphQL tags are changed together (test/graphql/mutations/tagging.test.ts).
      options.face === 'rest' || change.verb === 'apply' || change.verb === 'unapply'
        ? changeOverRest(change, options)
        : changeOverGraphql(change, options),
    async contact(id) {
      const shown = await read(`/api/v2/contacts/${id}`);
      return shown === null ? null : stateOf(shown);
    },
    async find(address, face) {
      if (face === 'rest') {
        const filter = `filter[email_address]=${encodeURIComponent(address)}`;
        const found = await read<Shown[]>(`${workspace}/contacts?${filter}`);
        return (found ?? []).map(({ id }) => id);
      }
      const { data } = await post<{ workspace: { contacts: { nodes: { databaseId: number }[] } } }>(
        `query ($id: BigInt!, $address: [String!]) { workspace(by: { databaseId: $id }) {
          contacts(filter: { emailAddresses: $address }) { nodes { databaseId } } } }`,
        { id: String(workspaceId), address: [address] },
      );
      return (data?.workspace.contacts.nodes ?? []).map(({ databaseId }) => Number(databaseId));
    },
    async all() {
      const contacts = (await read<Shown[]>(`${workspace}/contacts?per_page=100`)) ?? [];
      const tags =
        (await read<{ id: number; name: string }[]>(`${workspace}/contacts/tags?per_page=100`)) ?? [];
      return {
        contacts: contacts.map(({ id }) => id),
        tags: tags.map(({ id, name }) => [id, name] as const),
      };
    },
  };
}

const JSON_BODY = { 'Content-Type': 'application/json' };
/** REST's status for the code of an error. */
const STATUS: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  CONFLICT: 409,
  IN_USE: 409,
  NOT_ALLOWED_NOW: 409,
  GONE: 410,
  INVALID: 422,
  UNAVAILABLE: 503,
};

interface UserError {
  readonly code: string;
  readonly path: readonly string[] | null;
}

/** REST's status for a user error: an id in the body that names nothing is 422, not 404. */
function statusOf({ code, path }: UserError): number {
  return path?.[0] === 'tagIds' ? 422 : (STATUS[code] ?? 422);
}

interface Done {
  readonly userErrors: readonly UserError[];
  readonly isNew?: boolean;
  readonly contact?: Shown;
  readonly contactTag?: { readonly id: number };
}

function restOf(change: Change, workspace: string): readonly [string, string, object?] {
  const { verb } = change;
  switch (verb) {
    case 'create':
      return ['POST', `${workspace}/contacts`, { contact: change.members }];
    case 'upsert':
      return ['POST', `${workspace}/contacts/upsert`, { contact: change.members }];
    case 'update': {
      const tag_ids = change.members.tag_ids?.map(String);
      return [
        'PUT',
        `/api/v2/contacts/${change.contact}`,
        { ...change.members, ...(tag_ids && { tag_ids }) },
      ];
    }
    case 'remove':
      return ['DELETE', `/api/v2/contacts/${change.contact}`];
    case 'erase':
      return ['DELETE', `/api/v2/contacts/${change.contact}/gdpr_destroy`];
    case 'apply':
      return [
        'POST',
        `/api/v2/contacts/${change.contact}/applied_tags`,
        { contacts_applied_tag: { tag_id: change.tag } },
      ];
    case 'unapply':
      return ['DELETE', `/api/v2/contacts/${change.contact}/applied_tags/${change.tag}`];
    case 'createTag':
      return ['POST', `${workspace}/contacts/tags`, { contacts_tag: { name: change.name } }];
    case 'renameTag':
      return ['PATCH', `/api/v2/contacts/tags/${change.tag}`, { contacts_tag: { name: change.name } }];
    case 'removeTag':
      return ['DELETE', `/api/v2/contacts/tags/${change.tag}`];
  }
}

const CONTACT = `contact { id: databaseId email_address: emailAddress first_name: firstName phone_number: phoneNumber
  anonymous: isAnonymous tags { nodes { id: databaseId } } custom_attributes: customAttributes { name value } }`;
const TAG = 'contactTag { id: databaseId }';

function graphqlOf(change: Change, workspaceId: bigint) {
  const workspace = { workspaceId: globalId('Workspace', workspaceId) };
  const { verb } = change;
  switch (verb) {
    case 'create':
      return {
        name: 'createContact',
        input: { ...workspace, ...inputOf(change.members) },
        selection: CONTACT,
        status: 201,
      };
    case 'upsert':
      return {
        name: 'upsertContact',
        input: { ...workspace, ...inputOf(change.members) },
        selection: `isNew ${CONTACT}`,
        status: 201,
      };
    case 'update':
      return {
        name: 'updateContact',
        input: { contactId: globalId('Contact', change.contact), ...inputOf(change.members) },
        selection: CONTACT,
        status: 200,
      };
    case 'erase':
      return {
        name: 'eraseContact',
        input: { contactId: globalId('Contact', change.contact) },
        selection: CONTACT,
        status: 200,
      };
    case 'remove':
      return {
        name: 'deleteContact',
        input: { contactId: globalId('Contact', change.contact) },
        selection: 'deletedContactId',
        status: 204,
      };
    case 'apply':
    case 'unapply':
      throw new TypeError(`GraphQL has no ${verb} of one tag`);
    case 'createTag':
      return {
        name: 'createContactTag',
        input: { ...workspace, name: change.name },
        selection: TAG,
        status: 201,
      };
    case 'renameTag':
      return {
        name: 'updateContactTag',
        input: { contactTagId: globalId('ContactTag', change.tag), name: change.name },
        selection: TAG,
        status: 200,
      };
    case 'removeTag':
      return {
        name: 'deleteContactTag',
        input: { contactTagId: globalId('ContactTag', change.tag) },
        selection: 'deletedContactTagId',
        status: 204,
      };
  }
}

function inputOf({ email_address, first_name, phone_number, custom_attributes, tag_ids }: Members) {
  const given = {
    emailAddress: email_address,
    firstName: first_name,
    phoneNumber: phone_number,
    customAttributes:
      custom_attributes && Object.entries(custom_attributes).map(([name, value]) => ({ name, value })),
    tagIds: tag_ids?.map((tag) => globalId('ContactTag', tag)) ?? tag_ids,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function globalId(type: string, id: bigint | number): string {
  return btoa(`${type}:${id}`);
}
