/** `Start Time` as reports and traces have it: `2024-10-24T08:00:00.123456789-0700`, local time. */

/** @param epochNs Nanoseconds since the epoch. */
export function startTimeText(epochNs: bigint): string {
  const date = new Date(Number(epochNs / 1_000_000n));
  const two = (n: number) => String(n).padStart(2, "0");
  const nanos = String(epochNs % 1_000_000_000n).padStart(9, "0");
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(Math.abs(offset) / 60))}${
    two(Math.abs(offset) % 60)
  }`;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${nanos}${zone}`;
}
