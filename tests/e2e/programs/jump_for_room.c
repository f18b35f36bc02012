/* A signal handler's jump leaves a mark that takes room for paths. Then come visits that need that room. */
#define _GNU_SOURCE
#include "joulemark.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static volatile sig_atomic_t is_armed;
static sigjmp_buf back;

static void on_signal(int number) {
    (void)number;
    joulemark_begin("handler");
    joulemark_end("handler");
    siglongjmp(back, 1);
}

/* joulemark.h asks for this limit before it takes room. */
int getrlimit(__rlimit_resource_t resource, struct rlimit *limit) {
    if (is_armed) {
        is_armed = 0;
        raise(SIGUSR1);
    }
    return (int)syscall(SYS_prlimit64, 0, resource, NULL, limit);
}

int main(void) {
    static uint32_t regions[100];
    volatile int i = 0, k;
    for (k = 0; k < 100; k++) {
        char name[32];
        snprintf(name, sizeof name, "region %d", k);
        regions[k] = joulemark_region(name, JOULEMARK_HINT_UNKNOWN);
    }
    signal(SIGUSR1, on_signal);
    joulemark_begin("around");
    is_armed = 1;
    if (sigsetjmp(back, 1)) i++;
    for (; i < 100; i++) {
        /* More than the ring has room for: visits are added up by path. */
        for (k = 0; k < 10000; k++) {
            joulemark_enter(regions[i]);
            joulemark_exit(regions[i]);
        }
    }
    joulemark_end("around");
    return is_armed;
}
