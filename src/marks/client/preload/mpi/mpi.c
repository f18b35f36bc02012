/*
 * mpi.c: MPI calls as regions, named like the C function, with the NETWORK hint: those that GEOPM's
 * own interposition has. mpi_all.c has the others.
 *
 * MPI_Finalize ends the process for the report, unless a region is open around it.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpi.h"

JM_HIDDEN __thread int jm_mpi_inside __attribute__((tls_model("initial-exec")));
JM_HIDDEN void (*jm_mpi_count)(struct jm_mpi_call *, struct joulemark__thread *);
JM_HIDDEN void (*jm_mpi_bytes)(struct jm_mpi_call *, const long *, int);

JM_HIDDEN __attribute__((noinline, cold)) void jm_mpi_first(struct joulemark__thread *t,
                                                            struct jm_mpi_call *c) {
    static int looked;
    c->region = joulemark__find(t, c->name, c->hint);
    if (__atomic_exchange_n(&looked, 1, __ATOMIC_RELAXED)) return;
    if (jm_find_next("MPI_Abi_get_version", JM_MPI_LIBRARY) &&
        !jm_find_next("ompi_mpi_comm_world", JM_MPI_LIBRARY))
        jm_remark("this MPI has the standard's ABI of MPI 5, with which joulemark is untried");
}

JM_HIDDEN struct joulemark__thread *jm_mpi_enter_on(struct jm_mpi_call *c, uint32_t dialect) {
    return jm_mpi_enter_here(c, dialect);
}
JM_HIDDEN void jm_mpi_leave(struct joulemark__thread *t, struct jm_mpi_call *c) {
    jm_mpi_leave_here(t, c);
}

JM_HIDDEN int jm_mpi_are_small(const long *arguments, uint32_t places) {
    int i;
    for (i = 0; places; i++, places >>= 1) {
        if ((places & 1) && arguments[i] != (int)arguments[i]) return 0;
    }
    return 1;
}

/* The library's function: of the four names that compilers make, whichever it has. */
static void *behind(struct jm_mpi_symbol *symbol) {
    static const char *const plain[] = {"_", "", "__"};
    const char *fortran = symbol->call->fortran;
    char name[80], *c;
    void *found = NULL;
    size_t i;
    if (symbol->ending) {
        snprintf(name, sizeof name, "mpi_%s%s", fortran, symbol->ending);
        return jm_next(&symbol->slot, name, JM_MPI_LIBRARY);
    }
    for (i = 0; i < 3 && !found; i++) {
        snprintf(name, sizeof name, "mpi_%s%s", fortran, plain[i]);
        found = jm_find_next(name, JM_MPI_LIBRARY);
    }
    for (c = name; !found && *c; c++) {
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
        if (c[1] == '_' && c[2] == '_') c[1] = 0;
    }
    if (!found) found = jm_find_next(name, JM_MPI_LIBRARY);
    __atomic_store_n(&symbol->slot, found ? found : (void *)&symbol->slot, __ATOMIC_RELAXED);
    return found;
}

JM_HIDDEN void jm_mpi_fortran(struct jm_mpi_symbol *s, const long *v) {
    typedef void (*function)(long, long, long, long, long, long, long, long, long, long, long,
                             long, long, long);
    function real = (function)__atomic_load_n(&s->slot, __ATOMIC_RELAXED);
    struct joulemark__thread *t;
    if (__builtin_expect(real == NULL, 0)) real = (function)behind(s);
    if (real == (function)(void *)&s->slot) real = NULL;
    t = jm_mpi_enter_here(s->call, s->dialect);
    if (real)
        real(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13]);
    if (t) {
        const int *status = (const int *)(uintptr_t)v[s->error];
        jm_mpi_leave_here(t, s->call);
        if ((jm_on & JM_MPI_ALL) && s->call->bytes.what && (!status || *status == 0) &&
            jm_mpi_bytes)
            jm_mpi_bytes(s->call, v, s->how);
    }
}

#define CALL(Name, lower, UPPER, n, error, nf, LARGE, counts, version, hint, bytes)                 \
    JM_MPI_ANSWER(Name, lower, UPPER, n, error, nf, LARGE, counts, hint, bytes, JM_MPI)
JM_MPI_CALLS(CALL)

/* GEOPM has one name for both. */
static struct jm_mpi_call call_init = {
    "MPI_Init_thread", "init", JOULEMARK_HINT_NETWORK, 0, JM_MPI_BYTES_NOTHING, NULL, 0, 0, 0, 0};
static struct jm_mpi_call call_init_thread = {
    "MPI_Init_thread", "init_thread", JOULEMARK_HINT_NETWORK, 0, JM_MPI_BYTES_NOTHING, NULL, 0, 0, 0, 0};
JM_MPI_C_PLAIN(Init, call_init, JM_MPI, 2, 0)
JM_MPI_C_PLAIN(Init_thread, call_init_thread, JM_MPI, 4, 0)
JM_MPI_FORTRAN_PLAIN(init, INIT, call_init, JM_MPI, 1, 1)
JM_MPI_FORTRAN_PLAIN(init_thread, INIT_THREAD, call_init_thread, JM_MPI, 3, 3)

static void finalized(void) {
    struct joulemark__thread *t = jm_thread(JM_MPI, 0);
    if (t && t->process && t->depth == 0) jm_shutdown();
}

JM_EXPORT int MPI_Finalize(void) {
    JM_REAL(MPI_Finalize, JM_MPI_LIBRARY);
    int result = real ? real() : JM_MPI_ERROR;
    if (!jm_mpi_inside) finalized();
    return result;
}

#define FINALIZE(symbol)                                                                           \
    JM_EXPORT void symbol(JM_P1) {                                                                 \
        JM_REAL(symbol, JM_MPI_LIBRARY);                                                           \
        if (real) real(JM_A1);                                                                     \
        finalized();                                                                               \
    }
FINALIZE(mpi_finalize)
FINALIZE(mpi_finalize_)
FINALIZE(mpi_finalize__)
FINALIZE(MPI_FINALIZE)
FINALIZE(mpi_finalize_f08_)
FINALIZE(mpi_finalize_f08ts_)
