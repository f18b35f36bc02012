/**
 * The texts that `client` writes, the files beside this one: included in every way of running,
 * checking, bundling and compiling the program.
 * @module
 */
import joulemarkH from "./joulemark.h.in" with { type: "text" };
import joulemarkF90 from "./texts/joulemark.f90" with { type: "text" };
import joulemarkGo from "./texts/joulemark.go" with { type: "text" };
import joulemarkRs from "./texts/joulemark.rs" with { type: "text" };
import joulemarkPyIn from "./texts/joulemark.py.in" with { type: "text" };
import joulemarkSh from "./texts/joulemark.sh" with { type: "text" };
import joulemarkFortranC from "./texts/joulemark_fortran.c" with { type: "text" };
import sitecustomizePy from "./texts/sitecustomize.py" with { type: "text" };
import allocC from "./preload/alloc.c" with { type: "text" };
import caliperC from "./preload/caliper/caliper.c" with { type: "text" };
import caliperH from "./preload/caliper/caliper.h" with { type: "text" };
import caliperAttributesC from "./preload/caliper/caliper_attributes.c" with { type: "text" };
import caliperVariantC from "./preload/caliper/caliper_variant.c" with { type: "text" };
import caliperCallsC from "./preload/caliper/caliper_calls.c" with { type: "text" };
import caliperCxxC from "./preload/caliper/caliper_cxx.c" with { type: "text" };
import caliperObjectsC from "./preload/caliper/caliper_objects.c" with { type: "text" };
import callpathC from "./preload/callpath.c" with { type: "text" };
import coreC from "./preload/core.c" with { type: "text" };
import coreH from "./preload/core.h" with { type: "text" };
import craypatC from "./preload/craypat.c" with { type: "text" };
import dynsymH from "./preload/dynsym.h" with { type: "text" };
import geopmC from "./preload/geopm.c" with { type: "text" };
import hideC from "./preload/hide.c" with { type: "text" };
import hideH from "./preload/hide.h" with { type: "text" };
import ioC from "./preload/io.c" with { type: "text" };
import gompC from "./preload/openmp/gomp.c" with { type: "text" };
import ittC from "./preload/itt.c" with { type: "text" };
import ittValuesC from "./preload/itt_values.c" with { type: "text" };
import kokkosC from "./preload/kokkos.c" with { type: "text" };
import likwidC from "./preload/likwid.c" with { type: "text" };
import mpiC from "./preload/mpi/mpi.c" with { type: "text" };
import mpiH from "./preload/mpi/mpi.h" with { type: "text" };
import mpiAbsentC from "./preload/mpi/mpi_absent.c" with { type: "text" };
import mpiAllC from "./preload/mpi/mpi_all.c" with { type: "text" };
import mpiCallsH from "./preload/mpi/mpi_calls.h" with { type: "text" };
import mpiWorldC from "./preload/mpi/mpi_world.c" with { type: "text" };
import nvtxC from "./preload/nvtx.c" with { type: "text" };
import openmpC from "./preload/openmp/openmp.c" with { type: "text" };
import openmpH from "./preload/openmp/openmp.h" with { type: "text" };
import omptC from "./preload/openmp/ompt.c" with { type: "text" };
import papiC from "./preload/papi.c" with { type: "text" };
import pcontrolC from "./preload/mpi/pcontrol.c" with { type: "text" };
import perfstubsC from "./preload/perfstubs.c" with { type: "text" };
import phaseC from "./preload/phase.c" with { type: "text" };
import pmMpiC from "./preload/mpi/pm_mpi.c" with { type: "text" };
import roctxC from "./preload/roctx.c" with { type: "text" };
import samplesC from "./preload/samples.c" with { type: "text" };
import samplesH from "./preload/samples.h" with { type: "text" };
import scorepC from "./preload/scorep.c" with { type: "text" };
import symbolC from "./preload/symbol.c" with { type: "text" };
import symbolH from "./preload/symbol.h" with { type: "text" };
import tauC from "./preload/tau/tau.c" with { type: "text" };
import tauH from "./preload/tau/tau.h" with { type: "text" };
import tauFortranC from "./preload/tau/tau_fortran.c" with { type: "text" };
import tauValuesC from "./preload/tau/tau_values.c" with { type: "text" };

/** Texts by their path below this folder. */
export const TEXTS: Readonly<Record<string, string>> = {
  "texts/sitecustomize.py": sitecustomizePy,
  "joulemark.h.in": joulemarkH,
  "texts/joulemark.f90": joulemarkF90,
  "texts/joulemark.go": joulemarkGo,
  "texts/joulemark.rs": joulemarkRs,
  "texts/joulemark.py.in": joulemarkPyIn,
  "texts/joulemark.sh": joulemarkSh,
  "texts/joulemark_fortran.c": joulemarkFortranC,
  "preload/alloc.c": allocC,
  "preload/caliper.c": caliperC,
  "preload/caliper.h": caliperH,
  "preload/caliper_attributes.c": caliperAttributesC,
  "preload/caliper_variant.c": caliperVariantC,
  "preload/caliper_calls.c": caliperCallsC,
  "preload/caliper_cxx.c": caliperCxxC,
  "preload/caliper_objects.c": caliperObjectsC,
  "preload/callpath.c": callpathC,
  "preload/core.c": coreC,
  "preload/core.h": coreH,
  "preload/craypat.c": craypatC,
  "preload/dynsym.h": dynsymH,
  "preload/geopm.c": geopmC,
  "preload/hide.c": hideC,
  "preload/hide.h": hideH,
  "preload/io.c": ioC,
  "preload/gomp.c": gompC,
  "preload/itt.c": ittC,
  "preload/itt_values.c": ittValuesC,
  "preload/kokkos.c": kokkosC,
  "preload/likwid.c": likwidC,
  "preload/mpi.c": mpiC,
  "preload/mpi.h": mpiH,
  "preload/mpi_absent.c": mpiAbsentC,
  "preload/mpi_all.c": mpiAllC,
  "preload/mpi_calls.h": mpiCallsH,
  "preload/mpi_world.c": mpiWorldC,
  "preload/nvtx.c": nvtxC,
  "preload/ompt.c": omptC,
  "preload/openmp.c": openmpC,
  "preload/openmp.h": openmpH,
  "preload/papi.c": papiC,
  "preload/pcontrol.c": pcontrolC,
  "preload/perfstubs.c": perfstubsC,
  "preload/phase.c": phaseC,
  "preload/pm_mpi.c": pmMpiC,
  "preload/roctx.c": roctxC,
  "preload/samples.c": samplesC,
  "preload/samples.h": samplesH,
  "preload/scorep.c": scorepC,
  "preload/symbol.c": symbolC,
  "preload/symbol.h": symbolH,
  "preload/tau.c": tauC,
  "preload/tau.h": tauH,
  "preload/tau_fortran.c": tauFortranC,
  "preload/tau_values.c": tauValuesC,
};
