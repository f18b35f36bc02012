/* As many begin/end pairs as the argument says, as fast as it can; prints the seconds it took. */
#include "joulemark.h"
#include <stdio.h>

int main(int argc, char **argv) {
    long i, n = argc > 1 ? atol(argv[1]) : 10000000;
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (i = 0; i < n; i++) {
        joulemark_begin("tight");
        joulemark_end("tight");
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%.9f\n", (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
    return 0;
}
