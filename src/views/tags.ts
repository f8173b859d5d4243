// Tags as they stand on contacts and funnels: a JSON column that the store has made, in the names of the v2 API.

interface AppliedTag {
  readonly id: string;
  readonly publicId: string;
  readonly name: string;
  readonly color: string;
  readonly appliedAt: string;
}

/** The tags on a funnel. */
export function writeTags(column: string): string {
  return writeEach(column, ({ id, publicId, name, color }) => ({
    id: JSON.rawJSON(id),
    public_id: publicId,
    name,
    color,
  }));
}

/** The tags on a contact, each with the time that it was applied. */
export function writeAppliedTags(column: string): string {
  return writeEach(column, ({ id, publicId, name, color, appliedAt }) => ({
    id: JSON.rawJSON(id),
    public_id: publicId,
    name,
    color,
    applied_at: appliedAt,
  }));
}

function writeEach(column: string, view: (tag: AppliedTag) => object): string {
  return column === '[]' ? column : JSON.stringify((JSON.parse(column) as AppliedTag[]).map(view));
}
