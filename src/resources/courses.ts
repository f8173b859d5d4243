// The course: sections of lessons, in which contacts are enrolled.
import { ALWAYS_NULL_TEXT, IDS, OF_WORKSPACE, UNCHECKED_URL } from './description/common-fields.ts';
import type { Field } from './description/fields.ts';
import { describe } from './description/resource.ts';
import { workspace } from './workspaces.ts';

/** The title of a course or of a part of one. */
export const TITLE = {
  type: 'text',
  writable: 'always',
  required: true,
  maxLength: 255,
  description: 'The title, as members see it.',
} as const satisfies Field;

/** When a course, or a part of one, was published. */
export const PUBLISHED_AT = {
  type: 'timestamp',
  nullable: true,
  writable: 'always',
  description: 'When it was published; null for a draft.',
} as const satisfies Field;

/** A text that the gateway keeps for the program that shows the course. */
export const KEPT_TEXT = { type: 'text', nullable: true, writable: 'always', maxLength: 2_000 } as const;

const SWITCH = { type: 'bool', writable: 'always', default: false } as const;

export const course = describe({
  type: 'Course',
  title: 'Course',
  table: 'courses',
  number: 100n,
  parent: workspace,
  plural: 'courses',
  path: 'courses',
  wrapper: 'course',
  scope: 'courses',
  topic: 'course',
  verbs: ['create', 'update', 'remove'],
  gatewayOnly: ['create', 'update', 'remove'],
  events: ['created', 'updated', 'deleted', 'published'],
  description:
    'A course of a workspace: sections with lessons, in which contacts are enrolled. A course in which somebody is enrolled cannot be deleted.',
  fields: {
    ...IDS,
    workspaceId: { ...OF_WORKSPACE.workspaceId, internal: true },
    title: TITLE,
    publishedAt: PUBLISHED_AT,
    rootSectionId: ALWAYS_NULL_TEXT,
    description: {
      type: 'text',
      writable: 'always',
      default: '',
      maxLength: 20_000,
      description: 'What the course is about.',
    },
    currentPath: { ...KEPT_TEXT, description: 'The path of the course.' },
    sharingFingerprint: ALWAYS_NULL_TEXT,
    showInCommunity: {
      ...SWITCH,
      graphqlName: 'isShownInCommunity',
      description: 'Whether the community shows the course.',
    },
    showToNonMembers: {
      ...SWITCH,
      graphqlName: 'isShownToNonMembers',
      description: 'Whether contacts who are not enrolled see the course.',
    },
    upgradeUrl: {
      ...KEPT_TEXT,
      description: `The URL where contacts who are not enrolled can buy the course. ${UNCHECKED_URL}`,
    },
    redirectToFullCourse: {
      ...SWITCH,
      graphqlName: 'isRedirectedToFullCourse',
      description: 'Whether visitors of the course are redirected to the full course.',
    },
    unauthorizedRedirectUrl: {
      ...KEPT_TEXT,
      description: `The URL to which visitors who are not enrolled are redirected. ${UNCHECKED_URL}`,
    },
    commentsEnabled: {
      ...SWITCH,
      graphqlName: 'hasComments',
      description: 'Whether members can comment on lessons.',
    },
    createdAt: { type: 'timestamp', description: 'When the course was created.' },
    updatedAt: { type: 'timestamp', description: 'When the course was last changed.' },
    imageUrl: { ...KEPT_TEXT, description: `The URL of the picture of the course. ${UNCHECKED_URL}` },
  },
  sorts: ['createdAt', 'updatedAt'],
  scannedSorts: ['createdAt'],
});
