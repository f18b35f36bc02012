/*
 * caliper_cxx.c: the C++ classes of Caliper's Annotation.h, by the names that the Itanium C++ ABI
 * gives their members. Each is one pointer to something private or empty, and every member is
 * called, none inlined; so the something is ours here.
 *
 * Where the real library gets the calls too, ours holds an object of it. What the real library made
 * itself, and what its members call among themselves, is known by the missing sign of ours and passed on.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "caliper.h"

static const char sign;

struct object {
    const char *sign;
    void *real; /* the real object: one pointer too */
    char *name;
    uint32_t properties;
    int references, open;
    struct jm_attribute *attribute; /* the annotation's, known by its first value; or iterations' */
};

static struct object *ours(void *self) {
    struct object *o = *(struct object **)self;
    return o && o->sign == &sign ? o : NULL;
}

static struct object *make(void *self, const char *name, int properties) {
    struct object *o = (struct object *)calloc(1, sizeof *o);
    if (!o || !(o->name = strdup(name ? name : ""))) abort(); /* a failing new ends it as well */
    o->sign = &sign;
    o->properties = (uint32_t)properties;
    o->references = 1;
    *(struct object **)self = o;
    return o;
}

static void hold(void *self, struct object *o) {
    __atomic_fetch_add(&o->references, 1, __ATOMIC_RELAXED);
    *(struct object **)self = o;
}

/* Gives one reference back; was it the last? */
static int is_last(struct object *o) {
    return __atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) == 0;
}

static void destroy(struct object *o) {
    o->sign = NULL;
    free(o->name);
    free(o);
}

/* Constructors and destructors have two names. */
#define NAME_OF(symbol) NAME_OF_2(symbol)
#define NAME_OF_2(symbol) #symbol
#define SAME(symbol, other)                                                                        \
    JM_EXPORT __typeof__(other) symbol __attribute__((alias(NAME_OF(other))))
/* The real one: of an object that is not ours, by the same pointer; or of the one that ours holds. */
#define REAL(function, args) JM_FORWARD_VOID(function, JM_CALI_LIBRARY, args)

/* ------------------------------------------------------------------ Function, ScopeAnnotation */

/* Empty: a name at the start, nothing at the end. */
#define SCOPE(begin, end)                                                                          \
    JM_EXPORT void begin(void *self, const char *name) {                                           \
        jm_begin(JM_CALIPER, name);                                                                \
        JM_CALI_PASS(begin, (self, name));                                                         \
    }                                                                                              \
    JM_EXPORT void end(void *self) {                                                               \
        jm_pop(JM_CALIPER);                                                                        \
        JM_CALI_PASS(end, (self));                                                                 \
    }
SCOPE(_ZN4cali8FunctionC1EPKc, _ZN4cali8FunctionD1Ev)
SCOPE(_ZN4cali8FunctionC2EPKc, _ZN4cali8FunctionD2Ev)
SCOPE(_ZN4cali15ScopeAnnotationC1EPKc, _ZN4cali15ScopeAnnotationD1Ev)
SCOPE(_ZN4cali15ScopeAnnotationC2EPKc, _ZN4cali15ScopeAnnotationD2Ev)

/* ------------------------------------------------------------------ Loop */

JM_EXPORT void _ZN4cali4LoopC1EPKc(void *self, const char *name) {
    struct object *o = make(self, name, 0);
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 1);
    char iteration[256];
    snprintf(iteration, sizeof iteration, "iteration#%s", o->name);
    o->attribute = jm_cali_keep(0, iteration, CALI_INT, CALI_AS_VALUE);
    o->open = 1;
    if (t) jm_cali_begin(t, jm_cali_loop, CALI_STRING, joulemark__lookup(t, name));
    if (jm_cali_chained()) REAL(_ZN4cali4LoopC1EPKc, (&o->real, name));
}
SAME(_ZN4cali4LoopC2EPKc, _ZN4cali4LoopC1EPKc);

JM_EXPORT void _ZN4cali4LoopC1ERKS0_(void *self, void *other) {
    struct object *o = ours(other);
    if (o) hold(self, o);
    else REAL(_ZN4cali4LoopC1ERKS0_, (self, other));
}
SAME(_ZN4cali4LoopC2ERKS0_, _ZN4cali4LoopC1ERKS0_);

static void end_loop(struct object *o) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    if (__atomic_exchange_n(&o->open, 0, __ATOMIC_RELAXED) && t) jm_cali_end(t, jm_cali_loop);
}

JM_EXPORT void _ZN4cali4Loop3endEv(void *self) {
    struct object *o = ours(self);
    if (o) end_loop(o);
    if (o ? o->real != NULL : 1) REAL(_ZN4cali4Loop3endEv, (o ? &o->real : self));
}

JM_EXPORT void _ZN4cali4LoopD1Ev(void *self) {
    struct object *o = ours(self);
    if (o && !is_last(o)) return;
    if (o) end_loop(o);
    if (o ? o->real != NULL : 1) REAL(_ZN4cali4LoopD1Ev, (o ? &o->real : self));
    if (o) destroy(o);
}
SAME(_ZN4cali4LoopD2Ev, _ZN4cali4LoopD1Ev);

