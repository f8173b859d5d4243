// What trials print.

/** Prints a line. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
