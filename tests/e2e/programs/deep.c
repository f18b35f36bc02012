/* deep SECONDS: main around loops of a, each around 50 of b, each around c, as fast as they go. */
#include "joulemark.h"
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    double end = now() + (argc > 1 ? atof(argv[1]) : 3);
    int i;
    joulemark_begin("main");
    while (now() < end) {
        joulemark_begin("a");
        for (i = 0; i < 50; i++) {
            joulemark_begin("b");
            joulemark_begin("c");
            joulemark_end("c");
            joulemark_end("b");
        }
        joulemark_end("a");
    }
    joulemark_end("main");
    return 0;
}
