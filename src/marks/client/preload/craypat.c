/*
 * craypat.c: regions of Cray's performance tools, C and Fortran: pat_build(1), "API calls". An end
 * names its region by number, so the names are kept. The real library always gets the calls too.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define LIBRARY "libpat"
#define NUMBERS 4096

static uint32_t regions[NUMBERS];

JM_MARK void begin(int id, const char *label) {
    struct joulemark__thread *t = jm_thread(JM_CRAYPAT, 1);
    uint32_t region;
    if (!t) return;
    region = jm_of(jm_track(JM_CRAYPAT), joulemark__lookup(t, label));
    if (id >= 0 && id < NUMBERS) regions[id] = region;
    jm_enter(t, region);
}

JM_MARK void end(int id) {
    struct joulemark__thread *t = jm_thread(JM_CRAYPAT, 0);
    if (!t) return;
    if (id >= 0 && id < NUMBERS && regions[id]) jm_exit(t, regions[id]);
    else jm_leave(t, jm_track(JM_CRAYPAT));
}

JM_EXPORT int PAT_region_begin(int id, const char *label) {
    JM_MARK_AND_FORWARD(PAT_region_begin, LIBRARY, JM_CRAYPAT, begin(id, label), 0, (id, label));
}

JM_EXPORT int PAT_region_end(int id) {
    JM_MARK_AND_FORWARD(PAT_region_end, LIBRARY, JM_CRAYPAT, end(id), 0, (id));
}

JM_EXPORT void pat_region_begin_(int *id, const char *label, int *result, int length) {
    char text[JM_ROOM(length)];
    if (jm_is_on(JM_CRAYPAT)) begin(*id, jm_fortran(label, length, text));
    if (result) *result = 0;
    JM_FORWARD_VOID(pat_region_begin_, LIBRARY, (id, label, result, length));
}

JM_EXPORT void pat_region_end_(int *id, int *result) {
    if (jm_is_on(JM_CRAYPAT)) end(*id);
    if (result) *result = 0;
    JM_FORWARD_VOID(pat_region_end_, LIBRARY, (id, result));
}
