// The problem document of every refusal (RFC 9457).
import { expect } from 'vitest';
import { type ErrorCode, FIELD_ERROR_CODES, type FieldErrorCode, STATUS_OF } from '../../src/errors.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly errors: { field: string; code: FieldErrorCode; message: string }[];
  readonly request_id: string;
  readonly error: string;
}

/** The response's problem document, after a check of its members, its code and its status. */
export async function expectProblem(response: Response, code: ErrorCode): Promise<Problem> {
  const text = await response.text();
  expect([response.status, text]).toEqual([STATUS_OF[code], text]);
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  const problem = JSON.parse(text) as Problem;
  expect(problem).toEqual({
    type: 'about:blank',
    title: expect.stringMatching(/\S/),
    status: STATUS_OF[code],
    detail: expect.stringMatching(/\S/),
    code,
    errors: expect.any(Array),
    request_id: response.headers.get('X-Request-Id'),
    error: problem.detail,
  });
  for (const error of problem.errors) {
    expect(Object.keys(error)).toEqual(['field', 'code', 'message']);
    expect(Object.keys(FIELD_ERROR_CODES)).toContain(error.code);
  }
  return problem;
}
