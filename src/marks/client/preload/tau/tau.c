/*
 * tau.c: TAU's timers, phases and tasks as C and C++ have them: "TAU Instrumentation API" in its manual,
 * TauAPI.h, TauCppAPI.h. The real library always gets the calls too.
 *
 * In C++ a timer is made by tauCreateFI, whose names may be std::string; started and stopped it is by
 * the calls that C has.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "tau.h"

JM_HIDDEN __thread __attribute__((tls_model("initial-exec"))) int jm_tau_inside;

#define NAMED(symbol, mark)                                                                        \
    JM_EXPORT void symbol(const char *name) {                                                      \
        JM_TAU_CALL(symbol, mark(JM_TAU, name), (name));                                           \
    }
NAMED(Tau_start, jm_begin_name)
NAMED(Tau_stop, jm_end_name)
NAMED(Tau_pure_start, jm_begin_name)
NAMED(Tau_pure_stop, jm_end_name)
NAMED(Tau_static_phase_start, jm_begin_name)
NAMED(Tau_static_phase_stop, jm_end_name)

#define WITH_NUMBER(symbol, mark)                                                                  \
    JM_EXPORT void symbol(const char *name, int number) {                                          \
        JM_TAU_CALL(symbol, mark, (name, number));                                                 \
    }
/* The number is set for a phase. */
WITH_NUMBER(Tau_dynamic_start, jm_begin_name(JM_TAU, name))
WITH_NUMBER(Tau_dynamic_stop, jm_end_name(JM_TAU, name))
/* The number is a thread's, or a task's. */
WITH_NUMBER(Tau_pure_start_task, jm_tau_begin_name(name, number))
WITH_NUMBER(Tau_pure_stop_task, jm_tau_end_name(name, number))

JM_EXPORT void Tau_pure_start_task_group(const char *name, int task, const char *group) {
    JM_TAU_CALL(Tau_pure_start_task_group, jm_tau_begin_name(name, task), (name, task, group));
}

/* Ends the timer that was started last. */
#define INNERMOST(symbol)                                                                          \
    JM_EXPORT void symbol(void) {                                                                  \
        JM_TAU_CALL(symbol, jm_end_innermost(JM_TAU), ());                                         \
    }
INNERMOST(Tau_global_stop)
INNERMOST(Tau_stop_current_timer)

/* ---------------------------------------------------------------- tasks */

/* Numbers that Tau_create_task gave out: what is started with one is of no thread. */
static uint8_t tasks[8192];
/* Ours begin here, where no TAU gives them. */
static int next_task = 32768;

static int is_task(int number) {
    return number >= 0 && number < 65536 &&
           (__atomic_load_n(&tasks[number >> 3], __ATOMIC_RELAXED) >> (number & 7) & 1);
}

JM_EXPORT int Tau_create_task(void) {
    JM_REAL(Tau_create_task, JM_TAU_LIBRARY);
    int number;
    if (real) JM_TAU_REAL(number = real());
    else number = __atomic_fetch_add(&next_task, 1, __ATOMIC_RELAXED);
    if (number >= 0 && number < 65536)
        __atomic_fetch_or(&tasks[number >> 3], (uint8_t)(1u << (number & 7)), __ATOMIC_RELAXED);
    return number;
}

/* A timer that TAU keeps for itself, as ".TAU application" around the whole run. */
#define ITS_OWN UINT32_MAX

/* Of a task it is a span, begun here and ended on any thread; else a region of the thread. */
static void begin(struct joulemark__thread *t, uint32_t region, int task) {
    if (region == ITS_OWN) return;
    if (is_task(task))
        jm_span_begin(t, jm_of(jm_track(JM_TAU), region), (uint64_t)task << 32 | region, JM_SPANS_TAU);
    else jm_enter(t, jm_of(jm_track(JM_TAU), region));
}

