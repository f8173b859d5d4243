// The appointment of a contact: `Appointments::ScheduledEvent` of the public API.
import { contact } from './contacts.ts';
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { order } from './orders/orders.ts';
import { workspace } from './workspaces.ts';

const { emailAddress, firstName, lastName, phoneNumber } = contact.fields;

/** When an appointment is: set at its creation, and by rescheduling it. */
const TIMES = {
  startsAt: {
    restName: 'start_on',
    type: 'timestamp',
    writable: 'at_creation',
    required: true,
    description: 'When the appointment begins.',
  },
  endsAt: {
    restName: 'end_on',
    type: 'timestamp',
    nullable: true,
    writable: 'at_creation',
    mustBe: 'null, or a time after the beginning',
    description: 'When the appointment ends; null if nobody knows.',
  },
  tzid: {
    graphqlName: 'timeZone',
    type: 'text',
    nullable: true,
    writable: 'at_creation',
    maxLength: 255,
    description: 'The time zone in which the contact chose the time, such as `Europe/Madrid`.',
  },
} as const;

export const appointment = describe({
  type: 'Appointment',
  title: 'Appointment',
  table: 'appointments',
  number: 150n,
  parent: workspace,
  plural: 'appointments',
  path: 'appointments/scheduled_events',
  lists: [{ under: contact, key: 'primaryContactId', plural: 'appointments', indexes: {} }],
  wrapper: 'appointments_scheduled_event',
  scope: 'contacts',
  topic: 'appointments/scheduled_event',
  subjectType: 'Appointments::ScheduledEvent',
  verbs: ['create', 'update'],
  gatewayOnly: ['get', 'create', 'update', 'cancel', 'reschedule'],
  events: ['created', 'canceled', 'rescheduled'],
  actions: {
    cancel: { summary: 'Cancels an appointment' },
    reschedule: {
      summary: 'Moves an appointment to another time',
      fields: {
        ...TIMES,
        endsAt: {
          ...TIMES.endsAt,
          rule: 'By default the appointment stays as long as it was.',
        },
      },
    },
  },
  description:
    'A time at which a contact meets somebody of the team. A canceled appointment stays in the list, and cannot be moved.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    status: {
      type: 'text',
      values: ['scheduled', 'canceled'],
      valueDescriptions: {
        scheduled: 'The appointment takes place at its time.',
        canceled: 'The appointment was canceled and does not take place.',
      },
      transitions: { scheduled: ['canceled'] },
      description: 'Whether the appointment takes place.',
    },
    eventType: {
      type: 'jsonb',
      nullable: true,
      writable: 'always',
      object: {
        name: {
          type: 'text',
          nullable: true,
          maxLength: 255,
          description: 'The name of the kind of appointment, such as `First call`.',
        },
      },
      description: 'The kind of appointment; null if it has none.',
    },
    ...TIMES,
    comments: {
      type: 'text',
      nullable: true,
      writable: 'always',
      personal: true,
      maxLength: 5_000,
      description: 'What the contact has written about the appointment.',
    },
    maxInvitees: {
      type: 'int4',
      nullable: true,
      writable: 'always',
      range: [1, 100_000],
      description: 'The most people who can take part; null for no limit.',
    },
    orderId: {
      type: 'int8',
      restAsText: true,
      nullable: true,
      refers: order,
      writable: 'at_creation',
      description: 'The integer id of the order with which the appointment was booked, or null.',
      objectDescription: 'The order with which the appointment was booked, or null.',
    },
    primaryContactId: {
      type: 'int8',
      refers: contact,
      writable: 'at_creation',
      required: true,
      gatewayOnly: true,
      description: 'The integer id of the contact who has the appointment.',
      objectDescription: 'The contact who has the appointment.',
    },
    primaryContact: {
      graphql: false,
      type: 'jsonb',
      nullable: true,
      object: { ...IDS, emailAddress, firstName, lastName, phoneNumber },
      description: 'The contact who has the appointment.',
    },
    createdAt: { type: 'timestamp', description: 'When the appointment was made.' },
    updatedAt: { type: 'timestamp', description: 'When the appointment was last changed.' },
  },
  filters: {
    id: { unique: true },
    startsAt: {
      isRange: true,
      index: 'appointments_workspace_id_starts_at_id_idx',
      description: 'When the appointment begins.',
    },
  },
  sorts: ['createdAt', 'updatedAt'],
});

export interface AppointmentRow extends Row<typeof appointment> {}
