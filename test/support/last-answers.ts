// The last answers of a test's gateways: printed with a failed test, because `expected 422 to be 201` does not say why.
import { beforeEach, onTestFailed } from 'vitest';

const MAX_ANSWERS = 3;
const MAX_BODY_CHARS = 600;

interface Answer {
  readonly line: string;
  /** A copy of a refusal, whose body nobody has read; null for other answers, which may be streamed. */
  readonly refusal: Response | null;
}

const answers: Answer[] = [];

/** Keeps an answer, in place of the oldest one. */
export function keepAnswer(method: string, path: string, response: Response): void {
  const refusal = response.status >= 400 ? response.clone() : null;
  answers.push({ line: `${method} ${path} was answered ${response.status}`, refusal });
  if (answers.length > MAX_ANSWERS) answers.shift();
}

/** Prints them with each failed test. Called once for every test file. */
export function showLastAnswers(): void {
  beforeEach(() => {
    answers.length = 0;
    onTestFailed(async () => {
      for (const { line, refusal } of answers.splice(0)) {
        const body = refusal === null ? '' : `: ${(await refusal.text()).slice(0, MAX_BODY_CHARS)}`;
        // biome-ignore lint/suspicious/noConsole: vitest shows it with the test.
        console.error(line + body);
      }
    });
  });
}
