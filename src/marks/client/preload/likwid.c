/*
 * likwid.c: LIKWID's marker interface, C and Fortran: likwid-marker.h, and "The marker API" in
 * LIKWID's manual. The real library does something only under likwid-perfctr -m, which sets
 * LIKWID_MODE; then it gets every call as well.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define LIBRARY "liblikwid"

JM_CHAINED(JM_LIKWID, "LIKWID_MODE=")

#define PLAIN(symbol)                                                                              \
    JM_EXPORT void symbol(void) {                                                                  \
        if (chained()) JM_FORWARD_VOID(symbol, LIBRARY, ());                                       \
    }
PLAIN(likwid_markerThreadInit)
PLAIN(likwid_markerNextGroup)
PLAIN(likwid_markerClose)
PLAIN(likwid_markerthreadinit_)
PLAIN(likwid_markernextgroup_)
PLAIN(likwid_markerclose_)

static void init(void) {
    /* A process that has the marker interface counts from here. */
    (void)jm_thread(JM_LIKWID, 0);
}

JM_EXPORT void likwid_markerInit(void) {
    init();
    if (chained()) JM_FORWARD_VOID(likwid_markerInit, LIBRARY, ());
}

JM_EXPORT void likwid_markerinit_(void) {
    init();
    if (chained()) JM_FORWARD_VOID(likwid_markerinit_, LIBRARY, ());
}

/* Regions may overlap: A begins, B begins, A ends, B ends. */
static void stop(const char *name) {
    if (jm_is_on(JM_LIKWID)) jm_end_alone(JM_LIKWID, name);
}

#define WITH_NAME(symbol, mark)                                                                    \
    JM_EXPORT int symbol(const char *name) {                                                       \
        mark;                                                                                      \
        if (chained()) JM_FORWARD(symbol, LIBRARY, 0, (name));                                     \
        return 0;                                                                                  \
    }
WITH_NAME(likwid_markerRegisterRegion, (void)0)
WITH_NAME(likwid_markerStartRegion, jm_begin(JM_LIKWID, name))
WITH_NAME(likwid_markerStopRegion, stop(name))
WITH_NAME(likwid_markerResetRegion, (void)0)
WITH_NAME(likwid_gpuMarkerStartRegion, jm_begin(JM_LIKWID, name))
WITH_NAME(likwid_gpuMarkerStopRegion, stop(name))
WITH_NAME(nvmon_markerStartRegion, jm_begin(JM_LIKWID, name))
WITH_NAME(nvmon_markerStopRegion, stop(name))

JM_EXPORT int likwid_markerWriteFile(const char *path) {
    if (chained())
        JM_FORWARD(likwid_markerWriteFile, LIBRARY, 0, (path));
    return 0;
}

/* Counter values are not ours to give: none. */
JM_EXPORT void likwid_markerGetRegion(const char *name, int *events, double *values, double *time,
                                      int *count) {
    if (chained()) {
        JM_FORWARD_VOID(likwid_markerGetRegion, LIBRARY, (name, events, values, time, count));
        return;
    }
    if (events) *events = 0;
    if (time) *time = 0;
    if (count) *count = 0;
}

#define FORTRAN(symbol, call)                                                                      \
    JM_EXPORT void symbol(const char *name, int length) {                                          \
        char text[JM_ROOM(length)];                                                                \
        call(jm_fortran(name, length, text));                                                      \
    }
FORTRAN(likwid_markerregisterregion_, (void)likwid_markerRegisterRegion)
FORTRAN(likwid_markerstartregion_, (void)likwid_markerStartRegion)
FORTRAN(likwid_markerstopregion_, (void)likwid_markerStopRegion)
FORTRAN(likwid_markerresetregion_, (void)likwid_markerResetRegion)
