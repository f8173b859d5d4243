// Names of fields as words. Pure.

/** `uniqueViews`: unique views; `optIns`: opt-ins. */
export const wordsOf = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace('opt in', 'opt-in')
    .replace(' count', '');
