/*
 * scorep.c: Score-P's user API, scorep/SCOREP_User_Functions.h and the Fortran forms of SCOREP_User.inc.
 * Regions by handle, by name and as C++ objects, and rewind regions are regions; parameters and metrics
 * are values that are set. Where it was not requested the calls are passed to Score-P's own library.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

/* What a handle of ours points to: the program keeps it in a static variable. */
struct handle { uint32_t region; char name[]; };

/* Parameters and metrics have handles that are numbers: a place in here, 1 the first. */
enum { MOST_VALUES = 1024 };
static char *value_names[MOST_VALUES];
static uint32_t value_count;

static const char *value_name(uint64_t handle) {
    return handle > 0 && handle <= MOST_VALUES && value_names[handle - 1] ? value_names[handle - 1] : NULL;
}

/* The number of a new value; 0 where there is no room. */
static uint32_t new_value(const char *name) {
    uint32_t at = __atomic_fetch_add(&value_count, 1u, __ATOMIC_RELAXED);
    if (at >= MOST_VALUES || !name) return 0;
    value_names[at] = strdup(name);
    return at + 1;
}

/* Without this dialect the real function gets the call, and nothing else happens. */
#define UNLESS_ON(function, args) \
    if (!jm_is_on(JM_SCOREP)) { \
        JM_FORWARD_VOID(function, "scorep", args); \
        return; \
    }

static void set_up(void **handle, const char *name) {
    struct handle *made;
    if (!handle || *handle) return;
    made = (struct handle *)jm_named(offsetof(struct handle, name), name);
    *handle = made;
}

static void enter(struct handle *handle) {
    struct joulemark__thread *t = handle ? jm_thread(JM_SCOREP, 1) : NULL;
    if (t) jm_enter(t, jm_of(jm_track(JM_SCOREP), jm_number(t, handle->name, &handle->region)));
}

static void leave(struct handle *handle) {
    struct joulemark__thread *t = handle ? jm_thread(JM_SCOREP, 0) : NULL;
    if (t) jm_exit(t, jm_of(jm_track(JM_SCOREP), joulemark__checked(handle->region)));
}

#define PLACE const char **last_name, void *last_file
#define SOURCE uint32_t type, const char *file, uint32_t line

#define OPENING(function, enters) \
    JM_EXPORT void function(void **handle, PLACE, const char *name, SOURCE) { \
        UNLESS_ON(function, (handle, last_name, last_file, name, type, file, line)) \
        set_up(handle, name); \
        if (enters && handle) enter((struct handle *)*handle); \
    }
OPENING(SCOREP_User_RegionBegin, 1)
OPENING(SCOREP_User_RegionInit, 0)
OPENING(SCOREP_User_RewindRegionBegin, 1)

#define BY_HANDLE(function, what) \
    JM_EXPORT void function(void *handle) { \
        UNLESS_ON(function, (handle)) \
        what((struct handle *)handle); \
    }
BY_HANDLE(SCOREP_User_RegionEnter, enter)
BY_HANDLE(SCOREP_User_RegionEnd, leave)
BY_HANDLE(SCOREP_User_RewindRegionEnter, enter)

JM_EXPORT void SCOREP_User_RewindRegionEnd(void *handle, _Bool value) {
    UNLESS_ON(SCOREP_User_RewindRegionEnd, (handle, value))
    leave((struct handle *)handle);
}

JM_EXPORT void SCOREP_User_RegionByNameBegin(const char *name, SOURCE) {
    UNLESS_ON(SCOREP_User_RegionByNameBegin, (name, type, file, line))
    jm_begin(JM_SCOREP, name);
}

JM_EXPORT void SCOREP_User_RegionByNameEnd(const char *name) {
    UNLESS_ON(SCOREP_User_RegionByNameEnd, (name))
    jm_end(JM_SCOREP, name);
}

/* C++: SCOREP_User_RegionClass, whose one member is the handle; complete and base object. */
struct object { void *handle; };
#define CONSTRUCTED struct object *self, void **handle, const char *name, uint32_t type, PLACE, \
    const char *file, uint32_t line
#define CLASS(constructor, destructor) \
    JM_EXPORT void constructor(CONSTRUCTED) { \
        UNLESS_ON(constructor, (self, handle, name, type, last_name, last_file, file, line)) \
        set_up(handle, name); \
        self->handle = handle ? *handle : NULL; \
        enter((struct handle *)self->handle); \
    } \
    JM_EXPORT void destructor(struct object *self) { \
        UNLESS_ON(destructor, (self)) \
        leave((struct handle *)self->handle); \
    }
