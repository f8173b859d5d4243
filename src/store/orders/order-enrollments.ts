// Enrolls the buyer of an order in the courses of its products, and suspends those enrollments when the order is refunded or has ended. The
// caller holds the order's lock.
import { courseEnrollment } from '../../resources/courses/course-enrollments.ts';
import {
  type BillingStatus,
  CANCELED_SERVICE_STATUSES,
  type ServiceStatus,
} from '../../resources/orders/order-statuses.ts';
import { insertRows } from '../changing/insert-rows.ts';
import { changeRows, creationRecords } from '../changing/other-rows.ts';
import { type ChangeRecord, timeOf } from '../changing/records.ts';
import type { Executor } from '../connections/executor.ts';
import { courseEnrollmentTable } from '../tables/courses.ts';
import { tableOf } from '../tables/tables.ts';

const ENROLLMENTS = tableOf(courseEnrollmentTable);

/** The types of the events that a new order can cause. */
export const ENROLLING_EVENTS = ['created', 'updated'].map((name) => `${courseEnrollment.topic}.${name}`);

const ENDED_SERVICE_STATUSES: readonly ServiceStatus[] = [...CANCELED_SERVICE_STATUSES, 'churned'];

/** Whether an order with these statuses gives access to courses, takes it away, or neither. */
function accessOf({ billing, service }: OrderState): 'given' | 'ended' | null {
  if (billing === 'refunded' || ENDED_SERVICE_STATUSES.includes(service)) return 'ended';
  return billing === 'paid' ? 'given' : null;
}

interface OrderState {
  readonly billing: BillingStatus;
  readonly service: ServiceStatus;
}

/** An order whose statuses have changed. */
interface ChangedOrder {
  readonly workspaceId: bigint;
  readonly id: bigint;
  readonly contactId: bigint;
  /** null: it is new. */
  readonly before: OrderState | null;
  readonly after: OrderState;
  /** Whether an invoice was paid: new lines may give access to more courses. */
  readonly isPaidNow: boolean;
}

/** The records of enrollments, and their events, which are events of the change of the order. */
interface Enrolling {
  readonly records: readonly ChangeRecord[];
  readonly events: ChangeRecord['events'];
}

/** Enrolls the buyer, or suspends enrollments, as the statuses of the order demand. */
export async function followOrder(tx: Executor, order: ChangedOrder): Promise<Enrolling> {
  const { before, after, isPaidNow } = order;
  const [was, is] = [before && accessOf(before), accessOf(after)];
  const records =
    is === 'given' && (was !== 'given' || isPaidNow)
      ? await enrollBuyer(tx, order)
      : is === 'ended' && was !== 'ended' && before !== null
        ? await suspendBuyer(tx, order)
        : [];
  return {
    records: records.map((record) => ({ ...record, events: [] })),
    events: records.flatMap(({ events }) => events),
  };
}

const SELLS = (course: string, order: string) => `exists (select from order_line_items l
    join products p on p.workspace_id = $1::bigint and p.id = l.product_id
  where l.workspace_id = $1::bigint and l.order_id = ${order} and ${course} = any(p.course_ids))`;

/** Enrollments below one course are created under its lock, so that they commit in the order of their ids. */
const LOCK_COURSES = `select c.id from courses c where c.workspace_id = $1::bigint and c.id = any(array(
    select unnest(p.course_ids) from order_line_items l join products p on p.workspace_id = $1::bigint and p.id = l.product_id
    where l.workspace_id = $1::bigint and l.order_id = $2::bigint))
  order by c.id for no key update`;
/**
 * Serializes the orders of one buyer: of two that are paid or end at once, the second sees what the first has done. Otherwise each of two
 * refunds would leave the access to the other order.
 */
const LOCK_BUYER =
  'select k.id from contacts k where k.workspace_id = $1::bigint and k.id = $2::bigint for no key update';
const FIND = `select e.id, e.course_id as "courseId", e.suspended_by_order as "isSuspended" from course_enrollments e
  where e.workspace_id = $1::bigint and e.contact_id = $2::bigint and e.course_id = any($3::bigint[]) order by e.id for no key update`;