static void end(struct joulemark__thread *t, uint32_t region, int task) {
    if (region == ITS_OWN) return;
    if (is_task(task))
        jm_span_end(t, jm_track(JM_TAU), (uint64_t)task << 32 | region, JM_SPANS_TAU);
    else jm_exit(t, jm_of(jm_track(JM_TAU), region));
}

JM_HIDDEN void jm_tau_begin_name(const char *name, int task) {
    struct joulemark__thread *t = jm_tau_thread(1);
    if (t) begin(t, joulemark__lookup(t, name), task);
}

JM_HIDDEN void jm_tau_end_name(const char *name, int task) {
    struct joulemark__thread *t = jm_tau_thread(0);
    if (t) end(t, joulemark__lookup(t, name), task);
}

/* ---------------------------------------------------------------- timers by handle */

JM_HIDDEN struct jm_timer *jm_new_timer(const char *name) {
    return (struct jm_timer *)jm_named(offsetof(struct jm_timer, name), name);
}

/* Regions of the real library's timers by their address; what finds no place is asked for again. */
#define PLACES 16384u
static struct { uintptr_t handle; uint32_t region; } known[PLACES];

static uint32_t place_of(uintptr_t handle) {
    return (uint32_t)((handle * 0x9e3779b97f4a7c15u) >> 50);
}

/* The region of a timer that the real library made, by the name that it has there. */
static uint32_t real_region(struct joulemark__thread *t, void *handle) {
    static void *slot;
    const char *(*name_of)(void *);
    const char *name = NULL;
    uint32_t i, at = place_of((uintptr_t)handle), region;
    for (i = 0; i < 8; i++) {
        uintptr_t there = __atomic_load_n(&known[(at + i) % PLACES].handle, __ATOMIC_ACQUIRE);
        region = __atomic_load_n(&known[(at + i) % PLACES].region, __ATOMIC_RELAXED);
        if (there == (uintptr_t)handle && region) return joulemark__checked(region);
        if (!there) break;
    }
    name_of = (const char *(*)(void *))jm_next(&slot, "Tau_profile_get_name", JM_TAU_LIBRARY);
    if (name_of) JM_TAU_REAL(name = name_of(handle));
    if (!name) return 0;
    if (strncmp(name, ".TAU", 4) == 0) return ITS_OWN;
    region = joulemark__find(t, name, JOULEMARK_HINT_UNKNOWN);
    for (i = 0; region && i < 8; i++) {
        uintptr_t none = 0;
        uintptr_t *where = &known[(at + i) % PLACES].handle;
        if (__atomic_compare_exchange_n(where, &none, (uintptr_t)handle, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) || none == (uintptr_t)handle) {
            __atomic_store_n(&known[(at + i) % PLACES].region, region, __ATOMIC_RELEASE);
            break;
        }
    }
    return region;
}

static uint32_t region_of(struct joulemark__thread *t, void *handle, int is_real) {
    struct jm_timer *timer = (struct jm_timer *)handle;
    if (!handle) return 0;
    if (is_real) return real_region(t, handle);
    return jm_number(t, timer->name, &timer->region);
}

JM_HIDDEN void jm_tau_begin(void *handle, int is_real, int task) {
    struct joulemark__thread *t = jm_tau_thread(1);
    if (t) begin(t, region_of(t, handle, is_real), task);
}

JM_HIDDEN void jm_tau_end(void *handle, int is_real, int task) {
    struct joulemark__thread *t = jm_tau_thread(0);
    if (t) end(t, region_of(t, handle, is_real), task);
}

/* No thread and no task: the caller's own stack. */
#define CALLER (-1)

JM_EXPORT void Tau_start_timer(void *handle, int phase, int tid) {
    JM_REAL(Tau_start_timer, JM_TAU_LIBRARY);
    jm_tau_begin(handle, real != NULL, tid);
    if (real) JM_TAU_REAL(real(handle, phase, tid));
}

