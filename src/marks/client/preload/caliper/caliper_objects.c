/*
 * caliper_objects.c: Caliper's C functions for its C++ objects (wrapAnnotation.h and its
 * neighbours, which the Fortran module calls too). The real library's call the members that
 * caliper_cxx.c answers, so they only need something where there is no real library.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "caliper.h"
#include <stdbool.h>

/* What a program holds: an address and how to end it, which is nothing here. */
struct held { void *at; int end; };
/* Ended as an annotation, by the module's own number. */
#define JM_ANNOTATION 2

/* Members of caliper_cxx.c; an object is one pointer. */
extern void _ZN4cali15ScopeAnnotationC1EPKc(void *, const char *);
extern void _ZN4cali15ScopeAnnotationD1Ev(void *);
extern void _ZN4cali10AnnotationC1EPKci(void *, const char *, int);
extern void _ZN4cali10AnnotationD1Ev(void *);
extern void *_ZN4cali10Annotation5beginEi(void *, int);
extern void *_ZN4cali10Annotation3setEi(void *, int);
extern void *_ZN4cali10Annotation3setEPKc(void *, const char *);
extern void *_ZN4cali10Annotation5beginERKNS_7VariantE(void *, const struct jm_variant *);
extern void _ZN4cali10Annotation3endEv(void *);

static struct held *filled(struct held *into, void *at) {
    into->at = at;
    into->end = 0;
    return into;
}

/* ------------------------------------------------------------------ annotations */

JM_EXPORT struct held *cali_ScopeAnnotation_begin(const char *name, struct held *into) {
    JM_REAL(cali_ScopeAnnotation_begin, JM_CALI_LIBRARY);
    if (real) return real(name, into);
    _ZN4cali15ScopeAnnotationC1EPKc(into, name);
    return filled(into, NULL);
}

JM_EXPORT void cali_ScopeAnnotation_end(struct held *self) {
    JM_REAL(cali_ScopeAnnotation_end, JM_CALI_LIBRARY);
    if (real) real(self);
    else _ZN4cali15ScopeAnnotationD1Ev(self);
}

static struct held *annotation(struct held *into, const char *name, int properties) {
    void *object = calloc(1, sizeof(void *));
    if (object) _ZN4cali10AnnotationC1EPKci(object, name, properties);
    (void)filled(into, object);
    into->end = JM_ANNOTATION;
    return into;
}

JM_EXPORT struct held *cali_Annotation_new(const char *name, struct held *into) {
    JM_REAL(cali_Annotation_new, JM_CALI_LIBRARY);
    return real ? real(name, into) : annotation(into, name, 0);
}

JM_EXPORT struct held *cali_Annotation_new_with_properties(const char *name, int properties,
                                                           struct held *into) {
    JM_REAL(cali_Annotation_new_with_properties, JM_CALI_LIBRARY);
    return real ? real(name, properties, into) : annotation(into, name, properties);
}

JM_EXPORT void cali_Annotation_delete(struct held *self) {
    JM_REAL(cali_Annotation_delete, JM_CALI_LIBRARY);
    if (real) {
        real(self);
        return;
    }
    if (self->at) _ZN4cali10AnnotationD1Ev(self->at);
    free(self->at);
    self->at = NULL;
}

/* Our members are called right away: the real functions would do no more. */
JM_EXPORT void cali_Annotation_begin_int(struct held *self, int value) {
    if (self->at) _ZN4cali10Annotation5beginEi(self->at, value);
}
JM_EXPORT void cali_Annotation_set_int(struct held *self, int value) {
    if (self->at) _ZN4cali10Annotation3setEi(self->at, value);
}
JM_EXPORT void cali_Annotation_set_string(struct held *self, const char *value) {
    if (self->at) _ZN4cali10Annotation3setEPKc(self->at, value);
}
JM_EXPORT void cali_Annotation_begin_string(struct held *self, const char *value) {
    struct jm_variant v = jm_cali_variant(value);
    if (self->at) _ZN4cali10Annotation5beginERKNS_7VariantE(self->at, &v);
}
JM_EXPORT void cali_Annotation_end(struct held *self) {
    if (self->at) _ZN4cali10Annotation3endEv(self->at);
}

/* ------------------------------------------------------------------ profiles of the program's own */

