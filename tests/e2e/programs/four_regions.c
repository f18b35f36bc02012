/* Four regions that last as long as they are told, one after the other, on all of its CPUs. */
#include "joulemark.h"
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"a", "b", "c", "d"};
    double seconds = argc > 1 ? atof(argv[1]) : 0.5;
    int i;
    for (i = 0; i < 4; i++) {
        double end = now() + seconds;
        joulemark_begin(names[i]);
        while (now() < end) {
        }
        joulemark_end(names[i]);
    }
    return 0;
}
