/*
 * What a pair of marks costs the application: marker_bench MODE PAIRS, nanoseconds a pair on stdout.
 *
 *   off      without a session
 *   folded   nobody reads: after 16,384 records every pair is folded
 *   drained  bursts of 4,000 pairs; between them the reader gets time to empty the ring
 *   handle   as drained, by joulemark_enter and joulemark_exit
 *   path     inside an open region, where visits are folded by path
 *   paths    as path, five regions in turn
 *
 * The loop itself is measured with empty bodies and taken off.
 */
#include "joulemark.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BURST = 4000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double empty(long pairs) {
    double start = now();
    for (long i = 0; i < pairs; i++) __asm__ __volatile__("" ::: "memory");
    return now() - start;
}

static double by_name(long pairs) {
    double start = now();
    for (long i = 0; i < pairs; i++) {
        joulemark_begin("solve");
        __asm__ __volatile__("" ::: "memory");
        joulemark_end("solve");
    }
    return now() - start;
}

static double by_five(long pairs) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    double start = now();
    for (long i = 0; i < pairs; i += 5) {
        for (int k = 0; k < 5; k++) {
            joulemark_begin(names[k]);
            __asm__ __volatile__("" ::: "memory");
            joulemark_end(names[k]);
        }
    }
    return now() - start;
}

static double by_handle(long pairs, uint32_t region) {
    double start = now();
    for (long i = 0; i < pairs; i++) {
        joulemark_enter(region);
        __asm__ __volatile__("" ::: "memory");
        joulemark_exit(region);
    }
    return now() - start;
}

static void rest(long ms) {
    struct timespec t = {0, ms * 1000000L};
    nanosleep(&t, NULL);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "off";
    long pairs = argc > 2 ? atol(argv[2]) : 10000000, done;
    uint32_t region = joulemark_region("solve", JOULEMARK_HINT_COMPUTE);
    int handle = strcmp(mode, "handle") == 0;
    double ns = 0, idle = empty(pairs);
    if (handle || strcmp(mode, "drained") == 0) {
        /* The first tenth of a second is stamped by the clock. */
        for (int i = 0; i < 40; i++) {
            by_name(10);
            rest(5);
        }
        for (done = 0; done < pairs; done += BURST) {
            ns += handle ? by_handle(BURST, region) : by_name(BURST);
            rest(5);
        }
        pairs = done;
    } else {
        int is_path = strncmp(mode, "path", 4) == 0;
        if (is_path) joulemark_begin("main");
        if (is_path || strcmp(mode, "folded") == 0) {
            for (int i = 0; i < 40; i++) {
                by_name(10000);
                rest(5);
            }
        }
        ns = strcmp(mode, "paths") == 0 ? by_five(pairs) : by_name(pairs);
        if (is_path) joulemark_end("main");
    }
    printf("%.2f\n", (ns - idle) / (double)pairs);
    return 0;
}
