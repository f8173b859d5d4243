import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';

/** Ctrl-Enter and Cmd-Enter run the query wherever the focus is: in any field or editor, on a button, or nowhere. */
export function RunKeys() {
  const { run } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey || event.isComposing) return;
      // Nobody else gets to see it: a button that has the focus would be pressed, a menu opened.
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      // Of several operations the editor's own action runs the one that the cursor is in.
      const atCursor = queryEditor?.hasTextFocus() ? queryEditor.getAction('graphql-run') : null;
      if (atCursor) void atCursor.run();
      else void run();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, [run, queryEditor]);

  return null;
}
