import { useGraphiQL } from '@graphiql/react';
import { canSignIn } from './authorization.ts';
import { isTapped } from './device.ts';

/** Instructions for the first steps, in place of the answer until there is one. */
export function FirstSteps() {
  const isEmpty = useGraphiQL(
    ({ tabs, activeTabIndex, isFetching }) => !isFetching && !tabs[activeTabIndex]?.response,
  );
  if (!isEmpty) return null;
  return (
    <section className="first-steps" aria-label="First steps">
      <h2>The answer will appear here</h2>
      <ol>
        <li>
          Paste an <strong>API key</strong> at the top{canSignIn ? ', or sign in' : ''}.
        </li>
        <li>
          Choose one of the <strong>Examples</strong> at the top, or write a query.
        </li>
        <li>
          {isTapped() ? (
            <>
              Tap <RunIcon />.
            </>
          ) : (
            <>
              Press <kbd>Ctrl</kbd> <kbd>Enter</kbd> or <RunIcon />.
            </>
          )}
        </li>
      </ol>
    </section>
  );
}

/** A picture of the button that runs the query. */
function RunIcon() {
  return (
    <span className="run-icon" role="img" aria-label="the run button">
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M4 2.5v11l9.5-5.5z" />
      </svg>
    </span>
  );
}
