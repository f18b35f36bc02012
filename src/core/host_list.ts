/**
 * Lists of nodes as schedulers write them.
 * @module
 */

/** More names than any machine has nodes: a list that grows beyond is no list of hosts. */
const MAX_HOSTS = 200_000;

/** Slurm's lists: `n[1-3,07],login` are n1, n2, n3, n07 and login. Several brackets may follow. */
export function expandHosts(list: string): string[] {
  const items = list.match(/(?:[^,[]|\[[^\]]*\])+/g) ?? [];
  const names: string[] = [];
  for (const item of items) {
    let grown = [""];
    for (const part of item.match(/\[[^\]]*\]|[^[]+/g) ?? []) {
      const choices = part.startsWith("[") ? ranges(part.slice(1, -1)) : [part];
      if (grown.length * choices.length > MAX_HOSTS) return names;
      grown = grown.flatMap((start) => choices.map((choice) => start + choice));
    }
    names.push(...grown);
  }
  return names;
}

function ranges(text: string): string[] {
  return text.split(",").flatMap((part) => {
    const found = /^([0-9]+)-([0-9]+)$/.exec(part);
    if (found === null) return [part];
    const [first, last] = [Number(found[1]), Number(found[2])];
    const count = Math.min(last - first + 1, MAX_HOSTS);
    if (count < 1) return [];
    return Array.from({ length: count }, (_, i) => {
      return String(first + i).padStart(found[1].length, "0");
    });
  });
}
