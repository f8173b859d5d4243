// The computed columns of a course and its parts: what the public API shows and the gateway does not have.
import { courseSection } from '../../resources/courses/course-sections.ts';
import { course } from '../../resources/courses/courses.ts';
import { ownTable } from './table.ts';

const NONE = 'null::text';

export const courseTable = ownTable(course, {
  computed: { rootSectionId: NONE, sharingFingerprint: NONE },
});
export const courseSectionTable = ownTable(courseSection, { computed: { parentId: NONE } });
