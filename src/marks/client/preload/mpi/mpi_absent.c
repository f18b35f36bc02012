/*
 * mpi_absent.c: a name that we have and the MPI behind us does not have is hidden: programs test whether
 * MPI_Session_init or MPI_Alltoallv_c exists, by weak references or dlsym(3), as mpi4py does, and do
 * otherwise without it. So our own name is hidden, before anything is bound to it.
 *
 * Where MPI comes later, with a module that Python loads, its functions are not known yet: all names up to
 * version 3.1 of the standard stay, and large counts that the plain call can answer.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpi.h"
#include "hide.h"

static const struct { const char *name; int is_new, is_large, has_lists; } rows[] = {
#define IS_3 0
#define IS_4 1
#define IS_PLAIN 0, 0
#define IS_LARGE 1, 0
#define IS_LISTS 1, 1
#define CALL(Name, lower, UPPER, n, error, nf, LARGE, counts, version, hint, bytes)                \
    {"MPI_" #Name, IS_##version, IS_##LARGE},
    JM_MPI_CALLS(CALL) JM_MPI_MORE_CALLS(CALL)
};

/* Is it one of our rows, with _c or without, that may be absent? */
static int may_be_absent(const char *name, int mpi_is_known) {
    size_t length = strlen(name), i;
    int is_c = length > 2 && strcmp(name + length - 2, "_c") == 0;
    if (is_c) length -= 2;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strncmp(rows[i].name, name, length) != 0 || rows[i].name[length]) continue;
        return mpi_is_known || rows[i].is_new || (is_c && rows[i].has_lists);
    }
    return 0;
}

static int is_known;

static int is_absent(const char *name) {
    return strncmp(name, "MPI_", 4) == 0 && may_be_absent(name, is_known) &&
           dlsym(RTLD_NEXT, name) == NULL;
}

static __attribute__((constructor(102))) void hide_what_is_absent(void) {
    is_known = dlsym(RTLD_NEXT, "MPI_Init") != NULL;
    jm_hide(is_absent);
}
