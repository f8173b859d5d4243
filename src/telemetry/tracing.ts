// The gateway's interface to a tracer. Callers pass spans on explicitly; opentelemetry.ts creates them. Pure.

export type Attributes = Readonly<Record<string, string | number>>;

/** One timed piece of work in a trace. */
export interface Span {
  /** 32 hexadecimal digits (W3C Trace Context §3.2.2.3). */
  readonly traceId: string;
  /** A span below this one. @param kind `client`: work of another server, such as the database */
  child(name: string, kind?: 'internal' | 'client', attributes?: Attributes): Span;
  end(as: EndOfSpan): void;
}

/** How a span ended. */
export interface EndOfSpan {
  /** Replaces the initial name. */
  readonly name?: string;
  readonly attributes?: Attributes;
  /** The error code; null for success. */
  readonly failure: string | null;
}

export interface Tracer {
  /**
   * The span of an exchange; null when the sampler leaves it out.
   * @param traceparent the caller's header (W3C Trace Context §3.2): only its ids and its sampled flag are used
   */
  startExchange(traceparent: string | null): Span | null;
  /** Sends the remaining spans, within a short time limit. */
  close(): Promise<void>;
}

/** Runs `work` in a span below `parent`. Throws what `work` throws; the span has its code. */
export async function inSpan<T>(
  parent: Span,
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  const span = parent.child(name, 'client', attributes);
  try {
    const result = await work();
    span.end({ failure: null });
    return result;
  } catch (error) {
    span.end({ failure: failureOf(error) });
    throw error;
  }
}

/** A code that contains no input: an error's message may quote values. */
function failureOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error';
}
