/*
 * pcontrol.c: MPI_Pcontrol(level, ...), whose meaning the MPI standard leaves to the tool. As IPM
 * has it, level 1 with a name begins a region and -1 with it ends it. JOULEMARK_PCONTROL_EPOCH=N
 * makes level N the beginning of a time step.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"
#include <ctype.h>
#include <stdarg.h>
#include <sys/uio.h>

/*
 * The text behind what may be an argument or just what was left in its register: read by the
 * kernel, which distinguishes a bad address from a good one, and only if it is a name to look at.
 */
static const char *name_at(const void *address, char into[256]) {
    struct iovec to = {into, 255}, from = {(void *)(uintptr_t)address, 255};
    size_t page = 4096 - ((uintptr_t)address & 4095), i;
    long n;
    if ((uintptr_t)address < 65536) return NULL;
    if (page < 255) from.iov_len = page;
    n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    if (n == (long)page && page < 255 && !memchr(into, 0, page)) {
        struct iovec rest = {into + page, 255 - page};
        from.iov_base = (char *)(uintptr_t)address + page;
        from.iov_len = 255 - page;
        i = (size_t)process_vm_readv(getpid(), &rest, 1, &from, 1, 0);
        if (i != (size_t)-1) n += (long)i;
    }
    if (n <= 0) return NULL;
    into[n < 255 ? n : 255] = 0;
    for (i = 0; into[i]; i++) {
        if (!isprint((unsigned char)into[i]) && (unsigned char)into[i] < 128) return NULL;
    }
    return i > 0 && i < (size_t)n ? into : NULL;
}

static int epoch_level(void) {
    static int level = -100000;
    if (level == -100000) {
        const char *text = getenv("JOULEMARK_PCONTROL_EPOCH");
        level = text ? atoi(text) : -99999;
    }
    return level;
}

static void controlled(int level, const void *argument) {
    struct joulemark__thread *t = jm_thread(JM_PCONTROL, level == 1);
    char text[256];
    const char *name;
    int saved = errno;
    if (!t) return;
    if (level == epoch_level()) joulemark_epoch();
    else if ((level == 1 || level == -1) && (name = name_at(argument, text)) != NULL) {
        uint32_t region = joulemark__find(t, name, JOULEMARK_HINT_UNKNOWN);
        region = jm_of(jm_track(JM_PCONTROL), region);
        if (level == 1) jm_enter(t, region);
        else jm_exit(t, region);
    }
    errno = saved;
}

JM_EXPORT int MPI_Pcontrol(const int level, ...) {
    const void *argument;
    va_list list;
    va_start(list, level);
    argument = va_arg(list, const void *);
    va_end(list);
    controlled(level, argument);
    JM_FORWARD(MPI_Pcontrol, "libmpi", 0, (level, argument));
}

/* Fortran's has the level alone. */
#define FORTRAN(symbol)                                                                            \
    JM_EXPORT void symbol(int *level) {                                                            \
        controlled(*level, NULL);                                                                  \
        JM_FORWARD_VOID(symbol, "libmpi", (level));                                                \
    }
FORTRAN(mpi_pcontrol)
FORTRAN(mpi_pcontrol_)
FORTRAN(mpi_pcontrol__)
FORTRAN(MPI_PCONTROL)
