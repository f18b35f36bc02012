/* Nested regions of known shares: main around solve and around exchange, which is around pack. */
#include "joulemark.h"
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void spin(double seconds) {
    double end = now() + seconds;
    while (now() < end) {
    }
}

int main(int argc, char **argv) {
    double end = now() + (argc > 1 ? atof(argv[1]) : 5);
    int i;
    joulemark_begin("main");
    while (now() < end) {
        joulemark_begin("solve");
        spin(0.0005 + 0.002 * rand() / RAND_MAX);
        joulemark_end("solve");
        joulemark_begin("exchange");
        for (i = 0; i < 20; i++) {
            joulemark_begin("pack");
            spin(0.00002);
            joulemark_end("pack");
        }
        joulemark_end("exchange");
        spin(0.0002);
    }
    joulemark_end("main");
    joulemark_begin("output");
    spin(0.5);
    joulemark_end("output");
    return 0;
}
