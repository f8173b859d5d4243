// Makes paths from names. Pure.

/** The words of a name as part of a path: `Größe wählen` as `grosse-wahlen`. @param otherwise for a name without Latin letters or digits */
export function toPath(name: string, otherwise: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return words === '' ? otherwise : words;
}

/** A path in its stored form, which begins with one slash. */
export function withSlash(path: string): string {
  return `/${path.replace(/^\/+/, '')}`;
}