/* Nothing to hold, nothing to do, and no error. */
#define NEW(symbol)                                                                                \
    JM_EXPORT struct held *symbol(struct held *into) {                                             \
        JM_FORWARD(symbol, JM_CALI_LIBRARY, filled(into, NULL), (into));                           \
    }
#define DO(symbol, parameters, args)                                                               \
    JM_EXPORT void symbol parameters {                                                             \
        JM_FORWARD_VOID(symbol, JM_CALI_LIBRARY, args);                                            \
    }
#define PLAIN(symbol) DO(symbol, (struct held * self), (self))
#define TEXT(symbol)                                                                               \
    DO(symbol, (struct held * self, const char *text), (self, text))
#define NUMBER(symbol)                                                                             \
    JM_EXPORT double symbol(const struct held *self) {                                             \
        JM_FORWARD(symbol, JM_CALI_LIBRARY, 0, (self));                                            \
    }

NEW(cali_ConfigManager_new)
PLAIN(cali_ConfigManager_delete)
JM_EXPORT void cali_ConfigManager_start(struct held *self) {
    jm_cali_start_apart();
    JM_FORWARD_VOID(cali_ConfigManager_start, JM_CALI_LIBRARY, (self));
}
PLAIN(cali_ConfigManager_stop)
PLAIN(cali_ConfigManager_flush)
TEXT(cali_ConfigManager_add)
TEXT(cali_ConfigManager_add_config_spec)
TEXT(cali_ConfigManager_add_option_spec)
DO(cali_ConfigManager_set_default_parameter,
   (struct held * self, const char *option, const char *value), (self, option, value))
DO(cali_ConfigManager_set_default_parameter_for_config,
   (struct held * self, const char *config, const char *option, const char *value),
   (self, config, option, value))

JM_EXPORT bool cali_ConfigManager_error(struct held *self) {
    JM_FORWARD(cali_ConfigManager_error, JM_CALI_LIBRARY, false, (self));
}

/* A text for Fortran: what holds it, where it is, type, length, and shape. */
struct array {
    struct held holder;
    const char *text;
    int type;
    size_t length, size;
    int rank;
    long shape[7];
};

JM_EXPORT void cali_ConfigManager_error_msg_bufferify(struct held *self, struct array *into) {
    JM_REAL(cali_ConfigManager_error_msg_bufferify, JM_CALI_LIBRARY);
    if (real) {
        real(self, into);
        return;
    }
    filled(&into->holder, NULL);
    into->text = NULL;
    into->length = 0;
    into->size = 1;
    into->rank = 0;
}

/* Ends what Fortran holds, of which only annotations are more than nothing here. */
JM_EXPORT void cali_SHROUD_memory_destructor(struct held *self) {
    JM_REAL(cali_SHROUD_memory_destructor, JM_CALI_LIBRARY);
    if (real) {
        real(self);
        return;
    }
    if (self->end == JM_ANNOTATION) cali_Annotation_delete(self);
    filled(self, NULL);
}

JM_EXPORT void cali_ShroudCopyStringAndFree(struct array *from, char *into, size_t length) {
    JM_REAL(cali_ShroudCopyStringAndFree, JM_CALI_LIBRARY);
    if (real) {
        real(from, into, length);
        return;
    }
    if (length > from->length) length = from->length;
    if (from->text) memcpy(into, from->text, length);
    cali_SHROUD_memory_destructor(&from->holder);
}

NEW(cali_BufferedRegionProfile_new)
PLAIN(cali_BufferedRegionProfile_delete)
PLAIN(cali_BufferedRegionProfile_start)
PLAIN(cali_BufferedRegionProfile_stop)
PLAIN(cali_BufferedRegionProfile_clear)
PLAIN(cali_BufferedRegionProfile_fetch_exclusive_region_times)
PLAIN(cali_BufferedRegionProfile_fetch_inclusive_region_times)
NUMBER(cali_BufferedRegionProfile_total_profiling_time)
NUMBER(cali_BufferedRegionProfile_total_region_time)

JM_EXPORT double cali_BufferedRegionProfile_region_time(struct held *self, const char *region) {
    JM_FORWARD(cali_BufferedRegionProfile_region_time, JM_CALI_LIBRARY, 0, (self, region));
}
