// The section: a part of a course, with lessons.

import { course, KEPT_TEXT, PUBLISHED_AT, TITLE } from '../courses.ts';
import { ALWAYS_NULL_TEXT, IDS, ORDERED, UNCHECKED_URL } from '../description/common-fields.ts';
import { describe } from '../description/resource.ts';

/** The most sections of a course. */
export const MAX_SECTIONS = 200;

/** References to sections and lessons. Descriptions that refer to each other cannot both import the other. */
const SECTION = { type: 'CourseSection', title: 'Section', table: 'course_sections' } as const;
const LESSON = { type: 'CourseLesson', title: 'Lesson', table: 'course_lessons' } as const;

const BLOCKER = { type: 'int8', restAsText: true, nullable: true, writable: 'always' } as const;

export const courseSection = describe({
  ...SECTION,
  number: 101n,
  parent: course,
  plural: 'sections',
  path: 'sections',
  members: 'courses/sections',
  wrapper: 'courses_section',
  scope: 'courses',
  topic: 'courses/section',
  subjectType: 'Courses::Section',
  verbs: ['create', 'update', 'remove', 'reorder'],
  gatewayOnly: ['create', 'remove', 'reorder'],
  events: ['created', 'updated', 'deleted', 'published'],
  most: MAX_SECTIONS,
  description:
    'A section of a course, with its lessons. The gateway keeps when a section opens (its drip and blockers), but does not check it.',
  fields: {
    ...IDS,
    courseId: { type: 'int8', description: 'The integer id of its course.' },
    title: TITLE,
    publishedAt: PUBLISHED_AT,
    description: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 20_000,
      description: 'What the section is about.',
    },
    daysTillDripAccess: {
      graphqlName: 'daysUntilAccess',
      type: 'count',
      nullable: true,
      writable: 'always',
      description: 'How many days after the enrollment the section opens. Null if at once.',
    },
    blockerSectionId: {
      ...BLOCKER,
      refers: SECTION,
      description:
        'The integer id of the section of the same course that has to be completed before this one opens.',
      objectDescription: 'The section that has to be completed before this one opens.',
    },
    blockerLessonId: {
      ...BLOCKER,
      refers: LESSON,
      description:
        'The integer id of the lesson of the same course that has to be completed before this section opens.',
      objectDescription: 'The lesson that has to be completed before this section opens.',
    },
    currentPath: { ...KEPT_TEXT, description: 'The path of the section.' },
    isHiddenFromNonMembers: {
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether the section is hidden from contacts who are not enrolled.',
    },
    upgradeUrl: {
      ...KEPT_TEXT,
      description: `The URL where contacts can buy access to the section. ${UNCHECKED_URL}`,
    },
    parentId: ALWAYS_NULL_TEXT,
    ...ORDERED,
    createdAt: { type: 'timestamp', description: 'When the section was created.' },
    updatedAt: { type: 'timestamp', description: 'When the section was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'position'],
  scannedSorts: ['createdAt'],
});
