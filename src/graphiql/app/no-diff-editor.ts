// What the bundle has in place of Monaco's editors that compare two texts, which the explorer never opens.

export class DiffEditorWidget {}
export class MultiDiffEditorWidget {}
