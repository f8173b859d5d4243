// Interprets failures of the file system, of child processes, and in PostgreSQL's log. Pure.

/** The error's code (ENOENT, 57P03, ...), or an empty string. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The error's message, or the value itself as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The line of a program's output that best explains why it failed. */
export function explainingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.findLast((line) => /\b(FATAL|PANIC|error|could not)\b/.test(line));
  return (telling ?? lines.at(-1) ?? 'no output').trim();
}

/** Whether the output says that the disk is full. */
export function isDiskFull(output: string): boolean {
  return /No space left on device|Disk quota exceeded/i.test(output);
}

/** For failed reads: rethrows errors caused by missing resources of this process, which do not mean that the file is absent. */
export function rethrowIfOutOfResources(error: unknown): void {
  if (/^E(MFILE|NFILE|NOMEM|IO)$/.test(codeOf(error))) throw error;
}
