// Replaces Monaco's diff editors in the bundle: the explorer never opens them.

export class DiffEditorWidget {}
export class MultiDiffEditorWidget {}
