// The lesson: what a section of a course teaches.

import { KEPT_TEXT, PUBLISHED_AT, TITLE } from '../courses.ts';
import { IDS, ORDERED } from '../description/common-fields.ts';
import { describe } from '../description/resource.ts';
import { courseSection } from './course-sections.ts';

/** The most lessons of a section. */
export const MAX_LESSONS = 500;

export const courseLesson = describe({
  type: 'CourseLesson',
  title: 'Lesson',
  table: 'course_lessons',
  number: 102n,
  parent: courseSection,
  parentKey: 'sectionId',
  plural: 'lessons',
  path: 'lessons',
  members: 'courses/lessons',
  wrapper: 'courses_lesson',
  scope: 'courses',
  topic: 'courses/lesson',
  subjectType: 'Courses::Lesson',
  verbs: ['create', 'update', 'remove', 'reorder'],
  gatewayOnly: ['create', 'remove', 'reorder'],
  events: ['created', 'updated', 'deleted', 'published'],
  most: MAX_LESSONS,
  description: 'A lesson of a section. A lesson that somebody has completed cannot be deleted.',
  fields: {
    ...IDS,
    courseId: { type: 'int8', internal: true, description: 'The integer id of its course.' },
    title: TITLE,
    body: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 100_000,
      description: 'The content of the lesson, as markup.',
    },
    sectionId: { type: 'int8', description: 'The integer id of its section.' },
    publishedAt: PUBLISHED_AT,
    currentPath: { ...KEPT_TEXT, description: 'The path of the lesson.' },
    ...ORDERED,
    createdAt: { type: 'timestamp', description: 'When the lesson was created.' },
    updatedAt: { type: 'timestamp', description: 'When the lesson was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'position'],
  scannedSorts: ['createdAt'],
});
