/** The data in the text of a page, compressed or not. */
import type { PageData, PageRegions } from "../../src/show/page/data.ts";

/** The data of a page. */
export async function pageDataOf(html: string): Promise<PageData> {
  const [, type, text] = /<script type="([^"]+)" id="data">(.*?)<\/script>/s.exec(html)!;
  if (type === "application/json") return JSON.parse(text);
  const bytes = new Uint8Array(Uint8Array.fromBase64(text));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(plain).text());
}

/** Row of a region by its path. */
export function rowOf({ name, parent }: PageRegions, path: string): number {
  return name.findIndex((_, i) => {
    const names: string[] = [];
    for (let at = i; at >= 0; at = parent[at]) names.unshift(name[at]);
    return names.join("/") === path;
  });
}
