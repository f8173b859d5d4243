import { Spinner } from '@graphiql/react';
import { type ComponentType, lazy, Suspense } from 'react';

/**
 * A component whose code is loaded when it is first shown.
 * @param name what it is, for the message if it cannot be loaded
 */
export function later<Props extends object>(
  name: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy<ComponentType<Props>>(() =>
    load().then(
      (component) => ({ default: component }),
      () => ({ default: NotLoaded }),
    ),
  );
  function NotLoaded() {
    return <p role="alert">{name} could not be loaded. Reload the page to try again.</p>;
  }
  return function Later(props: Props) {
    return (
      <Suspense fallback={<Spinner />}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
