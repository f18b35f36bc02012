/*
 * pm_mpi.c: the calls of pm_mpi_lib, versions 2.0 to 4.4: open, monitor and close, later
 * initialise, record and finalise. Each goes to the ring as it came; the monitor of each node has
 * the counters, and the PMC output is made of both. A record is collective, as in the library: a
 * barrier follows it (and precedes it where asked for), if MPI is up.
 *
 * 2.0's monitor has no substep and cannot be distinguished from 3.1's by its name: JOULEMARK_PMC_VERSION
 * beginning with 2 selects it. The real library, where it is linked, gets every call too, and then
 * makes the barriers itself.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define LIBRARY "pm_mpi"

static int opened;
/* The real library is in its open or close, which call its record: no calls of the program's. */
static int inside;

static int is_version_2(void) {
    const char *version = getenv("JOULEMARK_PMC_VERSION");
    return version && version[0] == '2';
}

/* Barrier of all ranks, as in the library; 0: MPI is not initialized, and no process waited. */
static int barrier(void) {
    static void *initialized_slot, *finalized_slot, *barrier_slot;
    int (*initialized)(int *) =
        (int (*)(int *))jm_next(&initialized_slot, "PMPI_Initialized", "libmpi");
    int (*finalized)(int *) = (int (*)(int *))jm_next(&finalized_slot, "PMPI_Finalized", "libmpi");
    int (*wait)(long) = (int (*)(long))jm_next(&barrier_slot, "PMPI_Barrier", "libmpi");
    int up = 0, down = 0;
    long world;
    if (!initialized || !finalized || !wait) return 0;
    (void)initialized(&up);
    (void)finalized(&down);
    if (!up || down || !jm_mpi_world(&world)) return 0;
    (void)wait(world);
    return 1;
}

static void event(uint32_t kind, uint32_t value, int step, int substep, uint32_t flags) {
    struct joulemark__thread *t = inside ? NULL : jm_thread(JM_PM_MPI, 0);
    uint64_t payload[2];
    if (!t) return;
    payload[0] = (uint64_t)(uint32_t)substep << 32 | (uint32_t)step;
    payload[1] = flags;
    if (joulemark__event(t, kind, value,
                         kind == JOULEMARK__KIND_PM_RECORD ? payload : NULL) != 0)
        JOULEMARK__U32(t->entry, JOULEMARK__THREAD_REFUSED) += 1;
}

/* The whole path of a log; 0: it is too long. */
static int whole_path(char *whole, size_t room, const char *path) {
    size_t used = 0;
    int written;
    if (*path != '/' && getcwd(whole, room - 1)) {
        used = strlen(whole);
        whole[used++] = '/';
    }
    written = snprintf(whole + used, room - used, "%s", path);
    return written >= 0 && (size_t)written < room - used;
}

/* Can a file of this name be written? It is not made: where --pmc names another one nobody asked for it. */
static int is_writable(const char *path) {
    char directory[4096];
    char *slash;
    if (access(path, F_OK) == 0) return access(path, W_OK) == 0;
    snprintf(directory, sizeof directory, "%s", path);
    slash = strrchr(directory, '/');
    if (!slash) return 1;
    slash[slash == directory] = 0;
    return access(directory, W_OK | X_OK) == 0;
}

/*
 * Which log the program opens, as a whole path; without a name the library's own, in the folder that
 * the program is in, as for a name that cannot be written. The real library, where it is linked, writes
 * its log itself; one that has no counters, or does nothing, leaves none.
 */
static void tell_log(const char *symbol, const char *path, const char *otherwise) {
    struct joulemark__thread *t = jm_thread(JM_PM_MPI, 0);
    char whole[4096];
    void *slot = NULL;
    uint32_t linked = jm_next(&slot, symbol, LIBRARY) ? JOULEMARK__PM_LINKED : 0;
    if (!t) return;
    if (!path || !*path) path = otherwise;
    if (!whole_path(whole, sizeof whole, path)) return;
    if (!is_writable(whole) && !whole_path(whole, sizeof whole, otherwise)) return;
    joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_SET,
                     joulemark__lookup(t, JOULEMARK__PM_LOG_NAME), JOULEMARK__TYPE_STRING, linked,
                     joulemark__find(t, whole, JOULEMARK_HINT_UNKNOWN));
}

static void opening(uint32_t version) {
    opened = 1;
    event(JOULEMARK__KIND_PM_OPEN, version, 0, 0, 0);
}

static void closing(void) {
    event(JOULEMARK__KIND_PM_CLOSE, 0, 0, 0, 0);
    opened = 0;
}

JM_EXPORT int pm_mpi_open(char *path) {
    JM_REAL(pm_mpi_open, LIBRARY);
    int result = 0;
    tell_log("pm_mpi_open", path, "PMC");
    /* Time begins where the library's own does, at the end of it. */
    inside = 1;
    if (real) result = real(path);
    inside = 0;
    opening(is_version_2() ? 20 : 40);
    return result;
}

JM_EXPORT int pm_mpi_monitor(int step, int substep) {
    JM_REAL(pm_mpi_monitor, LIBRARY);
    event(JOULEMARK__KIND_PM_RECORD, 0, step, is_version_2() ? 0 : substep, 0);
    if (real) return real(step, substep);
    (void)barrier();
    return 0;
}

JM_EXPORT int pm_mpi_close(void) {
    JM_REAL(pm_mpi_close, LIBRARY);
    int result = 0;
    closing();
    inside = 1;
    if (real) result = real();
    inside = 0;
    return result;
}

JM_EXPORT void pm_mpi_initialise(const char *path) {
    tell_log("pm_mpi_initialise", path, "pm_log.out");
    inside = 1;
    JM_FORWARD_VOID(pm_mpi_initialise, LIBRARY, (path));
    inside = 0;
    opening(44);
}

/* 0: done, 1: not initialised. */
JM_EXPORT unsigned int pm_mpi_record(int step, int substep, int sync, int initial) {
    JM_REAL(pm_mpi_record, LIBRARY);
    if (!opened && !real) return 1;
    event(JOULEMARK__KIND_PM_RECORD, 0, step, substep,
          (sync ? JOULEMARK__PM_SYNC : 0) | (initial ? JOULEMARK__PM_INITIAL : 0));
    if (real) {
        unsigned int result = real(step, substep, sync, initial);
        if (sync) event(JOULEMARK__KIND_PM_RECORD, 0, step, substep, JOULEMARK__PM_AFTER);
        return result;
    }
    /* The line after it: only the call shows when all had arrived. */
    if (sync && barrier())
        event(JOULEMARK__KIND_PM_RECORD, 0, step, substep, JOULEMARK__PM_AFTER);
    (void)barrier();
    return 0;
}

JM_EXPORT void pm_mpi_finalise(void) {
    JM_REAL(pm_mpi_finalise, LIBRARY);
    if (!real && opened) (void)barrier();
    closing();
    inside = 1;
    if (real) real();
    else (void)barrier();
    inside = 0;
}
