/**
 * What an executable is made of, as CycloneDX 1.5: joulemark, Deno, and the packages in it.
 *
 *     deno run -A airgap/sbom.ts --executable FILE --map CONFIG --deno VERSION --out FILE
 *
 * The same build gives the same document: it has no time and no serial number.
 */

interface Component {
  type: "application" | "platform" | "library";
  "bom-ref": string;
  name: string;
  version: string;
  purl?: string;
  licenses?: { license: { id: string } }[];
  hashes?: { alg: "SHA-256" | "SHA-512"; content: string }[];
}

interface LockFile {
  npm?: Record<string, { integrity: string }>;
  jsr?: Record<string, { integrity: string }>;
}

/** Licences of the packages that are in the executable, by the beginning of their names. */
const LICENCES: readonly (readonly [name: RegExp, id: string])[] = [
  [/^(gecko-profiler-demangle|pprof-format)$/, "MIT"],
  [/^(d3-|internmap$|yaml$)/, "ISC"],
  [/^@std\//, "MIT"],
];

/** A package of a lock file, `NAME@VERSION`; npm's integrity is base64, JSR's SHA-256 in hex. */
function packaged(kind: "npm" | "jsr", key: string, integrity: string | undefined): Component {
  // Behind the version are those of the packages that it is used with: NAME@VERSION_OTHER@VERSION.
  const at = key.indexOf("@", 1);
  const [name, version] = [key.slice(0, at), key.slice(at + 1).split("_")[0]];
  const purl = kind === "npm"
    ? `pkg:npm/${name.replace("@", "%40")}@${version}`
    : `pkg:generic/${name.replace("@", "%40")}@${version}?repository=jsr`;
  const hash = integrity === undefined ? undefined : hashOf(integrity);
  const licence = LICENCES.find(([pattern]) => pattern.test(name))?.[1];
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    ...(licence === undefined ? {} : { licenses: [{ license: { id: licence } }] }),
    ...(hash === undefined ? {} : { hashes: [hash] }),
  };
}

function hashOf(integrity: string): NonNullable<Component["hashes"]>[number] | undefined {
  const [, base64] = /^sha512-(.+)$/.exec(integrity) ?? [];
  if (base64 !== undefined) return { alg: "SHA-512", content: hex(fromBase64(base64)) };
  return /^[0-9a-f]{64}$/.test(integrity) ? { alg: "SHA-256", content: integrity } : undefined;
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The packages of an import map: from its lock file, else their names and versions alone. */
async function packages(map: string): Promise<Component[]> {
  const config = JSON.parse(await Deno.readTextFile(map));
  if (typeof config.lock === "object") {
    const path = new URL(config.lock.path, `file://${await Deno.realPath(map)}`);
    const lock: LockFile = JSON.parse(await Deno.readTextFile(path));
    return [
      ...Object.entries(lock.npm ?? {}).filter(([key]) => !key.startsWith("@types/")).map((
        [key, one],
      ) => packaged("npm", key, one.integrity)),
      ...Object.entries(lock.jsr ?? {}).map(([key, one]) => packaged("jsr", key, one.integrity)),
    ];
  }
  const targets: string[] = Object.values(config.imports);
  return targets.flatMap((target) => {
    const [, kind, key] = /^(npm|jsr):([^/].*@.*[^/])$/.exec(target) ?? [];
    return kind === undefined ? [] : [packaged(kind as "npm" | "jsr", key, undefined)];
  });
}

/** The document of an executable. */
export async function makeSbom(
  { executable, map, deno }: { executable: string; map: string; deno: string },
): Promise<string> {
  const own = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(executable));
  const main: Component = {
    type: "application",
    "bom-ref": `joulemark@${own.version}`,
    name: "joulemark",
    version: own.version,
    licenses: [{ license: { id: own.license } }],
    hashes: [{ alg: "SHA-256", content: hex(new Uint8Array(digest)) }],
  };
  const platform: Component = {
    type: "platform",
    "bom-ref": `deno@${deno}`,
    name: "deno",
    version: deno,
    purl: `pkg:github/denoland/deno@v${deno}`,
    licenses: [{ license: { id: "MIT" } }],
  };
  const components = [platform, ...await packages(map)];
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: main },
    components,
    dependencies: [{ ref: main["bom-ref"], dependsOn: components.map((c) => c["bom-ref"]) }],
  };
  return JSON.stringify(document, null, 2) + "\n";
}

if (import.meta.main) {
  const value = (name: string): string => {
    const at = Deno.args.indexOf(name);
    if (at < 0 || at + 1 >= Deno.args.length) {
      console.error(`sbom: expected ${name} and its value`);
      Deno.exit(2);
    }
    return Deno.args[at + 1];
  };
  const [executable, map, deno] = ["--executable", "--map", "--deno"].map(value);
  await Deno.writeTextFile(value("--out"), await makeSbom({ executable, map, deno }));
}
