/**
 * The start of a run as a report has it: local time with its zone, or C's own form without a zone.
 * @module
 */

const OURS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d):?(\d\d)$/;

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const OF_C = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})$/;

/** ISO 8601 with a colon in the zone, or without a zone; another form stays as it is. */
export function isoTime(startTime: string): string {
  const [, name, day, clock, year] = OF_C.exec(startTime) ?? [];
  const month = MONTHS.indexOf(name) / 3 + 1;
  if (name !== undefined && Number.isInteger(month) && month > 0) {
    return `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}T${clock}`;
  }
  return startTime.replace(OURS, (_, time, fraction = "", hours, minutes) => {
    return `${time}${fraction}${hours}:${minutes}`;
  });
}

/** Seconds since 1970, to the nanosecond as far as a double has it; NaN: not known. */
export function startSeconds(startTime: string): number {
  const match = OURS.exec(startTime);
  // C's own form has no zone: all reports of a job are taken to have the same.
  if (match === null) return Date.parse(`${startTime} UTC`) / 1000;
  const [, time, fraction = "", hours, minutes] = match;
  return Date.parse(`${time}${hours}:${minutes}`) / 1000 + Number(`0${fraction}`);
}
