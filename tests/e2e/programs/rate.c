/*
 * rate PAIRS_PER_SECOND SECONDS [LOG]: "a" twice as often as "b", each with a region inside. Prints both.
 * LOG: gets a line each 10 ms or so, the time and how many there were by then; between two it sleeps.
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
    double rate = argc > 1 ? atof(argv[1]) : 1e5, seconds = argc > 2 ? atof(argv[2]) : 1;
    double start = now(), at;
    FILE *log = argc > 3 ? fopen(argv[3], "w") : NULL;
    long done = 0;
    while ((at = now() - start) < seconds) {
        for (; (double)done < at * rate; done++) {
            const char *name = done % 3 == 2 ? "b" : "a";
            joulemark_begin(name);
            joulemark_begin("inside");
            joulemark_end("inside");
            joulemark_end(name);
        }
        if (log) {
            struct timespec pause = {0, 10000000};
            fprintf(log, "%.6f %ld\n", now(), done);
            fflush(log);
            nanosleep(&pause, NULL);
        }
    }
    printf("%ld %ld\n", done - done / 3, done / 3);
    return 0;
}
