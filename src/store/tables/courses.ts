// The computed columns of courses, their parts and enrollments: among them what the public API shows and the gateway does not have.
import { courseEnrollment } from '../../resources/courses/course-enrollments.ts';
import { courseSection } from '../../resources/courses/course-sections.ts';
import { course } from '../../resources/courses.ts';
import type { Field } from '../../resources/description/fields.ts';
import { restNameOf, toSnakeCase } from '../../resources/description/names.ts';
import { ownTable } from './table.ts';

const NONE = 'null::text';

export const courseTable = ownTable(course, {
  computed: { rootSectionId: NONE, sharingFingerprint: NONE },
});
export const courseSectionTable = ownTable(courseSection, { computed: { parentId: NONE } });

const CONTACT = Object.entries<Field>(courseEnrollment.fields.contact.object).map(
  ([property, field]) => `s.${toSnakeCase(property)} as "${restNameOf(property, field)}"`,
);

export const courseEnrollmentTable = ownTable(courseEnrollment, {
  computed: {
    currentPath: NONE,
    originationSourceType: "case when t.order_id is not null then 'Order' end",
    contact: `(select to_json(v) from (select ${CONTACT.join(', ')} from contacts s
      where s.workspace_id = $row_workspace and s.id = t.contact_id) v)`,
  },
});
