/*
 * tau_values.c: TAU's user events, parameters and metadata: attributes that are set; events are added
 * up as well. The real library always gets the calls too.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "samples.h"
#include "tau.h"

/* Names of events that a real TAU returned, by its own handles; the latest are kept. */
static struct { void *event; char name[120]; } known_events[256];
static uint32_t known_next;

static void *new_event(void *real, const char *name) {
    uint32_t at;
    if (!real) return jm_new_timer(name);
    at = __atomic_fetch_add(&known_next, 1, __ATOMIC_RELAXED) % 256;
    snprintf(known_events[at].name, sizeof known_events[at].name, "%s", name ? name : "");
    __atomic_store_n(&known_events[at].event, real, __ATOMIC_RELEASE);
    return real;
}

static void set_double(const char *name, double data) {
    struct joulemark__thread *t = name ? jm_tau_thread(1) : NULL;
    if (!t) return;
    jm_sample(t, "tau", name, data);
    joulemark_set_double(name, data);
}

/* A value of an event: an attribute of its name that is set. */
static void happened(void *event, double data, int is_real) {
    const char *name = event && !is_real ? ((struct jm_timer *)event)->name : NULL;
    int i;
    for (i = 0; is_real && !name && i < 256; i++) {
        if (__atomic_load_n(&known_events[i].event, __ATOMIC_ACQUIRE) == event)
            name = known_events[i].name;
    }
    set_double(name, data);
}

JM_EXPORT void *Tau_get_userevent(const char *name) {
    JM_REAL(Tau_get_userevent, JM_TAU_LIBRARY);
    void *event = NULL;
    if (real) JM_TAU_REAL(event = real(name));
    return new_event(event, name);
}

/* A handle of TAU's that is zero at first; the name by what C or Fortran hands over. */
#define REGISTERS(symbol, room, named, declared, args)                                             \
    JM_EXPORT void symbol declared {                                                               \
        JM_REAL(symbol, JM_TAU_LIBRARY);                                                           \
        char text[room];                                                                           \
        (void)text;                                                                                \
        if (real) JM_TAU_REAL(real args);                                                          \
        if (!real && *event) return;                                                               \
        *event = new_event(real ? *event : NULL, named);                                           \
    }
REGISTERS(Tau_get_context_userevent, 1, name, (void **event, const char *name), (event, name))
REGISTERS(tau_register_event_, JM_ROOM(length), jm_fortran(name, length, text),
          (void **event, const char *name, int length), (event, name, length))
REGISTERS(tau_register_context_event_, JM_ROOM(length), jm_fortran(name, length, text),
          (void **event, const char *name, int length), (event, name, length))

/* A call with a value: our record, then the real library. */
#define VALUE(symbol, say, declared, args)                                                         \
    JM_EXPORT void symbol declared {                                                               \
        JM_REAL(symbol, JM_TAU_LIBRARY);                                                           \
        say;                                                                                       \
        if (real) JM_TAU_REAL(real args);                                                          \
    }
VALUE(Tau_userevent, happened(event, data, real != NULL), (void *event, double data), (event, data))
VALUE(Tau_context_userevent, happened(event, data, real != NULL), (void *event, double data),
      (event, data))
VALUE(Tau_userevent_thread, happened(event, data, real != NULL),
      (void *event, double data, int tid), (event, data, tid))
VALUE(Tau_context_userevent_thread, happened(event, data, real != NULL),
      (void *event, double data, int tid), (event, data, tid))
VALUE(Tau_context_userevent_thread_ts, happened(event, data, real != NULL),
      (void *event, double data, int tid, double time), (event, data, tid, time))
VALUE(tau_event_, happened(*event, *data, real != NULL), (void **event, double *data),
      (event, data))
VALUE(tau_context_event_, happened(*event, *data, real != NULL), (void **event, double *data),
      (event, data))
VALUE(Tau_trigger_userevent, set_double(name, data), (const char *name, double data), (name, data))
VALUE(Tau_trigger_context_event, set_double(name, data), (const char *name, double data),
      (name, data))
VALUE(Tau_trigger_userevent_thread, set_double(name, data),
      (const char *name, double data, int tid), (name, data, tid))
VALUE(Tau_trigger_context_event_thread, set_double(name, data),
      (const char *name, double data, int tid), (name, data, tid))

static void set_string(const char *name, const char *value) {
    if (name && value && jm_tau_thread(1)) joulemark_set_string(name, value);
}
static void set_long(const char *name, int64_t value) {
    if (name && jm_tau_thread(1)) joulemark_set_int(name, value);
}

VALUE(Tau_metadata, set_string(name, value), (const char *name, const char *value), (name, value))
VALUE(Tau_phase_metadata, set_string(name, value), (const char *name, const char *value),
      (name, value))
VALUE(Tau_context_metadata, set_string(name, value), (const char *name, const char *value),
      (name, value))
VALUE(Tau_profile_param1l, set_long(name, value), (long value, const char *name), (value, name))

static void fortran_string(const char *name, const char *value, int length, int value_length) {
    char name_text[JM_ROOM(length)], value_text[JM_ROOM(value_length)];
    set_string(jm_fortran(name, length, name_text), jm_fortran(value, value_length, value_text));
}
static void fortran_long(const char *name, int64_t value, int length) {
    char text[JM_ROOM(length)];
    set_long(jm_fortran(name, length, text), value);
}
VALUE(tau_metadata_, fortran_string(name, value, length, value_length),
      (const char *name, const char *value, int length, int value_length),
      (name, value, length, value_length))
VALUE(tau_profile_param_1l_, fortran_long(name, *value, length),
      (const char *name, int *value, int length), (name, value, length))