CLASS(_ZN23SCOREP_User_RegionClassC1EPP18SCOREP_User_RegionPKcjPS4_PjS4_j, _ZN23SCOREP_User_RegionClassD1Ev)
CLASS(_ZN23SCOREP_User_RegionClassC2EPP18SCOREP_User_RegionPKcjPS4_PjS4_j, _ZN23SCOREP_User_RegionClassD2Ev)

/* Parameters: a value by its name, whose handle is made at its first call. ~0: not yet. */
#define PARAMETER(function, type, set) \
    JM_EXPORT void function(uint64_t *handle, const char *name, type value) { \
        UNLESS_ON(function, (handle, name, value)) \
        if (name && jm_thread(JM_SCOREP, 1)) set; \
    }
PARAMETER(SCOREP_User_ParameterInt64, int64_t, joulemark_set_int(name, value))
PARAMETER(SCOREP_User_ParameterUint64, uint64_t, joulemark_set_int(name, (int64_t)value))
PARAMETER(SCOREP_User_ParameterString, const char *, joulemark_set_string(name, value ? value : ""))

JM_EXPORT void SCOREP_User_InitMetric(uint32_t *metric, const char *name, const char *unit, uint32_t type,
                                      int8_t context) {
    UNLESS_ON(SCOREP_User_InitMetric, (metric, name, unit, type, context))
    if (metric) *metric = new_value(name);
}

#define METRIC(function, type, set) \
    JM_EXPORT void function(uint32_t metric, type value) { \
        const char *name = value_name(metric); \
        UNLESS_ON(function, (metric, value)) \
        if (name && jm_thread(JM_SCOREP, 1)) set; \
    }
METRIC(SCOREP_User_TriggerMetricInt64, int64_t, joulemark_set_int(name, value))
METRIC(SCOREP_User_TriggerMetricUint64, uint64_t, joulemark_set_int(name, (int64_t)value))
METRIC(SCOREP_User_TriggerMetricDouble, double, joulemark_set_double(name, value))

/* Fortran: names with their lengths, handles of 8 bytes that begin as −1. */
#define NAMED char *name, int32_t *type, char *file, int32_t *line, int length, int file_length
#define FORTRAN_OPENING(function, enters) \
    JM_EXPORT void function(int64_t *handle, NAMED) { \
        char text[JM_ROOM(length)]; \
        void *made; \
        UNLESS_ON(function, (handle, name, type, file, line, length, file_length)) \
        made = *handle == -1 ? NULL : (void *)(intptr_t)*handle; \
        set_up(&made, jm_fortran(name, length, text)); \
        *handle = (int64_t)(intptr_t)made; \
        if (enters) enter((struct handle *)made); \
    }
FORTRAN_OPENING(scorep_f_begin_, 1)
FORTRAN_OPENING(scorep_f_init_, 0)
FORTRAN_OPENING(scorep_f_rewindbegin_, 1)

#define FORTRAN_BY_HANDLE(function, what) \
    JM_EXPORT void function(int64_t *handle) { \
        UNLESS_ON(function, (handle)) \
        if (*handle != -1) what((struct handle *)(intptr_t)*handle); \
    }
FORTRAN_BY_HANDLE(scorep_f_regionenter_, enter)
FORTRAN_BY_HANDLE(scorep_f_regionend_, leave)

JM_EXPORT void scorep_f_rewindregionend_(int64_t *handle, int *value) {
    UNLESS_ON(scorep_f_rewindregionend_, (handle, value))
    if (*handle != -1) leave((struct handle *)(intptr_t)*handle);
}

JM_EXPORT void scorep_f_regionbynamebegin_(NAMED) {
    char text[JM_ROOM(length)];
    UNLESS_ON(scorep_f_regionbynamebegin_, (name, type, file, line, length, file_length))
    jm_begin(JM_SCOREP, jm_fortran(name, length, text));
}

JM_EXPORT void scorep_f_regionbynameend_(char *name, int length) {
    char text[JM_ROOM(length)];
    UNLESS_ON(scorep_f_regionbynameend_, (name, length))
    jm_end(JM_SCOREP, jm_fortran(name, length, text));
}
