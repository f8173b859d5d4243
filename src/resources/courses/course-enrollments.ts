// The enrollment of a contact in a course.
import { contact } from '../contacts.ts';
import { course } from '../courses.ts';
import { ALWAYS_NULL_TEXT, IDS } from '../description/common-fields.ts';
import { describe } from '../description/resource.ts';
import { order } from '../orders/orders.ts';

const { emailAddress, firstName, lastName, phoneNumber } = contact.fields;

export const courseEnrollment = describe({
  type: 'CourseEnrollment',
  title: 'Enrollment',
  table: 'course_enrollments',
  number: 103n,
  parent: course,
  plural: 'enrollments',
  path: 'enrollments',
  members: 'courses/enrollments',
  lists: [{ under: contact, key: 'contactId', plural: 'courseEnrollments', indexes: {} }],
  wrapper: 'courses_enrollment',
  scope: 'courses',
  topic: 'courses/enrollment',
  subjectType: 'Courses::Enrollment',
  isPartOfContact: true,
  verbs: ['create', 'update'],
  events: ['created', 'updated', 'suspended', 'course_completed'],
  description:
    'The enrollment of a contact in a course, once for each course. A paid order of a product with courses creates it; a full refund of that order, or its end as a subscription, suspends it.',
  fields: {
    ...IDS,
    contactId: {
      type: 'int8',
      refers: contact,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the contact who is enrolled.',
      objectDescription: 'The contact who is enrolled.',
    },
    courseId: { type: 'int8', description: 'The integer id of its course.' },
    createdAt: { type: 'timestamp', description: 'When the contact was enrolled.' },
    updatedAt: { type: 'timestamp', description: 'When the enrollment was last changed.' },
    suspended: {
      type: 'bool',
      graphqlName: 'isSuspended',
      writable: 'always',
      default: false,
      description: 'Whether the contact has no access to the course for now.',
    },
    suspensionReason: {
      type: 'text',
      nullable: true,
      writable: 'always',
      personal: true,
      maxLength: 2_000,
      description: 'Why the enrollment is suspended. It is cleared when the enrollment is resumed.',
    },
    /** By an order, not by a client: the next payment resumes it. */
    suspendedByOrder: {
      type: 'bool',
      internal: true,
      description: 'Whether its order has suspended it.',
    },
    currentPath: ALWAYS_NULL_TEXT,
    originationSourceType: {
      graphql: false,
      type: 'text',
      nullable: true,
      description: 'What enrolled the contact: `Order`; null if a client of the API did.',
    },
    orderId: {
      type: 'int8',
      restName: 'origination_source_id',
      nullable: true,
      refers: order,
      description: 'The integer id of the order that enrolled the contact, or null.',
      objectDescription: 'The order that gives access to the course, or null.',
    },
    contact: {
      type: 'jsonb',
      nullable: true,
      object: { ...IDS, emailAddress, firstName, lastName, phoneNumber },
      needs: 'contacts',
      description: 'A summary of the contact. Null if the caller may not read contacts.',
    },
    completedAt: {
      type: 'timestamp',
      nullable: true,
      expand: true,
      gatewayOnly: true,
      description:
        'When the contact completed the course: all published lessons, or all lessons if none is published. Null if not, or if the completion of one was taken back.',
    },
    wasCompleted: {
      type: 'bool',
      internal: true,
      description: 'Whether the course was ever completed, so that its event happens once.',
    },
  },
  filters: {
    id: { unique: true },
    contactId: { unique: true, index: 'course_enrollments_workspace_id_contact_id_key' },
  },
  sorts: ['createdAt', 'updatedAt'],
});
