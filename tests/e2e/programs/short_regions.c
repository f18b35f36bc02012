/* Four short regions in random order, on all CPUs: short_regions SECONDS LEAST_MS MOST_MS SEED. */
#include "joulemark.h"
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"a", "b", "c", "d"};
    double end = now() + (argc > 1 ? atof(argv[1]) : 1);
    double least = (argc > 2 ? atof(argv[2]) : 2) * 1e-3;
    double most = (argc > 3 ? atof(argv[3]) : 8) * 1e-3;
    unsigned long long state = argc > 4 ? strtoull(argv[4], 0, 10) : 1;
    unsigned region = 0;
    double t = now();
    while (t < end) {
        double until;
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        region = (region + 1 + (unsigned)(state >> 33) % 3) % 4;
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        until = t + least + (most - least) * (double)(state >> 33) / 2147483648.0;
        joulemark_begin(names[region]);
        while ((t = now()) < until) {
        }
        joulemark_end(names[region]);
    }
    return 0;
}
