/*
 * papi.c: regions of PAPI's high-level interface, C and Fortran: PAPI_hl_region_begin(3). The real
 * library always gets the calls too: it counts.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define LIBRARY "libpapi"

JM_EXPORT int PAPI_hl_region_begin(const char *name) {
    JM_MARK_AND_FORWARD(PAPI_hl_region_begin, LIBRARY, JM_PAPI, jm_begin_name(JM_PAPI, name), 0,
                        (name));
}

JM_EXPORT int PAPI_hl_region_end(const char *name) {
    JM_MARK_AND_FORWARD(PAPI_hl_region_end, LIBRARY, JM_PAPI, jm_end_name(JM_PAPI, name), 0,
                        (name));
}

JM_EXPORT int PAPI_hl_read(const char *name) {
    JM_FORWARD(PAPI_hl_read, LIBRARY, 0, (name));
}

JM_EXPORT int PAPI_hl_stop(void) { JM_FORWARD(PAPI_hl_stop, LIBRARY, 0, ()); }

#define FORTRAN(symbol, mark)                                                                      \
    JM_EXPORT void symbol(const char *name, int *check, int length) {                              \
        JM_REAL(symbol, LIBRARY);                                                                  \
        char text[JM_ROOM(length)];                                                                \
        mark(JM_PAPI, jm_fortran(name, length, text));                                             \
        if (real) real(name, check, length);                                                       \
        else if (check) *check = 0;                                                                \
    }
FORTRAN(papif_hl_region_begin, jm_begin)
FORTRAN(papif_hl_region_begin_, jm_begin)
FORTRAN(papif_hl_region_begin__, jm_begin)
FORTRAN(papif_hl_region_end, jm_end)
FORTRAN(papif_hl_region_end_, jm_end)
FORTRAN(papif_hl_region_end__, jm_end)
