/**
 * What the Trace Event Format asks of a file in JSON object form ("Trace Event Format", sections
 * "JSON Object Format", "Duration Events", "Complete Events", "Metadata Events").
 */

interface TraceEvent {
  ph?: unknown;
  name?: unknown;
  cat?: unknown;
  pid?: unknown;
  tid?: unknown;
  ts?: unknown;
  dur?: unknown;
  args?: { name?: unknown };
}

/** Rules that a text breaks, with the number of the event; none where all is well. */
export function brokenTraceRules(text: string): string[] {
  const file = JSON.parse(text) as { traceEvents?: unknown; displayTimeUnit?: unknown };
  if (!Array.isArray(file.traceEvents)) return ["traceEvents is no array"];
  const broken: string[] = [];
  if (file.displayTimeUnit !== "ms" && file.displayTimeUnit !== "ns") {
    broken.push("displayTimeUnit is neither ms nor ns");
  }
  const tracks = new Map<string, { last: number; open: string[] }>();
  (file.traceEvents as TraceEvent[]).forEach((event, i) => {
    const rule = (holds: boolean, says: string) => {
      if (!holds) broken.push(`event ${i}: ${says}: ${JSON.stringify(event)}`);
    };
    rule(typeof event.name === "string", "name is a string");
    rule(Number.isInteger(event.pid) && Number.isInteger(event.tid), "pid and tid are integers");
    if (event.ph === "M") {
      rule(typeof event.args?.name === "string", "metadata has args.name");
      return;
    }
    rule(event.ph === "X" || event.ph === "B" || event.ph === "E", "a known phase");
    rule(typeof event.cat === "string", "cat is a string");
    rule(Number.isFinite(event.ts), "ts is a finite number");
    const key = `${event.pid} ${event.tid}`;
    const track = tracks.get(key) ?? { last: -Infinity, open: [] };
    tracks.set(key, track);
    rule(Number(event.ts) >= track.last, "ts does not fall within a track");
    track.last = Number(event.ts);
    if (event.ph === "X") {
      rule(Number.isFinite(event.dur) && Number(event.dur) >= 0, "dur is finite and not negative");
    } else if (event.ph === "B") track.open.push(String(event.name));
    else rule(track.open.pop() === event.name, "an end meets its begin");
  });
  for (const [key, { open }] of tracks) {
    if (open.length > 0) broken.push(`track ${key}: never ended: ${open.join(", ")}`);
  }
  return broken;
}
