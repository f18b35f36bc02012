// Macros of Caliper's own headers: caliper [PAIRS]; ns a pair on stdout.
#include <caliper/cali.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>

static void work() { CALI_CXX_MARK_FUNCTION; }

static void scope() { CALI_CXX_MARK_SCOPE("scope"); }

int main(int argc, char **argv) {
    long pairs = argc > 1 ? std::atol(argv[1]) : 1000;
    struct timespec a, b;
    for (int i = 0; i < 10; i++) work();
    for (int i = 0; i < 10; i++) scope();
    CALI_MARK_LOOP_BEGIN(loop, "time loop");
    for (int i = 0; i < 5; i++) {
        CALI_MARK_ITERATION_BEGIN(loop, i);
        CALI_MARK_ITERATION_END(loop);
    }
    CALI_MARK_LOOP_END(loop);
    CALI_MARK_PHASE_BEGIN("phase");
    CALI_MARK_PHASE_END("phase");
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < pairs; i++) {
        CALI_MARK_BEGIN("solve");
        CALI_MARK_END("solve");
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    std::printf("%.1f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
                              (double)pairs);
    return 0;
}
