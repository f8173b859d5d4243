// Monaco's workers, bundled as files of this origin, for the two languages that the explorer edits. They are loaded when an
// editor is first used, since nothing needs checking or completion before that.
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

const workers: Record<string, new () => Worker> = { json: JsonWorker, graphql: GraphqlWorker };

const editing = new Promise<void>((resolve) => {
  const begin = ({ target }: Event) => {
    if (!(target instanceof Element) || target.closest('.monaco-editor') === null) return;
    for (const type of ['focusin', 'pointerover']) document.removeEventListener(type, begin);
    resolve();
  };
  for (const type of ['focusin', 'pointerover']) document.addEventListener(type, begin, { passive: true });
});

Object.assign(globalThis, {
  MonacoEnvironment: {
    async getWorker(_id: string, label: string): Promise<Worker> {
      await editing;
      return new (workers[label] ?? EditorWorker)();
    },
  },
});
