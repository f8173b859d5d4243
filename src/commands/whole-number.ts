// Options that are whole numbers.
import { InvalidArgumentError } from '@commander-js/extra-typings';

/** Parses an option. @throws InvalidArgumentError, which ends the command with exit code 2 */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && +text >= min && +text <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
