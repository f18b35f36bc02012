/*
 * geopm.c: the calls of geopm_prof(3) and the C interface behind GEOPM's Fortran module, which
 * binds to these names. Only the thread that made the profile may mark: another one gets
 * GEOPM_ERROR_RUNTIME, as from GEOPM itself. The real library gets the calls where JOULEMARK_CHAIN
 * lists it.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define LIBRARY "libgeopm"

JM_CHAINED(JM_GEOPM, NULL)

/* The main thread's state; NULL with *result for everybody else. */
static struct joulemark__thread *mine(int begins, int *result, const char *call) {
    struct joulemark__thread *t = jm_thread(JM_GEOPM, begins);
    *result = 0;
    if (!t || t->process) return t;
    *result = -1;
    JOULEMARK__U32(t->entry, JOULEMARK__THREAD_REFUSED) += 1;
    jm_remark(call);
    return NULL;
}

JM_EXPORT int geopm_prof_region(const char *name, uint64_t hint, uint64_t *id) {
    struct joulemark__thread *t;
    int result;
    if (chained())
        JM_FORWARD(geopm_prof_region, LIBRARY, 0, (name, hint, id));
    if (!name || !id || hint > JOULEMARK_HINT_SPIN) return -3;
    *id = 0;
    t = mine(0, &result, "geopm_prof_region was called by another thread than the main one");
    if (t) *id = joulemark__find(t, name, (uint32_t)hint);
    return result;
}

JM_MARK int enter(uint64_t id) {
    int result;
    struct joulemark__thread *t =
        mine(1, &result, "geopm_prof_enter was called by another thread than the main one");
    if (t) jm_enter(t, joulemark__checked(id));
    return result;
}

JM_MARK int leave(uint64_t id) {
    int result;
    struct joulemark__thread *t =
        mine(0, &result, "geopm_prof_exit was called by another thread than the main one");
    if (!t) return result;
    result = joulemark__levels(t, 0) == 0 ? -1 : 0;
    jm_exit(t, joulemark__checked(id));
    return result;
}

JM_EXPORT int geopm_prof_enter(uint64_t id) {
    if (chained()) JM_FORWARD(geopm_prof_enter, LIBRARY, 0, (id));
    return jm_is_on(JM_GEOPM) ? enter(id) : 0;
}

JM_EXPORT int geopm_prof_exit(uint64_t id) {
    if (chained()) JM_FORWARD(geopm_prof_exit, LIBRARY, 0, (id));
    return jm_is_on(JM_GEOPM) ? leave(id) : 0;
}

JM_EXPORT int geopm_prof_epoch(void) {
    int result;
    if (chained()) JM_FORWARD(geopm_prof_epoch, LIBRARY, 0, ());
    if (mine(0, &result, "geopm_prof_epoch was called by another thread than the main one"))
        joulemark_epoch();
    return result;
}

JM_EXPORT int geopm_prof_shutdown(void) {
    int result;
    if (chained()) JM_FORWARD(geopm_prof_shutdown, LIBRARY, 0, ());
    if (mine(0, &result, "geopm_prof_shutdown was called by another thread than the main one"))
        jm_shutdown();
    return result;
}

JM_EXPORT int geopm_prof_overhead(double seconds) {
    int result;
    if (chained()) JM_FORWARD(geopm_prof_overhead, LIBRARY, 0, (seconds));
    if (mine(0, &result, "geopm_prof_overhead was called by another thread than the main one"))
        joulemark_overhead(seconds);
    return result;
}

JM_EXPORT int geopm_tprof_init(uint32_t units) {
    if (chained()) JM_FORWARD(geopm_tprof_init, LIBRARY, 0, (units));
    if (jm_on & JM_GEOPM) joulemark_progress_init(units);
    return 0;
}

JM_EXPORT int geopm_tprof_post(void) {
    if (chained()) JM_FORWARD(geopm_tprof_post, LIBRARY, 0, ());
    if (jm_on & JM_GEOPM) joulemark_progress_post();
    return 0;
}
