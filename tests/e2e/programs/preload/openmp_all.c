/*
 * What OpenMP's threads do: loops, barriers where thread 0 is late, criticals, singles, tasks. Two
 * threads. Prints, by its own clock, the time that thread 1 waited at barriers and all at criticals.
 */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void spin(double seconds) {
    double until = now() + seconds;
    while (now() < until) continue;
}

static double data[2000];

__attribute__((noinline)) static double steps(void) {
    double waited = 0;
#pragma omp parallel num_threads(2) reduction(+ : waited)
    for (int step = 0; step < 3; step++) {
#pragma omp for schedule(dynamic, 100)
        for (int i = 0; i < 2000; i++) data[i] += i;
        if (omp_get_thread_num() == 0) spin(0.05);
        double before = now();
#pragma omp barrier
        if (omp_get_thread_num() == 1) waited += now() - before;
    }
    return waited;
}

__attribute__((noinline)) static double exclusive(void) {
    double waited = 0;
#pragma omp parallel num_threads(2) reduction(+ : waited)
    {
#pragma omp barrier
        double before = now();
#pragma omp critical
        {
            waited += now() - before;
            spin(0.1);
        }
    }
    return waited;
}

__attribute__((noinline)) static int tasks(void) {
    int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 8; i++) {
#pragma omp task
            {
                spin(0.01);
#pragma omp atomic
                sum++;
            }
        }
#pragma omp taskwait
    }
    return sum;
}

int main(void) {
    double barrier = steps(), critical = exclusive();
    printf("%.6f %.6f %d\n", barrier, critical, tasks());
    return 0;
}
