// Contacts of a workspace.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { AppError, invalid } from '../errors.ts';
import { type ContactRow, contact } from '../resources/contacts.ts';
import { CONTACT_RULES, findByEmailAddress } from '../store/contacts.ts';
import { CONTACTS } from '../store/tables.ts';
import { parseCustomAttributes } from './custom-attributes.ts';
import type { Done } from './mutate.ts';
import type { Input } from './parse-fields.ts';
import { readsOf } from './reads.ts';
import { parseRef, type Ref } from './refs.ts';
import type { WriteOptions } from './write-options.ts';
import { writesOf } from './writes.ts';

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(
  CONTACTS,
  'contacts:read',
);

const writes = writesOf(CONTACTS, 'contacts:write', { ...CONTACT_RULES, normalize: withAttributes });
export const { writeScope, create, update, remove } = writes;

/** Between looking for a contact and changing it another request may have created or removed it. */
const MAX_ATTEMPTS = 5;

/**
 * Creates a contact, or changes the one that has the e-mail address. In a change, null and an empty list leave things as they are.
 * @throws AppError as `create` and `update` do
 */
export async function upsert(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<Done<ContactRow>> {
  const { tenancy } = requireScope(ctx, writeScope);
  const name = input.nameOf('emailAddress', contact.fields.emailAddress);
  const given = { ...input, members: withoutNothing(input.members) };
  const { emailAddress } = writes.parse(given, 'creation');
  if (emailAddress == null) throw invalid(name, `${name} must be given: it tells which contact is meant.`);
  const workspaceId = parseRef('Workspace', 'workspaces', workspace);
  const request = ['upsert', workspaceId, given.members];
  for (let attempt = 1; ; attempt++) {
    const id = await findByEmailAddress(ctx, tenancy, workspaceId, emailAddress);
    try {
      return id === null
        ? await create(ctx, workspaceId, given, options, request)
        : await update(ctx, id, given, options, request);
    } catch (error) {
      const isLate = error instanceof AppError && error.code === (id === null ? 'invalid' : 'not_found');
      if (!isLate || attempt === MAX_ATTEMPTS) throw error;
      const now = await findByEmailAddress(ctx, tenancy, workspaceId, emailAddress);
      if (now === id) throw error;
    }
  }
}

/** Members that are null or an empty list are not given. */
function withoutNothing(members: unknown): unknown {
  if (!(members instanceof Object)) return members;
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

/** The input with its custom attributes in the form that is stored. */
function withAttributes(input: Input): Input {
  const name = input.nameOf('customAttributes', contact.fields.customAttributes);
  if (!(input.members instanceof Object) || !Object.hasOwn(input.members, name)) return input;
  const given: unknown = Reflect.get(input.members, name);
  return { ...input, members: { ...input.members, [name]: parseCustomAttributes(given, name) } };
}
