/*
 * Threads without binding: unbound THREADS SECONDS MAIN [ALONE]. MAIN: "works", the main thread has regions beside
 * the threads; "waits", it waits for them; "computes", it computes outside of regions. Before and after them it is in the region "alone", for ALONE seconds each.
 * Each thread goes at random from region to region, for 5 to 60 ms each, with some time outside.
 */
#include "joulemark.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void spin_until(double end) {
    while (now() < end) {
    }
}

static void alone(double seconds) {
    joulemark_begin("alone");
    spin_until(now() + seconds);
    joulemark_end("alone");
}

static double end_all;

static void work(unsigned seed, const char *const *names) {
    while (now() < end_all) {
        const char *name = names[rand_r(&seed) % 3];
        joulemark_begin(name);
        spin_until(now() + 0.001 * (5 + rand_r(&seed) % 55));
        joulemark_end(name);
        if (rand_r(&seed) % 3 == 0) spin_until(now() + 0.004);
    }
}

static const char *const OF_MAIN[] = {"m0", "m1", "m2"};
static const char *const OF_OTHERS[] = {"t0", "t1", "t2"};

static void *other(void *number) {
    work(100 + (unsigned)(size_t)number, OF_OTHERS);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[64];
    int i, count = argc > 3 ? atoi(argv[1]) : 0;
    double alone_s = argc > 4 ? atof(argv[4]) : 0;
    if (count < 1 || count > 64) return 2;
    alone(alone_s);
    end_all = now() + atof(argv[2]);
    for (i = 0; i < count; i++) pthread_create(&threads[i], NULL, other, (void *)(size_t)i);
    if (strcmp(argv[3], "works") == 0) work(7, OF_MAIN);
    if (strcmp(argv[3], "computes") == 0) spin_until(end_all);
    for (i = 0; i < count; i++) pthread_join(threads[i], NULL);
    alone(alone_s);
    return 0;
}
