/* What visits folded by path come to: see paths_test.ts. */
#include "joulemark.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void work(long ns) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    do clock_gettime(CLOCK_MONOTONIC, &b);
    while ((b.tv_sec - a.tv_sec) * 1000000000L + (b.tv_nsec - a.tv_nsec) < ns);
}

static void twice(const char *name) {
    joulemark_begin(name);
    joulemark_end(name);
    joulemark_begin(name);
    joulemark_end(name);
}

static void *loop(void *pairs) {
    joulemark_begin("thread");
    for (long i = 0; i < (long)pairs; i++) {
        joulemark_begin("step");
        joulemark_begin(i % 3 ? "often" : "seldom");
        joulemark_end(i % 3 ? "often" : "seldom");
        joulemark_end("step");
    }
    joulemark_end("thread");
    return NULL;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    int i;
    if (strcmp(mode, "tree") == 0) {
        joulemark_begin("main");
        for (i = 0; i < 10; i++) {
            joulemark_begin("solve");
            work(200000);
            twice("dot");
            joulemark_begin("solve");
            work(100000);
            joulemark_end("solve");
            joulemark_end("solve");
            twice("dot");
        }
        work(1000000);
        joulemark_end("main");
        joulemark_begin("end");
        work(30000);
        joulemark_end("end");
    } else if (strcmp(mode, "hints") == 0) {
        uint32_t compute = joulemark_region("compute", JOULEMARK_HINT_COMPUTE);
        uint32_t network = joulemark_region("network", JOULEMARK_HINT_NETWORK);
        uint32_t more = joulemark_region("more", JOULEMARK_HINT_COMPUTE);
        for (i = 0; i < 5; i++) {
            joulemark_enter(compute);
            joulemark_enter(more);
            joulemark_enter(network);
            joulemark_exit(network);
            joulemark_exit(more);
            joulemark_exit(compute);
        }
    } else if (strcmp(mode, "mistakes") == 0) {
        joulemark_begin("main");
        joulemark_begin("outer");
        joulemark_begin("inner");
        joulemark_end("outer");
        joulemark_end("nowhere");
        joulemark_begin("left");
    } else if (strcmp(mode, "threads") == 0) {
        pthread_t threads[4];
        for (i = 0; i < 4; i++) pthread_create(&threads[i], NULL, loop, (void *)100000L);
        for (i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    } else if (strcmp(mode, "many") == 0) {
        joulemark_begin("main");
        for (i = 0; i < 20000; i++) {
            char name[32];
            snprintf(name, sizeof name, "region %d", i);
            joulemark_begin(name);
            joulemark_end(name);
        }
        joulemark_end("main");
    } else if (strcmp(mode, "deep") == 0) {
        for (i = 0; i < 100; i++) joulemark_begin("deep");
        for (i = 0; i < 100; i++) joulemark_end("deep");
    } else if (strcmp(mode, "loop") == 0) {
        loop((void *)(argc > 2 ? 1000000L : 100000L));
    }
    return 0;
}
