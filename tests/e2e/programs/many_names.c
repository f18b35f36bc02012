/*
 * many_names NAMES SECONDS [LENGTH]: as many regions, each visited at least once and for the same
 * time, spread over the seconds; LENGTH: names have so many letters. Prints the visits.
 */
#include "joulemark.h"
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    long names = argc > 1 ? atol(argv[1]) : 1000;
    double seconds = argc > 2 ? atof(argv[2]) : 0;
    size_t length = argc > 3 ? (size_t)atol(argv[3]) : 0;
    double start = now();
    char *name = malloc(length + 64);
    long i;
    memset(name, 'n', length);
    for (i = 0; i < names; i++) {
        double until = start + seconds * (double)(i + 1) / (double)names;
        snprintf(name + length, 64, "name %ld", i);
        joulemark_begin(name);
        while (seconds > 0 && now() < until) {
        }
        joulemark_end(name);
    }
    printf("%ld\n", names);
    return 0;
}
