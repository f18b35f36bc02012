/**
 * Clients by language: the files that each is, and the line that uses them.
 * @module
 */
import { ringConstants, SESSION_FILE, SESSION_VARIABLE } from "../../core/events/ring_layout.ts";
import { HEADER_NAME, joulemarkHeader } from "./header.ts";
import { preloadFiles } from "./preload.ts";
import { TEXTS } from "./texts.ts";

/** A file that is handed out. */
export interface ClientFile {
  readonly name: string;
  readonly text: string;
}

/** The client of one language. DIR in `use` stands for where the files are. */
export interface Language {
  files(): ClientFile[];
  readonly use: string;
}

const header = (): ClientFile => ({ name: HEADER_NAME, text: joulemarkHeader() });
const text = (name: string): ClientFile => ({ name, text: TEXTS[`texts/${name}`] });

/** Languages that marks can be written in. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  c: {
    files: () => [header()],
    use: "compile with: cc -O2 -I DIR -o app app.c",
  },
  fortran: {
    files: () => [header(), text("joulemark_fortran.c"), text("joulemark.f90")],
    use: "compile with: cc -O2 -c DIR/joulemark_fortran.c && " +
      "gfortran -O2 -o app DIR/joulemark.f90 app.f90 joulemark_fortran.o",
  },
  python: {
    files: () => [{ name: "joulemark.py", text: pythonModule() }],
    use: "use with: PYTHONPATH=DIR python3 app.py",
  },
  go: {
    files: () => [header(), text("joulemark.go")],
    use: "build with: go build, by cgo; import the folder DIR, a separate folder of your module",
  },
  rust: {
    files: () => [header(), text("joulemark_fortran.c"), text("joulemark.rs")],
    use: "compile with: cc -O2 -c DIR/joulemark_fortran.c && " +
      'rustc -O -C link-args="joulemark_fortran.o -lc" app.rs  (mod joulemark;)',
  },
  shell: {
    files: () => [text("joulemark.sh")],
    use: "use with: . DIR/joulemark.sh",
  },
  preload: {
    files: () => preloadFiles(),
    use: "build with: cc -O2 -std=gnu99 -fPIC -shared -o DIR/libjoulemark_preload.so DIR/*.c -ldl",
  },
};

function pythonModule(): string {
  const numbers = ringConstants().map(([name, value]) => `_${name} = ${value}\n`).join("");
  const session = `_SESSION_VARIABLE = "${SESSION_VARIABLE}"\n_SESSION_FILE = "${SESSION_FILE}"\n`;
  return TEXTS["texts/joulemark.py.in"].replace("@CONSTANTS@", () => numbers + session);
}
