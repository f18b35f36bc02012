/*
 * Two threads at one lock, the second one waits. Prints, by its own clock, the time in omp_set_lock() of
 * both.
 */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void) {
    double waited = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2) reduction(+ : waited)
    {
        double before, until;
#pragma omp barrier
        before = now();
        omp_set_lock(&lock);
        waited += (until = now()) - before;
        while (now() < until + 0.1) continue;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    printf("%.6f\n", waited);
    return 0;
}
