/**
 * The texts that are handed out, as they lie beside this file: carried by every way of running,
 * checking, bundling and compiling the program.
 * @module
 */
import joulemarkH from "./joulemark.h.in" with { type: "text" };
import joulemarkF90 from "./texts/joulemark.f90" with { type: "text" };
import joulemarkPyIn from "./texts/joulemark.py.in" with { type: "text" };
import joulemarkSh from "./texts/joulemark.sh" with { type: "text" };
import joulemarkFortranC from "./texts/joulemark_fortran.c" with { type: "text" };
import allocC from "./preload/alloc.c" with { type: "text" };
import caliperC from "./preload/caliper.c" with { type: "text" };
import caliperH from "./preload/caliper.h" with { type: "text" };
import caliperAttributesC from "./preload/caliper_attributes.c" with { type: "text" };
import caliperCallsC from "./preload/caliper_calls.c" with { type: "text" };
import caliperCxxC from "./preload/caliper_cxx.c" with { type: "text" };
import caliperObjectsC from "./preload/caliper_objects.c" with { type: "text" };
import callpathC from "./preload/callpath.c" with { type: "text" };
import coreC from "./preload/core.c" with { type: "text" };
import coreH from "./preload/core.h" with { type: "text" };
import craypatC from "./preload/craypat.c" with { type: "text" };
import geopmC from "./preload/geopm.c" with { type: "text" };
import ioC from "./preload/io.c" with { type: "text" };
import ittC from "./preload/itt.c" with { type: "text" };
import kokkosC from "./preload/kokkos.c" with { type: "text" };
import likwidC from "./preload/likwid.c" with { type: "text" };
import mpiC from "./preload/mpi.c" with { type: "text" };
import nvtxC from "./preload/nvtx.c" with { type: "text" };
import omptC from "./preload/ompt.c" with { type: "text" };
import papiC from "./preload/papi.c" with { type: "text" };
import pcontrolC from "./preload/pcontrol.c" with { type: "text" };
import pmMpiC from "./preload/pm_mpi.c" with { type: "text" };
import roctxC from "./preload/roctx.c" with { type: "text" };
import symbolC from "./preload/symbol.c" with { type: "text" };
import symbolH from "./preload/symbol.h" with { type: "text" };
import tauC from "./preload/tau.c" with { type: "text" };

/** Texts by their path below this folder. */
export const TEXTS: Readonly<Record<string, string>> = {
  "joulemark.h.in": joulemarkH,
  "texts/joulemark.f90": joulemarkF90,
  "texts/joulemark.py.in": joulemarkPyIn,
  "texts/joulemark.sh": joulemarkSh,
  "texts/joulemark_fortran.c": joulemarkFortranC,
  "preload/alloc.c": allocC,
  "preload/caliper.c": caliperC,
  "preload/caliper.h": caliperH,
  "preload/caliper_attributes.c": caliperAttributesC,
  "preload/caliper_calls.c": caliperCallsC,
  "preload/caliper_cxx.c": caliperCxxC,
  "preload/caliper_objects.c": caliperObjectsC,
  "preload/callpath.c": callpathC,
  "preload/core.c": coreC,
  "preload/core.h": coreH,
  "preload/craypat.c": craypatC,
  "preload/geopm.c": geopmC,
  "preload/io.c": ioC,
  "preload/itt.c": ittC,
  "preload/kokkos.c": kokkosC,
  "preload/likwid.c": likwidC,
  "preload/mpi.c": mpiC,
  "preload/nvtx.c": nvtxC,
  "preload/ompt.c": omptC,
  "preload/papi.c": papiC,
  "preload/pcontrol.c": pcontrolC,
  "preload/pm_mpi.c": pmMpiC,
  "preload/roctx.c": roctxC,
  "preload/symbol.c": symbolC,
  "preload/symbol.h": symbolH,
  "preload/tau.c": tauC,
};