/* An iteration holds the same pointer as its loop. */
JM_EXPORT void _ZN4cali4Loop9IterationC1EPKNS0_4ImplEi(void *self, void *loop, int number) {
    struct object *o = ours(&loop);
    struct joulemark__thread *t = o ? jm_thread(JM_CALIPER, 1) : NULL;
    void *real = NULL;
    if (t && o->attribute) jm_cali_begin(t, o->attribute, CALI_INT, (uint64_t)(int64_t)number);
    if (o) *(void **)self = o;
    if (o ? o->real != NULL : 1)
        REAL(_ZN4cali4Loop9IterationC1EPKNS0_4ImplEi,
             (o ? &real : self, o ? o->real : loop, number));
}
SAME(_ZN4cali4Loop9IterationC2EPKNS0_4ImplEi, _ZN4cali4Loop9IterationC1EPKNS0_4ImplEi);

JM_EXPORT void _ZN4cali4Loop9IterationD1Ev(void *self) {
    struct object *o = ours(self);
    struct joulemark__thread *t = o ? jm_thread(JM_CALIPER, 0) : NULL;
    if (t && o->attribute) jm_cali_end(t, o->attribute);
    if (o ? o->real != NULL : 1)
        REAL(_ZN4cali4Loop9IterationD1Ev, (o ? &o->real : self));
}
SAME(_ZN4cali4Loop9IterationD2Ev, _ZN4cali4Loop9IterationD1Ev);

/* Loop::iteration(int) const: an iteration has a destructor, so its caller passes the result's address. */
#if defined(__x86_64__)
JM_EXPORT void *_ZNK4cali4Loop9iterationEi(void *made, void *self, int number) {
    _ZN4cali4Loop9IterationC1EPKNS0_4ImplEi(made, *(void **)self, number);
    return made;
}
#elif defined(__aarch64__)
JM_HIDDEN void jm_cali_iteration(void *made, void *self, int number) {
    _ZN4cali4Loop9IterationC1EPKNS0_4ImplEi(made, *(void **)self, number);
}
/* There the place comes in x8. */
__asm__(".text\n.globl _ZNK4cali4Loop9iterationEi\n.type _ZNK4cali4Loop9iterationEi, %function\n"
        "_ZNK4cali4Loop9iterationEi:\n\tmov w2, w1\n\tmov x1, x0\n\tmov x0, x8\n"
        "\tb jm_cali_iteration\n");
#endif

/* ------------------------------------------------------------------ Annotation */

JM_EXPORT void _ZN4cali10AnnotationC1EPKci(void *self, const char *name, int properties) {
    struct object *o = make(self, name, properties);
    if (jm_cali_chained())
        REAL(_ZN4cali10AnnotationC1EPKci, (&o->real, name, properties));
}
SAME(_ZN4cali10AnnotationC2EPKci, _ZN4cali10AnnotationC1EPKci);

/* With metadata, which stays with the real library. This name is the one of GNU's std::map. */
#define WITH_METADATA(n)                                                                           \
    _ZN4cali10AnnotationC##n##EPKcRKSt3mapIS2_NS_7VariantESt4lessIS2_ESaISt4pairIKS2_S4_EEEi
JM_EXPORT void WITH_METADATA(1)(void *self, const char *name, void *metadata, int properties) {
    struct object *o = make(self, name, properties);
    if (jm_cali_chained())
        REAL(WITH_METADATA(1), (&o->real, name, metadata, properties));
}
SAME(WITH_METADATA(2), WITH_METADATA(1));

extern void _ZN4cali10AnnotationD1Ev(void *);
static void let_go(struct object *o) {
    if (!is_last(o)) return;
    if (o->real) REAL(_ZN4cali10AnnotationD1Ev, (&o->real));
    destroy(o);
}

JM_EXPORT void _ZN4cali10AnnotationD1Ev(void *self) {
    struct object *o = ours(self);
    if (o) let_go(o);
    else REAL(_ZN4cali10AnnotationD1Ev, (self));
}
SAME(_ZN4cali10AnnotationD2Ev, _ZN4cali10AnnotationD1Ev);

JM_EXPORT void _ZN4cali10AnnotationC1ERKS0_(void *self, void *other) {
    struct object *o = ours(other);
    if (o) hold(self, o);
    else REAL(_ZN4cali10AnnotationC1ERKS0_, (self, other));
}
SAME(_ZN4cali10AnnotationC2ERKS0_, _ZN4cali10AnnotationC1ERKS0_);

JM_EXPORT void *_ZN4cali10AnnotationaSERKS0_(void *self, void *other) {
    struct object *mine = ours(self), *theirs = ours(other);
    if (!mine || !theirs)
        JM_FORWARD(_ZN4cali10AnnotationaSERKS0_, JM_CALI_LIBRARY, self, (self, other));
    hold(self, theirs);
    let_go(mine);
    return self;
}

