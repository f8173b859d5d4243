// Drafts of broadcasts, with their recipients. Nothing is sent.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { contact } from '../../resources/contacts.ts';
import { writableFields } from '../../resources/description/inputs.ts';
import {
  type EmailBroadcastRow,
  emailBroadcast,
  type NewRecipientRow,
} from '../../resources/emails/email-broadcasts.ts';
import type { Changed } from '../../store/changing/changes.ts';
import { ADDRESS_CONSTRAINT, findByEmailAddresses } from '../../store/changing/contacts.ts';
import {
  createBroadcast,
  EMAIL_BROADCAST_RULES,
  type RequestedBroadcast,
} from '../../store/changing/email-broadcasts.ts';
import type { ChangeOrigin } from '../../store/changing/records.ts';
import { Refused } from '../../store/changing/rules.ts';
import { emailBroadcastTable } from '../../store/tables/emails.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { type ChangeAnswer, mutate } from '../changing/mutate.ts';
import { requireOwn } from '../changing/references.ts';
import { repeated } from '../changing/stepwise-change.ts';
import { refusedBy, toInvalid } from '../changing/violations.ts';
import { writesOf } from '../changing/writes.ts';
import { columnsOf, defaultsOf } from '../input/column-values.ts';
import type { Input, NameOf } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { rowsFor } from '../reading/needed-scopes.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

type Broadcast = EmailBroadcastRow & { id: bigint };

const BROADCASTS = tableOf(emailBroadcastTable);
const { fields } = emailBroadcast;
const AT_CREATION = writableFields(emailBroadcast, 'creation');
const writes = writesOf(emailBroadcast, EMAIL_BROADCAST_RULES);
const { writeScope, update, remove } = writes;

/** The client's input, checked against the description. */
type BroadcastInput = Partial<EmailBroadcastRow> & { readonly recipients?: readonly NewRecipientRow[] };

/**
 * Creates a draft. Recipients are contacts: a missing one is created.
 * @throws AppError `invalid` blaming members, also of recipients; `not_found` for the workspace
 */
async function create(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Broadcast, 'created'>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const given = writes.parse(input, 'creation') as BroadcastInput;
  if (given.sendImmediately === true)
    throw invalid(nameOf('sendImmediately', fields.sendImmediately), {
      code: 'not_allowed',
      message: 'must be false: this service keeps drafts and sends no e-mails',
    });
  const { recipients = [], ...own } = { ...defaultsOf(fields), ...given };
  if (recipients.length > 0) requireScope(ctx, 'contacts:write');
  const workspaceId = parseRef('Workspace', 'workspaces', workspace);
  await requireOwn(ctx, by.tenancy, AT_CREATION, own, nameOf, async () => workspaceId);
  const addresses = recipients.map(keyOf);
  const people = recipients.filter((_, index) => addresses.indexOf(addresses[index] ?? '') === index);
  return repeated([ADDRESS_CONSTRAINT], async () => {
    const known = await findByEmailAddresses(ctx, by.tenancy, workspaceId, people.map(keyOf));
    const wanted: RequestedBroadcast = {
      workspaceId,
      values: columnsOf(emailBroadcast, own),
      recipients: people.map(({ emailAddress, firstName = null, lastName = null }, index) => {
        const person = { emailAddress, firstName, lastName };
        const created = columnsOf(contact, { ...defaultsOf(contact.fields), ...person });
        return { ...person, contact: known[index] ?? created };
      }),
    };
    return mutate(ctx, {
      by,
      options,
      outcome: 'created',
      request: ['create', BROADCASTS.name, workspaceId, given],
      subject: { table: BROADCASTS, id: null },
      change: (recorded) => execute(ctx, recorded, wanted, nameOf),
      toRow: rowsFor<Broadcast>(ctx, emailBroadcast),
    });
  });
}

/** The same for addresses of one contact. */
function keyOf({ emailAddress }: NewRecipientRow): string {
  return emailAddress.trim().toLowerCase();
}

async function execute(
  ctx: Context,
  recorded: ChangeOrigin,
  wanted: RequestedBroadcast,
  nameOf: NameOf,
): Promise<Changed | null> {
  try {
    return await createBroadcast(ctx, recorded, wanted);
  } catch (error) {
    if (error instanceof Refused) throw refusedBy(error, emailBroadcast, 'creation', nameOf);
    throw toInvalid(error, BROADCASTS, nameOf);
  }
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(emailBroadcast, { writes: { writeScope, create, update, remove } });
