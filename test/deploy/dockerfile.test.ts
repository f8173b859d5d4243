// The image's build gets every file that it copies.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');

test('the ignore list lets through every file that the Dockerfile copies', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  );
  const allowed = [...read('Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
  expect(copied.length).toBeGreaterThan(8);
  expect(copied.sort()).toEqual(allowed.sort());
});
