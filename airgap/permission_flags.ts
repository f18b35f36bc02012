/**
 * Prints the program's permission flags, one a line, for compile.sh: both forms of the executable
 * get the list that the program's own sources declare.
 */
import { permissionFlags } from "../src/cli/permissions.ts";

if (import.meta.main) console.log(permissionFlags().join("\n"));
