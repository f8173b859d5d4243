import { digitsToInteger } from '../json.ts';

interface AppliedTag {
  readonly id: string;
  readonly publicId: string;
  readonly name: string;
  readonly color: string;
  readonly appliedAt: string;
}

/** A tag on a funnel. */
export function viewTag(tag: AppliedTag) {
  return { id: digitsToInteger(tag.id), public_id: tag.publicId, name: tag.name, color: tag.color };
}

/** A tag on a contact, with the time it was applied. */
export function viewAppliedTag(tag: AppliedTag) {
  return { ...viewTag(tag), applied_at: tag.appliedAt };
}
