// Submissions of forms, and their answers.
import { coversScope, type Permitted, requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { contact } from '../../resources/contacts.ts';
import { TEXT_FORMATS } from '../../resources/description/field-types.ts';
import type { Fields } from '../../resources/description/fields.ts';
import type { Moment } from '../../resources/description/inputs.ts';
import {
  type FormSubmissionRow,
  formSubmission,
  formSubmissionAnswer,
  type NewAnswerRow,
} from '../../resources/forms/form-submissions.ts';
import { formField } from '../../resources/forms/forms.ts';
import type { Changed } from '../../store/changing/changes.ts';
import { ADDRESS_CONSTRAINT, findByEmailAddress } from '../../store/changing/contacts.ts';
import {
  ADDRESS_INPUT,
  type AnsweredAddress,
  FORM_ANSWER_RULES,
  type RequestedAnswer,
} from '../../store/changing/form-answers.ts';
import { createSubmission, type RequestedSubmission } from '../../store/changing/form-submissions.ts';
import type { ChangeOrigin } from '../../store/changing/records.ts';
import { Refused } from '../../store/changing/rules.ts';
import { findByIds } from '../../store/reading/rows.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { type ChangeAnswer, mutate } from '../changing/mutate.ts';
import { requireOwn, workspaceOf } from '../changing/references.ts';
import { repeated } from '../changing/stepwise-change.ts';
import { refusedBy, toInvalid } from '../changing/violations.ts';
import { writesOf } from '../changing/writes.ts';
import { columnsOf, defaultsOf } from '../input/column-values.ts';
import { type Input, isObject, type NameOf, type NewValues } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { rowsFor } from '../reading/needed-scopes.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const SUBMISSIONS = tableOf(formSubmission);
const FIELDS = tableOf(formField);
const EMAIL = TEXT_FORMATS.email;
const { fields, inputs } = formSubmission;
const writes = writesOf(formSubmission, { check: requireOneContact });
const { writeScope } = writes;

/** The client's input, checked against the description. */
interface SubmissionInput {
  readonly contactId?: bigint;
  readonly contactAttributes?: { readonly emailAddress: string } | null;
  readonly pageId?: bigint | null;
  readonly answers?: readonly NewAnswerRow[];
}

/**
 * Creates a submission with its answers. The input has the contact's id, or an e-mail address: a missing contact is then created. With
 * neither, the submission gets a new anonymous contact.
 * @throws AppError `invalid` blaming members, also of answers; `not_found` for the form
 */
async function create(
  ctx: Context,
  form: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<FormSubmissionRow, 'created'>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const given = writes.parse(input, 'creation') as SubmissionInput;
  const { contactId, contactAttributes, pageId = null, answers = [] } = given;
  if (contactAttributes != null) requireScope(ctx, 'contacts:write');
  const formId = parseRef('Form', 'forms', form);
  const workspaceId = await workspaceOf(ctx, 'forms', by.tenancy, formId);
  await requireOwn(ctx, by.tenancy, { pageId: fields.pageId }, { pageId }, nameOf, async () => workspaceId);
  const emailAddress =
    contactAttributes?.emailAddress ??
    (contactId === undefined ? await findAnsweredAddress(ctx, by, formId, answers) : null);
  return repeated([ADDRESS_CONSTRAINT], async () => {
    const known =
      workspaceId === null || emailAddress === null
        ? null
        : await findByEmailAddress(ctx, by.tenancy, workspaceId, emailAddress);
    const wanted: RequestedSubmission = {
      ...{ formId, pageId, answers: answers.map(requestedAnswer) },
      contact:
        contactId ??
        known ??
        columnsOf(contact, { ...defaultsOf(contact.fields), ...(emailAddress !== null && { emailAddress }) }),
    };
    return mutate(ctx, {
      by,
      options,
      outcome: 'created',
      request: ['create', SUBMISSIONS.name, formId, given],
      subject: { table: SUBMISSIONS, id: null },
      change: (recorded) => execute(ctx, recorded, wanted, nameOf),
      toRow: rowsFor<FormSubmissionRow>(ctx, formSubmission),
    });
  });
}

/** @throws AppError `invalid` */
function requireOneContact(given: object, _moment: Moment, { nameOf }: Input): void {
  const hasAttributes = 'contactAttributes' in given && given.contactAttributes !== null;
  if (!('contactId' in given && hasAttributes)) return;
  const [id, attributes] = [
    nameOf('contactId', fields.contactId),
    nameOf('contactAttributes', inputs.contactAttributes),
  ];
  throw invalid(id, { code: 'not_allowed', message: `Give either ${id} or ${attributes}.` });
}

/**
 * The address in the first answer to an e-mail field; null if there is none. A caller without the scope to change contacts names no contact by
 * it: its submission gets an anonymous one.
 */
async function findAnsweredAddress(
  ctx: Context,
  { scopes, tenancy }: Permitted,
  formId: bigint,
  answers: readonly NewAnswerRow[],
): Promise<string | null> {
  const entered = answers.filter(({ entry }) => EMAIL.parse(entry) !== undefined);
  if (entered.length === 0 || !coversScope(scopes, 'contacts:write')) return null;
  const found = await findByIds(
    ctx,
    FIELDS,
    tenancy,
    entered.map(({ fieldId }) => fieldId),
  );
  const index = found.findIndex((field) => field?.formId === formId && field.fieldType === 'email');
  return EMAIL.parse(entered[index]?.entry) ?? null;
}

function requestedAnswer({
  fieldId,
  optionId,
  fieldsOptionIds = [],
  entry = null,
}: NewAnswerRow): RequestedAnswer {
  const optionIds = [...new Set([...(optionId == null ? [] : [optionId]), ...fieldsOptionIds])];
  return { fieldId, optionIds, entry };
}

async function execute(
  ctx: Context,
  recorded: ChangeOrigin,
  wanted: RequestedSubmission,
  nameOf: NameOf,
): Promise<Changed | null> {
  try {
    return await createSubmission(ctx, recorded, wanted);
  } catch (error) {
    if (error instanceof Refused) throw refusedBy(error, formSubmission, 'creation', nameOf);
    throw toInvalid(error, SUBMISSIONS, nameOf);
  }
}

/** Adds the single option that REST takes to the list of options. */
function withSingleOption(input: Input): Input {
  const { members, nameOf } = input;
  const [one, many] = [
    nameOf('optionId', formSubmissionAnswer.inputs.optionId),
    nameOf('fieldsOptionIds', formSubmissionAnswer.fields.fieldsOptionIds),
  ];
  if (!isObject(members) || !Object.hasOwn(members, one)) return input;
  const [id, list] = [members[one], members[many] ?? []];
  const isNone = id === null || id === '';
  // What has another form is blamed afterwards.
  if (!Array.isArray(list) || !(isNone || /^\d+$/.test(String(id)))) return input;
  const others = list.filter((other) => String(other) !== String(id));
  const chosen = isNone ? list : [id, ...others];
  return { ...input, members: { ...members, [many]: chosen } };
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(formSubmission, {
  writes: { writeScope, create, update: writes.update, remove: writes.remove },
});

const answerWrites = writesOf(formSubmissionAnswer, {
  ...FORM_ANSWER_RULES,
  normalize: withSingleOption,
  lookUp: findContactOfAnswer,
});

/** The contact with the address that is entered. A caller without the scope to change contacts identifies nobody by it. */
async function findContactOfAnswer(
  ctx: Context,
  { entry }: { readonly entry?: string | null },
  _nameOf: NameOf,
  findWorkspace: () => Promise<bigint | null>,
): Promise<NewValues<Fields>> {
  const { scopes, tenancy } = requireScope(ctx, answerWrites.writeScope);
  const emailAddress = EMAIL.parse(entry);
  if (emailAddress === undefined || !coversScope(scopes, 'contacts:write')) return {};
  const workspaceId = await findWorkspace();
  if (workspaceId === null) return {};
  const contactId = await findByEmailAddress(ctx, tenancy, workspaceId, emailAddress);
  return { [ADDRESS_INPUT]: { emailAddress, contactId } satisfies AnsweredAddress };
}

export const answers = defineService(formSubmissionAnswer, {
  writes: {
    ...answerWrites,
    create: (...of) => repeated([ADDRESS_CONSTRAINT], () => answerWrites.create(...of)),
    update: (...of) => repeated([ADDRESS_CONSTRAINT], () => answerWrites.update(...of)),
  },
});
