// The completion of a lesson by a contact who is enrolled in its course.

import { course } from '../courses.ts';
import { IDS } from '../description/common-fields.ts';
import { describe } from '../description/resource.ts';
import { courseEnrollment } from './course-enrollments.ts';
import { courseLesson } from './course-lessons.ts';

export const courseLessonCompletion = describe({
  type: 'CourseLessonCompletion',
  title: 'Lesson completion',
  table: 'course_lesson_completions',
  hasLookUp: false,
  number: 104n,
  parent: course,
  plural: 'lessonCompletions',
  path: 'lesson_completions',
  members: 'courses/lesson_completions',
  lists: [{ under: courseEnrollment, key: 'enrollmentId', plural: 'lessonCompletions', indexes: {} }],
  wrapper: 'courses_lesson_completion',
  scope: 'courses',
  topic: 'courses/lesson_completion',
  subjectType: 'Courses::LessonCompletion',
  isPartOfContact: true,
  verbs: ['create', 'remove'],
  description:
    'A lesson that an enrolled contact has completed. With the last lesson the course is completed, which is an event once for an enrollment.',
  fields: {
    ...IDS,
    courseId: { type: 'int8', internal: true, description: 'The integer id of its course.' },
    enrollmentId: {
      type: 'int8',
      refers: courseEnrollment,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the enrollment, in the same course.',
      objectDescription: 'The enrollment of the contact who has completed the lesson.',
    },
    lessonId: {
      type: 'int8',
      refers: courseLesson,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the lesson, in the same course. Each is completed once.',
      objectDescription: 'The completed lesson.',
    },
    completedAt: { type: 'timestamp', description: 'When the lesson was completed.' },
  },
  filters: {
    id: { unique: true },
    enrollmentId: { index: 'course_lesson_completions_workspace_id_enrollment_id_id_idx' },
    lessonId: { index: 'course_lesson_completions_workspace_id_lesson_id_id_idx' },
  },
  unchanging: true,
});