/** Enrolls the buyer in the courses of all lines, and resumes what an order has suspended. What a client has suspended stays so. */
async function enrollBuyer(
  tx: Executor,
  { workspaceId, id, contactId }: ChangedOrder,
): Promise<readonly ChangeRecord[]> {
  const courses = await tx.$queryRawUnsafe<{ id: bigint }[]>(LOCK_COURSES, workspaceId, id);
  if (courses.length === 0) return [];
  await tx.$queryRawUnsafe(LOCK_BUYER, workspaceId, contactId);
  const courseIds = courses.map((course) => course.id);
  const found = await tx.$queryRawUnsafe<{ id: bigint; courseId: bigint; isSuspended: boolean }[]>(
    ...[FIND, workspaceId, contactId, courseIds],
  );
  const enrolled = new Set(found.map(({ courseId }) => courseId));
  const resumed = await changeRows(
    ...([tx, ENROLLMENTS, workspaceId] as const),
    found.filter(({ isSuspended }) => isSuspended).map((one) => one.id),
    'suspended = false, suspension_reason = null, suspended_by_order = false, order_id = $4::bigint',
    ...[[], undefined, [id]],
  );
  const missing = courseIds.filter((courseId) => !enrolled.has(courseId));
  if (missing.length === 0) return resumed;
  const now = await timeOf(tx, ENROLLMENTS);
  const inserted = await insertRows<{ id: bigint }>(tx, {
    insert: `insert into ${ENROLLMENTS.name} (workspace_id, contact_id, course_id, order_id, created_at, updated_at)`,
    workspaceId,
    types: ['bigint', 'bigint', 'bigint', 'timestamptz', 'timestamptz'],
    rows: missing.map((courseId) => [contactId, courseId, id, now, now]),
    returning: 'id',
  });
  const created = await creationRecords(
    ...([tx, ENROLLMENTS, workspaceId] as const),
    inserted.map((one) => one.id),
  );
  return [...resumed, ...created];
}

/** The enrollments that the order gives, each with another paid order of the contact that gives it too, if there is one. */
const GIVEN = `select e.id, (select o.id from orders o
    where o.workspace_id = $1::bigint and o.contact_id = e.contact_id and o.id <> $2::bigint and o.billing_status = 'paid'
      and o.service_status <> all($3::text[]) and ${SELLS('e.course_id', 'o.id')} order by o.id desc limit 1) as "otherId"
  from course_enrollments e where e.workspace_id = $1::bigint and e.order_id = $2::bigint and not e.suspended
  order by e.id for no key update`;

/** Suspends the enrollments that the order gave. Those that another paid order gives too are of that order from now on. */
async function suspendBuyer(
  tx: Executor,
  { workspaceId, id, contactId, after }: ChangedOrder,
): Promise<readonly ChangeRecord[]> {
  await tx.$queryRawUnsafe(LOCK_BUYER, workspaceId, contactId);
  const given = await tx.$queryRawUnsafe<{ id: bigint; otherId: bigint | null }[]>(
    ...[GIVEN, workspaceId, id, ENDED_SERVICE_STATUSES],
  );
  const records: ChangeRecord[] = [];
  for (const [otherId, enrollments] of Map.groupBy(given, (one) => one.otherId)) {
    const ids = enrollments.map((one) => one.id);
    const reason = after.billing === 'refunded' ? 'The order was refunded.' : 'The order has ended.';
    const change =
      otherId === null
        ? await changeRows(
            ...([tx, ENROLLMENTS, workspaceId, ids] as const),
            'suspended = true, suspension_reason = $4::text, suspended_by_order = true',
            ...([['suspended'], undefined, [reason]] as const),
          )
        : await changeRows(
            ...([tx, ENROLLMENTS, workspaceId, ids] as const),
            'order_id = $4::bigint',
            ...([[], undefined, [otherId]] as const),
          );
    records.push(...change);
  }
  return records;
}
