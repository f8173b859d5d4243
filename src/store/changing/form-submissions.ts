// The SQL that is specific to submissions: creating one with its contact and its answers.
import { notFound } from '../../errors.ts';
import { formSubmission } from '../../resources/forms/form-submissions.ts';
import { form } from '../../resources/forms/forms.ts';
import type { Executor } from '../connections/executor.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { formSubmissionAnswerTable } from '../tables/form-submissions.ts';
import { tableOf } from '../tables/tables.ts';
import { type Changed, execute } from './changes.ts';
import type { ColumnValues } from './children.ts';
import { insertContact } from './contacts.ts';
import { type AnswerFault, findAnswerFaults, type RequestedAnswer, updateData } from './form-answers.ts';
import { insertRows } from './insert-rows.ts';
import { lockRow } from './lock-row.ts';
import { creationRecords } from './other-rows.ts';
import { type ChangeOrigin, type ChangeRecord, timeOf } from './records.ts';
import { Refused } from './rules.ts';
import { findSnapshots } from './snapshots.ts';
import { withSql } from './transactions.ts';

const FORMS = tableOf(form);
const SUBMISSIONS = tableOf(formSubmission);
const ANSWERS = tableOf(formSubmissionAnswerTable);

/** The property of a new submission that lists its answers. */
const ANSWERS_PROPERTY = 'answers';

/** A client's submission. */
export interface RequestedSubmission {
  readonly formId: bigint;
  /** One of the workspace, or the columns of one to create. */
  readonly contact: bigint | ColumnValues;
  readonly pageId: bigint | null;
  readonly answers: readonly RequestedAnswer[];
}

/**
 * Creates a submission with its answers.
 * @returns null: the idempotency key was claimed before
 * @throws AppError `not_found` if the caller does not own the form; Refused for an answer; as `execute`
 */
export function createSubmission(
  ctx: StoreContext,
  recorded: ChangeOrigin,
  wanted: RequestedSubmission,
): Promise<Changed | null> {
  return execute(ctx, recorded, withSql, (tx, tenancy) => makeSubmission(tx, tenancy, wanted));
}

function refusalOf({ index, member, fault }: AnswerFault, others: readonly Refused[] = []): Refused {
  return new Refused(ANSWERS_PROPERTY, fault, { index, property: member }, others);
}

async function makeSubmission(
  tx: Executor,
  tenancy: Tenancy,
  { formId, contact, pageId, answers }: RequestedSubmission,
): Promise<ChangeRecord> {
  // Lists of a form need no high-water mark: the lock keeps its submissions in the order of their ids.
  const locked = await lockRow(tx, FORMS, tenancy, formId, 't.id', 'no key update');
  if (locked === null) throw notFound(FORMS.title);
  const { workspaceId } = locked;
  const [first, ...others] = await findAnswerFaults(tx, workspaceId, formId, answers);
  if (first !== undefined)
    throw refusalOf(
      first,
      others.map((one) => refusalOf(one)),
    );
  const person = typeof contact === 'bigint' ? null : await insertContact(tx, workspaceId, contact);
  const contactId = person?.subjectId ?? (contact as bigint);
  const now = await timeOf(tx, SUBMISSIONS);
  const [{ id } = { id: 0n }] = await insertRows<{ id: bigint }>(tx, {
    insert: `insert into form_submissions (workspace_id, form_id, contact_id, page_id, created_at, updated_at)`,
    workspaceId,
    types: ['bigint', 'bigint', 'bigint', 'timestamptz', 'timestamptz'],
    rows: [[formId, contactId, pageId, now, now]],
    returning: 'id',
  });
  const answerIds = await insertAnswers(tx, workspaceId, { formId, id }, answers);
  if (answerIds.length > 0) await updateData(tx, workspaceId, id);
  const children = await creationRecords(tx, ANSWERS, workspaceId, answerIds);
  const [after = ''] = await findSnapshots(tx, SUBMISSIONS, workspaceId, [id]);
  const created = { resource: formSubmission, name: 'created', subjectId: id, data: after };
  return {
    ...{ workspaceId, resource: formSubmission, action: 'created', outcome: 'created', subjectId: id },
    ...{ contactId, pageId, before: null, after },
    events: [...(person?.events ?? []), created],
    children: [...(person === null ? [] : [person]), ...children],
    rows: answerIds.length + (person === null ? 0 : 1),
  };
}

async function insertAnswers(
  tx: Executor,
  workspaceId: bigint,
  { formId, id }: { readonly formId: bigint; readonly id: bigint },
  answers: readonly RequestedAnswer[],
): Promise<bigint[]> {
  if (answers.length === 0) return [];
  const now = await timeOf(tx, ANSWERS);
  const inserted = await insertRows<{ id: bigint }>(tx, {
    insert: `insert into form_submission_answers
      (workspace_id, form_id, submission_id, field_id, fields_option_ids, entry, created_at, updated_at)`,
    workspaceId,
    types: ['bigint', 'bigint', 'bigint', 'bigint[]', 'text', 'timestamptz', 'timestamptz'],
    rows: answers.map(({ fieldId, optionIds, entry }) => [formId, id, fieldId, optionIds, entry, now, now]),
    returning: 'id',
  });
  return inserted.map((row) => row.id);
}
