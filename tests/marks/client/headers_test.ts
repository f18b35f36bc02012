/**
 * Public headers of annotation APIs against the names in `docs/reference/annotation-apis.md`: a header call
 * that the page does not know fails. Headers are those of this machine, and of the directories in
 * JOULEMARK_TEST_HEADERS, with colons between; a header that is nowhere is skipped.
 */
import { assert, assertEquals } from "@std/assert";
import { dialectNames } from "../../_support/answered_page.ts";
import { skippedWithout } from "../../_support/skipped.ts";

interface Header {
  readonly word: string;
  /** Files that its functions are declared in; those that are there count. */
  readonly files: readonly string[];
  /** A function's name, once as the first group. */
  readonly declares: RegExp;
  /** Further names that a declaration makes. */
  readonly makes?: (name: string) => string;
  /** Names of macros and types that look like functions. */
  readonly not?: RegExp;
}

const HEADERS: readonly Header[] = [
  {
    word: "mpi",
    files: ["mpi.h", "mpi_proto.h"],
    declares: /\b(MPI_[A-Z]\w*)\s*\(/g,
    not: /^MPI_([A-Z0-9_]+|Aint|.*_fn\d*|.*_function)$/,
  },
  { word: "geopm", files: ["geopm_prof.h"], declares: /\b(geopm_t?prof_\w+)\s*\(/g },
  { word: "caliper", files: ["caliper/cali.h"], declares: /\b(cali_\w+)\s*\(/g },
  {
    word: "likwid",
    files: ["likwid.h"],
    declares: /\b(likwid_(?:gpuM|m)arker\w+)\s*\(/g,
  },
  {
    word: "nvtx",
    files: ["nvtx3/nvToolsExt.h", "nvtx3/nvToolsExtCuda.h", "nvtx3/nvToolsExtCudaRt.h"].concat(
      ["nvtx3/nvToolsExtOpenCL.h", "nvtx3/nvToolsExtSync.h"],
    ),
    declares: /NVTX_DECLSPEC\s+[\w\s*]+?NVTX_API\s+(nvtx\w+)\s*\(/g,
  },
  {
    word: "roctx",
    files: ["roctracer/roctx.h", "roctx.h", "roctracer_roctx.h"],
    declares: /\b(roctx\w+)\s*\(/g,
    not: /^roctx(Mark|RangePush|RangeStart)$/,
  },
  {
    word: "itt",
    files: ["ittnotify.h"],
    declares: /(?:ITTAPI\s+(?=__itt_)|ITT_STUBV?\(\s*ITTAPI\s*,[^,]+,\s*)(\w+)\s*[(,]/g,
    makes: (name) =>
      `__itt_${name.replace(/^__itt_/, "")}`.replace(/(?<=[a-z])[AW](?=(_v3)?$)/, ""),
  },
  { word: "kokkos", files: ["kp_core.hpp"], declares: /\b(kokkosp_\w+)\b/g },
  {
    word: "tau",
    files: ["Profile/TauAPI.h", "Profile/TauCppAPI.h"],
    declares: /\b(Tau_\w+)\s*\(/g,
    not: /^Tau_Profile_Wrapper$/,
  },
  { word: "papi", files: ["papi.h"], declares: /\b(PAPI_hl_\w+)\s*\(/g },
  {
    word: "ompt",
    files: ["omp-tools.h"],
    declares: /\b(ompt_callback_\w+)\b/g,
    not: /_t$/,
  },
  {
    word: "perfstubs",
    files: ["perfstubs_api/tool.h", "perfstubs_api/timer.c"],
    declares: /\b(ps_tool_\w+)\s*\(/g,
  },
  {
    word: "scorep",
    files: ["scorep/SCOREP_User_Functions.h"],
    declares: /\b(SCOREP_User_\w+)\s*\(/g,
  },
];

/** Where headers are: of Debian's packages, and where the variable says. */
function directories(): string[] {
  const own = (Deno.env.get("JOULEMARK_TEST_HEADERS") ?? "").split(":").filter((dir) => dir !== "");
  const multiarch = `${Deno.build.arch}-linux-gnu`;
  const fixed = ["/usr/include", "/usr/local/include", `/usr/lib/${multiarch}/openmpi/include`];
  const clang: string[] = [];
  for (let version = 12; version < 24; version++) {
    for (const at of [String(version), `${version}.0.0`, `${version}.0.6`]) {
      clang.push(`/usr/lib/llvm-${version}/lib/clang/${at}/include`);
    }
  }
  return [...own, ...fixed, `/usr/include/${multiarch}/mpich`, ...clang];
}

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path).replace(/\/\*[\s\S]*?\*\//g, "");
  } catch {
    return undefined;
  }
}

for (const { word, files, declares, makes, not } of HEADERS) {
  const found = directories().flatMap((dir) => files.map((file) => `${dir}/${file}`))
    .flatMap((path) => {
      const text = read(path);
      return text === undefined ? [] : [{ path, text }];
    });
  const name = `what headers of ${word} declare is on the page`;
  if (found.length === 0) {
    Deno.test({ ...skippedWithout(name, `no ${files[0]}`), fn() {} });
    continue;
  }
  Deno.test(name, () => {
    const { answered, notAnswered, callbacks } = dialectNames()[word];
    const known = new Set([...answered, ...notAnswered]);
    for (const names of [callbacks?.answered, callbacks?.notAnswered]) {
      names?.forEach((one) => known.add(one));
    }
    let count = 0;
    for (const { path, text } of found) {
      const declared = [...text.matchAll(declares)].map(([, one]) => makes?.(one) ?? one)
        .filter((one) => not?.test(one) !== true);
      count += declared.length;
      const missing = [...new Set(declared)].filter((one) => !known.has(one));
      assertEquals(missing, [], `${path}: neither answered nor named`);
    }
    assert(count >= Math.min(4, answered.length), `${count} declarations in ${found.length} files`);
  });
}
