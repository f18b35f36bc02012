/*
 * Memory that is taken and given back between marks: alloc; alloc PAIRS: ns of a malloc and a free
 * of 64 bytes. The marks' prototypes are our own, weak.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WEAK __attribute__((weak))
WEAK extern void cali_begin_region(const char *);
WEAK extern void cali_end_region(const char *);

#define MIB (1024 * 1024)
static char *kept[1000];
/* The compiler would leave out what nobody looks at. */
static void *volatile seen;

static void begin(const char *name) {
    if (cali_begin_region) cali_begin_region(name);
}
static void end(const char *name) {
    if (cali_end_region) cali_end_region(name);
}

static void *thread(void *arg) {
    (void)arg;
    for (int i = 0; i < 100; i++) {
        seen = malloc(30000);
        free(seen);
    }
    return malloc(MIB);
}

static void *take(void **at) {
    void *aligned = NULL;
    volatile size_t most = SIZE_MAX / 2;
    at[0] = calloc(10, 100);
    at[1] = realloc(NULL, 50);
    at[1] = realloc(at[1], 500000);
    if (posix_memalign(&aligned, 64, 1000) != 0) exit(1);
    at[2] = aligned;
    at[3] = aligned_alloc(128, 1024);
    at[4] = memalign(256, 10);
    at[5] = reallocarray(NULL, 3, 7);
    for (int i = 2; i < 5; i++) {
        if ((uintptr_t)at[i] % (i == 2 ? 64 : i == 3 ? 128 : 256)) puts("not aligned");
    }
    for (int i = 0; i < 1000; i++) {
        if (((char *)at[0])[i]) puts("not zero");
    }
    if (reallocarray(NULL, most, 3)) puts("more than there is");
    return at[5];
}

int main(int argc, char **argv) {
    void *others[6];
    pthread_t id;
    void *last;
    if (argc > 1) {
        long pairs = atol(argv[1]);
        struct timespec a, b;
        begin("main");
        end("main");
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (long i = 0; i < pairs; i++) {
            seen = malloc(64);
            free(seen);
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
        printf("%.2f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
                             (double)pairs);
        return 0;
    }
    begin("many");
    for (int i = 0; i < 1000; i++) memset(kept[i] = malloc(1000), i, 1000);
    end("many");
    begin("large");
    seen = malloc(8 * MIB);
    free(seen);
    end("large");
    begin("free");
    for (int i = 0; i < 1000; i++) free(kept[i]);
    end("free");
    begin("empty");
    end("empty");
    begin("others");
    seen = take(others);
    for (int i = 0; i < 6; i++) free(others[i]);
    end("others");
    begin("thread");
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, &last);
    end("thread");
    free(last);
    puts("done");
    return 0;
}
