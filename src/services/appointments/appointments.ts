// Appointments: they are made, canceled and moved to another time.
import { type Permitted, requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, mustBe, outOfRange } from '../../errors.ts';
import { type AppointmentRow, appointment } from '../../resources/appointments.ts';
import { LAST_TIME } from '../../resources/description/field-types.ts';
import { toTimestamp } from '../../rows/json.ts';
import { lockRow } from '../../store/changing/lock-row.ts';
import { changeRows } from '../../store/changing/other-rows.ts';
import { appointmentTable } from '../../store/tables/appointments.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { requireTransition } from '../changing/transitions.ts';
import { writesOf } from '../changing/writes.ts';
import type { Input, NameOf } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

type Appointment = AppointmentRow & { id: bigint };
type Times = Pick<AppointmentRow, 'startsAt' | 'endsAt' | 'tzid'>;

const APPOINTMENTS = tableOf(appointmentTable);
const { fields, actions } = appointment;
const writes = writesOf(appointment);
const { writeScope } = writes;

/** Cancels an appointment; a canceled one stays unchanged. @throws AppError as every change does */
async function cancel(
  ctx: Context,
  ref: Ref,
  _input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Appointment>> {
  const by = requireScope(ctx, writeScope);
  return change(ctx, by, ref, options, {
    action: 'canceled',
    planOf: ({ status }) => (status === 'canceled' ? null : { set: "status = 'canceled'", values: [] }),
  });
}

/**
 * Moves an appointment to another time; one that has this time stays unchanged.
 * @throws AppError `invalid` for an end before the beginning; `conflict` for a canceled appointment; as every change does
 */
async function reschedule(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Appointment>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const given = writes.parse(input, 'creation', actions.reschedule.fields);
  return change(ctx, by, ref, options, {
    action: 'rescheduled',
    given,
    planOf(before) {
      requireTransition(fields.status, before.status, 'scheduled', nameOf('status', fields.status));
      const { startsAt, endsAt, tzid } = timesOf(before, given, nameOf);
      const isMade =
        isSame(startsAt, before.startsAt) && isSame(endsAt, before.endsAt) && tzid === before.tzid;
      const set = 'starts_at = $4::timestamptz, ends_at = $5::timestamptz, tzid = $6::text';
      return isMade ? null : { set, values: [startsAt, endsAt, tzid] };
    },
  });
}

/** The times after a change. Without a new end, the appointment stays as long as it was. @throws AppError `invalid` */
function timesOf(before: Times, given: Partial<Times>, nameOf: NameOf): Times {
  const { startsAt = before.startsAt, tzid = before.tzid } = given;
  const length = before.endsAt === null ? null : before.endsAt.getTime() - before.startsAt.getTime();
  const unasked = length === null ? null : new Date(startsAt.getTime() + length);
  const { endsAt = unasked } = given;
  if (endsAt !== null && endsAt <= startsAt)
    throw invalid(nameOf('endsAt', fields.endsAt), mustBe(fields.endsAt.mustBe));
  if (endsAt !== null && endsAt > LAST_TIME)
    throw invalid(nameOf('endsAt', fields.endsAt), outOfRange(`at most ${toTimestamp(LAST_TIME)}`));
  return { startsAt, endsAt, tzid };
}

function isSame(one: Date | null, other: Date | null): boolean {
  return one?.getTime() === other?.getTime();
}

interface Plan {
  /** The part after the dot in its event, and in the action of its audit entry. */
  readonly action: 'canceled' | 'rescheduled';
  readonly given?: unknown;
  /** What to set, with the values of its parameters from $4 on; null: nothing. @throws AppError if the change is refused */
  planOf(before: Appointment): { readonly set: string; readonly values: readonly unknown[] } | null;
}

function change(
  ctx: Context,
  by: Permitted,
  ref: Ref,
  options: WriteOptions,
  { action, given, planOf }: Plan,
): Promise<ChangeAnswer<Appointment>> {
  return changeLocked(ctx, APPOINTMENTS, ref, options, {
    by,
    action,
    given,
    lock: (tx, tenancy, id) => lockRow(tx, APPOINTMENTS, tenancy, id),
    async make(tx, { workspaceId }, before) {
      const plan = planOf(before);
      if (plan === null) return null;
      const { id } = before;
      const [changed] = await changeRows(
        ...([tx, APPOINTMENTS, workspaceId, [id], plan.set, [], undefined, plan.values] as const),
      );
      const data = changed?.after ?? '{}';
      return { events: [{ resource: appointment, name: action, subjectId: id, data }] };
    },
  });
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(appointment, { writes, actions: { cancel, reschedule } });
