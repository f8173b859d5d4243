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
      // No other listener may get the event: it would press a focused button or open a menu.
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      // If there are several operations, the editor's own action runs the one at the cursor.
      const atCursor = queryEditor?.hasTextFocus() ? queryEditor.getAction('graphql-run') : null;
      if (atCursor) void atCursor.run();
      else void run();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, [run, queryEditor]);

  return null;
}
