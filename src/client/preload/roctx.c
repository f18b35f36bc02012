/*
 * roctx.c: ROCTX, AMD's annotation interface: roctx.h in ROCm's documentation. Ranges on the
 * thread's stack, ranges by id, and marks, which have no length and so no place here. The real
 * library always gets the calls too, since rocprof may listen there.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define LIBRARY "roctx"

/* Both say how deep the range lies. */
JM_MARK int push(const char *name) {
    struct joulemark__thread *t = jm_thread(JM_ROCTX, 1);
    if (!t) return 0;
    jm_enter(t, joulemark__lookup(t, name));
    return (int)t->depth - 1;
}

JM_MARK int pop(void) {
    struct joulemark__thread *t = jm_thread(JM_ROCTX, 0);
    if (!t) return 0;
    jm_leave(t);
    return (int)t->depth;
}

JM_EXPORT int roctxRangePushA(const char *name);
JM_EXPORT int roctxRangePushA(const char *name) {
    int depth = 0;
    JM_MARK_AND_FORWARD(JM_ROCTX, depth = push(name), int, depth, "roctxRangePushA", LIBRARY,
                        (const char *), (name));
}

JM_EXPORT int roctxRangePop(void);
JM_EXPORT int roctxRangePop(void) {
    int depth = 0;
    JM_MARK_AND_FORWARD(JM_ROCTX, depth = pop(), int, depth, "roctxRangePop", LIBRARY, (void), ());
}

JM_EXPORT uint64_t roctxRangeStartA(const char *name);
JM_EXPORT uint64_t roctxRangeStartA(const char *name) {
    static void *slot;
    static uint64_t last;
    uint64_t (*real)(const char *) =
        (uint64_t(*)(const char *))jm_next(&slot, "roctxRangeStartA", LIBRARY);
    uint64_t id = real ? real(name) : __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    struct joulemark__thread *t = jm_thread(JM_ROCTX, 1);
    if (t) {
        uint32_t region = joulemark__lookup(t, name);
        jm_enter(t, region);
        jm_keep_id(id, region);
    }
    return id;
}

JM_EXPORT void roctxRangeStop(uint64_t id);
JM_EXPORT void roctxRangeStop(uint64_t id) {
    struct joulemark__thread *t = jm_thread(JM_ROCTX, 0);
    if (t) jm_exit(t, joulemark__checked(jm_take_id(id)));
    JM_FORWARD_VOID("roctxRangeStop", LIBRARY, (uint64_t), (id));
}

JM_EXPORT void roctxMarkA(const char *name);
JM_EXPORT void roctxMarkA(const char *name) {
    JM_FORWARD_VOID("roctxMarkA", LIBRARY, (const char *), (name));
}
