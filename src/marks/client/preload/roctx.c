/*
 * roctx.c: ROCTX, AMD's annotation interface: roctx.h in ROCm's documentation. Ranges on the
 * thread's stack, ranges by id, which are spans, and marks, which have no length and so no place here. The real
 * library always gets the calls too, since rocprof may listen there.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define LIBRARY "roctx"

/* Both return the depth of the range. */
JM_MARK int push(const char *name) {
    struct joulemark__thread *t = jm_thread(JM_ROCTX, 1);
    uint32_t track;
    if (!t) return 0;
    track = jm_track(JM_ROCTX);
    jm_enter(t, jm_of(track, joulemark__lookup(t, name)));
    return (int)joulemark__levels(t, track) - 1;
}

JM_MARK int pop(void) {
    struct joulemark__thread *t = jm_thread(JM_ROCTX, 0);
    uint32_t track;
    if (!t) return 0;
    track = jm_track(JM_ROCTX);
    jm_leave(t, track);
    return (int)joulemark__levels(t, track);
}

JM_EXPORT int roctxRangePushA(const char *name) {
    int depth = 0;
    JM_MARK_AND_FORWARD(roctxRangePushA, LIBRARY, JM_ROCTX, depth = push(name), depth, (name));
}

JM_EXPORT int roctxRangePop(void) {
    int depth = 0;
    JM_MARK_AND_FORWARD(roctxRangePop, LIBRARY, JM_ROCTX, depth = pop(), depth, ());
}

JM_EXPORT uint64_t roctxRangeStartA(const char *name) {
    static uint64_t last;
    JM_REAL(roctxRangeStartA, LIBRARY);
    uint64_t id = real ? real(name) : __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    struct joulemark__thread *t = jm_thread(JM_ROCTX, 0);
    if (t)
        jm_span_begin(t, jm_of(jm_track(JM_ROCTX), joulemark__lookup(t, name)), id, JM_SPANS_ROCTX);
    return id;
}

JM_EXPORT void roctxRangeStop(uint64_t id) {
    struct joulemark__thread *t = jm_thread(JM_ROCTX, 0);
    if (t) jm_span_end(t, jm_track(JM_ROCTX), id, JM_SPANS_ROCTX);
    JM_FORWARD_VOID(roctxRangeStop, LIBRARY, (id));
}

JM_EXPORT void roctxMarkA(const char *name) {
    JM_FORWARD_VOID(roctxMarkA, LIBRARY, (name));
}