JM_EXPORT int Tau_stop_timer(void *handle, int tid) {
    JM_REAL(Tau_stop_timer, JM_TAU_LIBRARY);
    int status = 0;
    jm_tau_end(handle, real != NULL, tid);
    if (real) JM_TAU_REAL(status = real(handle, tid));
    return status;
}

/* What TAU_PROFILE_START and TAU_PROFILE_STOP are in TAU's header, and its C++ objects. */
JM_EXPORT void Tau_lite_start_timer(void *handle, int phase) {
    JM_REAL(Tau_lite_start_timer, JM_TAU_LIBRARY);
    jm_tau_begin(handle, real != NULL, CALLER);
    if (real) JM_TAU_REAL(real(handle, phase));
}

JM_EXPORT void Tau_lite_stop_timer(void *handle) {
    JM_REAL(Tau_lite_stop_timer, JM_TAU_LIBRARY);
    jm_tau_end(handle, real != NULL, CALLER);
    if (real) JM_TAU_REAL(real(handle));
}

JM_EXPORT void Tau_profile_c_timer(void **handle, const char *name, const char *type,
                                   uint64_t group, const char *group_name) {
    JM_REAL(Tau_profile_c_timer, JM_TAU_LIBRARY);
    if (*handle) return;
    if (real) JM_TAU_REAL(real(handle, name, type, group, group_name));
    else *handle = jm_new_timer(name);
}

/* A timer by its name; TAU_PROFILER_START is Tau_start_timer. */
#define MADE_BY_NAME(symbol)                                                                       \
    JM_EXPORT void *symbol(const char *name, const char *type, uint64_t group,                     \
                           const char *group_name) {                                               \
        JM_REAL(symbol, JM_TAU_LIBRARY);                                                           \
        void *handle;                                                                              \
        if (real) JM_TAU_REAL(handle = real(name, type, group, group_name));                       \
        else handle = jm_new_timer(name);                                                          \
        return handle;                                                                             \
    }
MADE_BY_NAME(Tau_get_profiler)
MADE_BY_NAME(Tau_get_function_info)

/* A timer or phase of each iteration: NAME [ITERATION], as TAU calls it. */
JM_EXPORT void Tau_profile_dynamic_auto(int iteration, void **handle, char *name, char *type,
                                        uint64_t group, char *group_name, int phase) {
    JM_REAL(Tau_profile_dynamic_auto, JM_TAU_LIBRARY);
    char text[(name ? strlen(name) : 0) + 16];
    snprintf(text, sizeof text, "%s [%d]", name ? name : "", iteration);
    if (real) JM_TAU_REAL(real(iteration, handle, name, type, group, group_name, phase));
    else *handle = jm_new_timer(text);
}

/* ---------------------------------------------------------------- C++ */

/* Text of a std::string, whose first word points to it, with a 0 behind: the ABI of libstdc++. */
static const char *text_of(const void *string) {
    return *(const char *const *)string;
}

/* tauCreateFI(void **, name, type, group, group's name): four of them, by what their names are. */
#define MAKES(symbol, name_type, name_text, type_type)                                             \
    JM_EXPORT void symbol(void **handle, name_type name, type_type type, uint64_t group,           \
                          const char *group_name) {                                                \
        JM_REAL(symbol, JM_TAU_LIBRARY);                                                           \
        if (real) JM_TAU_REAL(real(handle, name, type, group, group_name));                        \
        else if (!*handle) *handle = jm_new_timer(name_text(name));                                \
    }
#define AS_IT_IS(text) (text)
MAKES(_Z11tauCreateFIPPvPKcS2_mS2_, const char *, AS_IT_IS, const char *)
MAKES(_Z11tauCreateFIPPvPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEmS2_,
      const char *, AS_IT_IS, const void *)
MAKES(_Z11tauCreateFIPPvRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPKcmSA_,
      const void *, text_of, const char *)
MAKES(_Z11tauCreateFIPPvRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_mPKc,
      const void *, text_of, const void *)
MAKES(_Z22tauCreateFI_signalSafePPvRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPKcmSA_,
      const void *, text_of, const char *)
