// Courses with their sections and lessons, enrollments, and completed lessons.
import { courseEnrollment } from '../../resources/courses/course-enrollments.ts';
import { courseLessonCompletion } from '../../resources/courses/course-lesson-completions.ts';
import { courseLesson } from '../../resources/courses/course-lessons.ts';
import { courseSection } from '../../resources/courses/course-sections.ts';
import { course } from '../../resources/courses.ts';
import { COMPLETION_RULES, ENROLLMENT_RULES } from '../../store/changing/course-enrollments.ts';
import { PUBLISHING } from '../../store/changing/publishing.ts';
import { writesOf } from '../changing/writes.ts';
import { withoutNeeded } from '../reading/needed-scopes.ts';
import { defineService } from '../service.ts';

export const courses = defineService(course, { writes: writesOf(course, PUBLISHING) });
export const sections = defineService(courseSection, { writes: writesOf(courseSection, PUBLISHING) });
export const lessons = defineService(courseLesson, {
  writes: writesOf(courseLesson, { ...PUBLISHING, inherited: ['course_id'] }),
});
export const enrollments = defineService(courseEnrollment, {
  shown: (reads) => withoutNeeded(reads, courseEnrollment),
  writes: writesOf(courseEnrollment, ENROLLMENT_RULES),
});
export const completions = defineService(courseLessonCompletion, {
  writes: writesOf(courseLessonCompletion, COMPLETION_RULES),
});