/* Values of another type than the attribute's are none, as Caliper has it. */
static void change(struct object *o, int begins, const struct jm_variant *value) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 1);
    uint64_t bits;
    uint32_t type = t ? jm_cali_value(t, value, &bits) : 0;
    if (!type) return;
    if (!o->attribute) o->attribute = jm_cali_keep(0, o->name, type, o->properties);
    if (!o->attribute || o->attribute->type != type) return;
    if (begins) jm_cali_begin(t, o->attribute, type, bits);
    else jm_cali_set(t, o->attribute, type, bits);
}

#define CHANGE(symbol, begins)                                                                     \
    JM_EXPORT void *symbol(void *self, const struct jm_variant *value) {                           \
        struct object *o = ours(self);                                                             \
        if (o) change(o, begins, value);                                                           \
        if (o ? o->real != NULL : 1)                                                               \
            REAL(symbol, (o ? &o->real : self, value));                                            \
        return self;                                                                               \
    }
CHANGE(_ZN4cali10Annotation5beginERKNS_7VariantE, 1)
CHANGE(_ZN4cali10Annotation3setERKNS_7VariantE, 0)

static struct jm_variant real_of(double value) {
    struct jm_variant v = {CALI_DOUBLE, {0}};
    v.value.real = value;
    return v;
}

/* An integer may go into an attribute of another kind of number. */
static struct jm_variant integer_of(void *self, int value) {
    struct object *o = ours(self);
    uint32_t type = o && o->attribute ? o->attribute->type : CALI_INT;
    struct jm_variant v = {type == CALI_UINT ? CALI_UINT : CALI_INT, {0}};
    if (type == CALI_DOUBLE) return real_of(value);
    v.value.integer = value;
    return v;
}

/* The other ways to give a value end in the two above. */
#define AS_VARIANT(symbol, parameters, to, made)                                                   \
    JM_EXPORT void *symbol parameters {                                                            \
        struct jm_variant v = made;                                                                \
        return to(self, &v);                                                                       \
    }
#define BEGIN _ZN4cali10Annotation5beginERKNS_7VariantE
#define SET _ZN4cali10Annotation3setERKNS_7VariantE
AS_VARIANT(_ZN4cali10Annotation5beginEi, (void *self, int value), BEGIN, integer_of(self, value))
AS_VARIANT(_ZN4cali10Annotation5beginEd, (void *self, double value), BEGIN, real_of(value))
AS_VARIANT(_ZN4cali10Annotation3setEi, (void *self, int value), SET, integer_of(self, value))
AS_VARIANT(_ZN4cali10Annotation3setEd, (void *self, double value), SET, real_of(value))
AS_VARIANT(_ZN4cali10Annotation3setEPKc, (void *self, const char *value), SET, jm_cali_variant(value))

JM_EXPORT void *_ZN4cali10Annotation3setE14cali_attr_typePvm(void *self, int type, void *data,
                                                             unsigned long size) {
    struct jm_variant v = {(uint64_t)(uint32_t)type, {0}};
    if (type == CALI_STRING) {
        v.type_and_size |= (uint64_t)size << 32;
        v.value.at = data;
    } else if (data) memcpy(&v.value, data, size < 8 ? size : 8);
    return SET(self, &v);
}

JM_EXPORT void *_ZN4cali10Annotation5beginEv(void *self) {
    struct jm_variant yes = {CALI_BOOL, {1}};
    return BEGIN(self, &yes);
}

extern void _ZN4cali10Annotation3endEv(void *);
static void finish(void *self) {
    struct object *o = ours(self);
    struct joulemark__thread *t = o ? jm_thread(JM_CALIPER, 0) : NULL;
    if (t && o->attribute) jm_cali_end(t, o->attribute);
    if (o ? o->real != NULL : 1)
        REAL(_ZN4cali10Annotation3endEv, (o ? &o->real : self));
}

JM_EXPORT void _ZN4cali10Annotation3endEv(void *self) {
    finish(self);
}

/* Holds the annotation and ends it with its block. */
JM_EXPORT void _ZN4cali10Annotation5GuardC1ERS0_(void *self, void *annotation) {
    struct object *o = ours(annotation);
    if (o) hold(self, o);
    else REAL(_ZN4cali10Annotation5GuardC1ERS0_, (self, annotation));
}
SAME(_ZN4cali10Annotation5GuardC2ERS0_, _ZN4cali10Annotation5GuardC1ERS0_);

JM_EXPORT void _ZN4cali10Annotation5GuardD1Ev(void *self) {
    struct object *o = ours(self);
    if (!o) {
        REAL(_ZN4cali10Annotation5GuardD1Ev, (self));
        return;
    }
    finish(self);
    let_go(o);
}
SAME(_ZN4cali10Annotation5GuardD2Ev, _ZN4cali10Annotation5GuardD1Ev);

/* ------------------------------------------------------------------ ConfigManager */

/* All of it is the real library's, which may not have been started yet. */
JM_EXPORT void _ZN4cali13ConfigManager5startEv(void *self) {
    jm_cali_start_apart();
    REAL(_ZN4cali13ConfigManager5startEv, (self));
}
