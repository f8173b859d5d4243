// Courses, with their sections and lessons.
import { courseLesson } from '../../resources/courses/course-lessons.ts';
import { courseSection } from '../../resources/courses/course-sections.ts';
import { course } from '../../resources/courses/courses.ts';
import { PUBLISHING } from '../../store/changing/publishing.ts';
import { writesOf } from '../changing/writes.ts';
import { defineService } from '../service.ts';

export const courses = defineService(course, { writes: writesOf(course, PUBLISHING) });
export const sections = defineService(courseSection, { writes: writesOf(courseSection, PUBLISHING) });
export const lessons = defineService(courseLesson, {
  writes: writesOf(courseLesson, { ...PUBLISHING, inherited: ['course_id'] }),
});
