/**
 * Files that `client` writes, named by their paths in this folder (folders in `preload/` are
 * omitted). They are included in every way of running, checking, bundling and compiling the
 * program.
 * @module
 */
export { default as "texts/sitecustomize.py" } from "./texts/sitecustomize.py" with { type: "text" };
export { default as "joulemark.h.in" } from "./joulemark.h.in" with { type: "text" };
export { default as "texts/joulemark.f90" } from "./texts/joulemark.f90" with { type: "text" };
export { default as "texts/joulemark.go" } from "./texts/joulemark.go" with { type: "text" };
export { default as "texts/joulemark.rs" } from "./texts/joulemark.rs" with { type: "text" };
export { default as "texts/joulemark.py.in" } from "./texts/joulemark.py.in" with { type: "text" };
export { default as "texts/joulemark.sh" } from "./texts/joulemark.sh" with { type: "text" };
export { default as "texts/joulemark_fortran.c" } from "./texts/joulemark_fortran.c" with { type: "text" };
export { default as "preload/alloc.c" } from "./preload/alloc.c" with { type: "text" };
export { default as "preload/caliper.c" } from "./preload/caliper/caliper.c" with { type: "text" };
export { default as "preload/caliper.h" } from "./preload/caliper/caliper.h" with { type: "text" };
export { default as "preload/caliper_attributes.c" } from "./preload/caliper/caliper_attributes.c" with { type: "text" };
export { default as "preload/caliper_variant.c" } from "./preload/caliper/caliper_variant.c" with { type: "text" };
export { default as "preload/caliper_calls.c" } from "./preload/caliper/caliper_calls.c" with { type: "text" };
export { default as "preload/caliper_cxx.c" } from "./preload/caliper/caliper_cxx.c" with { type: "text" };
export { default as "preload/caliper_objects.c" } from "./preload/caliper/caliper_objects.c" with { type: "text" };
export { default as "preload/callpath.c" } from "./preload/callpath.c" with { type: "text" };
export { default as "preload/core.c" } from "./preload/core.c" with { type: "text" };
export { default as "preload/core.h" } from "./preload/core.h" with { type: "text" };
export { default as "preload/craypat.c" } from "./preload/craypat.c" with { type: "text" };
export { default as "preload/dynsym.h" } from "./preload/dynsym.h" with { type: "text" };
export { default as "preload/geopm.c" } from "./preload/geopm.c" with { type: "text" };
export { default as "preload/hide.c" } from "./preload/hide.c" with { type: "text" };
export { default as "preload/hide.h" } from "./preload/hide.h" with { type: "text" };
export { default as "preload/io.c" } from "./preload/io.c" with { type: "text" };
export { default as "preload/gomp.c" } from "./preload/openmp/gomp.c" with { type: "text" };
export { default as "preload/itt.c" } from "./preload/itt.c" with { type: "text" };
export { default as "preload/itt_values.c" } from "./preload/itt_values.c" with { type: "text" };
export { default as "preload/kokkos.c" } from "./preload/kokkos.c" with { type: "text" };
export { default as "preload/likwid.c" } from "./preload/likwid.c" with { type: "text" };
export { default as "preload/mpi.c" } from "./preload/mpi/mpi.c" with { type: "text" };
export { default as "preload/mpi.h" } from "./preload/mpi/mpi.h" with { type: "text" };
export { default as "preload/mpi_absent.c" } from "./preload/mpi/mpi_absent.c" with { type: "text" };
export { default as "preload/mpi_all.c" } from "./preload/mpi/mpi_all.c" with { type: "text" };
export { default as "preload/mpi_calls.h" } from "./preload/mpi/mpi_calls.h" with { type: "text" };
export { default as "preload/mpi_world.c" } from "./preload/mpi/mpi_world.c" with { type: "text" };
export { default as "preload/nvtx.c" } from "./preload/nvtx.c" with { type: "text" };
export { default as "preload/ompt.c" } from "./preload/openmp/ompt.c" with { type: "text" };
export { default as "preload/openmp.c" } from "./preload/openmp/openmp.c" with { type: "text" };
export { default as "preload/openmp.h" } from "./preload/openmp/openmp.h" with { type: "text" };
export { default as "preload/papi.c" } from "./preload/papi.c" with { type: "text" };
export { default as "preload/pcontrol.c" } from "./preload/mpi/pcontrol.c" with { type: "text" };
export { default as "preload/perfstubs.c" } from "./preload/perfstubs.c" with { type: "text" };
export { default as "preload/phase.c" } from "./preload/phase.c" with { type: "text" };
export { default as "preload/pm_mpi.c" } from "./preload/mpi/pm_mpi.c" with { type: "text" };
export { default as "preload/roctx.c" } from "./preload/roctx.c" with { type: "text" };
export { default as "preload/samples.c" } from "./preload/samples.c" with { type: "text" };
export { default as "preload/samples.h" } from "./preload/samples.h" with { type: "text" };
export { default as "preload/scorep.c" } from "./preload/scorep.c" with { type: "text" };
export { default as "preload/symbol.c" } from "./preload/symbol.c" with { type: "text" };
export { default as "preload/symbol.h" } from "./preload/symbol.h" with { type: "text" };
export { default as "preload/tau.c" } from "./preload/tau/tau.c" with { type: "text" };
export { default as "preload/tau.h" } from "./preload/tau/tau.h" with { type: "text" };
export { default as "preload/tau_fortran.c" } from "./preload/tau/tau_fortran.c" with { type: "text" };
export { default as "preload/tau_values.c" } from "./preload/tau/tau_values.c" with { type: "text" };
export { default as "preload/timer.c" } from "./preload/timer.c" with { type: "text" };
