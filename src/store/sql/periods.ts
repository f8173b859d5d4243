// Arithmetic with periods such as months, in UTC whatever the time zone of the session is.

/** SQL of a time that is a period later (`+`) or earlier. @param period an expression of type interval */
export function timePlusPeriod(time: string, sign: '+' | '-', period: string): string {
  return `((${time} at time zone 'UTC' ${sign} ${period}) at time zone 'UTC')`;
}
