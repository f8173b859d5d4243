// Enter in the search opens the first hit. Scalar opens only a hit that the arrow keys have chosen.
const FIELD = '[role="combobox"][aria-autocomplete="list"]';

export function openFirstHitOnEnter(): void {
  document.addEventListener(
    'keydown',
    ({ key, isComposing, target }) => {
      if (key !== 'Enter' || isComposing || !(target instanceof HTMLInputElement)) return;
      if (!target.matches(FIELD) || target.hasAttribute('aria-activedescendant')) return;
      target.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }),
      );
    },
    { capture: true },
  );
}
