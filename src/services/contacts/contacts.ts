// Contacts of a workspace.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError, notFound, preconditionFailed } from '../../errors.ts';
import { type ContactRow, contact, upsertFields } from '../../resources/contacts.ts';
import type { Field } from '../../resources/description/fields.ts';
import { restNameOf } from '../../resources/description/names.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import { execute } from '../../store/changing/changes.ts';
import { CONTACT_RULES, findByEmailAddress } from '../../store/changing/contacts.ts';
import type { ChangeRecord } from '../../store/changing/records.ts';
import { findSnapshots } from '../../store/changing/snapshots.ts';
import { withSql } from '../../store/changing/transactions.ts';
import type { Executor } from '../../store/connections/executor.ts';
import { type Eraser, eraseContact, lockForErasure } from '../../store/erasure/contact-erasure.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { contactTable } from '../../store/tables/contacts.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { type ChangeAnswer, mutate } from '../changing/mutate.ts';
import { writesOf } from '../changing/writes.ts';
import { type Input, isObject, namesOf } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { parseCustomAttributes } from './custom-attributes.ts';
import { blankAtOnce } from './erasures.ts';

const CONTACTS = tableOf(contactTable);

const toRow = snapshotRows<ContactRow>(contact);
const writes = writesOf(contact, { ...CONTACT_RULES, normalize: withAttributes });
export const { writeScope, create, update, remove } = writes;

/** Retries. Between the look-up and the change, another request may create or remove the contact, or change its address. */
const MAX_ATTEMPTS = 5;

/**
 * Creates a contact, or changes the one with the e-mail address. In a change, null and an empty list leave a property unchanged.
 * @throws AppError as `create` and `update` do; `conflict` when other requests keep creating and removing such a contact
 */
export async function upsert(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<ContactRow>> {
  const { tenancy } = requireScope(ctx, writeScope);
  const name = input.nameOf('emailAddress', upsertFields.emailAddress);
  const given = { ...input, members: withoutEmptyMembers(input) };
  const parsed = writes.parse(given, 'creation', upsertFields);
  const { emailAddress } = parsed;
  if (emailAddress == null) throw new TypeError('A required field was not given');
  // An existing contact keeps the spelling of its address.
  const change = { ...given, members: { ...(given.members as object), [name]: undefined } };
  const workspaceId = parseRef('Workspace', 'workspaces', workspace);
  const request = ['upsert', workspaceId, parsed];
  for (let attempt = 1; ; attempt++) {
    const id = await findByEmailAddress(ctx, tenancy, workspaceId, emailAddress);
    try {
      return id === null
        ? await create(ctx, workspaceId, given, options, request)
        : await update(ctx, id, change, options, { by: emailAddress, request });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The address was validated before, so an error about it can only mean that it is taken.
      const isTaken = error.errors.some(({ field }) => field === name);
      const isGone =
        error.code === 'not_found' || (error.code === 'precondition_failed' && options.precondition === null);
      if (!(id === null ? isTaken : isGone)) throw error;
      if (attempt === MAX_ATTEMPTS) throw tooManyConcurrentChanges(name);
    }
  }
}

function tooManyConcurrentChanges(name: string): AppError {
  const message = `Too many concurrent changes of contacts with this ${name}. Nothing was changed; try again.`;
  return new AppError('conflict', message, { retryAfterSeconds: 1 });
}

/**
 * Erases the personal data of a contact wherever it was copied. This also works for a deleted contact.
 * @returns the contact with its personal data blanked
 */
export async function erase(
  ctx: Context,
  ref: Ref,
  options: WriteOptions,
): Promise<ChangeAnswer<ContactRow>> {
  const by = requireScope(ctx, writeScope);
  const id = parseRef(CONTACTS.title, CONTACTS.name, ref);
  return mutate(ctx, {
    by,
    options,
    outcome: 'updated',
    request: ['erase', CONTACTS.name, id],
    takesPrecondition: true,
    async change(recorded) {
      const changed = await execute(ctx, recorded, withSql, (tx, tenancy) =>
        eraseWithin(tx, tenancy, id, recorded, options),
      );
      if (changed !== null) await blankAtOnce(ctx, recorded.team, toRow(changed.snapshot));
      return changed;
    },
    toRow,
  });
}

async function eraseWithin(
  tx: Executor,
  tenancy: Tenancy,
  id: bigint,
  by: Eraser,
  { precondition }: WriteOptions,
): Promise<ChangeRecord> {
  const found = await lockForErasure(tx, tenancy, id);
  if (found === null) throw notFound(CONTACTS.title);
  const { workspaceId, json } = found;
  if (precondition !== null && !precondition(toRow(json))) throw preconditionFailed();
  await eraseContact(tx, workspaceId, id, by);
  const [now] = await findSnapshots(tx, CONTACTS, workspaceId, [id]);
  return {
    workspaceId,
    resource: contact,
    action: 'erased',
    outcome: 'updated',
    subjectId: id,
    contactId: id,
    before: null,
    after: now ?? blank(json),
    // A deleted contact gets no `updated` event.
    events: now === undefined ? [] : [{ resource: contact, name: 'updated', subjectId: id, data: now }],
  };
}

/** The blanked form of a contact without a row. @param json its last representation in REST */
function blank(json: string): string {
  const known = JSON.parse(json) as Record<string, unknown>;
  const blanked = Object.entries<Field>(contact.fields).map(([property, field]) => {
    const name = restNameOf(property, field);
    return [name, blankOf(field, known[name])];
  });
  return JSON.stringify({ ...Object.fromEntries(blanked), anonymous: 1, is_active: false });
}

function blankOf({ nullable, items, object, members }: Field, value: unknown): unknown {
  if (nullable) return null;
  if (object !== undefined)
    return Object.fromEntries(
      Object.entries(object).map(([name, field]) => [restNameOf(name, field), blankOf(field, null)]),
    );
  if (items !== undefined) return [];
  return members === undefined ? value : {};
}

/** The known members of the input, without nulls and empty lists. */
function withoutEmptyMembers({ members, nameOf }: Input): unknown {
  if (!isObject(members)) return members;
  return Object.fromEntries(
    namesOf(upsertFields, nameOf)
      .filter((name) => Object.hasOwn(members, name))
      .map((name) => [name, members[name]] as const)
      .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  );
}

/** The input with its custom attributes in the stored form. */
function withAttributes(input: Input): Input {
  const name = input.nameOf('customAttributes', contact.fields.customAttributes);
  const { members } = input;
  if (!isObject(members) || !Object.hasOwn(members, name)) return input;
  return { ...input, members: { ...members, [name]: parseCustomAttributes(members[name], name) } };
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(contact, { writes });
