/* A program of LIKWID's marker interface, in two threads: likwid [PAIRS]; ns a pair on stdout. */
#include <likwid-marker.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *other(void *unused) {
    LIKWID_MARKER_THREADINIT;
    for (int i = 0; i < 100; i++) {
        LIKWID_MARKER_START("thread");
        LIKWID_MARKER_STOP("thread");
    }
    return unused;
}

int main(int argc, char **argv) {
    long pairs = argc > 1 ? atol(argv[1]) : 1000;
    struct timespec a, b;
    pthread_t threads[2];
    LIKWID_MARKER_INIT;
    LIKWID_MARKER_THREADINIT;
    LIKWID_MARKER_REGISTER("solve");
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, other, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < pairs; i++) {
        LIKWID_MARKER_START("solve");
        LIKWID_MARKER_STOP("solve");
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    LIKWID_MARKER_CLOSE;
    printf("%.1f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
                         (double)pairs);
    return 0;
}
