// The SQL that is specific to enrollments in courses: how they are suspended and resumed, and when a course is completed.
import type { Executor } from '../connections/executor.ts';
import { courseEnrollmentTable } from '../tables/courses.ts';
import { tableOf } from '../tables/tables.ts';
import { changeRows } from './other-rows.ts';
import type { ChangeRecord } from './records.ts';
import type { ChangeRules, ChangingRow } from './rules.ts';

const ENROLLMENTS = tableOf(courseEnrollmentTable);

const LOCK_CONTACT =
  'select k.id from contacts k where k.workspace_id = $1::bigint and k.id = $2::bigint for key share';

export const ENROLLMENT_RULES: ChangeRules = {
  derived: {
    suspension_reason: {
      onCreate: 'n.suspension_reason',
      onUpdate: `case when n.suspended or not o.suspended or n.suspension_reason is distinct from o.suspension_reason
        then n.suspension_reason end`,
    },
    suspended_by_order: {
      onCreate: 'false',
      onUpdate: '(o.suspended_by_order and n.suspended)',
    },
  },
  events: {
    suspended: { onCreate: 'n.suspended', onUpdate: '(n.suspended and not o.suspended)' },
  },
  others: {
    nouns: [],
    // The contact is not erased between the check and the record of the change.
    async before(tx, { workspaceId, id, given }) {
      if (id === null)
        await tx.$queryRawUnsafe(LOCK_CONTACT, workspaceId, given?.columns['contact_id'] ?? null);
      return [];
    },
  },
};

/** Removals are told of their enrollment by the JSON of the row. */
function enrollmentIdOf({ given, before }: ChangingRow): bigint {
  if (given !== null) return given.columns['enrollment_id'] as bigint;
  return BigInt((JSON.parse(before ?? '{}') as { enrollment_id: number }).enrollment_id);
}

const LOCK =
  'select e.id from course_enrollments e where e.workspace_id = $1::bigint and e.id = $2::bigint for no key update';

/**
 * The lock serializes the completions of one enrollment: each sees those before it, so that one of two at once finds the course complete.
 */
export const COMPLETION_RULES: ChangeRules = {
  others: {
    nouns: [ENROLLMENTS],
    async before(tx, row) {
      await tx.$queryRawUnsafe(LOCK, row.workspaceId, enrollmentIdOf(row));
      return [];
    },
    after: (tx, row) => followCompletions(tx, row.workspaceId, enrollmentIdOf(row), row.given === null),
  },
};

/** Drafts do not keep anybody from completing a course, unless it has only drafts. */
const STATE = `select e.completed_at is not null as "isCompleted", e.was_completed as "wasCompleted",
    exists (select from course_lesson_completions c where c.workspace_id = $1::bigint and c.enrollment_id = e.id)
      and not exists (select from course_lessons l where l.workspace_id = $1::bigint and l.course_id = e.course_id
        and (l.published_at is not null or not exists (select from course_lessons p
          where p.workspace_id = $1::bigint and p.course_id = e.course_id and p.published_at is not null))
        and not exists (select from course_lesson_completions c
          where c.workspace_id = $1::bigint and c.enrollment_id = e.id and c.lesson_id = l.id)) as "hasAll"
  from course_enrollments e where e.workspace_id = $1::bigint and e.id = $2::bigint`;

/**
 * Completes the course of a locked enrollment when no lesson is left, or takes that back when a completion is removed. A course that was
 * completed before lessons were added stays completed while these are learned. Only the first completion is an event.
 */
async function followCompletions(
  tx: Executor,
  workspaceId: bigint,
  enrollmentId: bigint,
  isRemoval: boolean,
): Promise<ChangeRecord[]> {
  const [state] = await tx.$queryRawUnsafe<
    { isCompleted: boolean; wasCompleted: boolean; hasAll: boolean }[]
  >(STATE, workspaceId, enrollmentId);
  if (state === undefined || state.hasAll === state.isCompleted || state.hasAll === isRemoval) return [];
  const set = state.hasAll ? 'completed_at = $3::timestamptz, was_completed = true' : 'completed_at = null';
  const records = await changeRows(tx, ENROLLMENTS, workspaceId, [enrollmentId], set);
  return records.map((record) => ({
    ...record,
    events:
      state.hasAll && !state.wasCompleted
        ? record.events.map((event) => ({ ...event, name: 'course_completed' }))
        : [],
  }));
}
